//===- AssignSchedules.cpp - Give every kernel a schedule -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Choice.h"
#include "fuse/Schedule/Candidates.h"
#include "fuse/Schedule/Passes.h"
#include "fuse/Schedule/TuningFile.h"
#include "fuse/Target/CPUTarget.h"
#include "mlir/Support/DebugStringHelper.h"
#include <map>

namespace mlir::fuse {
#define GEN_PASS_DEF_ASSIGNSCHEDULES
#include "fuse/Schedule/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

llvm::Expected<ScheduleTarget> ScheduleTarget::of(StringRef chip,
                                                  bool divisible, bool strict) {
  ScheduleTarget target;
  target.divisible = divisible;
  target.strict = strict;
  if (chip == "cpu") {
    target.isGPU = false;
    target.vectorBits = CPUTarget::host().vectorBits;
    return target;
  }
  llvm::Expected<GPUTarget> gpu = lookupGPUTarget(chip);
  if (!gpu)
    return gpu.takeError();
  target.gpu = *gpu;
  if (strict)
    target.gpu->roundProducts();
  target.vectorBits = gpu->widestLoadBits;
  target.maxThreads = gpu->maxThreadsPerBlock;
  target.sharedBytes = gpu->maxSharedBytesPerBlock - staticSharedBytes;
  return target;
}

/// The candidate that an entry names. One that is none of them was written by
/// another version, and need not be legal.
static unsigned findTuned(ArrayRef<Candidate> candidates,
                          const TuningEntry *entry) {
  for (auto [number, candidate] : llvm::enumerate(candidates))
    if (entry && debugString(candidate.schedule) == entry->schedule)
      return number;
  return 0;
}

namespace {
struct AssignSchedulesPass
    : public mlir::fuse::impl::AssignSchedulesBase<AssignSchedulesPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::Expected<ScheduleTarget> target =
        ScheduleTarget::of(chip, divisible, strict);
    if (!target) {
      getOperation().emitError() << llvm::toString(target.takeError());
      return signalPassFailure();
    }
    target->aligned = aligned;
    // As on a board of these numbers that nobody has measured.
    if (!model && target->gpu)
      target->gpu->isMeasured = false;
    target->size = size;
    llvm::Expected<TuningFile> tuned = readTuning();
    if (!tuned) {
      getOperation().emitError() << llvm::toString(tuned.takeError());
      return signalPassFailure();
    }
    DimClasses dims(getOperation());
    auto assumed = readAssumedSizes(getOperation(), dims);
    if (failed(assumed))
      return signalPassFailure();
    target->assumed = std::move(*assumed);
    SmallVector<KernelOp> assigned;
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (!kernel.getScheduleAttr())
        assigned.push_back(kernel);
    SmallVector<EqualKernels, 0> distinct =
        groupEqual(assigned, dims, target->assumed);
    for (EqualKernels &equal : distinct) {
      KernelOp first = equal.front();
      if (failed(assign(first, dims, *target, *tuned)))
        return signalPassFailure();
      noteSizes(first, dims, *target);
      for (KernelOp other : ArrayRef(equal).drop_front())
        other.setScheduleAttr(first.getScheduleAttr());
    }
    // Of kernels that keep their schedules there is nothing to say.
    target->assumed.clear();
    noteSizeRanges(getOperation(), distinct, dims, *target);
    getOperation()->removeAttr(kLengthsAttr);
    SmallVector<std::string> lengths =
        lengthsOf(getOperation(), assigned, dims);
    if (target->gpu && !lengths.empty())
      getOperation()->setAttr(
          kLengthsAttr,
          Builder(&getContext())
              .getStrArrayAttr(llvm::to_vector_of<StringRef>(lengths)));
  }

private:
  llvm::Expected<TuningFile> readTuning() {
    return tuning.empty() ? TuningFile() : TuningFile::read(tuning);
  }

  /// The layers of a model have the same kernels, which are scheduled once.
  SmallVector<EqualKernels, 0> groupEqual(ArrayRef<KernelOp> kernels,
                                          const DimClasses &dims,
                                          ArrayRef<AssumedSize> assumed) {
    SmallVector<EqualKernels, 0> groups;
    std::map<std::pair<std::string, SmallVector<int>>, size_t> numbers;
    for (KernelOp kernel : kernels) {
      SmallVector<int> classes;
      for (Value value : llvm::concat<const Value>(
               kernel.getBody().getArguments(), kernel.getYield().getValues()))
        for (const Extent &extent : dims.extents(value))
          classes.push_back(extent.cls);
      auto [it, isNew] = numbers.try_emplace(
          {kernelKey(kernel, dims, divisible, size, assumed), classes},
          groups.size());
      if (isNew)
        groups.emplace_back();
      groups[it->second].push_back(kernel);
    }
    return groups;
  }

  /// Says which calls of few bytes get another schedule.
  void noteSizes(KernelOp kernel, const DimClasses &dims,
                 ScheduleTarget target) {
    // Contractions on tensor cores have ranges of sizes instead.
    if (!target.gpu ||
        isa<MmaScheduleAttr, StreamedScheduleAttr>(kernel.getScheduleAttr()))
      return;
    ScheduleAttrInterface before;
    for (auto [each, name] : {std::pair(CallSize::large, StringRef()),
                              {CallSize::small, kSmallBytesAttr},
                              {CallSize::brief, kBriefBytesAttr},
                              {CallSize::few, kFewBytesAttr}}) {
      target.size = each;
      ScheduleAttrInterface chosen = proposeSchedule(kernel, dims, target);
      if (each != CallSize::large && chosen != before)
        getOperation()->setAttr(
            name,
            Builder(&getContext()).getI64IntegerAttr(target.mostBytes(each)));
      before = chosen;
    }
  }

  LogicalResult assign(KernelOp kernel, const DimClasses &dims,
                       const ScheduleTarget &target, const TuningFile &tuned) {
    bool isUsual = candidate == 0 && tuned.entries().empty();
    SmallVector<Candidate> candidates =
        isUsual ? findUsualCandidates(kernel, dims, target)
                : findCandidates(kernel, dims, target);
    if (candidates.empty())
      return kernel.emitError()
             << "expected a kernel that one of the schedulers can run, but "
                "none of them applies; split it into several kernels";
    unsigned chosen = candidate < candidates.size() ? unsigned(candidate) : 0;
    if (chosen == 0 && !tuned.entries().empty())
      chosen = findTuned(candidates,
                         tuned.find(chip, kernelKey(kernel, dims, divisible,
                                                    size, target.assumed)));
    kernel.setScheduleAttr(candidates[chosen].schedule);
    return success();
  }
};
} // namespace
