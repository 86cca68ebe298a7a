//===- Bundle.cpp - Compiled programs as files ----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Bundle/Bundle.h"
#include "PlanTables.h"
#include "fuse/Compiler/Report.h"
#include "fuse/Execution/JIT.h"
#include "fuse/Runtime/OutputFile.h"
#include "fuse/Target/GPUTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace fuse;
using namespace fuse::bundle;

// What CMake makes of fuse_bundle.h, fuse_bundle.c and DLPack.h.
#include "RuntimeSources.inc"

namespace {
class BundleWriter {
public:
  BundleWriter(StringRef text, StringRef fileName,
               const jit::CompileOptions &options, StringRef directory)
      : text(text), fileName(fileName), options(options), directory(directory) {
  }

  Expected<Written> write(ArrayRef<std::string> chips);

private:
  Error addChip(StringRef chip);
  Error addVariant(jit::Compilation &compilation, StringRef chip,
                   const runtime::Facts &facts, jit::Code *known);
  Error writeFile(StringRef name, StringRef bytes);
  Error writeSources();
  std::string reportText() const;
  std::string header() const;
  std::string buildFile() const;

  StringRef text, fileName;
  jit::CompileOptions options;
  StringRef directory;
  Written written;
  std::vector<VariantCode> variants;
  std::vector<std::string> objects;
  /// What each chip gets, by its name: JSON.
  std::vector<std::pair<std::string, std::string>> reports;
};
} // namespace

/// The function's name as one of C.
static std::string identifier(StringRef name) {
  std::string result;
  for (char c : name)
    result += isAlnum(c) ? c : '_';
  return result.empty() || isDigit(result.front()) ? "_" + result : result;
}

Error BundleWriter::writeFile(StringRef name, StringRef bytes) {
  SmallString<128> path(directory);
  sys::path::append(path, name);
  if (Error error =
          runtime::writeFile(path, [&](raw_ostream &os) { os << bytes; }))
    return createStringError(
        formatv("expected to write '{0}', but got: {1}; pass -o a folder that "
                "can be written",
                path, toString(std::move(error))));
  written.files.push_back(name.str());
  return Error::success();
}

/// The facts of all calls of a program whose sizes are known.
static Expected<runtime::Facts>
factsOfStatic(const runtime::ProgramSpec &spec) {
  // Any address will do that is aligned, and no other's.
  uintptr_t next = 1 << 20;
  auto viewsOf = [&](const auto &tensors) {
    std::vector<runtime::TensorView> views;
    for (const runtime::TensorSpec &tensor : tensors) {
      runtime::TensorView &view = views.emplace_back();
      view.data = reinterpret_cast<void *>(next);
      next += 1 << 20;
      view.dtype = tensor.dtype;
      for (const runtime::SizeExpr &dim : tensor.shape)
        view.shape.push_back(dim.constantValue());
    }
    return views;
  };
  std::vector<runtime::TensorView> inputs = viewsOf(spec.inputs),
                                   outputs = viewsOf(spec.outputs);
  return runtime::computeFacts(spec, inputs, outputs);
}

static Error checkDense(const runtime::ProgramSpec &spec) {
  for (const runtime::TensorSpec &input : spec.inputs)
    if (input.layout != runtime::Layout::Dense)
      return createStringError(
          formatv("expected inputs of a bundle to be dense, but got '{0}' with "
                  "fuse.strided; remove it, and pass a contiguous copy",
                  input.name));
  for (const runtime::TensorSpec &output : spec.outputs)
    if (output.layout != runtime::Layout::Dense)
      return createStringError(
          formatv("expected outputs of a bundle to be dense, but got '{0}' "
                  "with fuse.strided; remove it, and pass a contiguous buffer",
                  output.name));
  return Error::success();
}

Error BundleWriter::addVariant(jit::Compilation &compilation, StringRef chip,
                               const runtime::Facts &facts, jit::Code *known) {
  jit::Code made;
  if (!known) {
    Expected<jit::Code> code = compilation.generate(facts);
    if (!code)
      return code.takeError();
    made = std::move(*code);
    known = &made;
  }
  VariantCode &variant = variants.emplace_back();
  variant.chip = chip.str();
  variant.facts = facts;
  variant.spec = known->plan.spec;
  bool isFirst = reports.empty() || reports.back().first != chip;
  if (isFirst) {
    Expected<json::Object> object = jit::reportProgram(*known);
    if (!object)
      return object.takeError();
    // The object refers to the code.
    reports.push_back(
        {chip.str(), formatv("{0}", json::Value(std::move(*object)))});
  }
  std::string stem =
      formatv("{0}.{1}{2}", written.name, chip, isFirst ? "" : ".general");
  if (chip == "cpu") {
    objects.push_back(stem + ".o");
    return writeFile(objects.back(),
                     StringRef(known->object.data(), known->object.size()));
  }
  const auto &cubin = known->assembled.cubin;
  variant.file = stem + (cubin.empty() ? ".ptx" : ".cubin");
  return writeFile(variant.file, cubin.empty()
                                     ? StringRef(known->ptx)
                                     : StringRef(cubin.data(), cubin.size()));
}

Error BundleWriter::addChip(StringRef chip) {
  bool isHost = chip == "cpu";
  options.target = isHost ? jit::Target::CPU : jit::Target::CUDA;
  options.chip = isHost ? "" : chip.str();
  auto compilation = jit::Compilation::create(text, fileName, options);
  if (!compilation)
    return compilation.takeError();
  // A driver tells chips, not boards.
  if (!isHost)
    chip = cantFail(mlir::fuse::lookupGPUTarget(chip)).chip;
  if (any_of(variants,
             [&](const VariantCode &other) { return other.chip == chip; }))
    return createStringError(
        formatv("expected each chip once, but got {0} twice; name one board "
                "of it",
                chip));
  runtime::Facts facts = runtime::Facts::usual(), none;
  // Two objects would define the same kernels; a CPU loses little.
  if (isHost)
    facts = none;
  Expected<jit::Code> code = (*compilation)->generate(facts);
  if (!code)
    return code.takeError();
  const runtime::ProgramSpec &spec = code->plan.spec;
  if (Error error = checkDense(spec))
    return error;
  if (written.name.empty())
    written.name = identifier(spec.name);
  jit::Code *known = &*code;
  if (!isHost && spec.symbols.empty()) {
    Expected<runtime::Facts> exact = factsOfStatic(spec);
    if (!exact)
      return exact.takeError();
    if (*exact != facts)
      known = nullptr;
    facts = *exact;
  }
  if (Error error = addVariant(**compilation, chip, facts, known))
    return error;
  return isHost ? Error::success()
                : addVariant(**compilation, chip, none, nullptr);
}

std::string BundleWriter::header() const {
  const runtime::ProgramSpec &spec = variants.front().spec;
  auto list = [&](const auto &tensors) {
    SmallVector<std::string> texts;
    for (const runtime::TensorSpec &tensor : tensors)
      texts.push_back(describeTensor(tensor, spec.symbols));
    return join(texts, "\n       ");
  };
  std::string guard = "FUSE_BUNDLE_" + StringRef(written.name).upper() + "_H";
  return formatv(R"(/* Written by `fuse compile`: the program '{0}'.

   in  {1}
   out {2}
*/

#ifndef {3}
#define {3}

#include "fuse_bundle.h"

#ifdef __cplusplus
extern "C" {{
#endif

extern const FuseBundle {4}_bundle;

#ifdef __cplusplus
}
#endif

#endif /* {3} */
)",
                 spec.name, list(spec.inputs), list(spec.outputs), guard,
                 written.name);
}

std::string BundleWriter::buildFile() const {
  std::string sources;
  for (const std::string &object : objects)
    sources += "\n  ${CMAKE_CURRENT_LIST_DIR}/" + object;
  return formatv(R"(# Written by `fuse compile`. In a project of yours:
#   add_subdirectory(this/folder {0}_bundle)
#   target_link_libraries(your_target PRIVATE {0}_bundle)
cmake_minimum_required(VERSION 3.16)
project({0}_bundle LANGUAGES C)

find_package(Threads REQUIRED)
add_library({0}_bundle STATIC ${{CMAKE_CURRENT_LIST_DIR}/{0}.c{1})
# Of several bundles in one project the runtime is the same.
if(NOT TARGET fuse_bundle_runtime)
  add_library(fuse_bundle_runtime STATIC ${{CMAKE_CURRENT_LIST_DIR}/fuse_bundle.c)
  target_include_directories(fuse_bundle_runtime PUBLIC ${{CMAKE_CURRENT_LIST_DIR})
  target_link_libraries(fuse_bundle_runtime PUBLIC Threads::Threads ${{CMAKE_DL_LIBS} m)
  target_compile_features(fuse_bundle_runtime PRIVATE c_std_11)
endif()
target_include_directories({0}_bundle PUBLIC ${{CMAKE_CURRENT_LIST_DIR})
target_link_libraries({0}_bundle PUBLIC fuse_bundle_runtime)
)",
                 written.name, sources);
}

std::string BundleWriter::reportText() const {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    for (const auto &[chip, report] : reports) {
      json.attributeBegin(chip);
      json.rawValue(report);
      json.attributeEnd();
    }
  });
  return text + "\n";
}

Error BundleWriter::writeSources() {
  std::string tables;
  raw_string_ostream os(tables);
  os << formatv("/* Written by `fuse compile`: the plan of '{0}'. */\n\n"
                "#include \"{1}.h\"\n\n",
                variants.front().spec.name, written.name);
  writeTables(os, written.name, variants);
  std::pair<std::string, std::string> files[] = {
      {written.name + ".c", os.str()},
      {written.name + ".h", header()},
      {written.name + ".json", reportText()},
      {"CMakeLists.txt", buildFile()},
      {"fuse_bundle.c", kRuntimeSource},
      {"fuse_bundle.h", kRuntimeHeader},
      {"DLPack.h", kDLPackHeader}};
  for (const auto &[name, bytes] : files)
    if (Error error = writeFile(name, bytes))
      return error;
  return Error::success();
}

Expected<Written> BundleWriter::write(ArrayRef<std::string> chips) {
  if (std::error_code code = sys::fs::create_directories(directory))
    return createStringError(
        formatv("expected to make the folder '{0}', but got: {1}; pass -o "
                "another",
                directory, code.message()));
  for (const std::string &chip : chips)
    if (Error error = addChip(chip))
      return std::move(error);
  if (Error error = writeSources())
    return std::move(error);
  return written;
}

Expected<Written> fuse::bundle::write(StringRef text, StringRef fileName,
                                      ArrayRef<std::string> chips,
                                      const jit::CompileOptions &options,
                                      StringRef directory) {
  return BundleWriter(text, fileName, options, directory).write(chips);
}
