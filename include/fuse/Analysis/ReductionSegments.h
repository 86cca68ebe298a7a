//===- ReductionSegments.h - Rows that share a launch -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_REDUCTIONSEGMENTS_H
#define FUSE_ANALYSIS_REDUCTIONSEGMENTS_H

#include "fuse/Analysis/AcrossRows.h"
#include "fuse/Analysis/RowStores.h"
#include <vector>

namespace mlir::fuse {

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

/// The segments of ops with reductions, whose results are `results`, in the
/// order of their first reductions; or a reason why they have none: a value
/// that follows from reductions of two spaces, or what reductionSpaceOf() says.
FailureOr<std::vector<ReductionSegment>>
reductionSegmentsOf(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                    const DimClasses &dims, Reason &reason);
/// The same for the body of a kernel.
FailureOr<std::vector<ReductionSegment>>
reductionSegmentsOf(KernelOp kernel, const DimClasses &dims, Reason &reason);

/// The segments of ops that do not change meanwhile, found once, when they are
/// asked for first.
class KnownSegments {
public:
  /// `dims` must outlive this.
  KnownSegments(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                const DimClasses &dims)
      : ops(ops), results(results), dims(dims) {}
  KnownSegments(KernelOp kernel, const DimClasses &dims);

  /// As reductionSegmentsOf() gives them.
  const FailureOr<std::vector<ReductionSegment>> &get(Reason &reason);

private:
  SmallVector<Operation *, 0> ops;
  SmallVector<Value> results;
  const DimClasses &dims;
  std::optional<FailureOr<std::vector<ReductionSegment>>> segments;
  Reason why;
};

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_REDUCTIONSEGMENTS_H
