//===- SplatConstants.h - Constants that kernels have -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SPLATCONSTANTS_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SPLATCONSTANTS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// arith.constant of one value, which a reshape of a constant folds to, into
/// fuse.constant: the former is memory, the latter a part of each kernel.
void populateSplatConstantPatterns(RewritePatternSet &patterns);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SPLATCONSTANTS_H
