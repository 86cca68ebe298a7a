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

ReductionStates mlir::fuse::loopOverStates(PointEmitter &emitter, Location loc,
                                           Index from, Index to, Index step,
                                           const ReductionStates &states,
                                           StateLoopBody body) {
  OpBuilder &builder = emitter.getBuilder();
  auto loop = scf::ForOp::create(builder, loc, emitter.materialize(from),
                                 emitter.materialize(to),
                                 emitter.materialize(step), flatten(states));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    PointEmitter::Scope scope(emitter);
    ReductionStates after = body({loop.getInductionVar()},
                                 regroup(loop.getRegionIterArgs(), states));
    if (SmallVector<Value> flat = flatten(after); !flat.empty())
      scf::YieldOp::create(builder, loc, flat);
  }
  return regroup(loop.getResults(), states);
}

ReductionStates mlir::fuse::statesIf(
    PointEmitter &emitter, Location loc, Value condition,
    const ReductionStates &states,
    llvm::function_ref<ReductionStates(const ReductionStates &)> then) {
  OpBuilder &builder = emitter.getBuilder();
  SmallVector<Value> otherwise = flatten(states);
  // Filled where it stands: what is emitted may look for its module.
  auto chosen =
      scf::IfOp::create(builder, loc, ValueRange(otherwise).getTypes(),
                        condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  // Without results the branches are built with their terminators.
  builder.setInsertionPointToStart(chosen.elseBlock());
  if (!otherwise.empty())
    scf::YieldOp::create(builder, loc, otherwise);
  builder.setInsertionPointToStart(chosen.thenBlock());
  PointEmitter::Scope scope(emitter);
  SmallVector<Value> after = flatten(then(states));
  if (!after.empty())
    scf::YieldOp::create(builder, loc, after);
  return regroup(chosen.getResults(), states);
}

/// Whether the loop is known to have no more than so many steps.
static bool isShort(const SummingLoop &loop, int64_t steps) {
  if (loop.mostSteps > 0 && loop.mostSteps <= steps)
    return true;
  bool isStatic = !loop.from.base && !loop.to.base && !loop.step.base;
  return isStatic &&
         loop.to.offset - loop.from.offset <= steps * loop.step.offset;
}

ReductionStates mlir::fuse::accumulateOver(PointEmitter &emitter, Location loc,
                                           MutableArrayRef<Reducer> reducers,
                                           const SummingLoop &loop,
                                           ReductionStates states,
                                           StateLoopBody body) {
  int64_t terms = 0;
  for (const Reducer &reducer : reducers)
    if (reducer.addsUp())
      terms = std::max(terms, reducer.blockSize());
  int64_t steps = std::max<int64_t>(1, terms / loop.terms);
  if (terms == 0 || isShort(loop, steps))
    return loopOverStates(emitter, loc, loop.from, loop.to, loop.step, states,
                          body);
  size_t carried = states.size();
  for (auto [number, reducer] : llvm::enumerate(reducers))
    states.push_back(reducer.noRest(states[number]));
  Index block = emitter.mul(loop.step, Index::constant(steps));
  auto addBlock = [&](const Index &first, ReductionStates current) {
    ReductionStates inner(current.begin(), current.begin() + carried);
    for (auto [reducer, state] : llvm::zip(reducers, inner))
      if (reducer.addsUp())
        state = reducer.startBlock(state);
    Index end = emitter.min(emitter.add(first, block), loop.to);
    inner = loopOverStates(emitter, loc, first, end, loop.step, inner, body);
    for (auto [number, reducer] : llvm::enumerate(reducers))
      if (reducer.addsUp())
        std::tie(inner[number], current[carried + number]) = reducer.addBlock(
            current[number], current[carried + number], inner[number]);
    llvm::copy(inner, current.begin());
    return current;
  };
  states =
      loopOverStates(emitter, loc, loop.from, loop.to, block, states, addBlock);
  for (auto [number, reducer] : llvm::enumerate(reducers))
    states[number] = reducer.addRest(states[number], states[carried + number]);
  states.truncate(carried);
  return states;
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
