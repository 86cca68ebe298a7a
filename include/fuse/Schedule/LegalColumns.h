//===- LegalColumns.h - Every schedule that columns may have ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is legal, apart from what is fast, as LegalRows.h has it of rows: a
// product of few axes in two groups. basicColumns() has the vector, how many of
// them are beside each other, the threads and which blocks share a column;
// refinedColumns() the steps of a walk.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_LEGALCOLUMNS_H
#define FUSE_SCHEDULE_LEGALCOLUMNS_H

#include "fuse/Schedule/ColumnFacts.h"

namespace mlir::fuse {

/// Of an operand that a thread may keep in registers.
inline constexpr int64_t mostHeldElements = 32;

/// Of a GPU.
SmallVector<ColumnsScheduleAttr> basicColumns(MLIRContext *context,
                                              const ColumnFacts &facts,
                                              const ScheduleTarget &target);

/// The schedule with other steps, stages and uses of the L2.
SmallVector<ColumnsScheduleAttr> refinedColumns(ColumnsScheduleAttr schedule,
                                                const ColumnFacts &facts,
                                                const ScheduleTarget &target);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_LEGALCOLUMNS_H
