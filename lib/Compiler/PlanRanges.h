//===- PlanRanges.h - Ranges of sizes, from IR to the plan ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_COMPILER_PLANRANGES_H
#define FUSE_LIB_COMPILER_PLANRANGES_H

#include "fuse/Runtime/Facts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fuse::jit {

/// The ranges of the entry's `fuse.size_ranges` whose dims are all among the
/// symbols, by name.
std::vector<runtime::SizeRanges>
readSizeRanges(mlir::func::FuncOp entry, llvm::ArrayRef<std::string> symbols);

/// Sets `fuse.assumed_sizes` to the ranges of a call, Facts::sizes.
void assumeSizes(mlir::func::FuncOp entry, const runtime::Facts &facts);

} // namespace fuse::jit

#endif // FUSE_LIB_COMPILER_PLANRANGES_H
