//===- Exponentials.h - Exponentials below a maximum ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_EXPONENTIALS_H
#define FUSE_DIALECT_FUSE_IR_EXPONENTIALS_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

/// m, where `exp` is exp(x - m) and m is max(x) over `dims`, which it keeps;
/// null elsewhere. What is subtracted may also be 0 where m is infinite, as in
/// fuse.logsumexp.
ReduceOp maximumBelow(ExpOp exp, ArrayRef<int64_t> dims);

} // namespace mlir::fuse

#endif // FUSE_DIALECT_FUSE_IR_EXPONENTIALS_H
