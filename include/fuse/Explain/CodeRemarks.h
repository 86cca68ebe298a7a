//===- CodeRemarks.h - Remarks on what the assembler made -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_EXPLAIN_CODEREMARKS_H
#define FUSE_EXPLAIN_CODEREMARKS_H

#include "fuse/Codegen/Assemble.h"
#include "fuse/Explain/KernelInfo.h"
#include "fuse/Runtime/Facts.h"

namespace fuse::jit {

/// Emits remarks about the accesses in `ptx` that are narrower than 128 bits,
/// and about registers that the assembler spilled. `entry` is the lowered
/// program, and `kernels` are those that it launches. Fails if the PTX cannot
/// be parsed.
llvm::Error remarkOnCode(mlir::func::FuncOp entry,
                         llvm::ArrayRef<KernelInfo> kernels,
                         llvm::StringRef ptx,
                         const mlir::fuse::AssembledModule &assembled,
                         const runtime::Facts &facts);

/// Fails if the assembler serialises tensor-core instructions of a kernel, with
/// the kernel's place in the program.
llvm::Error checkTensorCores(mlir::func::FuncOp entry,
                             const mlir::fuse::AssembledModule &assembled);

} // namespace fuse::jit

#endif // FUSE_EXPLAIN_CODEREMARKS_H
