//===- Remarks.h - Collects the compiler's remarks --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_JIT_REMARKS_H
#define FUSE_LIB_JIT_REMARKS_H

#include "fuse/JIT/Compilation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fuse::jit {

/// From now on appends all remarks in `context` to `remarks`, which must
/// outlive the context.
void collectRemarks(mlir::MLIRContext &context, std::vector<Remark> &remarks);

/// Emits remarks about the accesses in the PTX of `code` that are narrower than
/// 128 bits, and about registers that the assembler spilled. `entry` is the
/// lowered program. Fails if the PTX cannot be parsed.
llvm::Error remarkOnCode(mlir::func::FuncOp entry, const Code &code,
                         const runtime::Facts &facts);

/// Fails if the assembler serialises tensor-core instructions of a kernel, with
/// the kernel's place in the program.
llvm::Error checkTensorCores(mlir::func::FuncOp entry, const Code &code);

} // namespace fuse::jit

#endif // FUSE_LIB_JIT_REMARKS_H
