//===- LowerOrdered.h - Rows that are scanned or sorted ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_LOWERORDERED_H
#define FUSE_LIB_CONVERSION_LOWERORDERED_H

#include "KernelFrame.h"

namespace mlir::fuse {

/// Fills the frame as `schedule` says and returns the grid.
FailureOr<Grid> lowerOrdered(KernelFrame &frame, OrderedScheduleAttr schedule);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_LOWERORDERED_H
