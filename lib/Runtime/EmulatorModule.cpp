//===- EmulatorModule.cpp - GPU kernels run on the host -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/EmulatorModule.h"
#include "EmulatorGrid.h"
#include "FormatError.h"
#include "fuse/Runtime/CudaModule.h"
#include <mutex>

using namespace llvm;
using namespace fuse::runtime;

struct EmulatorModule::State {
  StringMap<EmulatorKernel> kernels;
  EmulatorModuleOptions options;
  std::shared_ptr<void> owner;
  /// One launch at a time has the stacks.
  std::mutex mutex;
  FiberStacks stacks;
};

EmulatorModule::EmulatorModule(StringMap<EmulatorKernel> kernels,
                               const EmulatorModuleOptions &options,
                               std::shared_ptr<void> owner)
    : state(new State{std::move(kernels), options, std::move(owner), {}, {}}) {}

EmulatorModule::~EmulatorModule() = default;

Expected<KernelHandle> EmulatorModule::lookup(StringRef symbol,
                                              unsigned sharedBytes,
                                              unsigned cluster) {
  auto it = state->kernels.find(symbol);
  if (it == state->kernels.end() || !it->second)
    return formatError("expected the code to define kernel '{0}', but got none "
                       "of that name; compile plan and code together",
                       symbol);
  if (cluster > 1)
    return formatError("expected kernel '{0}' to have clusters of one block on "
                       "the emulator, but got {1}; choose a schedule without "
                       "clusters",
                       symbol, cluster);
  return reinterpret_cast<KernelHandle>(it->second);
}

Error EmulatorModule::launch(const Launch &launch, Stream stream) {
  if (Error error = checkCudaGrid(launch.name, launch.grid, launch.cluster))
    return error;
  std::lock_guard<std::mutex> lock(state->mutex);
  if (Error error = state->stacks.reserve(launch.threads))
    return error;
  EmulatorGrid grid(launch, reinterpret_cast<EmulatorKernel>(launch.kernel),
                    state->stacks, state->options.seed);
  return grid.run();
}
