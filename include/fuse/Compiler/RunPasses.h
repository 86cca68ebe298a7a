//===- RunPasses.h - Runs passes and explains their failure -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_COMPILER_RUNPASSES_H
#define FUSE_COMPILER_RUNPASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"

namespace fuse::jit {

/// Runs the passes that `build` adds on `program`. If one fails, the error is
/// the first diagnostic.
///
/// A pass that fails without one, or crashes, is a bug of the compiler. With a
/// `reproducerDirectory` the program as it was before the passes is then
/// written to a file there, and the error says how to run these passes on it
/// again; a crash becomes an error, after which the program must not be used.
/// Without one, a crash is a crash, and no handler of signals is installed.
llvm::Error runPasses(mlir::ModuleOp program,
                      llvm::function_ref<void(mlir::OpPassManager &)> build,
                      llvm::StringRef reproducerDirectory = {});

} // namespace fuse::jit

#endif // FUSE_COMPILER_RUNPASSES_H
