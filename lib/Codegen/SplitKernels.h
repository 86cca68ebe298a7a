//===- SplitKernels.h - A gpu.module for each kernel ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_SPLITKERNELS_H
#define FUSE_LIB_CODEGEN_SPLITKERNELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::fuse {

/// Copies of a lowered gpu.module, each with one of its kernels and the symbols
/// that this one uses, in order. Empty if there is one kernel only, or if a
/// symbol is used by several: one of two copies would be another variable.
SmallVector<OwningOpRef<gpu::GPUModuleOp>>
splitKernels(gpu::GPUModuleOp module);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_SPLITKERNELS_H
