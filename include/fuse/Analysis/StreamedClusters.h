//===- StreamedClusters.h - Who combines parts of keys ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks that have parts of the keys of one tile of queries leave statistics
// and sums. As a cluster they exchange these through shared memory, in the
// launch that leaves them; a number of parts that only the call knows, or that
// no cluster has, takes a second launch. The schedule and the sizes say which.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_STREAMEDCLUSTERS_H
#define FUSE_ANALYSIS_STREAMEDCLUSTERS_H

#include "fuse/Analysis/StreamedSpace.h"

namespace mlir::fuse {

/// The tiles of queries along each outer axis of the product.
SmallVector<Extent> outerTilesOf(const StreamedSpace &space, int64_t heads,
                                 const DimClasses &dims);

/// What a block leaves in shared memory, where its slots were.
struct LeftStates {
  static constexpr int64_t kElementBytes = sizeof(float);
  /// Columns between rows of sums, which spread the rows of a warp over the
  /// banks.
  static constexpr int64_t kPad = 8;
  /// Of each row also the maximum and the total.
  static int64_t bytes(int64_t rows, int64_t columns) {
    return rows * (columns + kPad + 2) * kElementBytes;
  }
};

/// Blocks of a cluster for so many parts, a power of two up to `most`; 0 for a
/// second launch.
int64_t clusterForParts(int64_t parts, int64_t most);

/// The same for the kernel's parts; 0 also where blocks leave nothing.
int64_t clusterOf(const StreamedSpace &space, StreamedScheduleAttr schedule,
                  const DimClasses &dims, int64_t most);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_STREAMEDCLUSTERS_H
