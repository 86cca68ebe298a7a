//===- ColumnWalks.cpp - The walks over the places of a column ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnsLowering.h"
#include "Rows/StagedLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

void ColumnsLowering::placeHeldPoints() {
  int64_t count = walkedPlaces().offset;
  for (int64_t from = 0; from < count; from += splits) {
    Index place = emitter.add(group.slice, Index::constant(from));
    bool whole = from + splits <= count;
    place.guarded = !whole;
    held.push_back(pointAt(place));
    if (!whole)
      held.back().guard = emitter.less(place, Index::constant(count));
  }
}

ColumnsLowering::States ColumnsLowering::walk(MutableArrayRef<Reducer> reducers,
                                              States states, Visit visit) {
  SmallVector<BlockArgument> streamed =
      streamedInputs(frame.kernel, frame.dims, segment);
  if (schedule.getEvictFirst())
    emitter.loadThrough(cacheLoader(emitter, streamed, CacheUse::last));
  states = isHeld() ? walkHeld(std::move(states), visit)
                    : walkLoops(reducers, streamed, std::move(states), visit);
  emitter.loadThrough(nullptr);
  return states;
}

/// All places of this thread's slice at once.
ColumnsLowering::States ColumnsLowering::walkHeld(States states, Visit visit) {
  size_t whole = llvm::count_if(held, [](auto &p) { return !p.guard; });
  if (whole)
    states = visit(states, ArrayRef(held).take_front(whole));
  for (const Point &point : ArrayRef(held).drop_front(whole))
    states = visit(states, point);
  return states;
}

/// Several of them at a time, and then one by one.
ColumnsLowering::States
ColumnsLowering::walkLoops(MutableArrayRef<Reducer> reducers,
                           ArrayRef<BlockArgument> streamed, States states,
                           Visit visit) {
  Index count = walkedPlaces();
  int64_t unroll = schedule.getHold().getUnroll(), perStep = unroll * splits;
  Index step = Index::constant(perStep);
  // Behind all vectors of a step there is another, in the column or the row.
  Index last =
      divides() ? Index::constant(0) : emitter.min(Index::constant(1), count);
  Behind behind = alongPlaces ? Behind::inRow : Behind::inTensor;
  Index steps = emitter.div(emitter.sub(count, last), step);
  Index stepped = emitter.mul(steps, step);
  StagedWalk staged{
      copyableInputs(frame, streamed, pointAt(group.slice, behind)),
      schedule.getHold().getStages(), thread, schedule.getThreads()};
  states = loopInStages(
      frame, reducers, staged,
      {emitter.mul(part, step), stepped, emitter.mul(parts, step), unroll},
      states,
      [&](const Index &base) {
        SmallVector<Point> points;
        Index first = emitter.add(base, group.slice);
        for (int64_t i = 0; i < unroll; ++i)
          points.push_back(
              pointAt(emitter.add(first, Index::constant(i * splits)), behind));
        return points;
      },
      visit);
  return loopOverStates(frame, emitter.add(stepped, group.slice),
                        endOfTail(steps, count), splits, states,
                        [&](Index place, States inner) {
                          return visit(std::move(inner), pointAt(place));
                        });
}

/// What vectors leave over, from the front to the back.
ColumnsLowering::States ColumnsLowering::walkEdges(const States &states,
                                                   Visit visit) {
  Index count = walkedPlaces();
  Index inVectors = emitter.mul(count, Index::constant(vector));
  Index edges = emitter.sub(emitter.product(places), inVectors);
  Index step = Index::constant(schedule.getHold().getUnroll() * splits);
  return loopOverStates(
      frame, group.slice, endOfTail(emitter.div(count, step), edges), splits,
      states, [&](Index number, States inner) {
        Index place = emitter.select(emitter.less(number, head), number,
                                     emitter.add(number, inVectors));
        return visit(std::move(inner), pointAtPlace(place, /*lanes=*/1));
      });
}

/// The places after the last whole step are the next part's.
Index ColumnsLowering::endOfTail(const Index &steps, const Index &count) {
  if (!isShared())
    return count;
  OpBuilder &builder = frame.builder;
  Value isMine =
      arith::CmpIOp::create(builder, frame.loc(), arith::CmpIPredicate::eq,
                            emitter.materialize(emitter.rem(steps, parts)),
                            emitter.materialize(part));
  return {arith::SelectOp::create(builder, frame.loc(), isMine,
                                  emitter.materialize(count),
                                  emitter.materialize(Index::constant(0)))};
}

/// This thread's states of the places that it walks; writes the results `full`
/// on the way.
ColumnsLowering::States
ColumnsLowering::walkLevel(MutableArrayRef<Reducer> reducers,
                           ArrayRef<unsigned> full) {
  States states;
  for (Reducer &reducer : reducers)
    states.push_back(reducer.identity(vector));
  auto visit = [&](States current, ArrayRef<Point> points) {
    current = accumulateAt(emitter, reducers, std::move(current), points);
    storeAt(full, points);
    return current;
  };
  states = walk(reducers, states, visit);
  if (alongPlaces)
    for (auto [reducer, state] : llvm::zip(reducers, states))
      state = reducer.reduceLanes(state);
  return hasEdges() ? walkEdges(std::move(states), visit) : states;
}
