//===- SavedProgram.cpp - Programs with their code in a file --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Execution/SavedProgram.h"
#include "fuse/Compiler/CodeArchive.h"
#include "fuse/Runtime/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace fuse::jit {

/// Grows when older files are not to be read any more.
static constexpr int64_t savedFormat = 1;

static constexpr std::pair<Target, StringLiteral> targetNames[] = {
    {Target::CPU, "cpu"}, {Target::CUDA, "cuda"}, {Target::Emulator, "emu"}};

static StringRef name(Target target) {
  for (const auto &[each, text] : targetNames)
    if (each == target)
      return text;
  llvm_unreachable("a compiled program has a target");
}

static Error makeError(StringRef path, const Twine &message) {
  return createStringError(inconvertibleErrorCode(), path + ": " + message);
}

static json::Object optionsOf(const CompiledProgram &program) {
  const CompileOptions &options = program.options();
  return json::Object{{"entry", options.entry},
                      {"target", name(options.target)},
                      {"chip", options.chip},
                      {"strict", options.strict},
                      {"line_info", options.lineInfo},
                      {"launch_overlap", options.launchOverlap},
                      {"sizes", json::Array(options.sizes)},
                      {"lengths", options.lengths}};
}

/// Of all but the hash itself. Keys of JSON's objects are written in order.
static std::string hashOf(const json::Value &content) {
  BLAKE3 hasher;
  hasher.update(formatv("{0}", content).str());
  return toHex(hasher.final());
}

Error save(const CompiledProgram &program, StringRef path) {
  if (!json::isUTF8(program.text()))
    return makeError(path, "cannot save '" + program.spec().name +
                               "': expected its text to be UTF-8; write "
                               "comments and names so");
  json::Object code;
  program.options().archive->forEach([&](StringRef key, StringRef bytes) {
    code[key.str()] = encodeBase64(bytes);
  });
  json::Value content = json::Object{{"name", program.fileName()},
                                     {"text", program.text()},
                                     {"options", optionsOf(program)},
                                     {"code", std::move(code)}};
  std::string hash = hashOf(content);
  json::Value file = json::Object{{"fuse_program", savedFormat},
                                  {"hash", std::move(hash)},
                                  {"content", std::move(content)}};
  Error error =
      runtime::writeFile(path, [&](raw_ostream &os) { os << file << '\n'; });
  if (!error)
    return error;
  return makeError(path, "cannot save '" + program.spec().name +
                             "': " + toString(std::move(error)) +
                             "; check the folder and its permissions");
}

/// The file's content, if it is what save() has written.
static Expected<json::Object> readSaved(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(
        path, "cannot read the saved program: " + buffer.getError().message() +
                  "; check the path");
  Expected<json::Value> parsed = json::parse((*buffer)->getBuffer());
  json::Object *file = parsed ? parsed->getAsObject() : nullptr;
  consumeError(parsed ? Error::success() : parsed.takeError());
  std::optional<int64_t> format =
      file ? file->getInteger("fuse_program") : std::nullopt;
  if (!format)
    return makeError(path,
                     "expected a file that fuseProgramSave() has written, "
                     "but got another or a part of one; save the program "
                     "again, or compile its text");
  if (*format != savedFormat)
    return makeError(path,
                     formatv("expected a saved program of format {0}, but "
                             "got {1}; save it with this version",
                             savedFormat, *format));
  const json::Value *content = file->get("content");
  std::optional<StringRef> hash = file->getString("hash");
  if (!content || !content->getAsObject() || !hash || *hash != hashOf(*content))
    return makeError(path,
                     "expected the content of a saved program to have the "
                     "hash that it was written with; it is damaged: save "
                     "the program again");
  return *content->getAsObject();
}

/// The hash matches, so that the fields are those that save() writes.
static void readOptions(const json::Object &saved, CompileOptions &options) {
  auto text = [&](StringRef key) {
    return saved.getString(key).value_or("").str();
  };
  auto flag = [&](StringRef key) {
    return saved.getBoolean(key).value_or(false);
  };
  options.entry = text("entry");
  options.strict = flag("strict");
  options.lineInfo = flag("line_info");
  options.launchOverlap = flag("launch_overlap");
  options.lengths = saved.getInteger("lengths").value_or(0);
  options.sizes.clear();
  if (const json::Array *sizes = saved.getArray("sizes"))
    for (const json::Value &size : *sizes)
      options.sizes.push_back(size.getAsString().value_or("").str());
  if (options.target == Target::Auto)
    for (const auto &[each, name] : targetNames)
      if (name == text("target"))
        options.target = each;
  // A GPU's chip is that of the device that is there.
  if (options.target == Target::Emulator && options.chip.empty())
    options.chip = text("chip");
}

Expected<std::unique_ptr<CompiledProgram>> load(StringRef path,
                                                const CompileOptions &options) {
  Expected<json::Object> content = readSaved(path);
  if (!content)
    return content.takeError();
  CompileOptions own = options;
  if (const json::Object *saved = content->getObject("options"))
    readOptions(*saved, own);
  own.archive = std::make_shared<CodeArchive>();
  if (const json::Object *code = content->getObject("code"))
    for (const auto &[key, value] : *code) {
      std::vector<char> bytes;
      if (Error error = decodeBase64(value.getAsString().value_or(""), bytes))
        return std::move(error);
      own.archive->add(StringRef(key), StringRef(bytes.data(), bytes.size()));
    }
  return compile(content->getString("text").value_or(""),
                 content->getString("name").value_or(""), own);
}

} // namespace fuse::jit
