//===- SumsOverRows.h - Sums over all rows that blocks keep -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks that stay take one row after the other. What is reduced over all rows
// they add up on the way, each thread the columns that it holds of every row:
//
//   block 0: rows 0, 3, 6 -> state [0, column]         3 blocks
//   block 1: rows 1, 4    -> state [1, column]
//   block 2: rows 2, 5    -> state [2, column]
//
// When all have met, each combines its share of the columns, from the first
// part to the last. The order is fixed for a number of blocks, and that for a
// device.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_SUMSOVERROWS_H
#define FUSE_LIB_CONVERSION_SUMSOVERROWS_H

#include "KernelFrame.h"
#include "Reductions/CombineParts.h"
#include "Reductions/StateLoop.h"
#include "Reductions/ThreadReduce.h"

#include "fuse/Analysis/ReductionSegments.h"

namespace mlir::fuse {

class AcrossRowsLowering {
public:
  /// A vector of columns that the thread holds of every row; where `exists` (an
  /// i1, or null for true) does not hold, it is past the end.
  struct Columns {
    Index first;
    Value exists;
  };

  AcrossRowsLowering(KernelFrame &frame, RowsScheduleAttr schedule,
                     const ReductionSegment &segment,
                     ArrayRef<Columns> columns);

  /// The states before the first row, and how many rows they have.
  ReductionStates start();
  /// Takes in a row's point at the columns of that number. Null `exists` means
  /// true.
  void takeColumns(ReductionStates &states, size_t number, const Point &point,
                   Value exists = {});
  /// Takes in what a row has one of, at the point that `rowPoint` gives.
  void takeRow(ReductionStates &states,
               llvm::function_ref<Point(Value)> rowPoint, Value exists);
  /// Behind each row: adds the states of a block of rows to what was left
  /// before, and starts others, so that no sum has more terms in sequence.
  void endRow(ReductionStates &states, const ThreadGroup &group);
  /// Leaves the states, meets the other blocks and writes the results.
  void finish(const ReductionStates &states, const ThreadGroup &group,
              const Index &thread);

private:
  /// One reduction. Its states are one for each of the columns, or one.
  struct Sum {
    Reducer reducer;
    bool keepsColumns;
  };

  /// Calls the body with each sum and its first state.
  void forEachSum(ReductionStates &states,
                  llvm::function_ref<void(Sum &, ReductionState *)> body);
  ReductionStates identities();
  /// Leaves the states; `again`, an i1, adds them to what was left before.
  void leave(ArrayRef<ReductionState> states, const ThreadGroup &group,
             Value again);
  void leaveSums(MutableArrayRef<Sum> ofSpace, ArrayRef<ReductionState> states,
                 const Index &result, const Index &results, const Index &part,
                 unsigned firstPointer, Value again);
  bool mayBeLong();
  Index partOf(const ThreadGroup &group);
  void combine(const Index &parts, const Index &thread);
  SmallVector<CombinedResult> resultsOf(unsigned space);

  KernelFrame &frame;
  PointEmitter &emitter;
  RowsScheduleAttr schedule;
  const ReductionSegment &segment;
  SmallVector<Columns> columns;
  std::vector<Sum> sums;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_SUMSOVERROWS_H
