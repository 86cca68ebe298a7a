//===- RowResults.h - Results of rows, stored at their places ---*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last stage. A result has an element for each point of a row, one for each
// group of neighbours in it, or one for the row:
//
//   full      each thread, at its points           y = x / sum
//   groups    the first thread of each group       scale of 128 neighbours
//   rows      the first thread of each row         sum
//   parts     each thread, at points of their own  two places in one byte
//
// Where the result is a padded row, what is beside it is filled by all threads.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWS_ROWRESULTS_H
#define FUSE_LIB_CONVERSION_ROWS_ROWRESULTS_H

#include "Reductions/ResultStorer.h"
#include "RowGroupStates.h"

namespace mlir::fuse {

class RowResults {
public:
  RowResults(const ScheduledRows &rows, const RowGeometry &geometry,
             const RowPlaces &places);

  /// Results that have an element for each point, by their numbers in the
  /// segment: those that are stored before the first exchange, and the others.
  ArrayRef<unsigned> getEarly() const { return fullEarly; }
  ArrayRef<unsigned> getLate() const { return fullLate; }

  /// Stores such results at a point of a row.
  void storeAt(ArrayRef<unsigned> numbers, const RowPlace &row,
               const Point &point);
  /// What rows have one of, by one of the threads of each.
  void storeRows(ArrayRef<RowPlace> present);
  /// What groups have one of, by the first thread of each.
  void storeGroups(const RowPlace &row, RowGroupStates &groups);
  /// The same of a result of the group before whose dimensions the row has
  /// these indices.
  void storeGroup(unsigned number, const RowPlace &row, ArrayRef<Index> dims);
  /// What rows have several of, in rows of their own.
  void storeParts(ArrayRef<RowPlace> present);
  /// What is beside rows that are padded.
  void fillBeside(ArrayRef<RowPlace> present);

private:
  void storePart(unsigned number, const RowPlace &row);
  void storeResult(unsigned number, const Point &point, Value value);
  ResultStorer storer(unsigned number) {
    return {frame, rows.segment.results[number], rows.segment.paths[number]};
  }

  const ScheduledRows &rows;
  KernelFrame &frame;
  PointEmitter &emitter;
  const RowGeometry &geometry;
  const RowPlaces &places;
  SmallVector<unsigned> fullEarly, fullLate, ofRows, ofGroups, ofParts;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWS_ROWRESULTS_H
