//===- ReductionSpace.h - What reductions walk and reduce -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_REDUCTIONSPACE_H
#define FUSE_ANALYSIS_REDUCTIONSPACE_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Analysis/Reason.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace mlir::fuse {

/// The values for each element of a reduction's results that a part of the
/// elements is reduced to, to be combined with those of other parts.
unsigned numStateComponents(Operation *op);

/// Whether an operand of the op is one of the values.
bool readsAny(Operation *op, const llvm::DenseSet<Value> &values);

/// What the reductions of a kernel have in common: the shape that they read and
/// the dimensions that they reduce.
struct ReductionSpace {
  SmallVector<Extent> domain;
  /// Reduced dimensions of the domain, ascending.
  SmallVector<int64_t> reduced;
  /// The reductions, grouped by dependency: each group needs only those before
  /// it. None where elements are only computed, beside rows of other segments.
  SmallVector<SmallVector<Operation *>> levels;
  /// The first dimensions, ascending, of groups inside of a row: some
  /// reductions combine the dimensions from there on, such as those that share
  /// a scale, or what is left of them: one number for each group. Empty where
  /// all reductions combine whole rows.
  SmallVector<int64_t, 2> groups = {};

  bool hasGroups() const { return !groups.empty(); }
  /// Whether a value of these extents is one number for each group of a row.
  bool isGroupShape(ArrayRef<Extent> extents) const {
    return firstOfGroup(extents).has_value();
  }
  /// The first dimension of the groups that have one number each.
  std::optional<int64_t> firstOfGroup(ArrayRef<Extent> extents) const;
  /// The dimensions that a reduction of these rows combines, from the first to
  /// before the last: the others behind it are groups that count once each.
  std::pair<int64_t, int64_t> runOf(Operation *reduction) const;

  bool isReduced(int64_t axis) const {
    return llvm::is_contained(reduced, axis);
  }
  /// Whether only the last dimensions are reduced (or of size 1): the domain is
  /// then rows of columns.
  bool overLastDims() const;
  /// The dimensions before the first reduced one, and from it on.
  ArrayRef<Extent> rows() const {
    return ArrayRef(domain).take_front(reduced.front());
  }
  ArrayRef<Extent> columns() const {
    return ArrayRef(domain).drop_front(reduced.front());
  }
  /// The extents that stay, and those that are reduced.
  SmallVector<Extent> keptExtents() const;
  SmallVector<Extent> reducedExtents() const;
  /// Whether a value of these extents is one number for all reduced places:
  /// with the reduced dimensions gone, or kept as size 1.
  bool isReducedShape(ArrayRef<Extent> extents) const;
  /// Whether a value of these extents has several elements for each row, but
  /// fewer than its places, both of a known number: as bytes that two places
  /// are packed into.
  bool isPartShape(ArrayRef<Extent> extents) const;
  /// Whether a value of these extents has one element for each reduced place,
  /// the same in all rows; of reductions over the last dimensions.
  bool isSharedByRows(ArrayRef<Extent> extents) const;
};

/// How threads share rows with groups: each has vectors of so many elements,
/// every so-manyth of a row. Neighbours hold a group, or several times as many.
struct RowGroups {
  int64_t vector, rowThreads;
  /// Vectors of a row, and of the groups that begin at each of `space.groups`.
  int64_t vectors;
  SmallVector<int64_t, 2> ofGroup = {};

  /// Of the groups that begin at a dimension.
  int64_t vectorsFrom(const ReductionSpace &space, int64_t first) const;
  /// The neighbours that combine so many vectors by a butterfly in a warp; what
  /// several of these find goes through shared memory.
  static int64_t neighbours(int64_t vectors);
};

/// Nothing where threads cannot: of unknown sizes, or of such that a group is
/// in too many parts.
std::optional<RowGroups> rowGroupsOf(const ReductionSpace &space);

/// The results of the reductions among the ops, which are in program order, and
/// all that is computed from them.
llvm::DenseSet<Value> valuesFromReductions(ArrayRef<Operation *> ops);

/// Whether all that the results of the ops need of the reductions can be had
/// after one walk: no reduction needs another, what follows from one is
/// computed from its results at the same place, and each of `results` either is
/// one number for all reduced places, or has the reduced shape and needs none.
bool isOneWalk(ArrayRef<Operation *> ops, ArrayRef<Value> results,
               const ReductionSpace &space, const DimClasses &dims);
bool isOneWalk(KernelOp kernel, const ReductionSpace &space,
               const DimClasses &dims);

/// Whether vectors that cross from one row to the next can be reduced over all
/// dimensions but a static last one: nothing but pointwise ops comes before the
/// reductions, one walk is enough, and each result is one number for all
/// reduced places.
bool foldsRows(KernelOp kernel, const ReductionSpace &space,
               const DimClasses &dims);

/// The reduction space of the ops, or a reason why they have none.
FailureOr<ReductionSpace> reductionSpaceOf(ArrayRef<Operation *> ops,
                                           const DimClasses &dims,
                                           Reason &reason);
/// The same for the body of a kernel.
FailureOr<ReductionSpace>
reductionSpaceOf(KernelOp kernel, const DimClasses &dims, Reason &reason);

/// Whether threads that share a row have to exchange what they found only once:
/// no reduction needs another, but for sums that follow a maximum online.
bool isOneExchange(const ReductionSpace &space);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_REDUCTIONSPACE_H
