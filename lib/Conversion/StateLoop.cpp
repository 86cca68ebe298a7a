//===- StateLoop.cpp - A loop that carries reduction states ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

static SmallVector<Value> flatten(const ReductionStates &states) {
  SmallVector<Value> flat;
  for (const ReductionState &state : states)
    flat.append(state.begin(), state.end());
  return flat;
}

/// The values in groups of the sizes that `like` has.
static ReductionStates regroup(ValueRange flat, const ReductionStates &like) {
  ReductionStates grouped;
  for (const ReductionState &state : like) {
    grouped.emplace_back(flat.take_front(state.size()));
    flat = flat.drop_front(state.size());
  }
  return grouped;
}

ReductionStates mlir::fuse::loopOverStates(
    KernelFrame &frame, Index from, Index to, Index step,
    const ReductionStates &states,
    llvm::function_ref<ReductionStates(Index, ReductionStates)> body) {
  OpBuilder &builder = frame.builder;
  PointEmitter &emitter = frame.emitter;
  auto loop = scf::ForOp::create(
      builder, frame.loc(), emitter.materialize(from), emitter.materialize(to),
      emitter.materialize(step), flatten(states));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    PointEmitter::Scope scope(emitter);
    ReductionStates after = body({loop.getInductionVar()},
                                 regroup(loop.getRegionIterArgs(), states));
    if (SmallVector<Value> flat = flatten(after); !flat.empty())
      scf::YieldOp::create(builder, frame.loc(), flat);
  }
  return regroup(loop.getResults(), states);
}

ReductionStates mlir::fuse::accumulateAt(PointEmitter &emitter,
                                         MutableArrayRef<Reducer> reducers,
                                         ReductionStates states,
                                         ArrayRef<Point> points) {
  for (auto [reducer, state] : llvm::zip(reducers, states)) {
    auto elements = llvm::map_to_vector(
        points, [&, &reducer = reducer](const Point &point) {
          return ReducedElements{emitter.emit(reducer.getInput(), point),
                                 point.guard, point.lanes};
        });
    state = reducer.accumulate(state, elements);
  }
  return states;
}
