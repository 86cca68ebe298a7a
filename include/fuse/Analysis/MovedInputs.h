//===- MovedInputs.h - Inputs read at other places of a row -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread reads a vector of an input where it writes one of a result. Between
// the two may stand an op that moves elements along the last dimension: by ids,
// each element for itself, or all of them by so many places, which leaves
// vectors that start between two accesses, and at the ends of rows elements
// that are read one by one.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_MOVEDINPUTS_H
#define FUSE_ANALYSIS_MOVEDINPUTS_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

/// Attributes of a launch: numbers of its inputs and then its results, sorted.
inline constexpr llvm::StringLiteral kTakenAttr = "fuse.taken";
inline constexpr llvm::StringLiteral kShiftedAttr = "fuse.shifted";

/// Whether neighbours along the last dimension have ids that follow each other:
/// those of a slice that starts where a number says.
bool isRunOfIds(Value ids, const DimClasses &dims);

struct MovedInputs {
  /// Of these, ids take elements along the last dimension.
  llvm::SmallDenseSet<unsigned> taken;
  /// These are moved along it by other steps than 16 bytes.
  llvm::SmallDenseSet<unsigned> shifted;
  /// Numbers of results where rows are stored with such a step.
  llvm::SmallDenseSet<unsigned> shiftedResults;
};

/// The input of a kernel's body whose rows `value` has, at other places: it is
/// cut out and reshaped by ops that keep the last dimension. Null for others,
/// and for the input itself.
BlockArgument inputWithRowsOf(Value value, const DimClasses &dims);

/// What the ops read of such rows, with an element for each point of `domain`:
/// as the two rows of a weight whose products are rotated.
SmallVector<Value> movedRowsOf(ArrayRef<Operation *> ops,
                               ArrayRef<Extent> domain, const DimClasses &dims);

MovedInputs movedInputsOf(KernelOp kernel, const DimClasses &dims);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_MOVEDINPUTS_H
