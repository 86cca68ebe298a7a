//===- Passes.h - The explaining pass ---------------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_EXPLAIN_PASSES_H
#define FUSE_EXPLAIN_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fuse {

/// The categories of remarks, for --remarks-filter and its kin. The last two
/// need the PTX, and come from the JIT.
inline constexpr llvm::StringLiteral kKernelCategory = "fuse-kernel";
inline constexpr llvm::StringLiteral kEdgeCategory = "fuse-edge";
inline constexpr llvm::StringLiteral kLaunchCategory = "fuse-launch";
inline constexpr llvm::StringLiteral kCopyCategory = "fuse-copy";
inline constexpr llvm::StringLiteral kAccessCategory = "fuse-access";
inline constexpr llvm::StringLiteral kSpillCategory = "fuse-spill";

#define GEN_PASS_DECL
#include "fuse/Explain/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuse/Explain/Passes.h.inc"

} // namespace mlir::fuse

#endif // FUSE_EXPLAIN_PASSES_H
