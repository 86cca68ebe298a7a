//===- EarlyInputs.h - What is there before a program's launches -*- C++
//-*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where launches overlap, a kernel may read what no launch of the program
// writes, such as weights, before the launches before it have ended: each of
// these has itself waited for all that precedes the call.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_EARLYINPUTS_H
#define FUSE_LIB_CONVERSION_EARLYINPUTS_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

/// Of a gpu.func whose kernel has early inputs: their numbers among the
/// kernel's. A lowering that makes use of them puts the wait behind it.
inline constexpr StringLiteral kEarlyInputsAttr = "fuse.early_inputs";

/// The inputs that are arguments of the program, if another launch comes
/// before the kernel's in any call: one that writes an operand of a
/// contraction. Where it has nothing to write the operand is empty, and the
/// kernel multiplies nothing.
SmallVector<int64_t> earlyInputsOf(KernelOp kernel);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_EARLYINPUTS_H
