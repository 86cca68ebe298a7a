//===- StreamedSpace.h - A softmax between two contractions -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention is two contractions with the softmax of a row in between:
//
//   %s = fuse.contract "bhmk,bhnk->bhmn" %queries, %keys
//   %x = ... element by element from %s, masks, and places
//   %e = exp(%x - max(%x))                          of each row, along n
//   %p = ... %e times a factor of the row, such as 1 / sum(%e)
//   %o = fuse.contract "bhmn,bhnd->bhmd" %p, %values
//
// No row of %s has to be in memory: a tile of queries takes one tile of keys
// and values after the other, keeps the maximum and the sum of what it has
// seen, and turns its sums of %o to the new maximum where that grows. Factors
// of a row wait until the end.
//
// Without a softmax, as in gated attention units and retention, a tile's
// weights follow from its scores alone, and nothing is turned.
//
// It is found by what the ops compute, whatever they were written as.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_STREAMEDSPACE_H
#define FUSE_ANALYSIS_STREAMEDSPACE_H

#include "fuse/Analysis/MmaSpace.h"

namespace mlir::fuse {

/// Instructions, and bytes in memory, of an element of an operand.
struct OperandWork {
  double instructions = 0, bytes = 0;
};

/// A tensor that has some features of queries or keys, so many from `first` on:
/// all of them, or those of a part where a concat in the kernel joins several.
struct FeaturePart {
  MmaOperand operand;
  /// What is contracted, of a part its tensor, and the contraction's letters of
  /// its dimensions.
  Value value;
  std::string axes;
  int64_t first, count;
};

struct StreamedSpace {
  /// The first contraction, and the letters of its product.
  ContractOp scores;
  char m, n, k;
  /// The last axis of the scores that queries have and neither keys nor values
  /// do, of a known size above 1: query heads that share a head of keys.
  std::optional<char> heads;
  MmaOperand queries, keys;
  /// The tensors that queries and keys are in, which those above are the first
  /// of. Those of tensor cores start at whole rows of shared memory.
  SmallVector<FeaturePart, 1> queryParts, keyParts;
  /// Whether queries, keys or values are computed in the kernel, from 8-bit
  /// floats or by turning pairs of features: their `tensor` is what is
  /// computed, in the order of features, places and others.
  bool computesQueries = false, computesKeys = false, computesValues = false;
  OperandWork ofQueries, ofKeys, ofValues;
  /// Where the values are features of the keys that follow each other, as those
  /// of a latent cache are, the first of these: values() then reads the same
  /// elements of the keys' tensor.
  std::optional<int64_t> firstOfKeys;
  /// Whether the weights follow from the scores element by element, without a
  /// statistic of the row: they are the logits then, and of what is said of the
  /// softmax below there is nothing.
  bool isPlain() const { return !sum; }
  /// What the softmax is of, its statistics, and its exponentials.
  Value logits;
  ReduceOp max, sum;
  ExpOp exponentials;
  /// What the sum is of: the exponentials, or their product with what is no
  /// number of the row, such as a mask; of the type that sums have.
  Value summed() const;
  /// Whether an infinite maximum counts as 0.
  bool isGuarded = false;
  /// What the logits are taken below, where it is the larger one of their
  /// maximum and another number of the row, as with a sink; else null.
  Value ceiling;
  /// A division or multiplication by one number a row.
  struct RowFactor {
    Operation *op;
    /// The operand that follows from the exponentials; the other is the factor.
    unsigned weight;

    Value weightOperand() const { return op->getOperand(weight); }
    Value factor() const { return op->getOperand(1 - weight); }
  };
  /// Those between the exponentials and the weights, in order.
  SmallVector<RowFactor, 2> rowFactors;
  /// The second contraction's operand.
  Value weights;
  /// The weights before they are rounded to the operand's type, which those in
  /// registers need not be; of the type that sums have.
  Value unroundedWeights() const;
  /// All that the weights are computed by.
  llvm::DenseSet<Operation *> front;
  /// Numbers of the results with one element a row, such as the logarithm of
  /// the sum.
  SmallVector<unsigned> rowResults;
  /// The second contraction, and what follows from it. Its rows have no tensor.
  MmaSpace product;

  ContractOp productOp() const { return product.first(); }
  const MmaOperand &values() const {
    return product.segments.front().contractions.front().columns;
  }
  bool computes() const {
    return computesQueries || computesKeys || computesValues;
  }
  /// Whether keys or values are gathered from pages.
  bool isPaged() const;
  /// The second contraction's letter for one of the first's result.
  char productAxis(char scoreAxis) const;
  /// Queries, keys, columns of the values, and what queries and keys are summed
  /// over.
  Extent rowExtent(const DimClasses &dims) const;
  Extent keyExtent(const DimClasses &dims) const;
  bool mayHaveNoKeys(const DimClasses &dims) const {
    Extent keys = keyExtent(dims);
    return !keys.isStatic() || keys.size == 0;
  }
  Extent columnExtent(const DimClasses &dims) const;
  Extent depthExtent(const DimClasses &dims) const;
  /// Query heads that share a head of keys.
  int64_t headCount(const DimClasses &dims) const;
  /// Whether blocks can leave their sums to a second launch: no element of a
  /// result needs two of them.
  bool canLeaveParts() const;
};

/// The space of what is a kernel or may become one, or a reason why it has
/// none.
FailureOr<StreamedSpace> streamedSpaceOf(const MmaGroup &group,
                                         const DimClasses &dims,
                                         TensorFacts facts, Reason &reason);
FailureOr<StreamedSpace> streamedSpaceOf(KernelOp kernel,
                                         const DimClasses &dims,
                                         TensorFacts facts, Reason &reason);

/// The same for a CPU, which packs queries, keys and values: the group may
/// compute them, and they have no tensor maps. Results have the product's
/// shape, or one element a row.
FailureOr<StreamedSpace> panelStreamedSpaceOf(const MmaGroup &group,
                                              const DimClasses &dims,
                                              Reason &reason);
FailureOr<StreamedSpace>
panelStreamedSpaceOf(KernelOp kernel, const DimClasses &dims, Reason &reason);

/// The ops that a contraction's operand follows from, back to what is not
/// `isInside`, where they are few, and widen numbers of 8 bits or turn pairs
/// of features: a kernel that computes the operand reads fewer bytes, or none
/// twice. Else none.
SmallVector<Operation *>
operandOps(Value operand, llvm::function_ref<bool(Operation *)> isInside);

/// What joins tensors along a dimension to the operand, with what repeats or
/// turns these before, back to what is not `isInside`; none where nothing does.
SmallVector<Operation *>
joiningOps(Value operand, llvm::function_ref<bool(Operation *)> isInside);

/// Whether each tile of queries would compute much to get at the operand.
bool isCostlyOperand(Value operand,
                     llvm::function_ref<bool(Operation *)> isInside);

/// What it takes that `ops` compute an element of the operand.
OperandWork operandWork(Value operand, ArrayRef<Operation *> ops);

/// Of features of keys that are values, the first is a multiple of so many.
inline constexpr int64_t kFirstOfKeys = MmaScheduleAttr::kRowElements;

/// Elements of a row up to which a consumer has rows of its own; of wider ones
/// consumers share the columns.
inline constexpr int64_t mostNarrowDepth = 256;
bool areWideRows(int64_t depth, int64_t columns);

/// Whether the op computes with one of the values; the index along a dimension
/// only has the shape of its operand.
bool computesWith(Operation *op, const llvm::DenseSet<Value> &values);

/// The maximum of the exponents over `dims`, where these are below it, or below
/// the larger one of it and another number of the row; null where there is
/// none.
ReduceOp maximumOf(ExpOp exp, ArrayRef<int64_t> dims);

/// The exponentials below a maximum over `dims` that the value is a product of;
/// null where there are none.
ExpOp exponentialsBehind(Value value, ArrayRef<int64_t> dims);

/// Whether both are one value, of which reshapes are copied for their users.
bool isSameMoved(Value a, Value b);

/// Whether a contraction reads what follows from another.
bool areChained(ArrayRef<Operation *> ops);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_STREAMEDSPACE_H
