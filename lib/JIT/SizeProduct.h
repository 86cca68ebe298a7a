//===- SizeProduct.h - Sizes compared as products ---------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_JIT_SIZEPRODUCT_H
#define FUSE_LIB_JIT_SIZEPRODUCT_H

#include "fuse/Runtime/SizeExpr.h"

namespace fuse::jit {

using ShapeExpr = llvm::SmallVector<runtime::SizeExpr, 4>;

/// Product of the dims: the symbolic ones, then one constant.
runtime::SizeExpr numElements(llvm::ArrayRef<runtime::SizeExpr> shape);

/// True if both provably are the same product: of one constant and, in any
/// order, of the same factors that are no products. Exact divisions cancel.
bool isSameProduct(const runtime::SizeExpr &lhs, const runtime::SizeExpr &rhs);

/// True if `rhs` provably is a multiple of `lhs`.
bool isDivisor(const runtime::SizeExpr &lhs, const runtime::SizeExpr &rhs);

} // namespace fuse::jit

#endif // FUSE_LIB_JIT_SIZEPRODUCT_H
