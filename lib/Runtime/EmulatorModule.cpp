//===- EmulatorModule.cpp - GPU kernels run on the host -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/EmulatorModule.h"
#include "EmulatorGrid.h"
#include "EmulatorTensorMap.h"
#include "FormatError.h"
#include "fuse/Runtime/CudaModule.h"
#include <mutex>
#include <optional>
#include <vector>

using namespace llvm;
using namespace fuse::runtime;

/// The largest that an sm_90 may grant.
static constexpr unsigned maxCluster = 16;
/// That run together. Each stack has a guard page, so that it takes two of the
/// 65530 mappings that Linux gives a process.
static constexpr int64_t maxThreads = 30 * 1024;

struct EmulatorModule::State {
  StringMap<EmulatorKernel> kernels;
  EmulatorModuleOptions options;
  std::shared_ptr<void> owner;
  /// One launch at a time has the stacks.
  std::mutex mutex;
  FiberStacks stacks;
  /// What the last launch has written; nothing before the first.
  std::optional<std::vector<const void *>> results;
};

EmulatorModule::EmulatorModule(StringMap<EmulatorKernel> kernels,
                               const EmulatorModuleOptions &options,
                               std::shared_ptr<void> owner)
    : state(new State{
          std::move(kernels), options, std::move(owner), {}, {}, {}}) {}

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

/// Whether the emulator can run the blocks together that must.
static Error checkTogether(const Launch &launch) {
  int64_t together = EmulatorGrid::blocksTogether(launch);
  if (launch.cooperative && launch.cluster > 1)
    return formatError("expected kernel '{0}' to be cooperative or to have "
                       "clusters, but got both; launch it without clusters, or "
                       "on a GPU",
                       launch.name);
  if (together > 1 && launch.threads % 32 != 0)
    return formatError("expected the blocks of kernel '{0}', which run "
                       "together, to be whole warps, but got {1} threads; use "
                       "a multiple of 32",
                       launch.name, launch.threads);
  if (together > maxThreads / launch.threads)
    return formatError("expected the blocks of kernel '{0}', which run "
                       "together, to have at most {1} threads in all, but got "
                       "{2} blocks of {3}; launch fewer blocks",
                       launch.name, maxThreads, together, launch.threads);
  return Error::success();
}

Expected<int64_t> EmulatorModule::mostConcurrentBlocks(KernelHandle kernel,
                                                       unsigned threads,
                                                       unsigned sharedBytes) {
  return maxThreads / threads;
}

/// As CudaModule does.
Expected<TensorMap> EmulatorModule::encode(void *data,
                                           const TensorMapShape &shape) {
  auto map = EmulatorTensorMap::make(data, shape, TensorSwizzle::Bytes128);
  if (!map)
    return map.takeError();
  return map->asArgument();
}

Error EmulatorModule::launch(const Launch &launch, Stream stream) {
  if (Error error = checkCudaGrid(launch.name, launch.grid, launch.cluster))
    return error;
  if (Error error = checkTogether(launch))
    return error;
  std::lock_guard<std::mutex> lock(state->mutex);
  if (Error error = state->stacks.reserve(EmulatorGrid::blocksTogether(launch) *
                                          launch.threads))
    return error;
  EmulatorGrid grid(launch, reinterpret_cast<EmulatorKernel>(launch.kernel),
                    state->stacks, state->options.seed);
  if (state->results)
    grid.follow(*state->results);
  state->results.emplace();
  for (auto [number, operand] : enumerate(launch.operands))
    if (operand.isResult)
      state->results->push_back(*static_cast<void **>(launch.params[number]));
  return grid.run();
}
