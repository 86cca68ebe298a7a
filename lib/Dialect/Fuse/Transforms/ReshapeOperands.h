//===- ReshapeOperands.h - Operands in an expanded shape --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_RESHAPEOPERANDS_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_RESHAPEOPERANDS_H

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::fuse {

/// The dimensions of an expanded shape that each dimension becomes.
using ReshapeGroups = SmallVector<ReassociationIndices>;

/// Whether the op takes any shape, as long as its operands broadcast to it.
bool isShapeless(Operation *op);

/// Whether each group has at most one dynamic dimension, whose size then
/// follows from the group's.
bool haveKnownSizes(RankedTensorType expanded, const ReshapeGroups &groups);

/// `operand`, which broadcasts to a shape of groups.size() dimensions, in a
/// shape that broadcasts to `expanded`. A dimension of size 1 becomes a group
/// of them.
Value expandOperand(OpBuilder &builder, Location loc, Value operand,
                    RankedTensorType expanded, const ReshapeGroups &groups);

/// The dimensions of the expanded tensor that `dims` become.
SmallVector<int64_t> expandedDims(ArrayRef<int64_t> dims,
                                  const ReshapeGroups &groups);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_RESHAPEOPERANDS_H
