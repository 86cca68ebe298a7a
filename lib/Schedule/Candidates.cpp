//===- Candidates.cpp - Schedules to choose from --------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Candidates.h"
#include "Choice.h"

#include "fuse/Analysis/OpCost.h"
#include "fuse/Schedule/ColumnsModel.h"
#include "fuse/Schedule/LegalRows.h"
#include "fuse/Schedule/RowsModel.h"
#include "fuse/Schedule/TiledModel.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

ScheduleAttrInterface
mlir::fuse::proposeSchedule(KernelOp kernel, const DimClasses &dims,
                            const ScheduleTarget &target) {
  for (auto scheduler :
       {proposeStreamed, proposeStreamedPanels, proposeMma, proposeTiled,
        proposeContraction, proposeOrdered, proposeRows, proposeColumns,
        proposeTranspose, proposePointwise})
    if (ScheduleAttrInterface schedule = scheduler(kernel, dims, target))
      return schedule;
  return {};
}

/// Of a schedule under which a block does this work.
static TimeEstimate timeOf(const BlockWork &work, KernelOp kernel,
                           const DimClasses &dims,
                           ScheduleAttrInterface schedule,
                           const ScheduleTarget &target) {
  auto mma = dyn_cast<MmaScheduleAttr>(schedule);
  // A schedule from text may stand on a kernel without a contraction.
  if (mma && !kernel.getBody().getOps<ContractOp>().empty())
    return estimateMma(mma, mmaProductOf(kernel, dims, target.assumed),
                       *target.gpu);
  Reason reason;
  TensorFacts facts{target.aligned, target.divisible};
  if (auto streamed = dyn_cast<StreamedScheduleAttr>(schedule))
    if (auto space = streamedSpaceOf(kernel, dims, facts, reason);
        succeeded(space)) {
      TimeEstimate estimate;
      estimate.seconds =
          streamedSeconds(*space, dims, *target.gpu, target.assumed, streamed);
      estimate.residentBlocks = 1;
      estimate.limit = TimeLimit::TensorCores;
      return estimate;
    }
  if (auto tiled = dyn_cast<TiledScheduleAttr>(schedule))
    if (auto space = tileSpaceOf(kernel, dims, reason); succeeded(space)) {
      TimeEstimate estimate = estimateTiled(
          tiled, *space, dims, work.blocks * work.memoryBytes, *target.gpu);
      estimate.residentBlocks = residentBlocks(*target.gpu, work);
      return estimate;
    }
  TimeEstimate estimate = estimateTime(*target.gpu, work);
  // Another launch combines the parts.
  if (auto columns = dyn_cast<ColumnsScheduleAttr>(schedule);
      columns && columns.leavesParts())
    estimate.seconds += target.gpu->launchSeconds;
  return estimate;
}

TimeEstimate mlir::fuse::estimateTime(KernelOp kernel, const DimClasses &dims,
                                      ScheduleAttrInterface schedule,
                                      const ScheduleTarget &target) {
  return timeOf(estimateWork(kernel, dims, schedule, *target.gpu), kernel, dims,
                schedule, target);
}

static bool isFaster(const Candidate &a, const Candidate &b) {
  return a.estimate->seconds < b.estimate->seconds;
}

/// The proposal and then its alternatives, from fast to slow.
static SmallVector<Candidate> rankOthers(ScheduleAttrInterface proposal,
                                         KernelOp kernel,
                                         const DimClasses &dims,
                                         const ScheduleTarget &target) {
  SmallVector<Candidate> candidates;
  KnownSegments segments(kernel, dims);
  auto add = [&](ScheduleAttrInterface schedule) {
    BlockWork work =
        estimateWork(kernel, dims, segments, schedule, *target.gpu);
    // What needs more registers than there are would spill.
    if (schedule != proposal && residentBlocks(*target.gpu, work) == 0)
      return;
    candidates.push_back(
        {schedule, timeOf(work, kernel, dims, schedule, target)});
  };
  add(proposal);
  for (ScheduleAttrInterface other :
       alternativesTo(proposal, kernel, dims, target))
    add(other);
  llvm::stable_sort(MutableArrayRef(candidates).drop_front(), isFaster);
  return candidates;
}

/// The facts of a kernel with one shape of rows of known length.
static std::optional<RowFacts> onlyRows(KernelOp kernel, const DimClasses &dims,
                                        const ScheduleTarget &target) {
  Reason reason;
  auto segments = reductionSegmentsOf(kernel, dims, reason);
  if (!target.gpu || failed(segments) || segments->size() != 1)
    return std::nullopt;
  const ReductionSpace &space = segments->front().space;
  if (space.hasGroups() || !space.overLastDims())
    return std::nullopt;
  RowFacts facts = rowFactsOf(kernel, segments->front(), dims, target);
  return facts.length ? std::optional(facts) : std::nullopt;
}

/// So many of the trees' favourites are measured beside the choice.
static constexpr size_t mostFavourites = 14;
/// Of those that hold what they read in one place, with the same threads.
static constexpr size_t mostAlike = 3;

static bool areAlike(RowsScheduleAttr a, RowsScheduleAttr b) {
  return a.getHold().getKeyword() == b.getHold().getKeyword() &&
         a.getThreads() == b.getThreads() && a.getVector() == b.getVector() &&
         a.blocksPerRow() == b.blocksPerRow() &&
         a.getRowsPerBlock() == b.getRowsPerBlock();
}

static bool areAlike(ColumnsScheduleAttr a, ColumnsScheduleAttr b) {
  return a.getHold().getKeyword() == b.getHold().getKeyword() &&
         a.getThreads() == b.getThreads() && a.getVector() == b.getVector() &&
         a.getSplits() == b.getSplits() && a.getShare() == b.getShare();
}

/// What the fitted trees take for the fastest beside the choice, from fast to
/// slow.
template <typename Model, typename Facts>
static auto favouritesOf(MLIRContext *context, const Facts &facts,
                         ScheduleAttrInterface chosen,
                         const ScheduleTarget &target) {
  SmallVector<decltype(Model::Ranked::schedule)> favourites;
  for (const auto &each : Model::of(*target.gpu).rank(context, facts, target)) {
    size_t alike = llvm::count_if(
        favourites, [&](auto other) { return areAlike(other, each.schedule); });
    if (each.schedule != chosen && alike < mostAlike)
      favourites.push_back(each.schedule);
    if (favourites.size() == mostFavourites)
      break;
  }
  return favourites;
}

SmallVector<Candidate>
mlir::fuse::findUsualCandidates(KernelOp kernel, const DimClasses &dims,
                                const ScheduleTarget &target) {
  ScheduleAttrInterface proposal = proposeSchedule(kernel, dims, target);
  if (!proposal)
    return {};
  if (!target.gpu)
    return {{proposal, std::nullopt}};
  if (isa<RowsScheduleAttr, ColumnsScheduleAttr>(proposal))
    return {{proposal, estimateTime(kernel, dims, proposal, target)}};
  return rankOthers(proposal, kernel, dims, target);
}

SmallVector<Candidate>
mlir::fuse::findCandidates(KernelOp kernel, const DimClasses &dims,
                           const ScheduleTarget &target) {
  SmallVector<Candidate> candidates = findUsualCandidates(kernel, dims, target);
  if (!target.gpu || candidates.empty())
    return candidates;
  ScheduleAttrInterface chosen = candidates.front().schedule;
  MLIRContext *context = kernel.getContext();
  auto add = [&](ScheduleAttrInterface other) {
    candidates.push_back({other, estimateTime(kernel, dims, other, target)});
  };
  if (auto columns = scheduledColumns(kernel, dims, chosen, target))
    llvm::for_each(
        favouritesOf<ColumnsModel>(context, *columns, chosen, target), add);
  if (!isa<RowsScheduleAttr>(chosen))
    return candidates;
  std::optional<RowFacts> facts = onlyRows(kernel, dims, target);
  if (!facts)
    return rankOthers(chosen, kernel, dims, target);
  llvm::for_each(favouritesOf<RowsModel>(context, *facts, chosen, target), add);
  for (RowsScheduleAttr other : productRows(context, *facts, target))
    if (other != chosen)
      add(other);
  return candidates;
}

/// Whose times the trees are of, and what they predict for the first that was
/// not chosen.
template <typename Ranked>
static std::string explainTrees(StringRef decided, ArrayRef<Ranked> ranked,
                                ScheduleAttrInterface schedule, double loss,
                                const GPUTarget &gpu) {
  std::string text = decided.str();
  if (!gpu.isMeasured)
    text += llvm::formatv(", since nobody measured {0}", gpu.board);
  for (const Ranked &other : ranked)
    if (other.schedule != schedule) {
      double percent = 100 * (std::exp(other.loss - loss) - 1);
      text += llvm::formatv("; by the trees the next takes {0:F1}% {1}",
                            std::abs(percent), percent < 0 ? "less" : "longer");
      break;
    }
  return text;
}

static constexpr StringLiteral decidedOtherwise =
    "the program, a tuning file or an option";

static std::string explainColumns(KernelOp kernel, const DimClasses &dims,
                                  const ColumnFacts &facts,
                                  const ScheduleTarget &target) {
  auto schedule = cast<ColumnsScheduleAttr>(kernel.getScheduleAttr());
  const ColumnsModel &model = ColumnsModel::of(*target.gpu);
  if (schedule != proposeSchedule(kernel, dims, target))
    return decidedOtherwise.str();
  auto ranked = model.rank(kernel.getContext(), facts, target);
  return explainTrees(
      llvm::formatv("trees fitted to times on {0}", model.getBoard()).str(),
      ArrayRef(ranked), schedule, model.predictLoss(facts, schedule, target),
      *target.gpu);
}

/// What decided, and what the first of the others is predicted at.
std::string mlir::fuse::explainChoice(KernelOp kernel, const DimClasses &dims,
                                      const ScheduleTarget &target) {
  if (auto columns =
          scheduledColumns(kernel, dims, kernel.getScheduleAttr(), target))
    return explainColumns(kernel, dims, *columns, target);
  auto schedule = dyn_cast_or_null<RowsScheduleAttr>(kernel.getScheduleAttr());
  std::optional<RowFacts> facts =
      schedule ? onlyRows(kernel, dims, target) : std::nullopt;
  if (!facts)
    return "";
  const RowsModel &model = RowsModel::of(*target.gpu);
  std::string text;
  MLIRContext *context = kernel.getContext();
  auto ranked = model.rank(context, *facts, target);
  if (schedule == model.winner(context, *facts, target))
    text = llvm::formatv("the fastest that was measured on {0} for rows of {1}",
                         model.getBoard(), facts->length);
  else if (ranked.empty() || schedule != proposeSchedule(kernel, dims, target))
    return decidedOtherwise.str();
  else
    text = llvm::formatv("trees fitted to times on {0}", model.getBoard());
  return explainTrees(text, ArrayRef(ranked), schedule,
                      model.predictLoss(*facts, schedule, target), *target.gpu);
}
