//===- CombineParts.h - What blocks have left for each other ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_COMBINEPARTS_H
#define FUSE_LIB_CONVERSION_COMBINEPARTS_H

#include "KernelFrame.h"
#include "StateLoop.h"
#include "ThreadReduce.h"

#include "fuse/Analysis/ReductionSpace.h"
#include "fuse/Analysis/RowStores.h"

namespace mlir::fuse {

/// Threads of a block of the second launch of a kernel with parts.
int64_t combiningThreads(KernelOp kernel);

/// Fills the second launch.
FailureOr<Grid> lowerCombination(KernelFrame &frame);

/// What follows from combined states: a value, stored in the result of this
/// number behind a path of moves.
struct CombinedResult {
  unsigned number;
  Value value;
  ArrayRef<StoreStep> path;
};

/// Combines the states that parts have left of reductions of one level, from
/// the first part to the last, and computes what follows from them.
/// Neighbouring threads take neighbouring results; the slices behind each other
/// take every slices-th part.
class PartCombiner {
public:
  /// `space` has one level; its first state lies at the frame's pointer number
  /// `firstPointer`. `results` follow from it, `vectors` is how many elements
  /// of them a block of `threads` takes; there are `mostParts` at most.
  PartCombiner(KernelFrame &frame, const ReductionSpace &space,
               const Index &parts, unsigned firstPointer,
               ArrayRef<CombinedResult> results, int64_t threads,
               int64_t vectors, int64_t mostParts = INT64_MAX);

  /// Takes in the places, too, that are left over where `together` are walked
  /// together: no part has them.
  void takeRestOf(int64_t together) { fold = together; }

  /// One block's share of the results.
  GridTerm share() const { return {{{kept, vectors}}}; }
  /// Emits share number `block`.
  void combine(const Index &thread, const Index &block);

private:
  void placeThread(const Index &thread, const Index &block);
  ReductionState load(const Index &part, unsigned reduction);
  ReductionStates walk();
  ReductionStates walkRest(ReductionStates states);
  void finish(ArrayRef<ReductionState> states);
  Point pointOf(Value value);

  KernelFrame &frame;
  PointEmitter &emitter;
  const ReductionSpace &space;
  SmallVector<Extent> kept;
  Index parts;
  unsigned firstPointer;
  SmallVector<CombinedResult> written;
  int64_t threads, vectors, unroll, mostSteps, fold = 1;
  SmallVector<Reducer> reducers;
  SliceGroup group;
  /// This thread's result: its position and its indices.
  Index result, results;
  SmallVector<Index, 4> resultDims;
  Value exists;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_COMBINEPARTS_H
