//===- Candidates.cpp - Schedules to choose from --------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Candidates.h"

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

/// Whether the model's constants were fitted to schedules of this kind.
static bool isFitted(ScheduleAttrInterface schedule) {
  return isa<RowsScheduleAttr>(schedule);
}

static ScheduleAttrInterface propose(KernelOp kernel, const DimClasses &dims,
                                     const ScheduleTarget &target) {
  for (auto scheduler : {proposeContraction, proposeRows, proposeColumns,
                         proposeTranspose, proposePointwise})
    if (ScheduleAttrInterface schedule = scheduler(kernel, dims, target))
      return schedule;
  return {};
}

SmallVector<Candidate>
mlir::fuse::findCandidates(KernelOp kernel, const DimClasses &dims,
                           const ScheduleTarget &target) {
  ScheduleAttrInterface proposal = propose(kernel, dims, target);
  if (!proposal)
    return {};
  if (!target.gpu)
    return {{proposal, std::nullopt}};
  SmallVector<Candidate> candidates;
  auto isFaster = [](const Candidate &a, const Candidate &b) {
    return a.estimate->seconds < b.estimate->seconds;
  };
  for (ScheduleAttrInterface other :
       alternativesTo(proposal, kernel, dims, target)) {
    BlockWork work = estimateWork(kernel, dims, other, *target.gpu);
    // What needs more registers than there are would spill.
    if (residentBlocks(*target.gpu, work) == 0)
      continue;
    Candidate candidate{other, estimateTime(*target.gpu, work)};
    candidates.insert(llvm::upper_bound(candidates, candidate, isFaster),
                      candidate);
  }
  Candidate proposed{
      proposal, estimateTime(*target.gpu, estimateWork(kernel, dims, proposal,
                                                       *target.gpu))};
  bool isSecond = !candidates.empty() && isFitted(proposal) &&
                  isOverruled(*proposed.estimate, *candidates.front().estimate,
                              *target.gpu);
  candidates.insert(candidates.begin() + isSecond, proposed);
  return candidates;
}
