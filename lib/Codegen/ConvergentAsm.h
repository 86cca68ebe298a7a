//===- ConvergentAsm.h - Assembly that threads run together -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CONVERGENTASM_H
#define FUSE_LIB_CODEGEN_CONVERGENTASM_H

#include "llvm/IR/Module.h"

namespace mlir::fuse {

/// Marks assembly with side effects convergent, which MLIR cannot say of it:
/// else LLVM may copy an instruction that all threads of a warp run together,
/// such as wgmma.mma_async, into both sides of a branch. Call it before LLVM's
/// optimizer.
void markAssemblyConvergent(llvm::Module &module);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CONVERGENTASM_H
