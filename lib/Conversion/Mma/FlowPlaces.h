//===- FlowPlaces.h - Where a thread's sums are needed ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emitter follows a kernel's graph backwards, and a thread of a tensor-core
// kernel has its sums at given points of the contraction's result. So points
// are followed forwards first, through the ops that move elements, which leaves
// divisions where they cost nothing. Of a tile whose columns start at T, a
// multiple of 256, a thread has the columns T + 8 i + q. Heads of 128 make them
//
//   head T / 128 + 8 i / 128, feature 8 i mod 128 + q
//
// with a constant behind T / 128, which all of the tile share, and one before
// q: so that the feature 64 further on is that of another i of the same thread,
// and the same in the next head.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_FLOWPLACES_H
#define FUSE_LIB_CONVERSION_MMA_FLOWPLACES_H

#include "Points/PointEmitter.h"
#include "fuse/Analysis/ContractionFlow.h"

namespace mlir::fuse {

/// base + offset + lane. `base` is a multiple of `unit`, `lane` lies in
/// [0, span) and differs between the threads of a warp; both may be null.
struct PartedIndex {
  Value base;
  int64_t unit = 1;
  int64_t offset = 0;
  Value lane;
  int64_t span = 1;

  static PartedIndex of(const Index &index) {
    return {index.base, 1, index.offset, {}, 1};
  }
};

/// Where an element of a tensor is.
using PartedPoint = SmallVector<PartedIndex, 4>;

class FlowPlaces {
public:
  FlowPlaces(PointEmitter &emitter, const ContractionFlow &flow)
      : emitter(emitter), flow(flow) {}

  /// Where an element of the contraction's result is in one of the values that
  /// follow from it.
  PartedPoint follow(Value value, const PartedPoint &from);

  /// Tells the emitter, for all that follows from the contraction, where the
  /// `lanes` elements of its result are that are at `from`.
  void declare(const PartedPoint &from, int64_t lanes);

  Point pointOf(const PartedPoint &at, int64_t lanes);

private:
  PartedPoint move(Operation *moved, const PartedPoint &from);
  PartedPoint split(tensor::ExpandShapeOp expand, const PartedPoint &from);
  PartedPoint join(tensor::CollapseShapeOp collapse, const PartedPoint &from);
  /// The quotient and the remainder by a part's size.
  std::pair<PartedIndex, PartedIndex> divide(const PartedIndex &index,
                                             const Extent &size);
  PartedIndex append(const PartedIndex &outer, const Extent &size,
                     const PartedIndex &inner);
  Index indexOf(const PartedIndex &index);

  PointEmitter &emitter;
  const ContractionFlow &flow;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_FLOWPLACES_H
