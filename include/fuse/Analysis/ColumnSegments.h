//===- ColumnSegments.h - Columns of several tensors ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that reduces other dimensions than the last walks one space, or
// several of which each has blocks of its own: the gradients of the biases of
// some layers are the sums of the columns of [tokens, 512], [tokens, 768] and
// [tokens, 1024].
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_COLUMNSEGMENTS_H
#define FUSE_ANALYSIS_COLUMNSEGMENTS_H

#include "fuse/Analysis/ReductionSegments.h"

namespace mlir::fuse {

/// The most of them: each is code of its own.
inline constexpr size_t kMostColumnSegments = 64;

/// What a kernel of these ops that reduces columns of the space stores: numbers
/// of columns may be moved, other results are stored where they are computed.
RowStores columnStoresOf(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                         const ReductionSpace &space, const DimClasses &dims);

/// One segment with all of the kernel, where its reductions walk one space.
/// Else several, each with one walk over all but a static last dimension, and
/// with results of its columns only; or each with one over a whole tensor.
/// `reason` says why neither is so.
FailureOr<std::vector<ReductionSegment>>
columnSegmentsOf(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                 const DimClasses &dims, Reason &reason);
FailureOr<std::vector<ReductionSegment>>
columnSegmentsOf(KernelOp kernel, const DimClasses &dims, Reason &reason);

/// Whether each of several segments reduces a whole tensor to a number, of
/// which one has a size that only calls know: blocks of their own share each.
bool reduceWholes(ArrayRef<ReductionSegment> segments, const DimClasses &dims);

/// The space of one of several segments with the columns of all: what schedules
/// and the model of time count. Of whole tensors it has one dynamic dimension.
ReductionSpace joinedColumns(ArrayRef<ReductionSegment> segments);

/// Bytes of the narrowest element that a segment streams.
int64_t narrowestBytes(const ReductionSegment &segment, const DimClasses &dims);

/// The elements of each segment's vectors, where those of the segment with the
/// widest elements have `vector`: as many bytes, as far as they divide the
/// columns. Of one segment they are `vector`, whether that divides or not.
SmallVector<int64_t> columnVectors(ArrayRef<ReductionSegment> segments,
                                   int64_t vector, const DimClasses &dims);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_COLUMNSEGMENTS_H
