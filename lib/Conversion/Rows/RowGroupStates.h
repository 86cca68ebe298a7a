//===- RowGroupStates.h - Reductions inside of rows -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups are runs of a row's elements that some reductions combine. A group of
// 96 elements in vectors of 8 is 12 vectors of neighbouring threads:
//
//   butterfly       lanes 0-3, 4-7 and 8-11: as many as a power of two divides
//   shared memory   the three parts, which each of the 12 threads reads
//
// Of what groups have been reduced to there is one element, which the thread of
// the group's first vector takes in.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWS_ROWGROUPSTATES_H
#define FUSE_LIB_CONVERSION_ROWS_ROWGROUPSTATES_H

#include "Reductions/StateLoop.h"
#include "RowPlaces.h"

namespace mlir::fuse {

class RowGroupStates {
public:
  RowGroupStates(const ScheduledRows &rows, const RowGeometry &geometry);

  /// Whether the op combines groups, and not rows.
  bool isOfGroups(Operation *op) const;
  /// Whether it combines what groups have been reduced to.
  bool countsGroups(Operation *op) const;
  /// How many elements, or groups, it combines to one.
  Index count(Operation *op) const;

  /// The point, of the operand of such an op, that belongs to one of the row.
  Point groupPoint(Operation *op, const Point &point) const;
  /// What this thread finds of a row's groups.
  ReductionState reduce(const RowPlace &row, Reducer &reducer);
  /// Reduces groups, and tells the emitter the results of each.
  void reduceGroups(const RowPlace &row, ArrayRef<Operation *> ops);

  /// Whether the thread has the first vector of a group that begins at a
  /// dimension, in the row's held vector of that number; null for always.
  Value isFirst(int64_t held, int64_t dim);

private:
  void reduceFrom(const RowPlace &row, ArrayRef<Operation *> ops,
                  int64_t vectors);
  ReductionState take(Reducer &reducer, const Point &point, int64_t held);
  void define(Reducer &reducer, const Point &point,
              const ReductionState &state);
  void exchange(MutableArrayRef<Reducer> reducers, const RowPlace &row,
                MutableArrayRef<ReductionStates> states, int64_t vectors);
  Index numberOf(int64_t held) const;

  const ScheduledRows &rows;
  KernelFrame &frame;
  PointEmitter &emitter;
  const RowGeometry &geometry;
  RowGroups groups = {};
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWS_ROWGROUPSTATES_H
