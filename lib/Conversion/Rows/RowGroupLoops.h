//===- RowGroupLoops.h - Rows and their groups, by one thread ---*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CPU's thread walks a row as loops in each other: over groups, over groups
// of these, and over the vectors of the innermost. What a walk needs of a group
// is found when the walk comes to it, and again in the next walk. Behind a norm
// whose groups of 128 share a scale:
//
//   walk 1: the squares of the row
//   walk 2: for each group its maximum, and then its results
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWS_ROWGROUPLOOPS_H
#define FUSE_LIB_CONVERSION_ROWS_ROWGROUPLOOPS_H

#include "RowResults.h"

namespace mlir::fuse {

/// Emits the row of block number `block`, which one thread has for itself.
class RowGroupLoops {
public:
  RowGroupLoops(const ScheduledRows &rows, const Index &block);
  void emit();

private:
  using States = ReductionStates;
  /// What a walk takes elements into, and the results that it stores.
  struct Work {
    SmallVector<Reducer> reducers;
    SmallVector<unsigned> results;
  };
  /// Indices of the dimensions before a group's.
  using Place = SmallVector<Index, 4>;

  int64_t firstDimOf(unsigned result) const;
  SmallVector<Operation *> neededAt(size_t depth, const Work &work,
                                    ArrayRef<Operation *> level) const;
  Point pointAt(const Place &place, const Index &element, int64_t lanes);
  Point elementOf(Operation *op, const Place &place);
  void reduce(size_t depth, const Place &place, ArrayRef<Operation *> ops);
  /// Of the group at `place`, whose dimensions begin at `firsts[depth]`: what
  /// must be known of it, and then what is behind that. The states are those of
  /// the work's reducers.
  States walk(size_t depth, const Place &place, const Work &work,
              States states);
  States walkGroups(size_t depth, const Place &place, Work &work,
                    States states);
  States walkVectors(size_t depth, const Place &place, Work &work,
                     States states);

  const ScheduledRows &rows;
  KernelFrame &frame;
  PointEmitter &emitter;
  RowGeometry geometry;
  RowPlaces places;
  RowGroupStates groups;
  RowResults results;
  RowPlace row;
  /// The first dimensions of the row, of its groups, and what is behind all.
  SmallVector<int64_t> firsts;
  /// The results of reductions at this place and at those around it.
  llvm::DenseSet<Value> known;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWS_ROWGROUPLOOPS_H
