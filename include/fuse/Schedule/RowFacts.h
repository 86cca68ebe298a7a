//===- RowFacts.h - What a schedule of rows depends on ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain numbers of a kernel's rows of one shape, found once. Which schedules
// are legal (LegalRows.h) and how fast each is (RowFeatures.h) follows from
// these and from the chip, so that hundreds can be compared without the IR.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_ROWFACTS_H
#define FUSE_SCHEDULE_ROWFACTS_H

#include "fuse/Analysis/ReductionSegments.h"
#include "fuse/Schedule/Scheduler.h"

namespace mlir::fuse {

struct RowFacts {
  /// Elements of a row, and rows; 0 where they are not known.
  int64_t length = 0, rows = 0;
  /// Elements of the widest vector.
  int64_t widest = 1;
  /// What a vector has to divide: the innermost size.
  int64_t inner = 0;
  /// Whether vectors may leave edges, since one dimension is reduced.
  bool mayLeaveEdges = true;
  /// Inputs of a row's length, and their bytes at an element, of all, of the
  /// widest and of the narrowest.
  int64_t inputs = 0, inputBytes = 0, widestBytes = 1, thinnestBytes = 8;
  /// How many of these are rows of an input at other places, which no copies to
  /// shared memory find.
  int64_t moved = 0;
  /// Of the narrowest element of a row's length that crosses the edge.
  int64_t narrowestBytes = 1;
  /// Whether 8-bit floats are read, which take other instructions than bytes.
  bool hasFloat8 = false;
  /// Bytes written at an element, and once a row; how many results have a row's
  /// length, and how many of these are there before the first reduction ends.
  double outputBytes = 0, rowBytes = 0;
  int64_t outputs = 0, earlyOutputs = 0;
  /// Inputs that all rows share, such as weights, and their bytes at a column;
  /// inputs with one number a row.
  int64_t weights = 0, numbers = 0;
  double weightBytes = 0;
  bool once = false, hasExp = false, hasDeviations = false, divides = false;
  /// Whether special functions are computed again by walks after the first.
  bool repeatsSpecial = false;
  /// Levels of reductions, and those whose results threads wait for.
  int64_t levels = 0, exchanges = 0;
  /// Values that the threads of a row exchange.
  int64_t components = 0;
  /// At each element: instructions, special functions, and instructions of all
  /// walks after the first.
  double instructions = 0, specials = 0, repeated = 0;
  /// Whether something is reduced over all rows, too, and how many sums of
  /// columns are.
  bool isAcross = false;
  int64_t columnSums = 0;

  /// Bytes that a row moves.
  double bytesPerRow() const {
    return length * (inputBytes + outputBytes) + rowBytes;
  }

  /// A matrix with a vector: rows that are multiplied with one that all share,
  /// and summed. No tree has seen such.
  bool isProduct() const { return once && weights > 0 && outputs == 0; }

  /// All of it but the row's length and the number of rows, as a hash: kernels
  /// with one key and rows of one length are alike to a schedule.
  std::string key() const;
};

/// Of the segment's rows.
RowFacts rowFactsOf(KernelOp kernel, const ReductionSegment &segment,
                    const DimClasses &dims, const ScheduleTarget &target);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_ROWFACTS_H
