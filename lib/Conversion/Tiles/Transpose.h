//===- Transpose.h - Rows of registers to columns ---------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_TILES_TRANSPOSE_H
#define FUSE_LIB_CONVERSION_TILES_TRANSPOSE_H

#include "mlir/IR/Builders.h"

namespace mlir::fuse {

/// The columns of a square of n vectors of n lanes, n a power of two: log2(n)
/// steps, each of one shuffle of two vectors for each of them (Eklundh, "A Fast
/// Computer Method for Matrix Transposing", 1972).
SmallVector<Value> transposeSquare(OpBuilder &builder, Location loc,
                                   ArrayRef<Value> rows);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_TILES_TRANSPOSE_H
