//===- Fuse.cpp - The C API of Fuse ---------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse-c/Fuse.h"
#include "Handles.h"
#include "Tensors.h"
#include "fuse/Bundle/Bundle.h"
#include "fuse/Compiler/Log.h"
#include "fuse/Compiler/Report.h"
#include "fuse/Execution/Autotune.h"
#include "fuse/Execution/SavedProgram.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace llvm;
using namespace fuse;
using namespace fuse::capi;

static char *copy(StringRef text) {
  auto *result = static_cast<char *>(safe_malloc(text.size() + 1));
  std::memcpy(result, text.data(), text.size());
  result[text.size()] = '\0';
  return result;
}

static StringRef nameOrDefault(const char *fileName) {
  return fileName ? StringRef(fileName) : StringRef("<text>");
}

/// Runs a call, or the graph of an earlier one whose layouts, as `layouts` has
/// them, and addresses were the same.
static Error runRecorded(FuseProgram &program, jit::PreparedCall &call,
                         ArrayRef<int64_t> layouts, ArrayRef<void *> addresses,
                         runtime::Stream stream) {
  SmallVector<int64_t, 64> key(layouts);
  for (void *address : addresses)
    key.push_back(static_cast<int64_t>(reinterpret_cast<uintptr_t>(address)));
  return program.graphs->run(
      key, stream, [&](runtime::Stream on) { return call.run(addresses, on); });
}

static std::string toText(json::Object object) {
  return formatv("{0}", json::Value(std::move(object)));
}

/// "'x'", or "input 3" if the program has no such tensor.
template <typename Spec>
static std::string labelOf(const std::vector<Spec> &tensors, StringRef what,
                           int32_t index) {
  return size_t(index) < tensors.size()
             ? formatv("'{0}'", tensors[index].name).str()
             : formatv("{0} {1}", what, index).str();
}

static Expected<capi::Views> inputViews(const jit::CompiledProgram &program,
                                        const DLTensor *const *tensors,
                                        int32_t count) {
  return capi::toViews(tensors, count, [&](int32_t index) {
    return labelOf(program.spec().inputs, "input", index);
  });
}

static Expected<capi::Views> outputViews(const jit::CompiledProgram &program,
                                         const DLTensor *const *tensors,
                                         int32_t count) {
  return capi::toViews(tensors, count, [&](int32_t index) {
    return labelOf(program.spec().outputs, "output", index);
  });
}

static Expected<std::string> describe(jit::CompiledProgram &program) {
  Expected<const jit::Code &> code = program.code();
  if (!code)
    return code.takeError();
  Expected<json::Object> object = jit::reportProgram(*code);
  if (!object)
    return object.takeError();
  (*object)["chip"] = program.chip();
  (*object)["device"] = program.device().str();
  return toText(std::move(*object));
}

static Expected<std::string> inspect(StringRef text, StringRef fileName,
                                     const jit::CompileOptions &options) {
  Expected<std::unique_ptr<jit::Compilation>> compilation =
      jit::Compilation::create(text, fileName, options);
  if (!compilation)
    return compilation.takeError();
  Expected<jit::Code> code = (*compilation)->generate(runtime::Facts::usual());
  if (!code)
    return code.takeError();
  Expected<json::Object> object = jit::reportProgram(*code);
  if (!object)
    return object.takeError();
  (*object)["ptx"] = code->ptx;
  return toText(std::move(*object));
}

/// Cuts a list of dims by the ranks of the program's inputs.
static Expected<std::vector<runtime::Shape>>
inputShapes(const runtime::ProgramSpec &spec, ArrayRef<int64_t> dims) {
  size_t ranks = 0;
  for (const runtime::TensorSpec &input : spec.inputs)
    ranks += input.shape.size();
  if (ranks != dims.size())
    return createStringError(
        formatv("expected {0} dims for the inputs of '{1}', to tune for these, "
                "but got {2}; pass one for each dimension",
                ranks, spec.name, dims.size()));
  std::vector<runtime::Shape> shapes;
  for (const runtime::TensorSpec &input : spec.inputs) {
    shapes.emplace_back(dims.take_front(input.shape.size()));
    dims = dims.drop_front(input.shape.size());
  }
  return std::move(shapes);
}

static Expected<std::string> autotune(StringRef text, StringRef fileName,
                                      const jit::CompileOptions &options,
                                      ArrayRef<int64_t> dims) {
  Expected<std::unique_ptr<jit::CompiledProgram>> compiled =
      jit::compile(text, fileName, options);
  if (!compiled)
    return compiled.takeError();
  auto shapes = inputShapes((*compiled)->spec(), dims);
  if (!shapes)
    return shapes.takeError();
  auto tuned = jit::autotune(text, fileName, options, *shapes);
  if (!tuned)
    return tuned.takeError();
  return formatv("{0}", json::Value(jit::reportTuning(*tuned))).str();
}

static Expected<std::string> print(jit::CompiledProgram &program,
                                   int32_t stage) {
  switch (stage) {
  case FUSE_STAGE_KERNELS:
    return program.print(jit::Stage::Kernels);
  case FUSE_STAGE_SCHEDULE:
    return program.print(jit::Stage::Schedule);
  case FUSE_STAGE_GPU:
    return program.print(jit::Stage::Gpu);
  case FUSE_STAGE_LLVM:
    return program.print(jit::Stage::LLVM);
  case FUSE_STAGE_PTX: {
    Expected<const jit::Code &> code = program.code();
    if (!code)
      return code.takeError();
    return code->ptx;
  }
  default:
    return createStringError("expected a FuseStage from 0 to 4, but got %d; "
                             "pass one of the enumerators",
                             stage);
  }
}

static FuseStatus *give(Expected<std::string> text, char **result,
                        FuseCode code = FUSE_ERROR_ARGUMENT) {
  if (!text)
    return toStatus(text.takeError(), code);
  *result = copy(*text);
  return nullptr;
}

const char *fuseVersion(void) { return FUSE_VERSION; }

int32_t fuseAbi(void) { return FUSE_ABI; }

void fuseSetLog(FuseLog log, void *user) {
  if (!log)
    return jit::setLogHandler({});
  jit::setLogHandler([=](StringRef line) { log(line.str().c_str(), user); });
}

int32_t fuseStatusCode(const FuseStatus *status) {
  return status ? status->code : FUSE_OK;
}

const char *fuseStatusMessage(const FuseStatus *status) {
  return status ? status->message.c_str() : "";
}

void fuseStatusFree(FuseStatus *status) { delete status; }

FuseStatus *fuseCompile(const char *text, size_t length, const char *fileName,
                        const FuseOptions *options, FuseProgram **program) {
  if (FuseStatus *status = require({text, program}, "fuseCompile"))
    return status;
  Expected<jit::CompileOptions> unwrapped = unwrap(options);
  if (!unwrapped)
    return toStatus(unwrapped.takeError());
  return finish(jit::compile(StringRef(text, length), nameOrDefault(fileName),
                             *unwrapped),
                options, program);
}

FuseStatus *fuseCompileFile(const char *path, const FuseOptions *options,
                            FuseProgram **program) {
  if (FuseStatus *status = require({path, program}, "fuseCompileFile"))
    return status;
  Expected<jit::CompileOptions> unwrapped = unwrap(options);
  if (!unwrapped)
    return toStatus(unwrapped.takeError());
  return finish(jit::compileFile(path, *unwrapped), options, program);
}

FuseStatus *fuseProgramSave(const FuseProgram *program, const char *path) {
  if (FuseStatus *status = require({program, path}, "fuseProgramSave"))
    return status;
  return toStatus(jit::save(*program->compiled, path));
}

FuseStatus *fuseProgramLoad(const char *path, const FuseOptions *options,
                            FuseProgram **program) {
  if (FuseStatus *status = require({path, program}, "fuseProgramLoad"))
    return status;
  Expected<jit::CompileOptions> unwrapped = unwrap(options);
  if (!unwrapped)
    return toStatus(unwrapped.takeError());
  return finish(jit::load(path, *unwrapped), options, program);
}

void fuseProgramFree(FuseProgram *program) { delete program; }

DLDevice fuseProgramDevice(const FuseProgram *program) {
  return program ? capi::toDLDevice(program->compiled->device())
                 : DLDevice{kDLCPU, 0};
}

FuseStatus *fuseProgramDescribe(FuseProgram *program, const char **json) {
  if (FuseStatus *status = require({program, json}, "fuseProgramDescribe"))
    return status;
  std::lock_guard<std::mutex> lock(program->mutex);
  if (program->description.empty()) {
    Expected<std::string> description = describe(*program->compiled);
    if (!description)
      return toStatus(description.takeError());
    program->description = std::move(*description);
  }
  *json = program->description.c_str();
  return nullptr;
}

FuseStatus *fuseProgramRemarks(FuseProgram *program, char **json) {
  if (FuseStatus *status = require({program, json}, "fuseProgramRemarks"))
    return status;
  json::Array remarks = jit::reportRemarks(program->compiled->remarks());
  return give(formatv("{0}", json::Value(std::move(remarks))).str(), json);
}

FuseStatus *fuseProgramPrint(FuseProgram *program, int32_t stage, char **text) {
  if (FuseStatus *status = require({program, text}, "fuseProgramPrint"))
    return status;
  return give(print(*program->compiled, stage), text);
}

FuseStatus *fuseInspect(const char *text, size_t length, const char *fileName,
                        const FuseOptions *options, char **json) {
  if (FuseStatus *status = require({text, json}, "fuseInspect"))
    return status;
  Expected<jit::CompileOptions> unwrapped = unwrap(options);
  if (!unwrapped)
    return toStatus(unwrapped.takeError());
  if (unwrapped->target == jit::Target::Auto)
    return fail("expected the target cpu or cuda to inspect, but got auto; it "
                "looks for no device, so name the target");
  if (unwrapped->target == jit::Target::Emulator)
    return fail(
        "expected the target cpu or cuda to inspect, but got emu, which "
        "runs the kernels of cuda; inspect these");
  if (unwrapped->target == jit::Target::CUDA && unwrapped->chip.empty())
    return fail("expected a chip to inspect the target cuda for, but got none; "
                "name one, such as sm_90");
  return give(
      inspect(StringRef(text, length), nameOrDefault(fileName), *unwrapped),
      json, FUSE_ERROR_PROGRAM);
}

FuseStatus *fuseWriteBundle(const char *text, size_t length,
                            const char *fileName, const FuseOptions *options,
                            const char *chips, const char *directory,
                            char **files) {
  if (FuseStatus *status =
          require({text, chips, directory, files}, "fuseWriteBundle"))
    return status;
  Expected<jit::CompileOptions> unwrapped = unwrap(options);
  if (!unwrapped)
    return toStatus(unwrapped.takeError());
  SmallVector<StringRef> names;
  StringRef(chips).split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (names.empty())
    return fail("expected the chips to compile for, but got none; name some, "
                "such as sm_80,sm_90a, or cpu");
  Expected<bundle::Written> written =
      bundle::write(StringRef(text, length), nameOrDefault(fileName),
                    std::vector<std::string>(names.begin(), names.end()),
                    *unwrapped, directory);
  if (!written)
    return toStatus(written.takeError(), FUSE_ERROR_PROGRAM);
  *files = copy(join(written->files, "\n"));
  return nullptr;
}

FuseStatus *fuseAutotune(const char *text, size_t length, const char *fileName,
                         const FuseOptions *options, const int64_t *dims,
                         int32_t numDims, char **json) {
  if (FuseStatus *status = require({text, json}, "fuseAutotune"))
    return status;
  if (numDims < 0 || (numDims > 0 && !dims))
    return fail("expected fuseAutotune() to get the dims of the inputs, but "
                "got none; pass them, or 0 for a program without inputs");
  Expected<jit::CompileOptions> unwrapped = unwrap(options);
  if (!unwrapped)
    return toStatus(unwrapped.takeError());
  return give(autotune(StringRef(text, length), nameOrDefault(fileName),
                       *unwrapped, ArrayRef<int64_t>(dims, numDims)),
              json);
}

void fuseStringFree(char *text) { std::free(text); }

int32_t fuseProgramOutputDims(const FuseProgram *program) {
  int32_t dims = 0;
  if (program)
    for (const runtime::OutputSpec &output : program->compiled->spec().outputs)
      dims += output.shape.size();
  return dims;
}

FuseStatus *fuseProgramInferShapes(const FuseProgram *program,
                                   const DLTensor *const *inputs,
                                   int32_t numInputs, int64_t *dims) {
  if (FuseStatus *status = require({program, dims}, "fuseProgramInferShapes"))
    return status;
  const jit::CompiledProgram &compiled = *program->compiled;
  Expected<capi::Views> views = inputViews(compiled, inputs, numInputs);
  if (!views)
    return toStatus(views.takeError());
  Expected<SmallVector<runtime::Shape>> shapes =
      compiled.inferOutputShapes(*views);
  if (!shapes)
    return toStatus(shapes.takeError());
  for (const runtime::Shape &shape : *shapes)
    dims = llvm::copy(shape, dims);
  return nullptr;
}

/// The prepared call for these layouts, which is made where there is none.
static Expected<std::shared_ptr<jit::PreparedCall>>
prepare(FuseProgram &program, const std::optional<capi::CallCache::Key> &key,
        const DLTensor *const *inputs, int32_t numInputs,
        const DLTensor *const *outputs, int32_t numOutputs) {
  if (key)
    if (std::shared_ptr<jit::PreparedCall> found = program.calls.find(*key))
      return found;
  jit::CompiledProgram &compiled = *program.compiled;
  Expected<capi::Views> from = inputViews(compiled, inputs, numInputs);
  if (!from)
    return from.takeError();
  Expected<capi::Views> to = outputViews(compiled, outputs, numOutputs);
  if (!to)
    return to.takeError();
  Expected<std::unique_ptr<jit::PreparedCall>> made =
      compiled.prepare(*from, ArrayRef<runtime::TensorView>(*to));
  if (!made)
    return made.takeError();
  std::shared_ptr<jit::PreparedCall> call = std::move(*made);
  if (key)
    program.calls.add(*key, call);
  return call;
}

static void *addressOf(const DLTensor &tensor) {
  return tensor.data ? static_cast<char *>(tensor.data) + tensor.byte_offset
                     : nullptr;
}

FuseStatus *fuseRun(FuseProgram *program, const DLTensor *const *inputs,
                    int32_t numInputs, const DLTensor *const *outputs,
                    int32_t numOutputs, void *stream) {
  if (FuseStatus *status = require({program}, "fuseRun"))
    return status;
  std::optional<capi::CallCache::Key> key =
      capi::CallCache::keyOf(inputs, numInputs, outputs, numOutputs);
  Expected<std::shared_ptr<jit::PreparedCall>> call =
      prepare(*program, key, inputs, numInputs, outputs, numOutputs);
  if (!call)
    return toStatus(call.takeError());
  SmallVector<void *, 16> addresses;
  for (const DLTensor *tensor : ArrayRef(inputs, numInputs))
    addresses.push_back(addressOf(*tensor));
  for (const DLTensor *tensor : ArrayRef(outputs, numOutputs))
    addresses.push_back(addressOf(*tensor));
  // A call has a key where it has tensors.
  if (program->graphs && key)
    return toStatus(runRecorded(*program, **call, *key, addresses,
                                runtime::Stream{stream}));
  return toStatus((*call)->run(addresses, runtime::Stream{stream}));
}

/// Gives the call to the caller.
static FuseStatus *hand(FuseProgram &program,
                        Expected<std::unique_ptr<jit::PreparedCall>> prepared,
                        FuseCall **call) {
  if (!prepared)
    return toStatus(prepared.takeError());
  // Negative, as no layout begins.
  *call = new FuseCall{std::move(*prepared), &program, -++program.prepared};
  return nullptr;
}

FuseStatus *fusePrepare(FuseProgram *program, const DLTensor *const *inputs,
                        int32_t numInputs, FuseCall **call) {
  if (FuseStatus *status = require({program, call}, "fusePrepare"))
    return status;
  Expected<capi::Views> views =
      inputViews(*program->compiled, inputs, numInputs);
  if (!views)
    return toStatus(views.takeError());
  return hand(*program, program->compiled->prepare(*views), call);
}

FuseStatus *fusePrepareOutputs(FuseProgram *program,
                               const DLTensor *const *inputs, int32_t numInputs,
                               const DLTensor *const *outputs,
                               int32_t numOutputs, FuseCall **call) {
  if (FuseStatus *status = require({program, call}, "fusePrepareOutputs"))
    return status;
  jit::CompiledProgram &compiled = *program->compiled;
  Expected<capi::Views> from = inputViews(compiled, inputs, numInputs);
  if (!from)
    return toStatus(from.takeError());
  Expected<capi::Views> to = outputViews(compiled, outputs, numOutputs);
  if (!to)
    return toStatus(to.takeError());
  return hand(*program,
              compiled.prepare(*from, ArrayRef<runtime::TensorView>(*to)),
              call);
}

FuseStatus *fuseCallRun(FuseCall *call, void *const *addresses,
                        int32_t numAddresses, void *stream) {
  if (FuseStatus *status = require({call}, "fuseCallRun"))
    return status;
  jit::PreparedCall &prepared = *call->prepared;
  if (numAddresses < 0 || size_t(numAddresses) != prepared.numTensors() ||
      (numAddresses && !addresses))
    return fail("expected " + Twine(prepared.numTensors()) +
                " addresses, but got " + Twine(numAddresses) +
                "; pass that of each input, then that of each output");
  ArrayRef<void *> given(addresses, numAddresses);
  if (call->program->graphs)
    return toStatus(runRecorded(*call->program, prepared, {call->number}, given,
                                runtime::Stream{stream}));
  return toStatus(prepared.run(given, runtime::Stream{stream}));
}

void fuseCallFree(FuseCall *call) { delete call; }
