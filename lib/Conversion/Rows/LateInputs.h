//===- LateInputs.h - What only the last walk reads, a step ahead *- C++
//-*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights are read in the last walk only, behind the exchange, where their
// loads would be waited for. With `preload` and `hold = shared` those of the
// first step are loaded before the exchange, and each step loads those of the
// next one:
//
//   loadFirst, exchange
//   step 0: load 1, define 0, compute 0
//   step 1: load 2, define 1, compute 1
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWS_LATEINPUTS_H
#define FUSE_LIB_CONVERSION_ROWS_LATEINPUTS_H

#include "Reductions/Reducer.h"
#include "ScheduledRows.h"

namespace mlir::fuse {

class LateInputs {
public:
  LateInputs(const ScheduledRows &rows) : rows(rows), emitter(rows.emitter) {}

  /// Loads those of the first step, at its points; `staged` are inputs that
  /// are near anyway.
  void loadFirst(ArrayRef<Point> points, ArrayRef<BlockArgument> staged);
  /// Whether a walk has not taken them yet.
  bool haveFirst() const { return !first.empty(); }
  ReductionState takeFirst() { return std::move(first); }
  /// The late inputs at the points, as they lie in memory.
  ReductionState load(ArrayRef<Point> points);
  /// Declares what was loaded for the points.
  void define(ArrayRef<Point> points, const ReductionState &loaded);

private:
  const ScheduledRows &rows;
  PointEmitter &emitter;
  SmallVector<ScheduledRows::SharedInput> late;
  ReductionState first;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWS_LATEINPUTS_H
