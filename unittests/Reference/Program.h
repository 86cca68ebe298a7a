//===- Program.h - Programs as text, for the oracle's tests -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_UNITTESTS_REFERENCE_PROGRAM_H
#define FUSE_UNITTESTS_REFERENCE_PROGRAM_H

#include "fuse/Reference/Evaluate.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace mlir::fuse::reference {

/// A program with one function. The text is `(ARGUMENTS) -> (RESULTS) { .. }`.
class Program {
public:
  explicit Program(llvm::StringRef text);

  llvm::Expected<llvm::SmallVector<Value>> run(llvm::ArrayRef<Value> inputs);
  /// The only result of a run that must succeed.
  Value operator()(llvm::ArrayRef<Value> inputs);
  /// The message of a run that must fail.
  std::string getError(llvm::ArrayRef<Value> inputs);

  /// Expands the composites.
  void decompose();

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// Exact tensors.
Value floats(llvm::ArrayRef<int64_t> shape, std::vector<double> elements,
             DType dtype = DType::F32);
Value integers(llvm::ArrayRef<int64_t> shape, std::vector<int64_t> elements,
               DType dtype = DType::I32);
/// Normally distributed numbers of the type, the same for the same seed.
Value randomFloats(llvm::ArrayRef<int64_t> shape, DType dtype, unsigned seed);

/// The elements as a program of the type would write them.
std::vector<char> getBytes(const Value &value);

} // namespace mlir::fuse::reference

#endif // FUSE_UNITTESTS_REFERENCE_PROGRAM_H
