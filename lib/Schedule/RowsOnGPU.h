//===- RowsOnGPU.h - Where a GPU keeps a row --------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_SCHEDULE_ROWSONGPU_H
#define FUSE_LIB_SCHEDULE_ROWSONGPU_H

#include "fuse/Analysis/KernelSpace.h"
#include "fuse/Schedule/Scheduler.h"

#include <optional>

namespace mlir::fuse {

struct RowShape {
  /// Elements of a row; unknown if any column is dynamic.
  std::optional<int64_t> length;
  int64_t vector;
};

/// Steps of a loop over a row's vectors that are written out.
inline constexpr int64_t rowUnroll = 4;
/// Of copies into shared memory: the first walk starts when a quarter is there.
inline constexpr int64_t rowCopyGroups = 4;

/// The schedule that a GPU's kernel has for one of its shapes of rows, by what
/// won on an H200.
RowsScheduleAttr proposeRowsOnGPU(KernelOp kernel,
                                  const ReductionSegment &segment,
                                  const DimClasses &dims, const RowShape &shape,
                                  const ScheduleTarget &target);

} // namespace mlir::fuse

#endif // FUSE_LIB_SCHEDULE_ROWSONGPU_H
