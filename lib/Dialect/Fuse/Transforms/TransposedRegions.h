//===- TransposedRegions.h - Norms between two transposes -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_TRANSPOSEDREGIONS_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_TRANSPOSEDREGIONS_H

#include "mlir/IR/Block.h"

namespace mlir::fuse {

/// Computes what is transposed, reduced and transposed back where it was, along
/// other dimensions and without the transposes.
void untransposeRegions(Block &block);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_TRANSPOSEDREGIONS_H
