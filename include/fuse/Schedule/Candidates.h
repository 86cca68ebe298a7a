//===- Candidates.h - Schedules to choose from ------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a scheduler proposes was found by hand on a few shapes. Beside it stand
// others that are as legal: more or fewer threads, longer vectors of rows, the
// row elsewhere. The time model ranks them. It is right to a few percent, which
// is not enough to tell good from best: only what it takes for clearly faster
// replaces the proposal. Measuring decides the rest; see docs/tuning.md.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_CANDIDATES_H
#define FUSE_SCHEDULE_CANDIDATES_H

#include "fuse/Analysis/ReductionSegments.h"
#include "fuse/Analysis/StreamedSpace.h"
#include "fuse/Schedule/MmaModel.h"
#include "fuse/Schedule/Scheduler.h"
#include "fuse/Schedule/TimeModel.h"

namespace mlir::fuse {

struct Candidate {
  ScheduleAttrInterface schedule;
  /// None on a CPU, which has no model.
  std::optional<TimeEstimate> estimate;
};

/// What one block of the kernel does under `schedule`. A dynamic dimension is
/// taken for kAssumedSize.
BlockWork estimateWork(KernelOp kernel, const DimClasses &dims,
                       ScheduleAttrInterface schedule, const GPUTarget &gpu);
/// The same for one of several schedules of a kernel with these segments.
BlockWork estimateWork(KernelOp kernel, const DimClasses &dims,
                       KnownSegments &segments, ScheduleAttrInterface schedule,
                       const GPUTarget &gpu);

/// What the kernel takes under `schedule`, by the model for such schedules.
/// `target` is a GPU.
TimeEstimate estimateTime(KernelOp kernel, const DimClasses &dims,
                          ScheduleAttrInterface schedule,
                          const ScheduleTarget &target);

/// The sizes of the kernel's contractions. A dynamic one is what is assumed of
/// it, or kAssumedSize.
MmaProduct mmaProductOf(KernelOp kernel, const DimClasses &dims,
                        ArrayRef<AssumedSize> assumed = {});
/// The same of contractions that are or may become a kernel with these results.
MmaProduct mmaProductOf(const MmaSpace &space, ArrayRef<Value> results,
                        const DimClasses &dims,
                        ArrayRef<AssumedSize> assumed = {});
/// What is known of them beside their sizes, but for the results.
MmaForm mmaFormOf(const MmaSpace &space);
/// The seconds that they take with the fastest of all tiles.
double fastestMma(const MmaSpace &space, ArrayRef<Value> results,
                  const DimClasses &dims, const GPUTarget &gpu);
/// Those of a contraction outside of a kernel, with one result of its own.
MmaProduct mmaProductOf(ContractOp contract, const DimClasses &dims);

/// The same of each contraction in a kernel of its own, which only writes its
/// result.
double fastestMmaApart(const MmaSpace &space, const DimClasses &dims,
                       const GPUTarget &gpu);

/// The schedules of the kernel's contractions on tensor cores, from fast to
/// slow; empty where they cannot run it.
SmallVector<MmaScheduleAttr> mmaSchedulesOf(KernelOp kernel,
                                            const DimClasses &dims,
                                            const ScheduleTarget &target);

/// The schedules of the kernel's softmax between two contractions, from fast to
/// slow; empty where tensor cores cannot stream it.
SmallVector<StreamedScheduleAttr>
streamedSchedulesOf(KernelOp kernel, const DimClasses &dims,
                    const ScheduleTarget &target);
/// The seconds that it takes, if no tile of it is masked, with the schedule, or
/// with the fastest.
double streamedSeconds(const StreamedSpace &space, const DimClasses &dims,
                       const GPUTarget &gpu, ArrayRef<AssumedSize> assumed,
                       StreamedScheduleAttr schedule = {});
/// Whether tiles of its rows have room in the chip's shared memory.
bool isStreamedOn(const StreamedSpace &space, const DimClasses &dims,
                  const GPUTarget &gpu);

/// The choice first, then the others from fast to slow, as far as the model
/// knows. Every one of them lowers. Empty if no scheduler applies.
SmallVector<Candidate> findCandidates(KernelOp kernel, const DimClasses &dims,
                                      const ScheduleTarget &target);

/// Legal schedules of the same kind as `proposal`, without it, in no order.
SmallVector<ScheduleAttrInterface>
alternativesTo(ScheduleAttrInterface proposal, KernelOp kernel,
               const DimClasses &dims, const ScheduleTarget &target);

/// What decided on the schedule of the kernel's rows, and by how much the next
/// one is predicted to be slower; empty for other kernels and on a CPU.
std::string explainChoice(KernelOp kernel, const DimClasses &dims,
                          const ScheduleTarget &target);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_CANDIDATES_H
