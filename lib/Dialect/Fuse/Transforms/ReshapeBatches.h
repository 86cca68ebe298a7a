//===- ReshapeBatches.h - Reshapes of contractions' batches -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_RESHAPEBATCHES_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_RESHAPEBATCHES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// Moves expansions of a contraction's batches up past it, and collapses of
/// them down.
void populateReshapeBatchesPatterns(RewritePatternSet &patterns);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_RESHAPEBATCHES_H
