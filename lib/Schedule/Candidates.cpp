//===- Candidates.cpp - Schedules to choose from --------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Candidates.h"
#include "Choice.h"

#include "fuse/Analysis/OpCost.h"
#include "fuse/Schedule/RowsModel.h"

using namespace mlir;
using namespace mlir::fuse;

/// What the model has to promise before it overrules a proposal. It sees a
/// block too many or too few on a multiprocessor, which doubles a time, and is
/// not sure of less.
static constexpr double clearlyFaster = 0.75;

static bool isOverruled(const TimeEstimate &proposed, const TimeEstimate &best,
                        const GPUTarget &gpu) {
  // What takes about as long as its launch takes that long in any case.
  double gain = proposed.seconds - best.seconds;
  return best.seconds < clearlyFaster * proposed.seconds &&
         gain > gpu.launchSeconds;
}

/// Whether the model's constants were fitted to kernels like this one, which
/// write about as much as they read.
static bool isFitted(KernelOp kernel) {
  double read = 0, written = 0;
  for (Value input : kernel.getBody().getArguments())
    read = std::max(read, estimatedElements(input));
  for (Value result : kernel.getYield().getValues())
    written = std::max(written, estimatedElements(result));
  return 2 * written >= read;
}

/// Threads of a row from which on the model was fitted to such.
static constexpr int64_t fewestFittedThreads = 16;

/// The same of schedules: those of calls that move few bytes were not, nor
/// those of rows of a few elements.
static bool isFitted(const Candidate &candidate) {
  auto rows = dyn_cast<RowsScheduleAttr>(candidate.schedule);
  return rows && rows.getHold() == HoldKind::registers && !rows.getPreload() &&
         rows.threadsPerRow() >= fewestFittedThreads &&
         rows.getRowsPerThread() == 1;
}

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
  return estimateTime(*target.gpu, work);
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

/// What the proposal and its alternatives would take, from fast to slow.
static SmallVector<Candidate> rank(ScheduleAttrInterface proposal,
                                   KernelOp kernel, const DimClasses &dims,
                                   const ScheduleTarget &target) {
  SmallVector<Candidate> candidates;
  KnownSegments segments(kernel, dims);
  auto add = [&](ScheduleAttrInterface schedule) {
    BlockWork work =
        estimateWork(kernel, dims, segments, schedule, *target.gpu);
    // What needs more registers than there are would spill.
    if (schedule != proposal && residentBlocks(*target.gpu, work) == 0)
      return;
    Candidate candidate{schedule, timeOf(work, kernel, dims, schedule, target)};
    candidates.insert(llvm::upper_bound(candidates, candidate, isFaster),
                      candidate);
  };
  add(proposal);
  for (ScheduleAttrInterface other :
       alternativesTo(proposal, kernel, dims, target))
    add(other);
  return candidates;
}

/// The favourites of a fitted model that are worth a measurement. Among these
/// and the choice is one within 3% of the fastest for nine of ten kernels that
/// no fit has seen (docs/tuning.md).
static constexpr size_t mostFavourites = 3;

/// What the model of the board's times takes for the fastest, for kernels with
/// one shape of rows; nothing where it has no opinion.
static SmallVector<ScheduleAttrInterface>
favouritesOf(KernelOp kernel, const DimClasses &dims,
             const ScheduleTarget &target) {
  Reason reason;
  const RowsModel *model = RowsModel::of(*target.gpu);
  auto segments = reductionSegmentsOf(kernel, dims, reason);
  if (!model || failed(segments) || segments->size() != 1)
    return {};
  const ReductionSpace &space = segments->front().space;
  if (space.hasGroups() || !space.overLastDims())
    return {};
  RowFacts facts = rowFactsOf(kernel, segments->front(), dims, target);
  auto ranked = model->rank(kernel.getContext(), facts, target);
  SmallVector<ScheduleAttrInterface> favourites;
  for (const RowsModel::Ranked &each :
       ArrayRef(ranked).take_front(std::min(ranked.size(), mostFavourites)))
    favourites.push_back(each.schedule);
  return favourites;
}

/// Puts the favourites behind the choice, which is the first candidate.
static void promote(ArrayRef<ScheduleAttrInterface> favourites,
                    SmallVectorImpl<Candidate> &candidates, KernelOp kernel,
                    const DimClasses &dims, const ScheduleTarget &target) {
  size_t place = 1;
  for (ScheduleAttrInterface schedule : favourites) {
    if (schedule == candidates.front().schedule)
      continue;
    auto *known = llvm::find_if(candidates, [&](const Candidate &candidate) {
      return candidate.schedule == schedule;
    });
    Candidate favourite =
        known != candidates.end()
            ? *known
            : Candidate{schedule, estimateTime(kernel, dims, schedule, target)};
    if (known != candidates.end())
      candidates.erase(known);
    candidates.insert(candidates.begin() + place, favourite);
    ++place;
  }
}

SmallVector<Candidate>
mlir::fuse::findUsualCandidates(KernelOp kernel, const DimClasses &dims,
                                const ScheduleTarget &target) {
  ScheduleAttrInterface proposal = proposeSchedule(kernel, dims, target);
  if (!proposal)
    return {};
  if (!target.gpu)
    return {{proposal, std::nullopt}};
  SmallVector<Candidate> candidates = rank(proposal, kernel, dims, target);
  auto *choice = llvm::find_if(candidates, [&](const Candidate &candidate) {
    return candidate.schedule == proposal;
  });
  auto *best = llvm::find_if(
      candidates, [](const Candidate &other) { return isFitted(other); });
  if (isFitted(kernel) && isFitted(*choice) && best != candidates.end() &&
      isOverruled(*choice->estimate, *best->estimate, *target.gpu))
    choice = best;
  std::rotate(candidates.begin(), choice, choice + 1);
  return candidates;
}

SmallVector<Candidate>
mlir::fuse::findCandidates(KernelOp kernel, const DimClasses &dims,
                           const ScheduleTarget &target) {
  SmallVector<Candidate> candidates = findUsualCandidates(kernel, dims, target);
  if (target.gpu && !candidates.empty() &&
      isa<RowsScheduleAttr>(candidates.front().schedule))
    promote(favouritesOf(kernel, dims, target), candidates, kernel, dims,
            target);
  return candidates;
}
