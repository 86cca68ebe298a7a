//===- StridedSlices.h - One of each few neighbours -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_STRIDEDSLICES_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_STRIDEDSLICES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

void populateStridedSlicePatterns(RewritePatternSet &patterns);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_STRIDEDSLICES_H
