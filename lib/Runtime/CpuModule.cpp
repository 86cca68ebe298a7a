//===- CpuModule.cpp - Kernels as functions of this process ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/CpuModule.h"
#include "FormatError.h"
#include "fuse/Runtime/BlockPool.h"

using namespace llvm;
using namespace fuse::runtime;

/// With less traffic than this for each thread, work is over before another
/// thread has woken up.
static constexpr int64_t trafficPerThread = 64 * 1024;

Expected<std::shared_ptr<CpuModule>>
CpuModule::create(StringMap<CpuKernel> kernels, std::shared_ptr<void> owner) {
  Expected<unsigned> threads = cpuThreads();
  if (!threads)
    return threads.takeError();
  return std::shared_ptr<CpuModule>(
      new CpuModule(std::move(kernels), std::move(owner), *threads));
}

Expected<KernelHandle> CpuModule::lookup(StringRef symbol, unsigned sharedBytes,
                                         unsigned cluster) {
  auto it = kernels.find(symbol);
  if (it == kernels.end() || !it->second)
    return formatError("expected the code to define kernel '{0}', but got none "
                       "of that name; compile plan and code together",
                       symbol);
  return reinterpret_cast<KernelHandle>(it->second);
}

Error CpuModule::launch(const Launch &launch, Stream stream) {
  auto kernel = reinterpret_cast<CpuKernel>(launch.kernel);
  int64_t useful = launch.traffic > 0 ? launch.traffic / trafficPerThread + 1
                                      : int64_t(threads);
  forEachBlock(
      launch.grid, std::min<int64_t>(threads, useful),
      [&](int64_t first, int64_t end) { kernel(launch.params, first, end); });
  return Error::success();
}
