//===- VerifyMma.h - Schedules that a tensor-core kernel takes --*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules may be read from text: what the attribute's verifier cannot know,
// since it does not see the kernel, is checked before the kernel is lowered.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_VERIFYMMA_H
#define FUSE_LIB_CONVERSION_MMA_VERIFYMMA_H

#include "Points/PointEmitter.h"
#include "fuse/Analysis/StreamedSpace.h"

namespace mlir::fuse {

/// The space of the kernel's contractions, or an error at the kernel if the
/// schedule suits neither these nor the chip.
FailureOr<MmaSpace> verifiedMmaSpace(KernelOp kernel, const DimClasses &dims,
                                     MmaScheduleAttr schedule,
                                     const EmitOptions &options);

/// An error at the kernel if the chip lacks what the schedule needs.
LogicalResult verifyStreamedChip(KernelOp kernel, StreamedScheduleAttr schedule,
                                 const EmitOptions &options);

/// The same of streamed rows: tiles hold the columns of both contractions.
LogicalResult verifyStreamed(KernelOp kernel, const StreamedSpace &space,
                             const DimClasses &dims,
                             StreamedScheduleAttr schedule);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_VERIFYMMA_H
