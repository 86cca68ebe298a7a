//===- OrderedSpace.h - Kernels with scans and selections -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What fuse.scan and fuse.top_k of a kernel walk, and what of its other ops
// such a walk can compute. Take a router's softmax, top_k and scale of rows of
// 256 probabilities:
//
//   walk 1: max(x), walk 2: sum(exp(x - max)), walk 3: top_k(softmax(x))
//   afterwards: values / sum(values), of rows of 8 elements
//
// Each walk sees the elements of a row from the first to the last, so that a
// scan of what a walk sees is computed in it. What a selection has found is
// there as a whole when its walk ends: every thread can read all of it.
//
// A router that first takes the best of 8 groups of 32 has groups of the row's
// elements, too, and a row of 8 numbers of these. Such short rows have a thread
// each, beside a walk; what they leave is there as a whole, too.
//
// Scans along another dimension than the last walk columns in the same way, of
// which neighbours lie side by side in memory. Selections are of rows only.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_ORDEREDSPACE_H
#define FUSE_ANALYSIS_ORDEREDSPACE_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Analysis/Reason.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::fuse {

struct OrderedSpace {
  /// How a result of the kernel lies: with an element for each of a row, with
  /// one a row, or with some a row that a selection has left.
  enum class ResultKind { full, row, selected };

  /// The shape that is walked, and the dimension along which it is.
  SmallVector<Extent> domain;
  int64_t dim = 0;
  /// Reductions and selections, by the walk that finds them: each walk needs
  /// only what those before it have found.
  SmallVector<SmallVector<Operation *>> walks;
  /// Those of `walks` that have short rows within a row of the domain.
  llvm::SmallPtrSet<Operation *, 4> inGroups;
  /// In program order.
  SmallVector<ScanOp> scans;
  /// One for each result.
  SmallVector<ResultKind> results;
  /// Whether rows are walked from their ends.
  bool reverse = false;

  /// The most elements of a short row, and numbers that such rows leave.
  static constexpr int64_t fewElements = TopKOp::mostElements;

  /// Whether the elements of a walk are neighbours in memory.
  bool areRows() const {
    return dim + 1 == static_cast<int64_t>(domain.size());
  }
  /// The dimensions that are not walked.
  SmallVector<Extent> kept() const;
  /// The elements of a tensor of these extents that lie in one row; nothing
  /// where it has not the rows of the domain.
  std::optional<ArrayRef<Extent>> inRow(ArrayRef<Extent> extents) const;
  /// Whether a tensor of these extents has the elements of the rows, in as many
  /// dimensions as it will.
  bool isWhole(ArrayRef<Extent> extents) const;
  /// The elements that a walk has.
  const Extent &length() const { return domain[dim]; }
};

/// The space of ops, in program order, some of which are scans or selections,
/// and whose values `results` are needed; or a reason why one walk after the
/// other cannot compute them.
FailureOr<OrderedSpace> orderedSpaceOf(ArrayRef<Operation *> ops,
                                       ArrayRef<Value> results,
                                       const DimClasses &dims, Reason &reason);
/// The same for the body of a kernel.
FailureOr<OrderedSpace> orderedSpaceOf(KernelOp kernel, const DimClasses &dims,
                                       Reason &reason);

/// What a walk ends with: the values that reductions and selections need, for
/// each of the walks that find these, and then the results with all elements.
SmallVector<SmallVector<Value>> walkedValues(const OrderedSpace &space,
                                             ArrayRef<Value> results);

/// The scans among those of the space that the values are computed from, but
/// for what is in `known`, in program order.
SmallVector<ScanOp> scansBehind(const OrderedSpace &space,
                                ArrayRef<Value> values,
                                const llvm::DenseSet<Value> &known);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_ORDEREDSPACE_H
