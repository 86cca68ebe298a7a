//===- KeepReducedDims.h - Reshapes of reduced dimensions -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_KEEPREDUCEDDIMS_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_KEEPREDUCEDDIMS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// Patterns by which reductions keep their dimensions where something reads
/// their results beside what is reduced.
void populateKeepReducedDimsPatterns(RewritePatternSet &patterns);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_KEEPREDUCEDDIMS_H
