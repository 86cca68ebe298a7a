//===- RowWork.h - What walks over a row do again ---------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel walks a row once for each level of reductions, and once more for
// results of the row's length. A row that stays in the caches or in shared
// memory is loaded again in each walk, and what a walk needs of it is computed
// again, as GELU is in both walks of rms_norm(gelu(x)); in registers it stays.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_ROWWORK_H
#define FUSE_ANALYSIS_ROWWORK_H

#include "fuse/Analysis/ReductionSegments.h"

namespace mlir::fuse {

struct RowWork {
  /// Levels of reductions, where a maximum and the sum of the exponentials that
  /// it bounds count as one: a softmax has one, a norm of a norm two.
  unsigned levels = 0;
  /// Instructions for each element that walks after the first do again, with
  /// loads of what all rows share, such as weights or a mask; a special
  /// function counts as in instructionsOf(). Nothing is counted for casts, nor
  /// for the exponentials of a softmax.
  double repeated = 0;
  /// Whether a special function is among them.
  bool repeatsSpecial = false;
  /// Exponentials of an element that follow a maximum.
  unsigned exponentials = 0;
};

/// Of a segment of a kernel whose results are `results`, all of the kernel's.
RowWork rowWorkOf(const ReductionSegment &segment, const DimClasses &dims);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_ROWWORK_H
