//===- RowsAhead.h - What the next row needs, in registers ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A persistent block, with `preload` and `hold = registers`, loads the next row
// while it reduces one. What it loaded is carried from row to row as it lies in
// memory, and declared where the row's points are placed:
//
//   loaded = load(first row)
//   for each row: next = load(row + stride), define(row, loaded), ...
//                 loaded = next
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWS_ROWSAHEAD_H
#define FUSE_LIB_CONVERSION_ROWS_ROWSAHEAD_H

#include "Reductions/Reducer.h"
#include "RowPlaces.h"

namespace mlir::fuse {

class RowsAhead {
public:
  RowsAhead(const ScheduledRows &rows, RowPlaces &places)
      : rows(rows), emitter(rows.emitter), places(places) {}

  /// Finds the inputs of rows that are loaded ahead: those with an element for
  /// each point, at which they are read, then those that a row has one of.
  /// Without it there are none.
  void findInputs(const RowPlace &row);
  /// What these have for row `number`; zeros where `exists` (null for true)
  /// does not hold.
  ReductionState load(const Index &number, Value exists);
  /// Declares what was loaded for the row, whose points are placed.
  void define(const RowPlace &row, const ReductionState &loaded);

private:
  void forEach(const RowPlace &row,
               llvm::function_ref<void(BlockArgument, const Point &)> body);

  const ScheduledRows &rows;
  PointEmitter &emitter;
  RowPlaces &places;
  SmallVector<BlockArgument> inputs;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWS_ROWSAHEAD_H
