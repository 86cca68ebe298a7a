//===- VerifyRows.h - Which schedules rows can have -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWS_VERIFYROWS_H
#define FUSE_LIB_CONVERSION_ROWS_VERIFYROWS_H

#include "ScheduledRows.h"

namespace mlir::fuse {

/// Emits an error, with a remedy, where the rows cannot be lowered by their
/// schedule.
LogicalResult verifyRows(const ScheduledRows &rows);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWS_VERIFYROWS_H
