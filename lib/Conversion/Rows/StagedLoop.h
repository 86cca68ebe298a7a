//===- StagedLoop.h - Loops whose loads are steps ahead ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that loads a step, reduces it and then loads the next one has
// nothing on its way while it computes. With `stages` = 4 the copies of three
// steps are, into as many places in shared memory that only their thread uses;
// no barrier is needed, and no register:
//
//   copy 0, copy 1, copy 2
//   step 0: wait for copy 0, start copy 3, reduce 0
//   step 1: wait for copy 1, start copy 4, reduce 1
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_STAGEDLOOP_H
#define FUSE_LIB_CONVERSION_STAGEDLOOP_H

#include "Reductions/StateLoop.h"
#include "RowStaging.h"

namespace mlir::fuse {

/// Which threads walk, and how far ahead they copy.
struct StagedWalk {
  /// Of each thread, those that come through shared memory.
  SmallVector<BlockArgument> inputs;
  int64_t stages;
  /// This thread's number in its block of `threads`.
  Index thread;
  int64_t threads;
};

/// As accumulateOver, where `pointsOf` gives the points of a step, always as
/// many vectors of as many lanes, and `visit` takes them into the states. With
/// one stage or no inputs all is loaded where it is needed.
ReductionStates loopInStages(
    KernelFrame &frame, MutableArrayRef<Reducer> reducers,
    const StagedWalk &walk, const SummingLoop &range, ReductionStates states,
    llvm::function_ref<SmallVector<Point>(const Index &)> pointsOf,
    llvm::function_ref<ReductionStates(ReductionStates, ArrayRef<Point>)>
        visit);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_STAGEDLOOP_H
