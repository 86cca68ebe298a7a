//===- RepeatedWalk.h - A thread's places where values repeat ---*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What repeats along a dimension, as the angles of all heads, is computed for
// the first of a few neighbours along it and known for the others:
//
//   unit u  ->  heads 4 (u / R) .. 4 (u / R) + 3, features 8 (u mod R) .. + 7
//
// where R is how many vectors a row has. Neighbours are computed within one
// branch for each of the parts that a concatenation joins along the row, since
// a value is known only in the branch that computes it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_REPEATEDWALK_H
#define FUSE_LIB_CONVERSION_REPEATEDWALK_H

#include "KernelFrame.h"
#include "fuse/Analysis/ElementSegments.h"

namespace mlir::fuse {

class RepeatedWalk {
public:
  /// Walks `together` neighbours along `axis` of the segment, in vectors of
  /// `lanes` elements of a row.
  RepeatedWalk(KernelFrame &frame, const Segment &segment, unsigned axis,
               int64_t together, int64_t lanes)
      : frame(frame), segment(segment), axis(axis), together(together),
        lanes(lanes) {}

  /// The segment's dimensions, with a step for each group of neighbours.
  SmallVector<Extent> groups() const;
  /// Calls `store` with the points of unit number `unit`, if there is such a
  /// unit, in each branch.
  using Store = llvm::function_ref<void(ArrayRef<Point>)>;
  void emit(const Index &unit, Store store) const;

private:
  SmallVector<int64_t> seams() const;
  void emitFrom(int64_t start, ArrayRef<int64_t> seams, ArrayRef<Index> place,
                Store store) const;
  void emitPart(ArrayRef<Index> place, Store store) const;

  KernelFrame &frame;
  const Segment &segment;
  unsigned axis;
  int64_t together, lanes;
};

/// The point of a vector that starts at `place` of a row of the segment.
Point vectorPoint(PointEmitter &emitter, const Segment &segment,
                  ArrayRef<Index> place, int64_t lanes);

/// A base of its own for an index, so that its range, [low, high), is known for
/// it alone.
Index indexInRange(PointEmitter &emitter, const Index &index, int64_t low,
                   int64_t high);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_REPEATEDWALK_H
