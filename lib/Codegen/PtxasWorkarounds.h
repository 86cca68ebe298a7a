//===- PtxasWorkarounds.h - Around wrong code of ptxas ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_PTXASWORKAROUNDS_H
#define FUSE_LIB_CODEGEN_PTXASWORKAROUNDS_H

#include "llvm/IR/Module.h"

namespace mlir::fuse {

/// Writes the negations and absolute values of 32-bit integers so that ptxas
/// does not fold them into a minimum or maximum. On sm_90, ptxas 13.0 makes one
/// VIMNMX3 of two signed max.s32 or min.s32 in a row and then loses a neg.s32
/// or abs.s32 of its second operand: max(max(a, -b), c) becomes max(a, b, c).
/// Call it after LLVM's optimizer, which would undo it.
void keepNegationsOutOfMinMax(llvm::Module &module);

/// Writes absolute values of 32 and 64 bits as two's complement has them. The
/// least number's is that number, but ptxas 13.0 takes what abs.s32 and abs.s64
/// give for no less than 0: abs(x) < 0 becomes false. Call it after LLVM's
/// optimizer, too.
void keepMagnitudesUnbounded(llvm::Module &module);

/// Adds constants to vectors of narrow integers lane by lane. Of an add.s16x2
/// with two different constants, of which only the upper lane is used, ptxas
/// 13.0 makes one on sm_90 that adds the lower lane's constant. Call it after
/// LLVM's optimizer, too.
void splitNarrowAdditions(llvm::Module &module);

/// Says of comparisons with constants that NaN is none, where ptxas 13.0 knows
/// the other side's range and forgets that it may be NaN: it takes ex2(x) >= 0
/// for true, and so it does with squares and with what is made of ex2, abs,
/// tanh, sin and cos by neg, add, mul, min, max and selp. Call it after LLVM's
/// optimizer, too.
void keepNaNsOutOfComparisons(llvm::Module &module);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_PTXASWORKAROUNDS_H
