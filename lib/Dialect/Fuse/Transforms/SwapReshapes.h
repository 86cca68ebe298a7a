//===- SwapReshapes.h - Expansions of what is collapsed ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SWAPRESHAPES_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SWAPRESHAPES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// Patterns for a tensor.expand_shape of a tensor.collapse_shape that it does
/// not undo.
void populateSwapReshapesPatterns(RewritePatternSet &patterns);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SWAPRESHAPES_H
