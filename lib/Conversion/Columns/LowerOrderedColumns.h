//===- LowerOrderedColumns.h - Columns that are scanned ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_LOWERORDEREDCOLUMNS_H
#define FUSE_LIB_CONVERSION_LOWERORDEREDCOLUMNS_H

#include "KernelFrame.h"

#include "fuse/Analysis/OrderedSpace.h"

namespace mlir::fuse {

/// Fills the frame as `schedule` says and returns the grid; `space` walks
/// another dimension than the last.
FailureOr<Grid> lowerOrderedColumns(KernelFrame &frame,
                                    OrderedScheduleAttr schedule,
                                    const OrderedSpace &space);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_LOWERORDEREDCOLUMNS_H
