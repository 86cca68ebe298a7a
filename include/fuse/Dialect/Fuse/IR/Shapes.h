//===- Shapes.h - Broadcasting and sizes of tensors ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Shapes align at their last dimension, as in NumPy, and a static 1 repeats.
// A dynamic size never repeats, so where it meets a static size n other than 1
// the result has n, and the entry of the program checks that they are equal:
//
//   [?, 8, 1]  with  [4, 1, 16]  is  [4, 8, 16]
//   [?]        with  [1]         is  [?]
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_SHAPES_H
#define FUSE_DIALECT_FUSE_IR_SHAPES_H

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace mlir::fuse {

/// The type of a value that is a tensor.
inline RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The size where `lhs` and `rhs` meet; none if they are static and differ and
/// neither is 1.
std::optional<int64_t> broadcastSizes(int64_t lhs, int64_t rhs);

/// The broadcast of two shapes; none if two sizes do not broadcast.
std::optional<SmallVector<int64_t>> broadcastShapes(ArrayRef<int64_t> lhs,
                                                    ArrayRef<int64_t> rhs);

/// Whether two sizes may be equal when the program runs.
bool mayBeEqual(int64_t lhs, int64_t rhs);

/// The size that two equal sizes have: the static one if either is static.
int64_t refineSize(int64_t lhs, int64_t rhs);

/// Bytes of an element in memory; an i1 takes one byte.
int64_t getElementBytes(Type element);

/// The product of the element's bytes and all static sizes, where a size of 0
/// counts as 1 (strides are products, too); none if it exceeds int64_t.
std::optional<int64_t> getStaticBytes(RankedTensorType type);

} // namespace mlir::fuse

#endif // FUSE_DIALECT_FUSE_IR_SHAPES_H
