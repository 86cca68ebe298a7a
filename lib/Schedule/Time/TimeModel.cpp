//===- TimeModel.cpp - How long a kernel would take -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/TimeModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <array>
#include <cmath>

using namespace mlir::fuse;

static constexpr double bytesPerRegister = 4;

llvm::StringRef mlir::fuse::name(TimeLimit limit) {
  switch (limit) {
  case TimeLimit::Memory:
    return "memory";
  case TimeLimit::Cache:
    return "L2";
  case TimeLimit::Waiting:
    return "latency";
  case TimeLimit::Instructions:
    return "instructions";
  case TimeLimit::Launch:
    return "the launch";
  case TimeLimit::TensorCores:
    return "tensor cores";
  case TimeLimit::SharedMemory:
    return "shared memory";
  }
  llvm_unreachable("every limit has a name");
}

static int64_t warpsOf(const GPUTarget &target, int64_t threads) {
  return llvm::divideCeil(threads, target.warpSize);
}

int64_t mlir::fuse::mostRegisters(const GPUTarget &target, int64_t threads) {
  int64_t warps = warpsOf(target, threads);
  constexpr int64_t unit = GPUTarget::registerUnit;
  int64_t ofWarp = target.registersPerSM / warps / unit * unit;
  return std::min<int64_t>(target.maxRegistersPerThread,
                           ofWarp / target.warpSize);
}

int64_t mlir::fuse::residentBlocks(const GPUTarget &target,
                                   const BlockWork &work) {
  int64_t shared = work.sharedBytes + target.reservedSharedBytesPerBlock;
  return std::min<int64_t>(target.blocksWith(work.threads, work.registers),
                           target.sharedBytesPerSM / shared);
}

/// The same block with the registers that it can have, and the rest in memory:
/// written and read once each, through L2.
static BlockWork withSpills(const GPUTarget &target, const BlockWork &work) {
  BlockWork fitting = work;
  int64_t limit = mostRegisters(target, work.threads);
  if (work.registers <= limit)
    return fitting;
  double spilled = work.registers - limit;
  fitting.registers = limit;
  fitting.cachedBytes += 2 * spilled * bytesPerRegister * work.threads;
  fitting.instructions += 2 * spilled;
  fitting.cachedWaits += 1;
  return fitting;
}

namespace {
/// Seconds that each resource is busy for the whole kernel.
struct Load {
  TimeLimit limit;
  double seconds;
};
} // namespace

double mlir::fuse::softMaximum(const ModelNumbers &numbers,
                               llvm::ArrayRef<double> seconds) {
  double sharpness = numbers.time.sharpness;
  double most = *llvm::max_element(seconds), sum = 0;
  if (most == 0)
    return 0;
  for (double each : seconds)
    sum += std::pow(each / most, sharpness);
  return most * std::pow(sum, 1 / sharpness);
}

static double secondsOf(const GPUTarget &target, llvm::ArrayRef<Load> loads) {
  llvm::SmallVector<double> seconds;
  for (const Load &load : loads)
    seconds.push_back(load.seconds);
  return softMaximum(target, seconds);
}

/// What a block waits for between its loads and its stores.
static double afterLoads(const GPUTarget &target, const BlockWork &work) {
  return target.time.cacheLatency * work.cachedWaits +
         target.time.reductionLatency * work.reductions;
}

/// From a block's start to its end on a machine that has nothing else to do.
static double blockLife(const GPUTarget &target, const BlockWork &work) {
  const auto &time = target.time;
  double warps = warpsOf(target, work.threads);
  double rate = std::min(1.0, time.warpRate *
                                  std::max(1.0, warps / GPUTarget::schedulers));
  double issue =
      work.instructions * std::max(1.0, warps / GPUTarget::schedulers) / rate;
  double moved = (work.memoryBytes + work.cachedBytes) / time.portBytesPerClock;
  return time.blockStart + time.warpStart * warps +
         time.memoryLatency * work.memoryWaits + afterLoads(target, work) +
         (issue + moved) / target.clockHertz;
}

/// Blocks that a multiprocessor holds, as a mean over what the registers may
/// be; at least 1.
static double expectedBlocks(const GPUTarget &target, const BlockWork &work) {
  constexpr std::array<double, 5> parts = {-1, -0.5, 0, 0.5, 1};
  double sum = 0;
  for (double part : parts) {
    BlockWork maybe = work;
    maybe.registers = std::min<int64_t>(
        std::lround(work.registers * (1 + part * work.registerError)),
        std::max(work.registers, mostRegisters(target, work.threads)));
    sum += std::max<int64_t>(1, residentBlocks(target, maybe));
  }
  return sum / parts.size();
}

TimeEstimate mlir::fuse::estimateTime(const GPUTarget &target,
                                      const BlockWork &given) {
  const auto &time = target.time;
  BlockWork work = withSpills(target, given);
  TimeEstimate estimate;
  estimate.residentBlocks = residentBlocks(target, work);
  double processors = target.multiprocessors;
  // With few blocks each multiprocessor has fewer, and some have none.
  double busy = std::clamp(work.blocks, 1.0, processors);
  double held = std::clamp(std::ceil(work.blocks / processors), 1.0,
                           expectedBlocks(target, work));
  double waves = std::max(1.0, work.blocks / (busy * held));
  double life = blockLife(target, work);

  double warps = warpsOf(target, work.threads);
  double rate = std::min(
      1.0, time.warpRate * std::max(1.0, held * warps / GPUTarget::schedulers));
  double clocks = busy * target.clockHertz / work.blocks;
  // Of one block, where its multiprocessor has as many as it holds.
  double issue =
      std::max(work.instructions * warps / GPUTarget::schedulers / rate,
               work.specials * work.threads / GPUTarget::specialsPerClock);
  double cached = work.cachedBytes / time.cacheBytesPerClock;
  std::array<Load, 4> loads = {{
      {TimeLimit::Memory,
       work.blocks * work.memoryBytes /
           (time.memoryEfficiency * target.memoryBytesPerSecond)},
      {TimeLimit::Waiting,
       (waves + time.lastWave * (std::ceil(waves) - waves)) * life},
      {TimeLimit::Cache, cached / clocks},
      {TimeLimit::Instructions, issue / clocks},
  }};
  // What the last blocks do when all is loaded has no loads to overlap with.
  double trailing =
      time.trailingPart *
      (afterLoads(target, work) + held * (issue + cached) / target.clockHertz);
  estimate.seconds = target.launchSeconds + time.edgeSeconds +
                     secondsOf(target, loads) + trailing;
  estimate.limit = llvm::max_element(loads, [](const Load &a, const Load &b) {
                     return a.seconds < b.seconds;
                   })->limit;
  if (estimate.seconds < 2 * (target.launchSeconds + time.edgeSeconds))
    estimate.limit = TimeLimit::Launch;
  return estimate;
}
