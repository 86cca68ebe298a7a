//===- Columns.cpp - Schedules of other reductions ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Scheduler.h"

#include "fuse/Analysis/KernelSpace.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t gpuThreads = 128;

ScheduleAttrInterface mlir::fuse::proposeColumns(KernelOp kernel,
                                                 const DimClasses &dims,
                                                 const ScheduleTarget &target) {
  bool reduces = false;
  for (Operation &op : kernel.getBody().front()) {
    if (isa<ContractOp, SoftmaxStatsOp>(op))
      return {};
    reduces |= isa<ReduceOp>(op);
  }
  if (!reduces)
    return {};
  int64_t vector = 0;
  for (const Segment &segment : segmentsOf(kernel, dims)) {
    int64_t widest = widestVector(kernel, dims, segment.extents, target);
    int64_t width =
        innermostVector(kernel, dims, segment.extents, widest, target);
    vector = vector ? std::min(vector, width) : width;
  }
  return ColumnsScheduleAttr::get(kernel.getContext(),
                                  target.isGPU ? gpuThreads : 1,
                                  std::max<int64_t>(1, vector));
}
