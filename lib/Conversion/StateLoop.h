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

/// for (i = from; i < to; i += step) states = body(i, states); what the emitter
/// remembers in the body is forgotten after it.
ReductionStates loopOverStates(
    KernelFrame &frame, Index from, Index to, Index step,
    const ReductionStates &states,
    llvm::function_ref<ReductionStates(Index, ReductionStates)> body);

inline ReductionStates loopOverStates(
    KernelFrame &frame, Index from, Index to, int64_t step,
    const ReductionStates &states,
    llvm::function_ref<ReductionStates(Index, ReductionStates)> body) {
  return loopOverStates(frame, from, to, Index::constant(step), states, body);
}

/// Takes the elements at `points` into the states of `reducers`. A point has as
/// many lanes as the states have, or one.
ReductionStates accumulateAt(PointEmitter &emitter,
                             MutableArrayRef<Reducer> reducers,
                             ReductionStates states, ArrayRef<Point> points);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_STATELOOP_H
