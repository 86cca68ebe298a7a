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

/// Binds the symbols from the inputs' shapes and all strides, checks number,
/// dtype, rank, dims, strides and byte count of the inputs, and makes the
/// program's own checks. Where it has symbols for strides of outputs, these are
/// checked, too; without `outputs` they are those of dense ones.
llvm::Expected<SymbolValues>
bindSymbols(const ProgramSpec &spec, llvm::ArrayRef<TensorView> inputs,
            llvm::ArrayRef<TensorView> outputs = {});

/// The shape of `tensor` once the symbols are known.
llvm::Expected<Shape> evaluateShape(const ProgramSpec &spec,
                                    const TensorSpec &tensor,
                                    llvm::ArrayRef<int64_t> symbols);

/// Checks number, dtype and shape of the outputs, and that no two elements of
/// one share a place.
llvm::Error checkOutputs(const ProgramSpec &spec,
                         llvm::ArrayRef<TensorView> outputs,
                         llvm::ArrayRef<int64_t> symbols);

/// What calls at other addresses need of the tensors of one call: the inputs,
/// then the outputs.
struct CallLayout {
  struct Item {
    /// From the first to the end of the last element.
    uint64_t bytes = 0;
    /// Of the first element, in bytes.
    uint64_t alignment = 1;
    /// Of a view: sizes and strides, in bytes, of the dims that are walked.
    llvm::SmallVector<std::pair<uint64_t, uint64_t>, 0> steps = {};
    uint64_t elementBytes = 0;
  };
  llvm::SmallVector<Item, 8> items;
  /// For each output the inputs whose very buffer it may have.
  llvm::SmallVector<llvm::SmallVector<unsigned, 1>, 2> mayCoincide;
};

/// Checks device and layout, which no address decides. Call it after
/// bindSymbols() and checkOutputs().
llvm::Expected<CallLayout> checkLayouts(const ProgramSpec &spec,
                                        llvm::ArrayRef<TensorView> inputs,
                                        llvm::ArrayRef<TensorView> outputs,
                                        Device device);

/// Checks that the tensors at `addresses`, one for each item of `layout`, have
/// data, and are aligned and apart.
llvm::Error checkAddresses(const ProgramSpec &spec, const CallLayout &layout,
                           llvm::ArrayRef<void *> addresses);

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_ARGUMENTS_H
