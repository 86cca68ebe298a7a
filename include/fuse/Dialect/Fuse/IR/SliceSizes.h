//===- SliceSizes.h - The sizes attribute of slices ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_SLICESIZES_H
#define FUSE_DIALECT_FUSE_IR_SLICESIZES_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::fuse {

/// What `sizes` of fuse.slice says for a dimension of the result's `size`:
/// -1, up to the end, where only the call knows it.
inline int64_t sliceSize(int64_t size) {
  return ShapedType::isDynamic(size) ? -1 : size;
}

/// The same for all dimensions of the result's shape.
inline SmallVector<int64_t> sliceSizes(ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(shape, sliceSize);
}

} // namespace mlir::fuse

#endif // FUSE_DIALECT_FUSE_IR_SLICESIZES_H
