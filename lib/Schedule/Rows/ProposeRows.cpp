//===- ProposeRows.cpp - Schedules of kernels that reduce rows ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One shape of rows after the other, and what suits all of them. On a GPU data
// choose (RowsModel.h), but for rows of unknown length and a row that a whole
// grid shares. A CPU thread takes a row at a time, in registers if it is short.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ColumnSegments.h"
#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/ReductionSegments.h"
#include "fuse/Schedule/RowsModel.h"
#include "fuse/Schedule/Scheduler.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static RowsScheduleAttr makeRows(MLIRContext *context, int64_t threads,
                                 int64_t vector, HoldAttrInterface hold) {
  return RowsScheduleAttr::get(context, threads, vector, /*rows_per_block=*/1,
                               hold);
}

/// Rows in registers, or walked in loops.
static HoldAttrInterface
holdFor(MLIRContext *context, bool held,
        int64_t unroll = HoldAttrInterface::kUsualUnroll) {
  if (held)
    return RegistersHoldAttr::get(context);
  return LoopHoldAttr::get(context, unroll);
}

static RowsScheduleAttr proposeForCPU(KernelOp kernel,
                                      const ReductionSegment &segment,
                                      const DimClasses &dims,
                                      const ScheduleTarget &target) {
  const ReductionSpace &space = segment.space;
  std::optional<int64_t> length = staticProduct(space.columns());
  int64_t widest = widestVector(kernel, dims, space.domain, target);
  bool held = length && *length <= hostNumbers.heldVectors * widest;
  // A loop over one dimension takes whole vectors first and then the rest, so
  // that the vector need not divide the row.
  int64_t vector =
      held || space.columns().size() > 1
          ? innermostVector(kernel, dims, space.domain, widest, target)
          : widest;
  return makeRows(kernel.getContext(), /*threads=*/1, vector,
                  holdFor(kernel.getContext(), held));
}

/// Whether all blocks should share the only row: it is too long for those of a
/// cluster, or may be, and is needed twice.
static bool wantsGrid(const RowFacts &facts, const ReductionSegment &segment,
                      const GPUTarget &gpu) {
  int64_t held = gpu.rows.heldByBlock * gpu.portableClusterSize;
  return !facts.once && segment.across.empty() &&
         staticProduct(segment.space.rows()) == 1 &&
         (facts.length == 0 || facts.length > held);
}

/// A walk that suits rows of any length. Vectors leave edges where the row is
/// one dimension, and else have to divide the last one.
static RowsScheduleAttr walkOf(KernelOp kernel, const ReductionSegment &segment,
                               const DimClasses &dims, const RowFacts &facts,
                               const ScheduleTarget &target) {
  const ReductionSpace &space = segment.space;
  int64_t vector =
      innermostVector(kernel, dims, space.domain, facts.widest, target);
  bool isKnown = facts.length != 0;
  if (2 * vector < facts.widest && facts.mayLeaveEdges && !facts.columnSums &&
      (isKnown || !target.divisible))
    vector = facts.widest;
  if (!isKnown && !facts.mayLeaveEdges && !target.divisible)
    vector = 1;
  // Deviations of vectors of eight take the registers of half as many.
  constexpr int64_t usual = HoldAttrInterface::kUsualUnroll;
  int64_t unroll = facts.hasDeviations && vector > 4 ? usual / 2 : usual;
  MLIRContext *context = kernel.getContext();
  if (wantsGrid(facts, segment, *target.gpu))
    return RowsScheduleAttr::get(
        context, target.gpu->rows.loopThreads, vector, /*rows_per_block=*/1,
        LoopHoldAttr::get(context),
        GridShareAttr::get(context, target.gpu->rows.gridBlocks *
                                        target.gpu->multiprocessors));
  // Sums of columns need the row in registers, also one of no elements.
  auto walk = makeRows(
      context,
      facts.once ? target.gpu->rows.onceThreads : target.gpu->rows.loopThreads,
      vector, holdFor(context, /*held=*/facts.columnSums != 0, unroll));
  if (segment.across.empty())
    return walk;
  int64_t blocks = target.gpu->maxThreadsPerSM / walk.getThreads();
  return walk.withPersistent(blocks * target.gpu->multiprocessors);
}

/// What was measured or is predicted to be the fastest (RowsModel.h); a walk
/// where the length is not known.
static RowsScheduleAttr proposeForGPU(KernelOp kernel,
                                      const ReductionSegment &segment,
                                      const DimClasses &dims,
                                      const ScheduleTarget &target) {
  RowFacts facts = rowFactsOf(kernel, segment, dims, target);
  RowsScheduleAttr chosen;
  if (!wantsGrid(facts, segment, *target.gpu))
    chosen =
        RowsModel::of(*target.gpu).choose(kernel.getContext(), facts, target);
  return chosen ? chosen : walkOf(kernel, segment, dims, facts, target);
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
static RowsScheduleAttr scheduleForAll(ArrayRef<ShapeProposal> proposals,
                                       bool isGPU) {
  RowsScheduleAttr longest = llvm::max_element(proposals, [](auto &a, auto &b) {
                               return a.length() < b.length();
                             })->schedule;
  int64_t vector = longest.getVector();
  int64_t group = longest.threadsPerRow() / longest.blocksPerRow();
  bool leavesEdges =
      isa<LoopHoldAttr>(longest.getHold()) || group >= 2 * vector;
  for (const ShapeProposal &proposal : proposals) {
    vector = std::min(vector, proposal.schedule.getVector());
    ArrayRef<Extent> columns = proposal.segment.space.columns();
    if (columns.back().isStatic() && !(leavesEdges && columns.size() == 1))
      vector = dividingVector(vector, columns.back().size);
  }
  bool agree = llvm::all_of(proposals, [&](const ShapeProposal &proposal) {
    return proposal.schedule == longest;
  });
  if (isGPU)
    agree = proposals.size() == 1;
  // The blocks of the grid share one row, not one of each shape.
  bool sharesGrid = proposals.size() > 1 && longest.sharesGrid();
  if (agree && !sharesGrid)
    return longest;
  if (!sharesGrid && (vector == longest.getVector() &&
                      !isa<SharedHoldAttr>(longest.getHold())))
    return longest;
  return makeRows(longest.getContext(), longest.getThreads(), vector,
                  LoopHoldAttr::get(longest.getContext()));
}

/// The longest rows have what suits them best, and others the same, but for
/// vectors that are too wide.
static void proposeForShapes(KernelOp kernel, const DimClasses &dims,
                             const ScheduleTarget &target,
                             MutableArrayRef<ShapeProposal> proposals) {
  ShapeProposal &longest = *llvm::max_element(
      proposals, [](auto &a, auto &b) { return a.length() < b.length(); });
  longest.schedule = proposeForGPU(kernel, longest.segment, dims, target);
  for (ShapeProposal &proposal : proposals)
    if (&proposal != &longest) {
      RowFacts facts = rowFactsOf(kernel, proposal.segment, dims, target);
      proposal.schedule = walkOf(kernel, proposal.segment, dims, facts, target);
      int64_t vector = std::min(facts.widest, longest.schedule.getVector());
      if (facts.length)
        proposal.schedule =
            makeRows(kernel.getContext(), longest.schedule.getThreads(), vector,
                     LoopHoldAttr::get(kernel.getContext()));
    }
}

/// Rows whose groups are reduced, too, stay in a GPU's registers; a CPU's
/// thread walks them from group to group.
static RowsScheduleAttr proposeForGroups(KernelOp kernel,
                                         ArrayRef<ReductionSegment> segments,
                                         const DimClasses &dims,
                                         const ScheduleTarget &target) {
  const ReductionSpace &space = segments.front().space;
  if (segments.size() > 1)
    return {};
  if (!target.isGPU) {
    int64_t widest = widestVector(kernel, dims, space.domain, target);
    int64_t vector =
        innermostVector(kernel, dims, space.domain, widest, target);
    // A step that has a whole group leaves it in registers.
    int64_t unroll = HoldAttrInterface::kUsualUnroll;
    std::optional<int64_t> length =
        staticProduct(ArrayRef(space.domain).drop_front(space.groups.back()));
    if (length && *length > 0 && *length <= hostNumbers.heldVectors * vector)
      unroll = *length / vector;
    return makeRows(kernel.getContext(), /*threads=*/1, vector,
                    LoopHoldAttr::get(kernel.getContext(), unroll));
  }
  std::optional<RowGroups> groups = rowGroupsOf(space);
  if (!groups)
    return {};
  int64_t rows = std::max<int64_t>(1, target.numbers().rows.groupThreads /
                                          groups->rowThreads);
  return RowsScheduleAttr::get(kernel.getContext(), rows * groups->rowThreads,
                               groups->vector, rows,
                               RegistersHoldAttr::get(kernel.getContext()));
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
  // Each would be a single row, of any length.
  if (target.isGPU && reduceWholes(*segments, dims))
    return {};
  if (llvm::any_of(*segments, [](const ReductionSegment &segment) {
        return segment.space.hasGroups();
      }))
    return proposeForGroups(kernel, *segments, dims, target);
  // Each shape exchanges through static shared memory of its own.
  ScheduleTarget room = target;
  room.sharedBytes -= (segments->size() - 1) * staticSharedBytes;
  SmallVector<ShapeProposal> proposals;
  for (const ReductionSegment &segment : *segments) {
    if (!segment.space.overLastDims())
      return {};
    proposals.push_back({segment, {}});
    if (!target.isGPU)
      proposals.back().schedule = proposeForCPU(kernel, segment, dims, room);
  }
  if (target.isGPU)
    proposeForShapes(kernel, dims, room, proposals);
  return scheduleForAll(proposals, target.isGPU);
}
