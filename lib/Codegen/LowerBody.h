//===- LowerBody.h - What both GPU and CPU lowering need --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_LOWERBODY_H
#define FUSE_LIB_CODEGEN_LOWERBODY_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// Fails on every op below `root` that would become a call to a math library.
LogicalResult verifyMathIsExpanded(Operation *root);

/// Lowers scf to cf below `root`.
LogicalResult lowerStructuredControlFlow(Operation *root);

/// Adds the patterns for everything in a kernel's body but gpu ops.
void populateBodyToLLVMPatterns(const LLVMTypeConverter &converter,
                                RewritePatternSet &patterns);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_LOWERBODY_H
