//===- ProposeRows.cpp - Schedules of kernels that reduce rows ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One shape of rows after the other, and what suits all of them. For GPUs see
// RowsOnGPU.cpp. A CPU thread takes a row at a time, in registers if it is
// short.
//
//===----------------------------------------------------------------------===//

#include "RowsOnGPU.h"

#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/ReductionSegments.h"
#include "fuse/Schedule/RowsModel.h"
#include "fuse/Schedule/Scheduler.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Vectors of a row that a CPU thread keeps in registers.
static constexpr int64_t cpuHeldVectors = 8;
/// Elements of an even row from which on vectors in brief calls leave edges.
static constexpr int64_t shortestBriefWithEdges = 1024;
/// Rows between so many widest vectors and so many elements keep vectors of
/// half the width in small calls, and rows of 16-bit elements that are read
/// once do between the others in large ones.
static constexpr int64_t fewestHalved = 64, longestHalved = 16384;
static constexpr int64_t shortestHalvedOnce = 5120, longestHalvedOnce = 12288;
static constexpr int64_t wordLanes = 4;

/// Whether vectors of half the width, which divide a row, are faster than full
/// ones that leave edges, as measured.
static bool keepsHalves(KernelOp kernel, const ReductionSegment &segment,
                        const DimClasses &dims, int64_t length, int64_t widest,
                        const ScheduleTarget &target) {
  if (isBriefCall(kernel, target))
    return true;
  if (isSmallCall(kernel, target))
    return length >= fewestHalved * widest && length < longestHalved;
  return widest > wordLanes && length > shortestHalvedOnce &&
         length < longestHalvedOnce && isReadOnce(segment, dims);
}

static RowShape shapeOf(KernelOp kernel, const ReductionSegment &segment,
                        const DimClasses &dims, const ScheduleTarget &target) {
  const ReductionSpace &space = segment.space;
  int64_t widest = widestVector(kernel, dims, space.domain, target);
  RowShape shape{staticProduct(space.columns()), 1};
  shape.widest = widest;
  shape.narrowestBytes =
      llvm::divideCeil(narrowestBits(kernel, dims, space.domain), 8);
  shape.vector = innermostVector(kernel, dims, space.domain, widest, target);
  auto leaves = [&] {
    bool areNarrow = 2 * shape.vector < widest;
    if (!shape.length)
      return areNarrow && !target.divisible && space.columns().size() == 1;
    // In calls that take as long as a block, an edge takes longer than a load.
    if (*shape.length % 2 == 0 && *shape.length < shortestBriefWithEdges &&
        isBriefCall(kernel, target))
      return false;
    bool areHalves = 2 * shape.vector == widest;
    return leavesEdges(segment, shape.vector, widest) &&
           !(areHalves &&
             keepsHalves(kernel, segment, dims, *shape.length, widest, target));
  };
  // Sums of columns stay with a thread.
  if (target.isGPU && leaves() && !segment.reducesToColumns())
    shape.vector = widest;
  // Of several dimensions the last is the one that a vector has to divide.
  if (!shape.length && space.columns().size() > 1 && !target.divisible)
    shape.vector = 1;
  return shape;
}

static RowsScheduleAttr proposeForCPU(KernelOp kernel,
                                      const ReductionSegment &segment,
                                      const DimClasses &dims,
                                      const ScheduleTarget &target) {
  const ReductionSpace &space = segment.space;
  RowShape shape = shapeOf(kernel, segment, dims, target);
  int64_t widest = widestVector(kernel, dims, space.domain, target);
  bool held = shape.length && *shape.length <= cpuHeldVectors * widest;
  // A loop over one dimension takes whole vectors first and then the rest, so
  // that the vector need not divide the row.
  int64_t vector = held || space.columns().size() > 1 ? shape.vector : widest;
  return RowsScheduleAttr::get(
      kernel.getContext(), /*threads=*/1, vector,
      /*rows_per_block=*/1, held ? HoldKind::registers : HoldKind::loop,
      rowUnroll, /*in_registers=*/0, /*preload=*/false, rowCopyGroups);
}

/// What the rules say, or the model of the board's times where it promises
/// more.
static RowsScheduleAttr proposeForGPU(KernelOp kernel,
                                      const ReductionSegment &segment,
                                      const DimClasses &dims,
                                      const ScheduleTarget &target,
                                      const ScheduleTarget &room) {
  RowsScheduleAttr ruled = proposeRowsOnGPU(
      kernel, segment, dims, shapeOf(kernel, segment, dims, target), room);
  const RowsModel *model = RowsModel::of(*target.gpu);
  if (!model || !ruled || ruled.getWholeGrid())
    return ruled;
  return model->choose(ruled, rowFactsOf(kernel, segment, dims, room), room);
}

namespace {
/// What one shape of rows would get alone.
struct ShapeProposal {
  const ReductionSegment &segment;
  RowsScheduleAttr schedule;

  int64_t length() const {
    return staticProduct(segment.space.columns()).value_or(INT64_MAX);
  }
};
} // namespace

/// The schedule of the longest rows, with a vector that suits all. Where that
/// is another one, or the shared memory of others is not known to be enough,
/// rows are walked in loops, which suit all.
static RowsScheduleAttr scheduleForAll(ArrayRef<ShapeProposal> proposals) {
  RowsScheduleAttr longest = llvm::max_element(proposals, [](auto &a, auto &b) {
                               return a.length() < b.length();
                             })->schedule;
  int64_t vector = longest.getVector();
  int64_t group = longest.threadsPerRow() / longest.getBlocksPerRow();
  bool leavesEdges = longest.getHold() == HoldKind::loop || group >= 2 * vector;
  for (const ShapeProposal &proposal : proposals) {
    vector = std::min(vector, proposal.schedule.getVector());
    ArrayRef<Extent> columns = proposal.segment.space.columns();
    if (columns.back().isStatic() && !(leavesEdges && columns.size() == 1))
      vector = dividingVector(vector, columns.back().size);
  }
  bool agree = llvm::all_of(proposals, [&](const ShapeProposal &proposal) {
    return proposal.schedule == longest;
  });
  // The blocks of the grid share one row, not one of each shape.
  bool sharesGrid = proposals.size() > 1 && longest.getWholeGrid();
  if (agree && !sharesGrid)
    return longest;
  if (!sharesGrid &&
      (vector == longest.getVector() && longest.getHold() != HoldKind::shared))
    return longest;
  return RowsScheduleAttr::get(longest.getContext(), longest.getThreads(),
                               vector, /*rows_per_block=*/1, HoldKind::loop,
                               rowUnroll, /*in_registers=*/0,
                               /*preload=*/false, rowCopyGroups);
}

/// Rows whose groups are reduced, too, stay in registers.
static RowsScheduleAttr proposeForGroups(KernelOp kernel,
                                         ArrayRef<ReductionSegment> segments) {
  constexpr int64_t fewestThreads = 128;
  std::optional<RowGroups> groups = rowGroupsOf(segments.front().space);
  if (!groups || segments.size() > 1)
    return {};
  int64_t rows = std::max<int64_t>(1, fewestThreads / groups->rowThreads);
  return RowsScheduleAttr::get(kernel.getContext(), rows * groups->rowThreads,
                               groups->vector, rows, HoldKind::registers,
                               rowUnroll, /*in_registers=*/0,
                               /*preload=*/false, rowCopyGroups);
}

ScheduleAttrInterface mlir::fuse::proposeRows(KernelOp kernel,
                                              const DimClasses &dims,
                                              const ScheduleTarget &target) {
  if (!kernel.getBody().getOps<ContractOp>().empty())
    return {};
  Reason reason;
  FailureOr<std::vector<ReductionSegment>> segments =
      reductionSegmentsOf(kernel, dims, reason);
  if (failed(segments))
    return {};
  FailureOr<ReductionSpace> whole = reductionSpaceOf(kernel, dims, reason);
  if (target.isGPU && succeeded(whole) &&
      wantsParts(kernel, dims, *whole, target))
    return {};
  if (llvm::any_of(*segments, [](const ReductionSegment &segment) {
        return segment.space.hasGroups();
      }))
    return target.isGPU ? proposeForGroups(kernel, *segments)
                        : RowsScheduleAttr();
  // Each shape exchanges through static shared memory of its own.
  ScheduleTarget room = target;
  room.sharedBytes -= (segments->size() - 1) * staticSharedBytes;
  SmallVector<ShapeProposal> proposals;
  for (const ReductionSegment &segment : *segments) {
    if (!segment.space.overLastDims())
      return {};
    proposals.push_back(
        {segment, target.isGPU
                      ? proposeForGPU(kernel, segment, dims, target, room)
                      : proposeForCPU(kernel, segment, dims, room)});
  }
  return scheduleForAll(proposals);
}
