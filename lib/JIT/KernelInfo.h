//===- KernelInfo.h - What to tell about kernels ----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_JIT_KERNELINFO_H
#define FUSE_LIB_JIT_KERNELINFO_H

#include "fuse/JIT/Compilation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fuse::jit {

/// Describes the launches of a lowered `entry`, whose plan is `plan`.
std::vector<KernelInfo> describeKernels(mlir::func::FuncOp entry,
                                        const Plan &plan);

/// What the fusion pass left in the attribute `fuse.missed` of `entry`.
std::vector<MissedFusion> missedFusions(mlir::func::FuncOp entry);

} // namespace fuse::jit

#endif // FUSE_LIB_JIT_KERNELINFO_H
