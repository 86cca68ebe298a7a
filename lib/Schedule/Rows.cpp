//===- Rows.cpp - Schedules of kernels that reduce rows -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is held in registers when a block of at most 512 threads can hold it
// with no more than 64 elements a thread (64 of the 128 registers that such a
// block leaves each thread); a longer row, or one of unknown length, is read
// once a pass. Short rows share a block, several to a warp.
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Scheduler.h"

#include "fuse/Analysis/KernelSpace.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t warpSize = 32;
static constexpr int64_t heldElements = 64;
static constexpr int64_t fewElements = 16;
static constexpr int64_t widestHeldGroup = 512;
static constexpr int64_t smallestBlock = 128;
static constexpr int64_t loopThreads = 512;
static constexpr int64_t loopUnroll = 4;
/// Vectors of a row that a CPU thread keeps in registers.
static constexpr int64_t cpuHeldVectors = 8;

namespace {
struct RowShape {
  /// Elements of a row; unknown if any column is dynamic.
  std::optional<int64_t> length;
  int64_t vector;
};
} // namespace

static RowShape shapeOf(KernelOp kernel, const ReductionSpace &space,
                        const DimClasses &dims, const ScheduleTarget &target) {
  int64_t widest = widestVector(kernel, dims, space.domain, target);
  RowShape shape{1, 1};
  for (const Extent &column : space.columns()) {
    if (column.isStatic() && shape.length)
      *shape.length *= column.size;
    else
      shape.length.reset();
  }
  shape.vector = innermostVector(kernel, dims, space.domain, widest, target);
  if (!shape.length && space.columns().size() > 1)
    shape.vector = 1;
  return shape;
}

static RowsScheduleAttr proposeForCPU(KernelOp kernel,
                                      const ReductionSpace &space,
                                      const DimClasses &dims,
                                      const ScheduleTarget &target) {
  RowShape shape = shapeOf(kernel, space, dims, target);
  int64_t widest = widestVector(kernel, dims, space.domain, target);
  bool held = shape.length && *shape.length <= cpuHeldVectors * widest;
  // A loop over one dimension takes whole vectors first and then the rest, so
  // that the vector need not divide the row.
  int64_t vector = held || space.columns().size() > 1 ? shape.vector : widest;
  return RowsScheduleAttr::get(kernel.getContext(), /*threads=*/1, vector,
                               /*rows_per_block=*/1,
                               held ? HoldKind::registers : HoldKind::loop,
                               loopUnroll);
}

static RowsScheduleAttr proposeForGPU(KernelOp kernel,
                                      const ReductionSpace &space,
                                      const DimClasses &dims,
                                      const ScheduleTarget &target) {
  RowShape shape = shapeOf(kernel, space, dims, target);
  MLIRContext *context = kernel.getContext();
  int64_t held = widestHeldGroup * heldElements;
  if (!shape.length || *shape.length > held)
    return RowsScheduleAttr::get(context, loopThreads, shape.vector,
                                 /*rows_per_block=*/1, HoldKind::loop,
                                 loopUnroll);
  // As many threads a row as it has vectors, up to a warp; then as many as
  // keep a thread's share in its registers.
  int64_t vectors =
      std::max<int64_t>(1, llvm::divideCeil(*shape.length, shape.vector));
  int64_t group = std::min<int64_t>(warpSize, llvm::PowerOf2Ceil(vectors));
  // Two warps on a row of a thousand elements beat one: more loads in flight.
  while (group * heldElements < *shape.length ||
         (group == warpSize && group * fewElements < *shape.length))
    group *= 2;
  int64_t threads = std::max(group, smallestBlock);
  return RowsScheduleAttr::get(context, threads, shape.vector, threads / group,
                               HoldKind::registers, loopUnroll);
}

ScheduleAttrInterface mlir::fuse::proposeRows(KernelOp kernel,
                                              const DimClasses &dims,
                                              const ScheduleTarget &target) {
  if (!kernel.getBody().getOps<ContractOp>().empty())
    return {};
  std::string reason;
  FailureOr<ReductionSpace> space = reductionSpaceOf(kernel, dims, reason);
  if (failed(space) || !space->overLastDims())
    return {};
  if (target.isGPU && wantsParts(kernel, dims, *space, target))
    return {};
  return target.isGPU ? proposeForGPU(kernel, *space, dims, target)
                      : proposeForCPU(kernel, *space, dims, target);
}
