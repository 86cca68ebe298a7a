//===- SwapReshapes.h - Expansions of what is collapsed ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SWAPRESHAPES_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SWAPRESHAPES_H

#include "mlir/IR/PatternMatch.h"
#include <optional>

namespace mlir::fuse {

/// The sizes of a shape that refines both, of one group of dimensions each that
/// have as many elements: (8, 128) and (2, 512) have (2, 4, 128). Nothing where
/// there is none. Only the first may be dynamic, and is of both.
std::optional<SmallVector<int64_t>> refineSizes(ArrayRef<int64_t> a,
                                                ArrayRef<int64_t> b);

/// Patterns for a tensor.expand_shape of a tensor.collapse_shape that it does
/// not undo.
void populateSwapReshapesPatterns(RewritePatternSet &patterns);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SWAPRESHAPES_H
