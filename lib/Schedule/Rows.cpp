//===- Rows.cpp - Schedules of kernels that reduce rows -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is held in registers when a block of at most 512 threads can hold it
// with no more than 64 elements a thread (64 of the 128 registers that such a
// block leaves each thread). A longer one is held in shared memory and, as far
// as it goes, in registers: on an H200 a softmax of rows of 131072 then runs at
// 96% of a copy's rate, against 75% where the second pass reads the L2. A row
// that is longer still, or of unknown length, is read once a pass. Short rows
// share a block, several to a warp.
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Scheduler.h"

#include "fuse/Analysis/KernelSpace.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t warpSize = 32;
static constexpr int64_t heldElements = 64;
static constexpr int64_t heldVectors = 8;
/// Elements of a thread whose vectors are narrow.
static constexpr int64_t narrowElements = 32;
static constexpr int64_t preferredGroup = 256;
static constexpr int64_t widestHeldGroup = 512;
static constexpr int64_t smallestBlock = 128;
static constexpr int64_t sharedThreads = 512;
/// A row that is read once is no longer in registers than this.
static constexpr int64_t streamedElements = 8192;
static constexpr int64_t streamThreads = 256;
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
                               loopUnroll, /*in_registers=*/0);
}

/// Bytes of a vector of each input that a row kernel streams.
static int64_t streamedBytes(KernelOp kernel, const ReductionSpace &space,
                             const DimClasses &dims, int64_t vector) {
  int64_t bits = 0;
  for (Value input : kernel.getBody().getArguments())
    if (dims.extents(input) == space.domain)
      bits += std::max<int64_t>(
          8, getElementTypeOrSelf(input.getType()).getIntOrFloatBitWidth());
  return bits * vector / 8;
}

/// Null where the row does not fit. Registers take the vectors that are no
/// multiple of what a step of the loop takes, too.
static RowsScheduleAttr proposeShared(KernelOp kernel,
                                      const ReductionSpace &space,
                                      const DimClasses &dims,
                                      const RowShape &shape,
                                      const ScheduleTarget &target) {
  int64_t bytes = streamedBytes(kernel, space, dims, shape.vector);
  // Narrower copies than 4 bytes do not exist, and narrow ones do not pay.
  if (bytes == 0 || shape.vector == 1)
    return {};
  int64_t vectors =
      llvm::divideCeil(*shape.length, sharedThreads * shape.vector);
  int64_t inputs = std::max<int64_t>(1, bytes / 16);
  int64_t most = heldElements / shape.vector / inputs;
  int64_t whole = *shape.length / (sharedThreads * shape.vector);
  int64_t room = target.sharedBytes / (sharedThreads * bytes);
  int64_t slots = std::min(whole, room);
  // Two groups of copies, each a multiple of what a step of the loop takes.
  slots = llvm::alignDown(slots,
                          slots < 2 * loopUnroll ? loopUnroll : 2 * loopUnroll);
  if (slots == 0 || vectors - slots > most)
    return {};
  return RowsScheduleAttr::get(kernel.getContext(), sharedThreads, shape.vector,
                               /*rows_per_block=*/1, HoldKind::shared,
                               loopUnroll, vectors - slots);
}

/// Whether one pass over a row is all there is: no result has the row's length,
/// and sums that need the maximum follow it online.
static bool readsOnce(KernelOp kernel, const ReductionSpace &space,
                      const DimClasses &dims) {
  for (Value value : kernel.getYield().getValues())
    if (!space.isReducedShape(dims.extents(value)))
      return false;
  auto isOnline = [](Operation *op) {
    auto sum = dyn_cast<ReduceOp>(op);
    return sum && sum.getKind() == ReduceKind::sum &&
           sum.getInput().getDefiningOp<ExpOp>();
  };
  return space.levels.size() == 1 ||
         (space.levels.size() == 2 &&
          llvm::all_of(space.levels.back(), isOnline));
}

static RowsScheduleAttr proposeForGPU(KernelOp kernel,
                                      const ReductionSpace &space,
                                      const DimClasses &dims,
                                      const ScheduleTarget &target) {
  RowShape shape = shapeOf(kernel, space, dims, target);
  MLIRContext *context = kernel.getContext();
  bool once = readsOnce(kernel, space, dims);
  int64_t held = once ? streamedElements : widestHeldGroup * heldElements;
  if (!once && shape.length && *shape.length > held)
    if (RowsScheduleAttr shared =
            proposeShared(kernel, space, dims, shape, target))
      return shared;
  if (!shape.length || *shape.length > held)
    return RowsScheduleAttr::get(
        context, once ? streamThreads : loopThreads, shape.vector,
        /*rows_per_block=*/1, HoldKind::loop, loopUnroll, /*in_registers=*/0);
  // Two vectors a thread keep loads in flight and leave registers to many
  // threads; beyond a block of 256 more vectors a thread beat more threads.
  int64_t vectors =
      std::max<int64_t>(1, llvm::divideCeil(*shape.length, shape.vector));
  int64_t group = std::min<int64_t>(warpSize, llvm::PowerOf2Ceil(vectors));
  while (group < preferredGroup && group * 2 < vectors)
    group *= 2;
  int64_t most = std::max(heldVectors, narrowElements / shape.vector);
  while (group * heldElements < *shape.length || group * most < vectors)
    group *= 2;
  int64_t threads = std::max(group, smallestBlock);
  return RowsScheduleAttr::get(context, threads, shape.vector, threads / group,
                               HoldKind::registers, loopUnroll,
                               /*in_registers=*/0);
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
