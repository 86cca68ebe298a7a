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
// What comes by loads is brought to the L2 then. That reads nothing, so that it
// may be of a tensor which a launch before changes in a few places, as caches
// of keys are, too.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_EARLYINPUTS_H
#define FUSE_LIB_CONVERSION_EARLYINPUTS_H

#include "KernelFrame.h"

namespace mlir::fuse {

/// Of a gpu.func whose kernel has early inputs: their numbers among the
/// kernel's. A lowering that makes use of them puts the wait behind it.
inline constexpr StringLiteral kEarlyInputsAttr = "fuse.early_inputs";

/// The inputs that are arguments of the program, if another launch comes
/// before the kernel's in any call: one that writes an operand of a
/// contraction. Where it has nothing to write the operand is empty, and the
/// kernel multiplies nothing.
SmallVector<int64_t> earlyInputsOf(KernelOp kernel);

/// Of a gpu.func whose kernel has inputs that are worth a prefetch: their
/// numbers. A lowering that makes use of them puts the wait behind it.
inline constexpr StringLiteral kPrefetchedInputsAttr = "fuse.prefetched_inputs";

/// The inputs of no launch of the program, but for what it changes of an
/// argument; none where the kernel reads no result of another.
SmallVector<int64_t> prefetchedInputsOf(KernelOp kernel);

bool hasPrefetchedInputs(KernelFrame &frame);
bool isPrefetched(KernelFrame &frame, BlockArgument input);
/// Emits `body`, which calls prefetchAt(), for the blocks that start first, and
/// the wait for the launches before this one behind it.
void prefetchAndWait(KernelFrame &frame, int64_t threads,
                     llvm::function_ref<void()> body);
/// Brings what lies at a pointer to global memory to the L2.
void prefetchAt(KernelFrame &frame, Value pointer);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_EARLYINPUTS_H
