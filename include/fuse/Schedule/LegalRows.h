//===- LegalRows.h - Every schedule that rows may have ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is legal, apart from what is fast. The space is a product of few axes:
// where a row stays, how many threads and blocks share it, the width of their
// vectors, and what only some kinds of schedules have. Values of an axis that
// could not be told apart by a measurement, such as 33 threads beside 32, are
// left out.
//
// The axes are in two groups, so that a search need not visit the product:
// basicRows() has where and with how many threads a row is held, and
// refinedRows() what one of these may vary beside that.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_LEGALROWS_H
#define FUSE_SCHEDULE_LEGALROWS_H

#include "fuse/Schedule/RowFacts.h"

namespace mlir::fuse {

/// One schedule for each place of a row, its threads, blocks and vectors.
SmallVector<RowsScheduleAttr> basicRows(MLIRContext *context,
                                        const RowFacts &facts,
                                        const ScheduleTarget &target);

/// The schedule with other values of what does not move the row: loads ahead,
/// bounds on registers, steps and stages. It is among them.
SmallVector<RowsScheduleAttr> refinedRows(RowsScheduleAttr schedule,
                                          const RowFacts &facts,
                                          const ScheduleTarget &target);

/// Beside these, of a matrix with a vector: several rows of each thread, whose
/// products tensor cores add up, with a few full-width vectors in all.
SmallVector<RowsScheduleAttr> productRows(MLIRContext *context,
                                          const RowFacts &facts,
                                          const ScheduleTarget &target);

/// The whole space: all refinements of all basic schedules.
SmallVector<RowsScheduleAttr> legalRows(MLIRContext *context,
                                        const RowFacts &facts,
                                        const ScheduleTarget &target);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_LEGALROWS_H
