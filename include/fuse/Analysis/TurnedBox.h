//===- TurnedBox.h - What a thread turns in its registers -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pixels with their channels last, [H, W, 3] bytes, become planes [3, H, W]. A
// vector of a plane has every third byte of the input: 16 loads of 8 bits. But
// the same 16 pixels of all three planes are 48 neighbours in the input, which
// are three loads of 128 bits. So a thread takes a box of the results, 3 x 1 x
// 16, that is made of whole vectors of them and of whole vectors of what they
// are read from, and turns it in its registers.
//
// Where results have but some of a few neighbours, as one channel, all are
// read: they lie in the same sectors of memory.
//
// Boxes are for dimensions that are too short for the tiles of #fuse.transpose.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_TURNEDBOX_H
#define FUSE_ANALYSIS_TURNEDBOX_H

#include "fuse/Analysis/TransposeSpace.h"

namespace mlir::fuse {

struct TurnedBox {
  /// Along each dimension of the results; each divides that dimension.
  SmallVector<int64_t> sizes;
  /// An input that is read in vectors of several lanes, as its elements lie in
  /// memory: along its last dimensions, as far as the box has these whole, and
  /// then along the one before.
  struct Read {
    WalkedInput walked;
    int64_t lanes;
    /// Places that are read along each dimension, from its first place on where
    /// it is read whole, else from where the box starts.
    SmallVector<int64_t> sizes;
    SmallVector<bool> whole;
  };
  SmallVector<Read, 0> reads;
  /// Lanes of the vectors of each of the segment's results.
  SmallVector<int64_t> lanes;

  int64_t elements() const;
};

/// The box for vectors of up to `vector` elements and 16 bytes of everything
/// that is as large as the segment's results; none where no such input is read
/// across, or where a box would take too many registers. `divisible`: dynamic
/// last dimensions are multiples of 16 bytes.
std::optional<TurnedBox> turnedBoxOf(KernelOp kernel, const Segment &segment,
                                     const DimClasses &dims, int64_t vector,
                                     bool divisible);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_TURNEDBOX_H
