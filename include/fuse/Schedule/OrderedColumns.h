//===- OrderedColumns.h - Columns that are walked in order ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_ORDEREDCOLUMNS_H
#define FUSE_SCHEDULE_ORDEREDCOLUMNS_H

#include "fuse/Analysis/OrderedSpace.h"
#include "fuse/Schedule/Scheduler.h"

namespace mlir::fuse {

/// The numbers for a kernel whose space walks another dimension than the last.
OrderedScheduleAttr proposeOrderedColumns(KernelOp kernel,
                                          const OrderedSpace &space,
                                          const DimClasses &dims,
                                          const ScheduleTarget &target);

/// Other legal ones for a GPU.
SmallVector<OrderedScheduleAttr>
orderedColumnsLike(OrderedScheduleAttr proposal, KernelOp kernel,
                   const OrderedSpace &space);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_ORDEREDCOLUMNS_H
