//===- TileReductions.h - What tiles leave of rows --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread takes the values that it has of a row into a state, the threads that
// have the row together, four where sums are in registers, combine theirs by
// shuffles, and one of them leaves the state for the launch that combines the
// parts (PartStates.h), or stores it where runs of columns are results
// (RowParts.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_TILEREDUCTIONS_H
#define FUSE_LIB_CONVERSION_MMA_TILEREDUCTIONS_H

#include "MmaBuilder.h"
#include "Reductions/Reducer.h"
#include "fuse/Analysis/MmaSpace.h"

namespace mlir::fuse {

class TileReductions {
public:
  /// `lanes`: those of the points that are taken in; `threads`: how many
  /// neighbours have a row, a power of two.
  TileReductions(MmaBuilder &b, const MmaSpace &space, int64_t lanes,
                 int64_t threads = 4);

  bool empty() const { return reducers.empty(); }

  /// Starts a tile, of which each thread has so many rows.
  void start(int64_t rows);

  struct Element {
    Point point;
    /// An i1; where it is false the element counts as nothing. Null for always.
    Value guard;
  };
  /// Takes elements of a row in.
  void take(int64_t row, ArrayRef<Element> elements);

  /// Combines what the row's threads have and leaves it as the state of `part`
  /// for `result`. `writes`, an i1, is true in one of these threads.
  void leave(int64_t row, const Index &part, const Index &result,
             const Index &results, Value writes);
  /// The same of a whole run of so many columns, which is stored at a point of
  /// the results.
  void store(int64_t row, const Point &point, int64_t columns, Value writes);

private:
  SmallVector<ReductionState> stateOf(int64_t number);

  MmaBuilder &b;
  SmallVector<Reducer, 0> reducers;
  /// Of each row that of each reducer.
  SmallVector<SmallVector<ReductionState>> states;
  int64_t lanes, threads;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_TILEREDUCTIONS_H
