//===- CompensatedSum.h - A sum and what it is off by -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_COMPENSATEDSUM_H
#define FUSE_LIB_CONVERSION_COMPENSATEDSUM_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mlir::fuse {

/// A sum of floats, or of vectors of them, and what its additions have rounded
/// off so far.
struct CompensatedSum {
  Value sum, rest;
};

CompensatedSum addTerm(OpBuilder &builder, Location loc,
                       const CompensatedSum &to, Value term);

/// The sum, corrected.
Value totalOf(OpBuilder &builder, Location loc, const CompensatedSum &sum);

/// The same sum, with a rest below its last place. addTerm rounds the rests it
/// adds up, by the more the larger they have become: with the square of the
/// number of terms.
CompensatedSum normalized(OpBuilder &builder, Location loc,
                          const CompensatedSum &sum);

/// As addTerm to a normalized sum, which it stays, so that its error does not
/// grow with the number of terms; but each addition waits for the one before.
CompensatedSum addNormalized(OpBuilder &builder, Location loc,
                             const CompensatedSum &to, Value term);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_COMPENSATEDSUM_H
