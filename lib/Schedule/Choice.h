//===- Choice.h - What a kernel gets without measuring ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_SCHEDULE_CHOICE_H
#define FUSE_LIB_SCHEDULE_CHOICE_H

#include "fuse/Schedule/Candidates.h"

namespace mlir::fuse {

/// As findCandidates(), but without what only a measurement would take: the
/// choice is the same, and is found sooner.
SmallVector<Candidate> findUsualCandidates(KernelOp kernel,
                                           const DimClasses &dims,
                                           const ScheduleTarget &target);

} // namespace mlir::fuse

#endif // FUSE_LIB_SCHEDULE_CHOICE_H
