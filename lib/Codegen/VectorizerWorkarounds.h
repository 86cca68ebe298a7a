//===- VectorizerWorkarounds.h - Around wrong code of LLVM ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_VECTORIZERWORKAROUNDS_H
#define FUSE_LIB_CODEGEN_VECTORIZERWORKAROUNDS_H

#include "llvm/Passes/PassBuilder.h"

namespace mlir::fuse {

/// Keeps divisions for addresses out of the conditional code of loops that
/// LLVM's loop vectorizer is going to see.
///
/// Scalar evolution knows that (i / n - 1) * n + i % n is i - n, so that a load
/// from there is one of consecutive elements. LLVM 22 makes a masked vector
/// load of it where the load is conditional, at the address that it computes
/// from the division's lane 0. But a conditional division is not executed for
/// lanes that are off, so that with lane 0 off the address is poison and the
/// other lanes read from somewhere else.
///
/// A division by zero may not be moved out of its condition, so divisors become
/// umax(n, 1), which is n wherever the division was executed.
void keepDivisionsUnconditional(llvm::PassBuilder &builder);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_VECTORIZERWORKAROUNDS_H
