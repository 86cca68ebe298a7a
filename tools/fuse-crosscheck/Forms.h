//===- Forms.h - One program in several forms -------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All forms are texts, which compile like any program: what is tested is what a
// user of fuse-opt gets.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_CROSSCHECK_FORMS_H
#define FUSE_TOOLS_CROSSCHECK_FORMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <random>

namespace fuse::crosscheck {

/// A parsed program.
class Forms {
public:
  static llvm::Expected<std::unique_ptr<Forms>> create(llvm::StringRef text,
                                                       llvm::StringRef path);

  /// The public functions, in the order of the text.
  llvm::SmallVector<mlir::func::FuncOp> functions();

  /// Whether each op of the function, once decomposed, is pointwise.
  llvm::Expected<bool> isPointwise(mlir::func::FuncOp function);

  /// The program with each op in a kernel of its own.
  llvm::Expected<std::string> unfused();

  /// The fused program with the schedules that were chosen for `chip`.
  llvm::Expected<std::string> scheduled(llvm::StringRef chip);

private:
  Forms();

  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  run(llvm::function_ref<void(mlir::OpPassManager &)> build);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// `text`, a program with schedules, with one number or word of each schedule
/// changed, or another kind of schedule. Whether the lowering takes it is for
/// the caller to find out. Nothing if there is no schedule. With `oneThread`
/// blocks keep their one thread.
std::optional<std::string>
perturbSchedules(llvm::StringRef text, std::mt19937_64 &random, bool oneThread);

} // namespace fuse::crosscheck

#endif // FUSE_TOOLS_CROSSCHECK_FORMS_H
