//===- SplitSums.h - Sums of parts of the summed axis -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few tiles leave multiprocessors idle, and most chips have no clusters in
// which blocks could exchange the sums of a tile. So `split_k` blocks share a
// tile, each with neighbouring steps of the summed axis, and leave its sums in
// memory:
//
//   of each contraction   [parts, elements of its result], as f32, of f64 as
//   f64
//
// A second launch adds them from the first part to the last, whatever block was
// first, and computes what follows. What was in that memory before is not read,
// and there is no counter, so that a graph can be replayed at any time.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_SPLITSUMS_H
#define FUSE_LIB_CONVERSION_MMA_SPLITSUMS_H

#include "Reductions/PartStates.h"
#include "fuse/Analysis/MmaSpace.h"

namespace mlir::fuse {

/// What the first launch leaves for the second, or an error at the kernel.
FailureOr<std::optional<PartLayout>>
splitPartLayoutOf(KernelOp kernel, const DimClasses &dims,
                  MmaScheduleAttr schedule, const EmitOptions &options);

/// Leaves the sums of a segment's contractions at a point of their results, for
/// part number `part`.
void leaveSplitSums(KernelFrame &frame, const MmaSpace &space,
                    const MmaSegment &segment, const Index &part,
                    const Point &point, ArrayRef<Value> sums);

/// Fills the second launch.
FailureOr<Grid> lowerSplitCombination(KernelFrame &frame);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_SPLITSUMS_H
