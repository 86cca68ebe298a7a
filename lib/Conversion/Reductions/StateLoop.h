//===- StateLoop.h - A loop that carries reduction states -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_STATELOOP_H
#define FUSE_LIB_CONVERSION_STATELOOP_H

#include "KernelFrame.h"
#include "Reducer.h"

namespace mlir::fuse {

/// The states of several reductions that walk together.
using ReductionStates = SmallVector<ReductionState>;

using StateLoopBody =
    llvm::function_ref<ReductionStates(Index, ReductionStates)>;

/// for (i = from; i < to; i += step) states = body(i, states); what the emitter
/// remembers in the body is forgotten after it.
ReductionStates loopOverStates(PointEmitter &emitter, Location loc, Index from,
                               Index to, Index step,
                               const ReductionStates &states,
                               StateLoopBody body);

inline ReductionStates loopOverStates(KernelFrame &frame, Index from, Index to,
                                      Index step, const ReductionStates &states,
                                      StateLoopBody body) {
  return loopOverStates(frame.emitter, frame.loc(), from, to, step, states,
                        body);
}

inline ReductionStates loopOverStates(KernelFrame &frame, Index from, Index to,
                                      int64_t step,
                                      const ReductionStates &states,
                                      StateLoopBody body) {
  return loopOverStates(frame, from, to, Index::constant(step), states, body);
}

/// What `then` makes of the states where the condition, an i1, holds; else the
/// states.
ReductionStates
statesIf(PointEmitter &emitter, Location loc, Value condition,
         const ReductionStates &states,
         llvm::function_ref<ReductionStates(const ReductionStates &)> then);

/// A loop whose steps add `terms` terms to each lane of a sum.
struct SummingLoop {
  Index from, to, step;
  int64_t terms = 1;
  /// No loop has more steps; 0 if that is not known.
  int64_t mostSteps = 0;
};

/// As loopOverStates, where `states` are those of `reducers` and then whatever
/// else the loop carries. Its sums are blocked: of every few steps there is a
/// sum of its own, and these are added up with compensation, so that the error
/// does not grow with the number of steps (docs/numerics.md, Sums).
ReductionStates accumulateOver(PointEmitter &emitter, Location loc,
                               MutableArrayRef<Reducer> reducers,
                               const SummingLoop &loop, ReductionStates states,
                               StateLoopBody body);

/// Takes the elements at `points` into the states of `reducers`. A point has as
/// many lanes as the states have, or one.
ReductionStates accumulateAt(PointEmitter &emitter,
                             MutableArrayRef<Reducer> reducers,
                             ReductionStates states, ArrayRef<Point> points);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_STATELOOP_H
