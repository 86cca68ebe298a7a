//===- RowScaleTimes.h - What a norm before a contraction takes -*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As a kernel of its own a norm reads x and writes what the contraction reads.
// As a scale of the contraction's rows it takes
//
// - where x follows from another contraction, a result more of that one, x * w;
// - the statistics: a launch, which reads x unless the other contraction's
//   tiles have left parts of them;
// - a product for each result of the contraction.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_FUSION_ROWSCALETIMES_H
#define FUSE_LIB_FUSION_ROWSCALETIMES_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Target/GPUTarget.h"

namespace mlir::fuse {

/// Seconds.
struct RowScaleTimes {
  double asScale, asKernel;
};

/// Of the norm of `x` before operand 0 or 1 of `contract`. `before` is the
/// contraction whose kernel writes what is left of the operand; null if `x`
/// itself is left.
RowScaleTimes rowScaleTimes(ContractOp contract, unsigned operand, Value x,
                            ContractOp before, const DimClasses &dims,
                            const GPUTarget &gpu);

} // namespace mlir::fuse

#endif // FUSE_LIB_FUSION_ROWSCALETIMES_H
