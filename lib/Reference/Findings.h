//===- Findings.h - Finding them --------------------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_REFERENCE_FINDINGS_H
#define FUSE_LIB_REFERENCE_FINDINGS_H

#include "Operations.h"
#include "fuse/Reference/Findings.h"

namespace mlir::fuse::reference {

/// Adds what the op made unbounded of bounded operands, if anything.
void findLostBounds(Operation *op, Operands operands, const Value &result,
                    Findings &findings);

/// Adds the rows of a norm, by their numbers, whose squares are out of range.
void addRowsOutOfRange(Operation *op, llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> numbers, Findings &findings);

} // namespace mlir::fuse::reference

#endif // FUSE_LIB_REFERENCE_FINDINGS_H
