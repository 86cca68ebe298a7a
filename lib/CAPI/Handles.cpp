//===- Handles.cpp - Errors, options and programs of the C API ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "Tensors.h"
#include "fuse/Runtime/Allocator.h"
#include "llvm/ADT/StringExtras.h"
#include <cstddef>
#include <cstring>

using namespace llvm;
using namespace fuse;
using namespace fuse::capi;

FuseStatus *capi::fail(const Twine &message) {
  return new FuseStatus{message.str(), FUSE_ERROR_ARGUMENT};
}

FuseStatus *capi::toStatus(Error error, FuseCode code) {
  if (!error)
    return nullptr;
  std::string message;
  handleAllErrors(std::move(error), [&](const ErrorInfoBase &info) {
    if (info.convertToErrorCode() == std::errc::io_error)
      code = FUSE_ERROR_DEVICE;
    message += (message.empty() ? "" : "\n") + info.message();
  });
  return new FuseStatus{std::move(message), code};
}

FuseStatus *capi::require(std::initializer_list<const void *> pointers,
                          StringRef function) {
  if (llvm::all_of(pointers, [](const void *pointer) { return pointer; }))
    return nullptr;
  return fail("expected the arguments of " + function +
              "() to be set, but got NULL; pass pointers to valid memory");
}

StringRef capi::orEmpty(const char *text) {
  return text ? StringRef(text) : StringRef();
}

static Expected<std::shared_ptr<const runtime::Allocator>>
toAllocator(const FuseAllocator *given) {
  if (!given)
    return nullptr;
  if (!given->allocate || !given->free)
    return createStringError("expected an allocator with the functions "
                             "'allocate' and 'free', but got NULL; set both");
  FuseAllocator own = *given;
  return std::make_shared<const runtime::Allocator>(runtime::Allocator{
      [own](int64_t bytes, runtime::Device device) {
        return own.allocate(bytes, toDLDevice(device), own.user);
      },
      [own](void *memory, runtime::Device device) {
        own.free(memory, toDLDevice(device), own.user);
      }});
}

Expected<jit::CompileOptions> capi::unwrap(const FuseOptions *given) {
  FuseOptions options;
  fuseOptionsInit(&options);
  // A caller of an older header has fewer fields; the rest keep their defaults.
  if (given)
    std::memcpy(static_cast<void *>(&options), given,
                std::min(given->size, sizeof(options)));
  if (options.target < FUSE_TARGET_AUTO ||
      options.target > FUSE_TARGET_EMULATOR)
    return createStringError(
        "expected the target to be FUSE_TARGET_AUTO, _CPU, _CUDA or "
        "_EMULATOR, but got %d; call fuseOptionsInit() before setting options",
        options.target);
  jit::CompileOptions result;
  result.entry = orEmpty(options.entry);
  static constexpr jit::Target targets[] = {jit::Target::Auto, jit::Target::CPU,
                                            jit::Target::CUDA,
                                            jit::Target::Emulator};
  result.target = targets[options.target];
  result.chip = orEmpty(options.chip);
  result.device = options.device;
  result.strict = options.strict;
  result.lineInfo = options.line_info;
  result.cache = options.cache;
  result.cacheDirectory = orEmpty(options.cache_directory);
  result.tuningFile = orEmpty(options.tuning_file);
  result.launchOverlap = options.launch_overlap;
  SmallVector<StringRef> sizes;
  orEmpty(options.sizes)
      .split(sizes, ',', /*MaxSplit=*/-1,
             /*KeepEmpty=*/false);
  result.sizes.assign(sizes.begin(), sizes.end());
  if (options.lengths < 0)
    return createStringError("expected lengths of 0 or more, but got %d; 0 "
                             "compiles for any length only",
                             options.lengths);
  result.lengths = options.lengths;
  auto allocator = toAllocator(options.allocator);
  if (!allocator)
    return allocator.takeError();
  result.allocator = std::move(*allocator);
  return result;
}

/// For a program that records its calls.
static Expected<std::unique_ptr<runtime::CallGraphs>>
graphsOn(runtime::Device device) {
  if (device.kind != runtime::Device::Kind::CUDA)
    return createStringError(
        "expected a program on a GPU, whose calls are recorded as CUDA graphs, "
        "but got one on " +
        device.str() + "; compile it without the option graphs");
  Expected<runtime::CudaDevice &> cuda = runtime::CudaDevice::get(device.id);
  if (!cuda)
    return cuda.takeError();
  return std::make_unique<runtime::CallGraphs>(*cuda);
}

static bool wantsGraphs(const FuseOptions *options) {
  constexpr size_t end =
      offsetof(FuseOptions, graphs) + sizeof(FuseOptions::graphs);
  return options && options->size >= end && options->graphs;
}

FuseStatus *
capi::finish(Expected<std::unique_ptr<jit::CompiledProgram>> compiled,
             const FuseOptions *options, FuseProgram **program) {
  if (!compiled)
    return toStatus(compiled.takeError(), FUSE_ERROR_PROGRAM);
  auto made = std::make_unique<FuseProgram>();
  made->compiled = std::move(*compiled);
  if (wantsGraphs(options)) {
    auto graphs = graphsOn(made->compiled->device());
    if (!graphs)
      return toStatus(graphs.takeError(), FUSE_ERROR_PROGRAM);
    made->graphs = std::move(*graphs);
  }
  *program = made.release();
  return nullptr;
}

void fuseOptionsInit(FuseOptions *options) {
  if (!options)
    return;
  *options = FuseOptions();
  options->size = sizeof(FuseOptions);
  options->target = FUSE_TARGET_AUTO;
  options->cache = 1;
  options->launch_overlap = 1;
  options->lengths = jit::CompileOptions().lengths;
}
