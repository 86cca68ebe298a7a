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

/// On a reduction in a contraction's kernel: microseconds that it takes there,
/// and that a kernel of its own would take, by the model.
inline constexpr llvm::StringLiteral kInTilesAttr = "fuse.in_tiles";

/// On a contraction with a norm before it: microseconds that the norm takes as
/// a scale of the contraction's rows, and as a kernel of its own.
inline constexpr llvm::StringLiteral kRowScaleAttr = "fuse.row_scale";

#define GEN_PASS_DECL
#include "fuse/Fusion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuse/Fusion/Passes.h.inc"

} // namespace mlir::fuse

#endif // FUSE_FUSION_PASSES_H
