//===- PairedHalves.h - 16-bit floats, two to a word ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU adds and multiplies two 16-bit floats of a word in the time of one in
// f32. Rounded to the type of its operands, a sum or a product of two of these
// is the same by way of f32, which has more than twice their digits.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_PAIREDHALVES_H
#define FUSE_LIB_CONVERSION_PAIREDHALVES_H

#include "PointEmitter.h"

namespace mlir::fuse {

/// Whether tensor cores add up the products of a kernel's rows: each thread has
/// several, so that what these share is there for all, and all that is reduced
/// are products.
bool multipliesRowsByMma(KernelOp kernel);

/// Whether values of `op` go to tensor cores as 16-bit floats, so that it is
/// worth computing them as such.
bool computesInPairs(PointEmitter &emitter, Operation *op);

/// Whether what tensor cores take of `op` in one order they take in another.
bool computesInAnyOrder(Operation *op);

/// The value in f32 of a sum, difference or product of 16-bit floats, computed
/// and rounded in their type; null where `op` is another one, or its operands,
/// in f32, have more digits.
Value buildInPairs(PointEmitter &emitter, Operation *op, ValueRange operands);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_PAIREDHALVES_H
