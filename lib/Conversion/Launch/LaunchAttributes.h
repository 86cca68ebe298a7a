//===- LaunchAttributes.h - What a launch says of its kernel ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_LAUNCHATTRIBUTES_H
#define FUSE_LIB_CONVERSION_LAUNCHATTRIBUTES_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

/// The names of the ops in the kernel, in order, without the dialect's.
ArrayAttr opNamesOf(KernelOp kernel);

/// Pairs [result, input]: a scatter writes a part of its result; the rest is
/// what it writes into. Null if there are none.
ArrayAttr copiesOf(KernelOp kernel, ArrayRef<unsigned> inputs,
                   ArrayRef<unsigned> results);

/// The numbers of those among `inputs`, numbers of the kernel's own, that it
/// only gathers from. Null if there are none.
DenseI64ArrayAttr gatheredOf(KernelOp kernel, ArrayRef<unsigned> inputs);

/// Says of the launch, which has these inputs and results of the kernel, which
/// of them are read or written at other places of a row; see MovedInputs.h.
void nameMoved(Operation *launch, KernelOp kernel, const DimClasses &dims,
               ArrayRef<unsigned> inputs, ArrayRef<unsigned> results);

/// What a launch says of how much it touches; see fuse.launch.
struct Touched {
  SmallVector<Value> elements;
  /// Null if there are none.
  DenseI64ArrayAttr pointers, atMost;
};

/// Of the launch that has these of the kernel's inputs and results. Its first
/// result is pointer number `firstResult`; `sizeOf` gives sizes on the host.
Touched touchedOf(KernelOp kernel, const DimClasses &dims,
                  ArrayRef<unsigned> inputs, ArrayRef<unsigned> results,
                  unsigned firstResult, OpBuilder &builder,
                  llvm::function_ref<Value(const Extent &)> sizeOf);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_LAUNCHATTRIBUTES_H
