//===- Candidates.cpp - Schedules to choose from --------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Candidates.h"

#include "fuse/Analysis/OpCost.h"
#include "fuse/Schedule/RowsModel.h"
#include <cmath>

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

/// Candidates of a fitted model that are worth a look.
static constexpr size_t mostByModel = 48;

/// The schedules of the only shape of rows, by the model of the board: the time
/// of the first, and by how much the others are slower. Empty where the model
/// has no opinion, or `proposal` is none of its schedules.
static SmallVector<Candidate> rankByModel(ScheduleAttrInterface proposal,
                                          KernelOp kernel,
                                          const DimClasses &dims,
                                          const ScheduleTarget &target) {
  Reason reason;
  if (!isa<RowsScheduleAttr>(proposal))
    return {};
  auto segments = reductionSegmentsOf(kernel, dims, reason);
  if (failed(segments) || segments->size() != 1)
    return {};
  const RowsModel *model = RowsModel::of(*target.gpu);
  if (!model || segments->front().space.hasGroups() ||
      !segments->front().space.overLastDims())
    return {};
  RowFacts facts = rowFactsOf(kernel, segments->front(), dims, target);
  if (!model->marginFor(facts, target))
    return {};
  auto ranked = model->rank(kernel.getContext(), facts, target);
  if (ranked.empty() || ranked.front().schedule != proposal)
    return {};
  SmallVector<Candidate> candidates;
  TimeEstimate first = estimateTime(kernel, dims, proposal, target);
  for (const RowsModel::Ranked &each :
       ArrayRef(ranked).take_front(std::min(ranked.size(), mostByModel))) {
    TimeEstimate estimate = first;
    estimate.seconds *= std::exp(each.loss - ranked.front().loss);
    candidates.push_back({each.schedule, estimate});
  }
  return candidates;
}

SmallVector<Candidate>
mlir::fuse::findCandidates(KernelOp kernel, const DimClasses &dims,
                           const ScheduleTarget &target) {
  ScheduleAttrInterface proposal = proposeSchedule(kernel, dims, target);
  if (!proposal)
    return {};
  if (!target.gpu)
    return {{proposal, std::nullopt}};
  if (auto byModel = rankByModel(proposal, kernel, dims, target);
      !byModel.empty())
    return byModel;
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
