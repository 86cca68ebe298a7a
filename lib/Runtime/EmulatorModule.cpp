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

/// The largest that an sm_90 may grant.
static constexpr unsigned maxCluster = 16;

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
  if (cluster > maxCluster)
    return formatError("expected kernel '{0}' to have clusters of up to {1} "
                       "blocks, but got {2}; choose a schedule with smaller "
                       "clusters",
                       symbol, maxCluster, cluster);
  return reinterpret_cast<KernelHandle>(it->second);
}

Error EmulatorModule::launch(const Launch &launch, Stream stream) {
  if (Error error = checkCudaGrid(launch.name, launch.grid, launch.cluster))
    return error;
  if (launch.cluster > 1 && launch.threads % 32 != 0)
    return formatError("expected the blocks of kernel '{0}', which has "
                       "clusters, to be whole warps, but got {1} threads; use "
                       "a multiple of 32",
                       launch.name, launch.threads);
  std::lock_guard<std::mutex> lock(state->mutex);
  if (Error error = state->stacks.reserve(launch.cluster * launch.threads))
    return error;
  EmulatorGrid grid(launch, reinterpret_cast<EmulatorKernel>(launch.kernel),
                    state->stacks, state->options.seed);
  return grid.run();
}
