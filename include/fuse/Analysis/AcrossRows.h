//===- AcrossRows.h - Reductions of what rows leave -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_ACROSSROWS_H
#define FUSE_ANALYSIS_ACROSSROWS_H

#include "fuse/Analysis/ReductionSpace.h"

namespace mlir::fuse {

/// Reductions over all rows of what a walk over the rows computes, such as the
/// gradient of a norm's weight [columns] or the mean of the rows' losses [1],
/// and what is computed from them at the same place. Their results are there
/// when the last row is done.
struct AcrossRows {
  /// One level each. The domain is that of the rows, or has one element a row.
  SmallVector<ReductionSpace, 2> spaces;
  /// The reductions and what follows from them, in program order.
  SmallVector<Operation *> ops;
  /// Numbers of the results, ascending, and of the space that each follows
  /// from.
  SmallVector<unsigned> results, resultSpaces;

  bool empty() const { return spaces.empty(); }
  /// Whether the reductions of a space keep the columns of these rows.
  static bool keepsColumns(const ReductionSpace &space,
                           const ReductionSpace &rows) {
    return space.domain == rows.domain;
  }
  /// What is reduced.
  SmallVector<Value> inputs() const;
};

/// The reductions over all rows among ops that have reductions over the last
/// dimensions, too, with all that follows from them; empty where there are
/// none, or something else follows than one can compute element by element.
AcrossRows acrossRowsOf(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                        const DimClasses &dims);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_ACROSSROWS_H
