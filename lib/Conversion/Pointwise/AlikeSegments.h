//===- AlikeSegments.h - Segments that share their code ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An optimizer's step of many parameters computes the same of each. Its code is
// emitted once: a block finds the segment that it is part of, and with it the
// pointers that the code is run for, as multi_tensor_apply of NVIDIA's Apex
// does with a table.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_POINTWISE_ALIKESEGMENTS_H
#define FUSE_LIB_CONVERSION_POINTWISE_ALIKESEGMENTS_H

#include "KernelFrame.h"
#include "fuse/Analysis/ElementSegments.h"

namespace mlir::fuse {

/// One of several segments that compute the same.
struct AlikeSegment {
  /// Its number among the kernel's segments.
  unsigned number;
  /// Its inputs and its results, in one order for all that are alike.
  SmallVector<unsigned> inputs, results;
};

/// Segments that one code computes, which is that of the first.
struct SegmentGroup {
  SmallVector<AlikeSegment, 1> members;
  /// Whether they are flat ones of several sizes.
  bool differInSize = false;
};

/// All segments in groups. Flat ones of several sizes are alike if
/// `isWhole(number)`, whether they consist of whole vectors, is.
SmallVector<SegmentGroup, 0>
groupAlike(KernelFrame &frame, ArrayRef<Segment> segments,
           llvm::function_ref<bool(unsigned)> isWhole);

/// Where a block is in a group, and how many elements its segment has.
struct GroupBlock {
  Index block, elements;
};

/// Emits `body` for the segment of the group that this block of the group is
/// part of; `blocks` are those of each member.
void emitForMember(KernelFrame &frame, ArrayRef<Segment> segments,
                   const SegmentGroup &group, ArrayRef<GridTerm> blocks,
                   const Index &block,
                   llvm::function_ref<void(const GroupBlock &)> body);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_POINTWISE_ALIKESEGMENTS_H
