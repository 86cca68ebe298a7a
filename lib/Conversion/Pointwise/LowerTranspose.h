//===- LowerTranspose.h - Tiles turned in shared memory ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_LOWERTRANSPOSE_H
#define FUSE_LIB_CONVERSION_LOWERTRANSPOSE_H

#include "KernelFrame.h"

namespace mlir::fuse {

/// Fills the frame as `schedule` says and returns the grid.
FailureOr<Grid> lowerTranspose(KernelFrame &frame,
                               TransposeScheduleAttr schedule);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_LOWERTRANSPOSE_H
