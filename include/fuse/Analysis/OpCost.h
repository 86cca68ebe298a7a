//===- OpCost.h - What tensors and ops cost, roughly ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The counts that cost models start from. They need not be exact: what is
// compared are two ways of computing the same values.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_OPCOST_H
#define FUSE_ANALYSIS_OPCOST_H

#include "fuse/Analysis/DimClasses.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace mlir::fuse {

/// What a dynamic dimension is taken for: a large size.
inline constexpr int64_t kAssumedSize = 4096;

/// What a block of a GPU reads, roughly, in the time of a launch.
inline constexpr int64_t kBytesPerLaunch = 128 * 1024;

/// The elements of a tensor, or of one with such extents, and the bytes that
/// they take in memory; a value that is no tensor has none.
double estimatedElements(Value value);
double estimatedElements(ArrayRef<Extent> extents);
double estimatedBytes(Value value);

/// The same; a dynamic size that follows from others is taken for what these
/// make it.
double estimatedElements(Value value, const DimClasses &dims);
double estimatedElements(ArrayRef<Extent> extents, const DimClasses &dims);
double estimatedBytes(Value value, const DimClasses &dims);

/// The bytes of one element in memory.
double elementBytes(Value value);

/// Instructions for one element of the op's result: one, or as many as a
/// special function takes with its range reduction, a rotation with its angle,
/// a Philox round for each of four.
double instructionsOf(Operation *op);

/// The same for a load of an element whose neighbours lie apart in memory, as
/// those of a column do: the 32 threads of a warp ask for a line each.
inline constexpr double kApartLoadInstructions = 32;

/// Whether the op needs a GPU's unit for special functions.
bool isSpecialFunction(Operation *op);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_OPCOST_H
