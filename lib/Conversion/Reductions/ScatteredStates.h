//===- ScatteredStates.h - Many states of a warp at once --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A butterfly gives every lane of a warp every sum. Where warps leave theirs in
// shared memory a lane needs one only, so that in each step two lanes exchange
// half of what they have, and each goes on with the other half:
//
//   distance 16    lanes 0 .. 15 keep states 0 .. 3, the others 4 .. 7
//   distance 8     lanes 0 .. 7 keep states 0 and 1, the next ones 2 and 3 ...
//
// Eight sums take 9 shuffles, not 40, and have the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_REDUCTIONS_SCATTEREDSTATES_H
#define FUSE_LIB_CONVERSION_REDUCTIONS_SCATTEREDSTATES_H

#include "ThreadReduce.h"

namespace mlir::fuse {

/// Whether the states are alike, and as many as a warp can share.
bool canScatter(ArrayRef<Reducer> reducers, ArrayRef<ReductionState> states,
                const ThreadGroup &group);

/// What combineThreads() gives.
SmallVector<ReductionState> combineScattered(KernelFrame &frame,
                                             MutableArrayRef<Reducer> reducers,
                                             ArrayRef<ReductionState> states,
                                             const ThreadGroup &group);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_REDUCTIONS_SCATTEREDSTATES_H
