//===- EmulatorWgmma.h - wgmma as calls that check --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma.mma_async is inline assembly with a register for each sum, which it
// reads and writes, and so is a wait that names sums:
//
//   %d = call {float, ...} asm "... wgmma.mma_async.sync.aligned.m64n8k16...."
//   %w = call {float, ...} asm "wgmma.wait_group.sync.aligned 0;"
//
// Both become calls with an array. In between, sums are tokens and no numbers
// (lib/Runtime/EmulatorWarpgroups.h), so that the values that may be tokens,
// all that lead from there through phis, selects and structs, are followed:
// what else uses one asks the runtime first, and what nothing has computed
// (undef) is a token, too.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_EMULATORWGMMA_H
#define FUSE_LIB_CODEGEN_EMULATORWGMMA_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/Error.h"

namespace mlir::fuse {

/// How instrumentation names places and functions of the runtime.
struct EmulatorHooks {
  llvm::function_ref<llvm::Constant *(const llvm::Instruction &)> siteOf;
  llvm::function_ref<llvm::FunctionCallee(llvm::StringRef name,
                                          llvm::FunctionType *)>
      shim;
};

/// Replaces all inline assembly of `function` that has sums of wgmma. Fails on
/// forms that the runtime does not know.
llvm::Error replaceWgmma(llvm::Function &function, const EmulatorHooks &hooks);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_EMULATORWGMMA_H
