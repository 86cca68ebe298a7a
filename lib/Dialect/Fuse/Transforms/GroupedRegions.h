//===- GroupedRegions.h - Rows that are needed in groups, too ---*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_GROUPEDREGIONS_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_GROUPEDREGIONS_H

#include "mlir/IR/Block.h"

namespace mlir::fuse {

/// Computes rows in the shape of their groups where these are reduced and the
/// rows are needed otherwise, too.
void groupSharedRows(Block &block);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_GROUPEDREGIONS_H
