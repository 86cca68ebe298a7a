//===- ObeySchedule.h - From each kind of schedule to its code --*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_OBEYSCHEDULE_H
#define FUSE_LIB_CONVERSION_OBEYSCHEDULE_H

#include "KernelFrame.h"
#include "Reductions/PartStates.h"

namespace mlir::fuse {

/// Fills the frame as the kernel's schedule says and returns the grid.
FailureOr<Grid> obeySchedule(KernelFrame &frame);

/// The same of the launch that combines what parts have left.
FailureOr<Grid> combineParts(KernelFrame &frame);

/// What is left between the launches; nothing where there is one.
FailureOr<std::optional<PartLayout>>
planParts(KernelOp kernel, const DimClasses &dims, const EmitOptions &options);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_OBEYSCHEDULE_H
