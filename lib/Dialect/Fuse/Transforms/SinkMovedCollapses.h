//===- SinkMovedCollapses.h - Collapses behind movements --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SINKMOVEDCOLLAPSES_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SINKMOVEDCOLLAPSES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// Moves collapses down past slices and concatenations of what is reduced.
void populateSinkMovedCollapsesPatterns(RewritePatternSet &patterns);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SINKMOVEDCOLLAPSES_H
