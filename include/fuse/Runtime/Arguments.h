//===- Arguments.h - Checking a call's tensors against the plan -*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every error names the tensor and reads "expected X, but got Y; remedy".
// Nothing here allocates when all is well and the ranks are small.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_ARGUMENTS_H
#define FUSE_RUNTIME_ARGUMENTS_H

#include "fuse/Runtime/ProgramSpec.h"
#include "fuse/Runtime/Tensor.h"

namespace fuse::runtime {

/// The value of each symbol of a program: its dynamic dims, then its strides.
using SymbolValues = llvm::SmallVector<int64_t, 8>;

/// Binds the symbols from the inputs' shapes and strides, checks number, dtype,
/// rank, dims, strides and byte count of the inputs, and makes the program's
/// own checks.
llvm::Expected<SymbolValues> bindSymbols(const ProgramSpec &spec,
                                         llvm::ArrayRef<TensorView> inputs);

/// The shape of `tensor` once the symbols are known.
llvm::Expected<Shape> evaluateShape(const ProgramSpec &spec,
                                    const TensorSpec &tensor,
                                    llvm::ArrayRef<int64_t> symbols);

/// Checks number, dtype and shape of the outputs.
llvm::Error checkOutputs(const ProgramSpec &spec,
                         llvm::ArrayRef<TensorView> outputs,
                         llvm::ArrayRef<int64_t> symbols);

/// Checks device, layout, alignment and overlap. Call it after
/// bindSymbols() and checkOutputs().
llvm::Error checkStorage(const ProgramSpec &spec,
                         llvm::ArrayRef<TensorView> inputs,
                         llvm::ArrayRef<TensorView> outputs, Device device);

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_ARGUMENTS_H
