//===- Pointwise.cpp - Schedules of pointwise kernels ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a GPU a one-shot grid with one full-width vector a thread reaches the rate
// of a copy; more vectors a thread, and persistent loops, were slower. On a CPU
// a block is a stretch of elements that keeps one core busy for microseconds.
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Scheduler.h"

#include "fuse/Analysis/KernelSpace.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t gpuThreads = 128;
static constexpr int64_t cpuElements = 4096;

/// What a vector must divide so that no rotary pair straddles it.
static int64_t rotaryDivisor(KernelOp kernel) {
  int64_t divisor = 0;
  for (RotaryOp rotary : kernel.getBody().getOps<RotaryOp>()) {
    int64_t rotated = rotary.getRotaryDims();
    bool half = rotary.getLayout() == RotaryLayout::half;
    divisor = std::gcd(divisor, half ? rotated / 2 : rotated);
    divisor = std::gcd(divisor, rotary.getHeadDim() - rotated);
  }
  return divisor;
}

ScheduleAttrInterface
mlir::fuse::proposePointwise(KernelOp kernel, const DimClasses &dims,
                             const ScheduleTarget &target) {
  for (Operation &op : kernel.getBody().front())
    if (isa<ReduceOp, SoftmaxStatsOp, ContractOp>(op))
      return {};
  int64_t vector = 0;
  for (const Segment &segment : segmentsOf(kernel, dims)) {
    int64_t width = widestVector(kernel, dims, segment.extents, target);
    if (!segment.flat)
      width = innermostVector(kernel, dims, segment.extents, width, target);
    vector = vector ? std::min(vector, width) : width;
  }
  vector = std::max<int64_t>(1, vector);
  if (int64_t divisor = rotaryDivisor(kernel))
    vector = dividingVector(vector, divisor);
  int64_t threads = target.isGPU ? gpuThreads : 1;
  int64_t unroll = target.isGPU ? 1 : cpuElements / vector;
  return PointwiseScheduleAttr::get(kernel.getContext(), threads, vector,
                                    unroll);
}
