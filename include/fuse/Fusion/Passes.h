//===- Passes.h - The fusion passes -----------------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_FUSION_PASSES_H
#define FUSE_FUSION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fuse {

/// On a function: why producers and consumers were not fused, an array of
/// {producer, consumer, reason} with the names of kernels.
inline constexpr llvm::StringLiteral kMissedAttr = "fuse.missed";

#define GEN_PASS_DECL
#include "fuse/Fusion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuse/Fusion/Passes.h.inc"

} // namespace mlir::fuse

#endif // FUSE_FUSION_PASSES_H
