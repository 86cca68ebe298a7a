//===- ResultPoint.h - Where a sum is in the result -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_RESULTPOINT_H
#define FUSE_LIB_CONVERSION_MMA_RESULTPOINT_H

#include "FlowPlaces.h"
#include "KernelFrame.h"
#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/MmaSpace.h"

namespace mlir::fuse {

/// Where neighbouring sums are: `row` has an index for each of the axes that
/// rows join, `outer` for each outer axis.
struct SumPlace {
  ArrayRef<Index> row;
  const PartedIndex &column;
  const llvm::SmallDenseMap<char, Index> &outer;
};

/// Inputs with an element for each of a result's of the segment, which
/// pointwise ops read for these.
SmallVector<BlockArgument> streamedInputs(KernelFrame &frame,
                                          const MmaSpace &space,
                                          const MmaSegment &segment);

/// Where that is in the results of the segment's contractions.
PartedPoint resultPlace(const MmaSpace &space, const MmaSegment &segment,
                        const DimClasses &dims, const SumPlace &place);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_RESULTPOINT_H
