//===- ReductionPatterns.h - How to make a program smaller ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSEREDUCE_REDUCTIONPATTERNS_H
#define FUSE_TOOLS_FUSEREDUCE_REDUCTIONPATTERNS_H

namespace mlir {
class DialectRegistry;

namespace fuse {

/// Teaches the reducer to replace an op of the dialect by one of its operands
/// that has the result's type, where the program stays interesting.
void registerReductionPatterns(DialectRegistry &registry);

} // namespace fuse
} // namespace mlir

#endif // FUSE_TOOLS_FUSEREDUCE_REDUCTIONPATTERNS_H
