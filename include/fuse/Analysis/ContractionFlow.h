//===- ContractionFlow.h - Where a contraction's elements go ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behind a contraction a kernel may compute element by element, move the
// elements, and rotate pairs of them. In
//
//   %p = fuse.contract "mk,nk->mn" %x, %w          [m, n]
//   %h = tensor.expand_shape %p [[0], [1, 2]]      [m, 32, 128]
//   %r = fuse.rotary half tokens_heads %h ...      [m, 32, 128]
//   %t = fuse.transpose %r [1, 0, 2]               [32, m, 128]
//
// column c of row m ends at [c / 128, m, c mod 128]. A thread that has a tile's
// sums knows at which point of %t each of them is needed, and follows the moves
// forwards; the emitter goes backwards from there. A pair of %r lies 64 columns
// apart, in one tile if tiles hold whole heads.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_CONTRACTIONFLOW_H
#define FUSE_ANALYSIS_CONTRACTIONFLOW_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Analysis/Reason.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fuse {

/// A value whose elements are computed from those of the contraction's result,
/// one from one, or one from a pair of a rotary op.
struct MovedElements {
  /// The ops that moved them, from the contraction on.
  SmallVector<Operation *, 2> moves;
  /// For each dimension, by how many columns of the contraction its neighbours
  /// differ: 0 if it has none of them, `kMixed` if it also has rows.
  SmallVector<int64_t, 4> columnSteps;
  /// The columns that it has: so many from `firstColumn` on; all where
  /// `columns` is nothing.
  int64_t firstColumn = 0;
  std::optional<int64_t> columns;

  static constexpr int64_t kMixed = -1;
};

/// What follows from contractions of one shape, whose results may meet, in a
/// group of ops.
struct ContractionFlow {
  llvm::MapVector<Value, MovedElements> values;
  /// A tile holds whole multiples of so many columns: those of a head whose
  /// pairs lie apart, and those that a slice of columns may start at.
  int64_t wholeColumns = 1;

  const MovedElements &of(Value value) const {
    return values.find(value)->second;
  }
  /// Whether a result lies elsewhere than the contraction's, or a pair of
  /// elements is needed for one: all that `#fuse.contraction` does not do.
  bool needsTiles = false;

  /// Whether some value has a part of the columns.
  bool isSliced() const;
  /// Whether vectors of so many columns cut neither heads nor their pairs, nor
  /// the part that is rotated.
  bool fitsVectors(int64_t lanes) const;
  /// Whether neighbouring columns are rotated as pairs.
  bool turnsNeighbours() const;
  /// Columns that follow each other from a multiple of so many on are on one
  /// side of their pairs.
  int64_t pairColumns() const;
};

/// A sum of a contraction's results along an outer axis, of what is computed of
/// each of them before:
///
///   %p = fuse.contract "mbk,nbk->bmn" %x, %w        [b, m, n]
///   %s = fuse.mul %p, %scales                       [b, m, n]
///   %y = fuse.reduce sum %s dims = [0]              [m, n]
///
/// Both are one contraction whose summed axis comes in blocks.
struct BlockSum {
  ContractOp contract;
  ReduceOp sum;
  /// The letter of the blocks in the contraction.
  char axis;
  /// From the contraction to what is summed.
  ContractionFlow flow;
  /// What it follows through, the contraction first.
  SmallVector<Operation *> ops;
  /// Columns that have a factor in common, if tiles hold multiples of so many.
  int64_t wholeColumns = 1;

  bool isSum(Operation *op) const { return sum.operator->() == op; }
};

/// The sums of blocks in a group, one of each contraction, in their order; none
/// where there are other reductions, or something else reads what is between a
/// contraction and its sum. 8-bit floats come in blocks of as many as tensor
/// cores multiply before their sums are added to others in f32. What is summed
/// has the contraction's shape.
SmallVector<BlockSum, 1> blockSumsOf(ArrayRef<Operation *> ops,
                                     ArrayRef<Value> results,
                                     const DimClasses &dims);

/// Whether a result of the kernel lies in memory as the contraction's would: it
/// is reshaped at most, and not scattered.
bool isInOrder(Value result, const ContractionFlow &flow);

/// Columns that a tile has at most.
inline constexpr int64_t mostTileColumns = 256;

/// The flow from the contractions to the results of a group, in program order;
/// a scatter's is that of its updates. Or a reason why not all of it can be
/// computed where a tile's sums are, such as "a rotary pair lies in two tiles
/// of the contraction". With `tilesReduce` there may be reductions of values
/// that were not moved; what follows from them is not followed. With `blocks`,
/// the sums of the contractions', the flow starts from there.
FailureOr<ContractionFlow>
contractionFlowOf(ArrayRef<ContractOp> contractions, ArrayRef<Operation *> ops,
                  ArrayRef<Value> results, const DimClasses &dims,
                  Reason &reason, bool tilesReduce = false,
                  ArrayRef<BlockSum> blocks = {});
/// The same for the body of a kernel with one contraction.
FailureOr<ContractionFlow> contractionFlowOf(KernelOp kernel,
                                             ContractOp contract,
                                             const DimClasses &dims,
                                             Reason &reason);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_CONTRACTIONFLOW_H
