//===- KernelOfGroup.h - Ops as the body of a kernel ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_FUSION_KERNELOFGROUP_H
#define FUSE_LIB_FUSION_KERNELOFGROUP_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

/// A kernel that computes `results` from `inputs` by copies of `ops`, which are
/// in program order and stay. Constants that it needs are copied, too.
KernelOp cloneAsKernel(OpBuilder &builder, StringRef name,
                       ArrayRef<Operation *> ops, ArrayRef<Value> inputs,
                       ArrayRef<Value> results);

} // namespace mlir::fuse

#endif // FUSE_LIB_FUSION_KERNELOFGROUP_H
