//===- TransposedOnes.h - Transposes that move no element -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_TRANSPOSEDONES_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_TRANSPOSEDONES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// Adds the pattern that makes reshapes of transposes that move dimensions of
/// size 1 past others, and leave the others in their order.
void populateTransposedOnesPatterns(RewritePatternSet &patterns);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_TRANSPOSEDONES_H
