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

/// The most of them, since each has its own room for what threads exchange.
inline constexpr size_t kMostColumnSegments = 4;

/// One segment with all of the kernel, where its reductions walk one space.
/// Else several, each with one walk over all but a static last dimension, and
/// with results of its columns only. `reason` says why neither is so.
FailureOr<std::vector<ReductionSegment>>
columnSegmentsOf(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                 const DimClasses &dims, Reason &reason);
FailureOr<std::vector<ReductionSegment>>
columnSegmentsOf(KernelOp kernel, const DimClasses &dims, Reason &reason);

/// The space of one of several segments with the columns of all: what schedules
/// and the model of time count.
ReductionSpace joinedColumns(ArrayRef<ReductionSegment> segments);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_COLUMNSEGMENTS_H
