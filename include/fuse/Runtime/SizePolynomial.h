//===- SizePolynomial.h - Sizes compared as polynomials ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_SIZEPOLYNOMIAL_H
#define FUSE_RUNTIME_SIZEPOLYNOMIAL_H

#include "fuse/Runtime/SizeExpr.h"

namespace fuse::jit {

using ShapeExpr = llvm::SmallVector<runtime::SizeExpr, 4>;

/// Product of the dims: the symbolic ones, then one constant.
runtime::SizeExpr numElements(llvm::ArrayRef<runtime::SizeExpr> shape);

/// True if both provably are the same size: the same polynomial over the
/// symbols, as ((T + 10) + 1) * 4 and 4 * T + 44 are. Exact divisions cancel; a
/// division with a rest, a remainder, a minimum and a maximum count as symbols.
bool isSameSize(const runtime::SizeExpr &lhs, const runtime::SizeExpr &rhs);

/// True if `rhs` provably is a multiple of `lhs`.
bool isDivisor(const runtime::SizeExpr &lhs, const runtime::SizeExpr &rhs);

} // namespace fuse::jit

#endif // FUSE_RUNTIME_SIZEPOLYNOMIAL_H
