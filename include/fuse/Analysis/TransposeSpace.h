//===- TransposeSpace.h - What a kernel reads across ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neighbouring elements of a result want neighbouring elements of what they are
// computed from. In
//
//   %t = fuse.transpose %x permutation = [1, 0] : tensor<RxCxf32> -> ...
//   %y = fuse.add %t, %z
//
// they have them in %z, but neighbours of %y along its last dimension lie a row
// of %x apart. %x is read across: its last dimension is dimension 0 of %y. A
// kernel that reads square tiles of %x along its rows, and writes them along
// those of %y, touches memory in order on both sides.
//
// So is an input that is a view of kind `any`, as of a transposed tensor of the
// caller: its last dimension but one is then taken for the contiguous one.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_TRANSPOSESPACE_H
#define FUSE_ANALYSIS_TRANSPOSESPACE_H

#include "fuse/Analysis/ElementSegments.h"

namespace mlir::fuse {

/// Along dimensions shorter than this, reading across is no worse than reading
/// tiles: most of a tile would be empty.
inline constexpr int64_t kLeastTileSide = 16;

/// A value that is read across: an input, one that ops only move, or one that
/// is padded, reversed or joined.
struct CrossedValue {
  Value value;
  /// The operands that lead from the results to the value, in this order.
  /// Several where operands of concatenations need the same of it at their own
  /// places.
  SmallVector<SmallVector<OpOperand *>, 1> paths;
  /// The dimension along which the value is contiguous, and that which the last
  /// one of the results walks.
  int64_t along, dim;
  /// Where `along` starts: its index is that of the results' dimension `across`
  /// plus this.
  int64_t offset;
  /// What a number of lanes along `across` must divide so that all of them lie
  /// in one operand of each concatenation on the paths; 0 for any number.
  int64_t seam = 0;
};

struct TransposeSpace {
  Segment segment;
  /// The dimension of the results along which the values are contiguous.
  int64_t across;
  SmallVector<CrossedValue> values;

  /// The extents of the results' other dimensions, without the last.
  SmallVector<Extent> batch() const;
};

/// An input, and where results have its elements.
struct WalkedInput {
  BlockArgument input;
  /// The operands that lead from the results to it, in this order.
  SmallVector<OpOperand *> path;
  /// Of each of its dimensions, the one of the results that alone it follows,
  /// place by place, and where it starts.
  SmallVector<int64_t> axes, starts;
  /// Instead of an axis: it stays at its start; it follows something else.
  static constexpr int64_t stays = -1, elsewhere = -2;
};

/// The inputs that ops between them and the segment's results only move, or
/// compute with element by element.
SmallVector<WalkedInput> walkedInputs(KernelOp kernel, const Segment &segment,
                                      const DimClasses &dims);

/// The values that a pointwise kernel with results of one shape reads across,
/// as far as they agree on the dimension; none if there are none.
std::optional<TransposeSpace> transposeSpaceOf(KernelOp kernel,
                                               const DimClasses &dims);

/// Whether neighbours in a result of `ops`, or in what one of them reduces,
/// are computed from elements that lie rows apart in memory. What no op of
/// `ops` computes is in memory.
bool readsAcross(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                 const DimClasses &dims);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_TRANSPOSESPACE_H
