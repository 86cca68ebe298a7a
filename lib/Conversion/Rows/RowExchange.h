//===- RowExchange.h - States of a row across its threads -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exchange of a level of reductions: each thread of a row has found a part,
// and all get the whole. Who shares a row decides how:
//
//   threads of a warp     shuffles
//   of a block            shuffles, then shared memory and a barrier
//   of a cluster          the shared memory of all its blocks
//   of the grid           memory, where each block leaves what it has
//
// The order in which parts are combined does not change from run to run.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWS_ROWEXCHANGE_H
#define FUSE_LIB_CONVERSION_ROWS_ROWEXCHANGE_H

#include "Reductions/StateLoop.h"
#include "RowPlaces.h"

namespace mlir::fuse {

class RowExchange {
public:
  RowExchange(const ScheduledRows &rows, const RowGeometry &geometry)
      : rows(rows), group(geometry.group), thread(geometry.thread) {}

  /// Before the row is walked: says to the other blocks of a cluster that this
  /// one is ready. Persistent blocks exchange for several rows, and meet in
  /// each.
  void start();
  /// The states of all threads of the row, one for each reducer. `isFirst`: it
  /// is the first exchange of the row.
  ReductionStates combine(MutableArrayRef<Reducer> reducers,
                          ReductionStates states, bool isFirst);
  /// Behind a row that another one follows: the threads' exchange of a row must
  /// be over before that of the next one begins.
  void endRow();

private:
  bool needsBarrierBetweenRows() const;

  const ScheduledRows &rows;
  ThreadGroup group;
  Index thread;
  /// States that the blocks of the grid have left in memory.
  unsigned leftStates = 0;
  /// Of the exchanges that are to come, what the blocks of a cluster wait at.
  SmallVector<Value> arrivals;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWS_ROWEXCHANGE_H
