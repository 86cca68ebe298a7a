//===- LaunchAttributes.h - What a launch says of its kernel ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_LAUNCHATTRIBUTES_H
#define FUSE_LIB_CONVERSION_LAUNCHATTRIBUTES_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

/// The names of the ops in the kernel, in order, without the dialect's.
ArrayAttr opNamesOf(KernelOp kernel);

/// Pairs [result, input]: a scatter writes a part of its result; the rest is
/// what it writes into. Null if there are none.
ArrayAttr copiesOf(KernelOp kernel);

/// The numbers of those among `inputs`, numbers of the kernel's own, that it
/// only gathers from. Null if there are none.
DenseI64ArrayAttr gatheredOf(KernelOp kernel, ArrayRef<unsigned> inputs);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_LAUNCHATTRIBUTES_H
