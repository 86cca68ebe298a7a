//===- StreamedCombiner.h - Rows from their parts ---------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread has a few columns of a row, and computes from the states of its
// parts, wherever these are, what StreamedParts.h says, and what follows.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_STREAMEDCOMBINER_H
#define FUSE_LIB_CONVERSION_MMA_STREAMEDCOMBINER_H

#include "FlowPlaces.h"
#include "StreamedRows.h"

namespace mlir::fuse {

/// What the parts of a row have left, the sums of neighbouring columns as a
/// vector.
struct RowParts {
  using Load = llvm::function_ref<Value(const Index &part)>;
  Load max, total, sums;
};

class StreamedCombiner {
public:
  /// So many parts are loaded together.
  StreamedCombiner(KernelFrame &frame, StreamedScheduleAttr schedule,
                   const StreamedSpace &space, Index parts,
                   int64_t mostTogether = 8);

  /// Columns of a thread, and of a row.
  int64_t lanesOfThread() const { return lanes; }
  int64_t columnsOfRow() const { return columns; }
  /// Writes the results of some columns of a row of the scores.
  void write(const Point &rowPoint, const Index &column, const RowParts &its);

private:
  using Values = ReductionState;
  /// Takes parts in their order, whose loads are under way together. Those
  /// behind the last are the last again, and not `inside` (null for always).
  Values overParts(
      const Values &start,
      llvm::function_ref<void(const Index &part, Value inside, Values &current)>
          take);
  Value combined(const RowParts &its, const Point &rowPoint);
  PartedPoint productPoint(const Point &rowPoint, const Index &column);

  KernelFrame &frame;
  PointEmitter &emitter;
  OpBuilder &builder;
  const StreamedSpace &space;
  const MmaSegment &segment;
  MmaBuilder b;
  StreamedScores scores;
  StreamedRows rows;
  FlowPlaces flowPlaces;
  Index parts;
  int64_t columns, lanes, mostTogether;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_STREAMEDCOMBINER_H
