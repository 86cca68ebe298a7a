//===- Passes.h - The schedule passes ---------------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_PASSES_H
#define FUSE_SCHEDULE_PASSES_H

#include "fuse/Target/CallSize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::fuse {

/// On a function, records of kernels that stay one because two would be slower:
/// a `kernel` and the `reason`, which has both times.
inline constexpr llvm::StringLiteral kTogetherAttr = "fuse.together";
/// On a function, records of kernels that were one: `producer`, `consumer` and
/// the `reason`.
inline constexpr llvm::StringLiteral kDetachedAttr = "fuse.detached";

/// The values of options that say how much calls move.
inline llvm::cl::ValuesClass callSizeValues() {
  return llvm::cl::values(
      clEnumValN(CallSize::large, "large", "Bandwidth is the time"),
      clEnumValN(CallSize::small, "small", "Latency counts more"),
      clEnumValN(CallSize::brief, "brief", "The time is one block's"),
      clEnumValN(CallSize::few, "few", "Multiprocessors are idle"));
}

#define GEN_PASS_DECL
#include "fuse/Schedule/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuse/Schedule/Passes.h.inc"

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_PASSES_H
