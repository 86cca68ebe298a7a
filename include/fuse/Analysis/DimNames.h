//===- DimNames.h - What the dynamic dimensions are called ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_DIMNAMES_H
#define FUSE_ANALYSIS_DIMNAMES_H

#include "fuse/Analysis/DimClasses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {

/// Visits the dynamic dimensions of the arguments' types: the argument, the
/// axis, and the number among the argument's.
void forEachDynamicDim(
    func::FuncOp function,
    llvm::function_ref<void(BlockArgument, int64_t, unsigned)> visit);

/// A name for each class of dynamic dimensions that an argument has: the first
/// that the user gave to one of them, or ARGUMENT.AXIS.
DenseMap<int, std::string> nameDims(func::FuncOp function,
                                    const DimClasses &dims);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_DIMNAMES_H
