//===- ReshapeOperands.h - Operands in an expanded shape --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_RESHAPEOPERANDS_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_RESHAPEOPERANDS_H

#include "fuse/Dialect/Fuse/IR/CollapsedOnes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::fuse {

/// The dimensions of an expanded shape that each dimension becomes.
using ReshapeGroups = SmallVector<ReassociationIndices>;

/// The sizes of the shape but for those of 1.
SmallVector<int64_t> withoutOnes(ArrayRef<int64_t> shape);

/// Whether the op takes any shape, as long as its operands broadcast to it.
bool isShapeless(Operation *op);

/// A reshape to the same shape moves nothing on; it folds when its turn comes.
template <typename ReshapeOp> bool isIdentity(ReshapeOp reshape) {
  return reshape.getSrcType() == reshape.getType();
}

/// Whether each group has at most one dynamic dimension, whose size then
/// follows from the group's.
bool haveKnownSizes(RankedTensorType expanded, const ReshapeGroups &groups);

/// `operand`, which broadcasts to a shape of groups.size() dimensions, in a
/// shape that broadcasts to `expanded`. A dimension of size 1 becomes a group
/// of them.
Value expandOperand(OpBuilder &builder, Location loc, Value operand,
                    RankedTensorType expanded, const ReshapeGroups &groups);

/// The op, which takes any shape, on expanded operands; its result has the
/// shape of `expanded`.
Operation *expandOp(OpBuilder &builder, Operation *op,
                    RankedTensorType expanded, const ReshapeGroups &groups);

/// Whether an op of a kernel computes what the value shows.
bool isMadeHere(Value value);

/// Whether `value` follows from a reduction, by pointwise ops in its shape or
/// of smaller operands, or by those that `passes` allows.
bool followsFromReduction(
    Value value, llvm::function_ref<bool(Operation *)> passes =
                     [](Operation *op) { return isShapeless(op); });

/// Whether the value's elements meet, one by one, what rows or columns of
/// another shape have been reduced to.
bool meetsReduced(Value value);

/// The dimensions of the expanded tensor that `dims` become.
SmallVector<int64_t> expandedDims(ArrayRef<int64_t> dims,
                                  const ReshapeGroups &groups);

/// The groups of a reduction's result, from those of its operand.
ReshapeGroups reducedGroups(const ReshapeGroups &groups, ArrayRef<int64_t> dims,
                            bool keep);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_RESHAPEOPERANDS_H
