//===- LaunchReads.h - What a launch reads, and when ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_COMPILER_LAUNCHREADS_H
#define FUSE_LIB_COMPILER_LAUNCHREADS_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace fuse::jit {

/// Whether an op gives the same elements in another shape.
bool isReshape(mlir::Operation *op);

/// Whether the content of input number `input` is read by another of the
/// launch's inputs, or by anything after the launch.
bool isReadBesides(mlir::fuse::LaunchOp launch, unsigned input);

/// Whether the kernel reads more of operand `number` than its shape.
bool readsOperand(mlir::fuse::LaunchOp launch, unsigned number);

/// Whether the kernel waits itself for what precedes it in the stream. That it
/// does so early enough is checked on its code.
bool waitsItself(mlir::fuse::LaunchOp launch);

} // namespace fuse::jit

#endif // FUSE_LIB_COMPILER_LAUNCHREADS_H
