//===- ElementSegments.h - Results of one shape -----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_ELEMENTSEGMENTS_H
#define FUSE_ANALYSIS_ELEMENTSEGMENTS_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include <optional>

namespace mlir::fuse {

/// Which elements of a shape a rotary op rotates, and how they pair.
struct Rotation {
  RotaryLayout layout;
  /// Rotated features (R), and the size of a head.
  int64_t dims, headDim;
  /// The axis of the heads, negative if there is none, and how many of them are
  /// rotated; absent where all are.
  int64_t headAxis;
  std::optional<int64_t> heads;

  bool operator==(const Rotation &other) const;
  /// Whether vectors hold whole pairs, or one side of pairs, or none.
  bool keepsVectors(int64_t vector) const;
  /// Where it does not: how many features from a head's first on hold all pairs
  /// and are whole vectors, for a thread to rotate together; 0 if vectors do
  /// not divide a head, or a thread has no registers for so many.
  int64_t pairsTogether(int64_t vector) const;
  /// Of a head: the features at which a thread starts, as its vector's lanes
  /// turn with those R/2 further on where the layout is `half`.
  int64_t startsInHead() const {
    return layout == RotaryLayout::half ? headDim - dims / 2 : headDim;
  }
};

/// Results of a kernel that have one shape, which for a scatter is that of the
/// updates.
struct Segment {
  SmallVector<Extent> extents;
  /// Numbers of the results, ascending.
  SmallVector<unsigned> results;
  /// Whether every value that the results depend on has the segment's shape or
  /// is one element: then only the flat position matters.
  bool flat = false;
  /// What the rotary ops that the results depend on, all of the segment's
  /// shape, have in common; absent where there are none or they differ.
  std::optional<Rotation> rotation;
  /// Where a kernel without rotary ops computes the same again and again, as
  /// cosines of angles that all heads share, or loads it element by element, as
  /// columns: the dimension before the last along which that is most, and what
  /// an element takes of it, in instructions (OpCost.h). 0 where there is no
  /// such dimension of a known size.
  unsigned repeatedAxis = 0;
  double repeatedInstructions = 0;

  /// How many neighbours along that dimension a thread takes of `places`: as
  /// many as divide it; 1 where nothing repeats.
  int64_t repeatedTogether(int64_t places) const;
};

/// The segments of a kernel, in the order of their first results.
SmallVector<Segment> segmentsOf(KernelOp kernel, const DimClasses &dims);

/// How many of the last dimensions each vector of so many elements has whole,
/// in some places of the dimension before: of [8, 64, 2] vectors of 8 have one,
/// in four places. 0 if there are none.
unsigned wholeDims(ArrayRef<Extent> extents, int64_t vector);

/// Whether every op of the kernel computes an element from those at the same
/// place of its operands, and asks for nothing else, such as the place itself.
bool isPointwise(KernelOp kernel);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_ELEMENTSEGMENTS_H
