//===- RotaryFrequencies.h - The oracle's rotary frequencies ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written from the papers and from the reference implementations that the
// attributes' descriptions name, pair by pair; the IR's own formulas are what
// kernels are made from, and share nothing with these.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_REFERENCE_ROTARYFREQUENCIES_H
#define FUSE_LIB_REFERENCE_ROTARYFREQUENCIES_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse::reference {

/// The radians per position of each pair of an op with `base`, for a sequence
/// of `length` tokens, which only an op with that operand looks at.
llvm::SmallVector<long double> computeFrequencies(RotaryOp op, int64_t length);

/// What cos and sin of such an op are multiplied by.
double computeMagnitude(RotaryOp op);

} // namespace mlir::fuse::reference

#endif // FUSE_LIB_REFERENCE_ROTARYFREQUENCIES_H
