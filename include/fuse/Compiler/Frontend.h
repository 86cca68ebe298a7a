//===- Frontend.h - From program text to a checked entry --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program's arguments have names, by which the driver and the Python package
// pass arrays and errors speak. They come from the text itself:
//
//   func.func @scale(%x: tensor<?x8xf32>, %w: tensor<8xf32>) -> ...
//
// gets `fuse.name = "x"` and `fuse.name = "w"` on its arguments, unless the
// attributes are there. A result is called like the value that is returned, or
// "outN" where that has no name of its own.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_COMPILER_FRONTEND_H
#define FUSE_COMPILER_FRONTEND_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace fuse::jit {

/// Parses and verifies a program and names what is unnamed. `fileName` stands
/// for the text in errors. The text is checked by checkSource() first.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
parseProgram(mlir::MLIRContext &context, llvm::StringRef text,
             llvm::StringRef fileName);

/// The public function called `name`, or the only one if `name` is empty.
/// Checks that it has a body of one block, that its arguments and results are
/// ranked tensors of known element types, that their names differ, and that no
/// tensor in it has a static shape whose bytes overflow.
llvm::Expected<mlir::func::FuncOp> selectEntry(mlir::ModuleOp module,
                                               llvm::StringRef name);

} // namespace fuse::jit

#endif // FUSE_COMPILER_FRONTEND_H
