//===- RowShapes.h - Whether rows of several shapes suit --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch has blocks of one size. Rows of several shapes can share it, in
// blocks of their own, and are then cut as the longest are: the norms of
// queries [tokens, 32, 128] and of keys [tokens, 8, 128] lose nothing by that,
// rows of 128 beside rows of 16384 would leave most threads without work.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_FUSION_ROWSHAPES_H
#define FUSE_LIB_FUSION_ROWSHAPES_H

#include "CostModel.h"

#include "fuse/Analysis/ReductionSegments.h"

namespace mlir::fuse {

/// Why the segments should not share a launch; nothing if they may. One segment
/// may, and so may columns, which are one walk.
Reason whyNotOneLaunch(ArrayRef<ReductionSegment> segments,
                       const DimClasses &dims, const MachineRates &machine);

} // namespace mlir::fuse

#endif // FUSE_LIB_FUSION_ROWSHAPES_H
