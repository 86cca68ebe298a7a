//===- ReorderedScales.h - Scales of sums of blocks, in any order *- C++ -*===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_REFERENCE_REORDEREDSCALES_H
#define FUSE_LIB_REFERENCE_REORDEREDSCALES_H

#include "Operations.h"

namespace mlir::fuse::reference {

/// What allowReorderedProducts() does, for the scales of what a sum adds, where
/// these scale sums of products of 8-bit floats.
llvm::Error allowReorderedScales(
    ReduceOp op, GetTensor get,
    llvm::function_ref<llvm::Expected<Value>(Operands)> evaluate,
    Value &result);

} // namespace mlir::fuse::reference

#endif // FUSE_LIB_REFERENCE_REORDEREDSCALES_H
