//===- KernelSpace.h - What a kernel iterates over --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts about the body of a kernel that schedulers decide by and that the
// lowering walks: its segments (results of one shape), the spaces of its
// reductions, the axes of its contraction.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_KERNELSPACE_H
#define FUSE_ANALYSIS_KERNELSPACE_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Analysis/Reason.h"
#include "fuse/Analysis/RowStores.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>
#include <vector>

namespace mlir::fuse {

/// Which elements of a shape a rotary op rotates, and how they pair.
struct Rotation {
  RotaryLayout layout;
  /// Rotated features (R), and the size of a head.
  int64_t dims, headDim;
  /// The axis of the heads, negative if there is none, and how many of them are
  /// rotated; absent where all are.
  int64_t headAxis;
  std::optional<int64_t> heads;

  bool operator==(const Rotation &other) const;
  /// Whether vectors hold whole pairs, or one side of pairs, or none.
  bool keepsVectors(int64_t vector) const;
  /// Of a head: the features at which a thread starts, as its vector's lanes
  /// turn with those R/2 further on where the layout is `half`.
  int64_t startsInHead() const {
    return layout == RotaryLayout::half ? headDim - dims / 2 : headDim;
  }
};

/// Results of a kernel that have one shape, which for a scatter is that of the
/// updates.
struct Segment {
  SmallVector<Extent> extents;
  /// Numbers of the results, ascending.
  SmallVector<unsigned> results;
  /// Whether every value that the results depend on has the segment's shape or
  /// is one element: then only the flat position matters.
  bool flat = false;
  /// What the rotary ops that the results depend on, all of the segment's
  /// shape, have in common; absent where there are none or they differ.
  std::optional<Rotation> rotation;
};

/// The segments of a kernel, in the order of their first results.
SmallVector<Segment> segmentsOf(KernelOp kernel, const DimClasses &dims);

/// Whether every op of the kernel computes an element from those at the same
/// place of its operands, and asks for nothing else, such as the place itself.
bool isPointwise(KernelOp kernel);

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
  /// The last dimensions, where some reductions combine only these: groups of a
  /// row, such as those that share a scale. Empty where all combine rows.
  SmallVector<int64_t, 2> inner = {};

  bool hasGroups() const { return !inner.empty(); }
  /// Whether a value of these extents is one number for each group of a row.
  bool isGroupShape(ArrayRef<Extent> extents) const;

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
  /// Whether a value of these extents has one element for each reduced place,
  /// the same in all rows; of reductions over the last dimensions.
  bool isSharedByRows(ArrayRef<Extent> extents) const;
};

/// How threads share rows with groups: each has vectors of so many elements,
/// and neighbours hold a group, as many as a warp's butterfly can combine.
struct RowGroups {
  int64_t elements, vector;
  /// Threads that share a group, and a row.
  int64_t threads, rowThreads;
};

/// Nothing where threads cannot: of unknown sizes, or no powers of two.
std::optional<RowGroups> rowGroupsOf(const ReductionSpace &space);

/// Whether a kernel only gathers from this input of its body: the elements that
/// it reads are as many as the results have.
bool isOnlyGathered(BlockArgument input);

/// The kernel's inputs that have an element for each point of `domain`.
SmallVector<BlockArgument> streamedInputs(KernelOp kernel,
                                          const DimClasses &dims,
                                          ArrayRef<Extent> domain);

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

/// What is stored where a kernel or a group has this result: the updates of a
/// scatter, else the result itself.
Value storedValue(Value result);

/// The reduction space of the ops, or a reason why they have none.
FailureOr<ReductionSpace> reductionSpaceOf(ArrayRef<Operation *> ops,
                                           const DimClasses &dims,
                                           Reason &reason);
/// The same for the body of a kernel.
FailureOr<ReductionSpace>
reductionSpaceOf(KernelOp kernel, const DimClasses &dims, Reason &reason);

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

/// Reductions of one space that have something in common, and what surrounds
/// them. Several such walks can share a launch, in blocks of their own: the
/// norms of queries [tokens, 32, 128] and of keys [tokens, 8, 128].
struct ReductionSegment {
  ReductionSpace space;
  /// What the reductions and the results are computed by, in program order. No
  /// op that follows from a reduction is in two segments.
  SmallVector<Operation *> ops;
  /// Numbers of the results, ascending; that of a concatenation may be there
  /// for each of its operands, and in several segments.
  SmallVector<unsigned> results;
  /// Only where the segment is the only one; `ops` and `results` have none of
  /// it.
  AcrossRows across;
  /// What is stored for each of `results`, and how it gets there.
  SmallVector<Value> stored;
  SmallVector<StorePath> paths;

  /// Whether an op of the segment reads the value.
  bool reads(Value value) const;
  /// Whether all rows are reduced to one, and columns stay.
  bool reducesToColumns() const;
};

/// The streamedInputs() of the segment's domain that it reads.
SmallVector<BlockArgument> streamedInputs(KernelOp kernel,
                                          const DimClasses &dims,
                                          const ReductionSegment &segment);

/// Whether it reads an input that all of its rows share, such as weights.
bool readsWeights(KernelOp kernel, const DimClasses &dims,
                  const ReductionSegment &segment);

/// Whether vectors of `widest` elements that divide no row of the segment
/// should start where memory is aligned, and leave the edges of the row over,
/// instead of vectors of `dividing`; vectors of what all rows share, such as
/// weights, are cut out of aligned ones. False for rows that are short, above
/// all even ones, of unknown length or of several dimensions.
bool leavesEdges(const ReductionSegment &segment, int64_t dividing,
                 int64_t widest);

/// Whether one pass over a row is all there is: no result has the row's length,
/// and sums that need the maximum follow it online.
bool isReadOnce(const ReductionSegment &segment, const DimClasses &dims);

/// Bits of the narrowest and of the widest elements, in memory, of the tensors
/// at the kernel's edge whose last dimension is `inner`; none if there are
/// none. In programs compiled for divisible rows (runtime::Facts), 16 bytes of
/// each divide the dimension; of others nothing is known.
std::optional<std::pair<int64_t, int64_t>>
elementBitsAlong(KernelOp kernel, const DimClasses &dims, const Extent &inner);
/// The same of these tensors at the edge of what is or becomes a kernel.
std::optional<std::pair<int64_t, int64_t>>
elementBitsAlong(ArrayRef<Value> edge, const DimClasses &dims,
                 const Extent &inner);
/// The kernel's inputs, as its body has them, and the results that it yields.
SmallVector<Value> edgeOf(KernelOp kernel);

/// Whether threads that share a row have to exchange what they found only once:
/// no reduction needs another, but for sums that follow a maximum online.
bool isOneExchange(const ReductionSpace &space);

/// The segments of ops with reductions, whose results are `results`, in the
/// order of their first reductions; or a reason why they have none: a value
/// that follows from reductions of two spaces, or what reductionSpaceOf() says.
FailureOr<std::vector<ReductionSegment>>
reductionSegmentsOf(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                    const DimClasses &dims, Reason &reason);
/// The same for the body of a kernel.
FailureOr<std::vector<ReductionSegment>>
reductionSegmentsOf(KernelOp kernel, const DimClasses &dims, Reason &reason);

/// The axes of a kernel's contraction, by what they mean for its result.
struct ContractionSpace {
  ContractOp op;
  /// Letter of the result's last axis, and the operand that it lies on.
  char n;
  bool nIsOnRhs;
  /// The innermost result axis that only the other operand has; absent for a
  /// product with a vector.
  std::optional<char> m;
  /// Result axes that are neither, and the summed axes.
  SmallVector<char> outer, summed;
  /// Whether n, or the last summed axis, is contiguous in the operands.
  bool nIsContiguous, kIsContiguous;

  Extent extent(char axis, const DimClasses &dims) const;
};

ContractionSpace contractionSpaceOf(ContractOp op);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_KERNELSPACE_H
