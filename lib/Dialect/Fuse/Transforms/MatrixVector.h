//===- MatrixVector.h - Products with a vector ------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_MATRIXVECTOR_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_MATRIXVECTOR_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

/// Whether fuse-reduce-matrix-vector makes a contraction, whose left or right
/// operand is the matrix, sums of that one's rows or columns.
bool isMatrixVectorProduct(ContractOp contract, bool isLeft);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_MATRIXVECTOR_H
