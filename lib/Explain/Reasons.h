//===- Reasons.h - Why, and what to do about it -----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXPLAIN_REASONS_H
#define FUSE_LIB_EXPLAIN_REASONS_H

#include "fuse/Analysis/MmaSpace.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

/// What a user can change about an edge that was not fused for `reason`, which
/// is one that the fusion pass gives.
StringRef suggestionFor(StringRef reason);

/// Why the schedule of `kernel` is what it is. On a GPU kernels may rely on
/// `facts` of their tensors; on a CPU there are none.
std::string explainSchedule(KernelOp kernel, const DimClasses &dims,
                            std::optional<TensorFacts> facts);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXPLAIN_REASONS_H
