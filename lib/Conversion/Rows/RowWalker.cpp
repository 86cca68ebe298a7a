//===- RowWalker.cpp - Walks over a thread's part of a row ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowWalker.h"
#include "Reductions/LaneProducts.h"
#include "StagedLoop.h"
#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/MovedInputs.h"

using namespace mlir;
using namespace mlir::fuse;

/// Walks over a row, one of which is taken by where the row starts.
static constexpr int64_t headPlaces = 4;

void RowWalker::loadHeld(const RowPlace &row, ArrayRef<BlockArgument> inputs) {
  for (const Point &point : row.held)
    for (BlockArgument input : inputs)
      emitter.emit(input, point);
}

void RowWalker::loadCached(const RowPlace &row, CacheUse use) {
  SmallVector<Value> moved =
      movedRowsOf(rows.segment.ops, rows.space.domain, frame.dims);
  SmallVector<BlockArgument> inputs(slots.getInputs());
  for (Value value : moved)
    inputs.push_back(inputWithRowsOf(value, frame.dims));
  emitter.loadThrough(cacheLoader(emitter, inputs, use));
  loadHeld(row, slots.getInputs());
  for (const Point &point : row.held)
    for (Value value : moved)
      emitter.emit(value, point);
}

void RowWalker::preload(const RowPlace &row) {
  for (Operation *op : rows.segment.ops) {
    if (!rows.isAtEachPoint(op))
      continue;
    for (Value operand : op->getOperands()) {
      if (!isa<BlockArgument>(beforeCasts(operand)))
        continue;
      for (const Point &point : row.held)
        emitter.emitOperand(operand, op->getResult(0), point);
      if (row.edge)
        emitter.emitOperand(operand, op->getResult(0), *row.edge);
    }
  }
}

void RowWalker::loadFirstLate(const RowPlace &row) {
  if (!rows.preloads() || slots.count() < rows.unroll || rows.copiesAhead())
    return;
  late.loadFirst(slots.points(row, Index::constant(0), rows.unroll),
                 slots.getInputs());
}

RowWalker::States RowWalker::reduce(const RowPlace &row,
                                    MutableArrayRef<Reducer> reducers,
                                    WalkOrder order) {
  States states, scalarStates;
  for (Reducer &reducer : reducers) {
    states.push_back(reducer.identity(rows.vector));
    scalarStates.push_back(reducer.identity(1));
  }
  auto visit = [&](const RowPlace &, States current, ArrayRef<Point> points) {
    return accumulateAt(emitter, reducers, std::move(current), points);
  };
  if (rows.isLoop()) {
    std::tie(states, scalarStates) =
        walkLoops(row, reducers, states, scalarStates, visit);
  } else {
    if (slots.count() > 0)
      states = walkShared(row, std::move(states), visit, order);
    // No sum is rescaled then.
    bool together = llvm::any_of(
        reducers, [](const Reducer &reducer) { return reducer.isOnline(); });
    states = walkHeld(row, std::move(states), visit, order.isLast, together);
  }
  for (auto [reducer, state, scalars] :
       llvm::zip(reducers, states, scalarStates)) {
    state = reducer.reduceLanes(state);
    if (rows.isLoop() && geometry.hasTail)
      state = reducer.combine(state, scalars);
  }
  return states;
}

RowWalker::States RowWalker::reduceByMma(ArrayRef<RowPlace> present,
                                         MutableArrayRef<Reducer> reducers) {
  constexpr size_t together = 2;
  size_t each = reducers.size() / present.size();
  States states;
  for (Reducer &reducer : reducers)
    states.push_back(reducer.identity(rows.vector));
  for (size_t place = 0; place < present.front().held.size(); ++place)
    for (size_t number = 0; number < each; ++number)
      for (size_t first = 0; first < present.size(); first += together) {
        SmallVector<RowTerms, together> taken;
        for (size_t row = first;
             row < std::min(first + together, present.size()); ++row) {
          size_t at = row * each + number;
          taken.push_back(
              {&reducers[at], &states[at], present[row].held[place]});
        }
        takeByMma(frame, taken);
      }
  for (auto [at, state] : llvm::enumerate(states)) {
    Reducer &reducer = reducers[at];
    if (const std::optional<Point> &edge = present[at / each].edge)
      state = accumulateAt(emitter, reducer, States{state}, *edge).front();
    state = reducer.reduceLanes(state);
  }
  return states;
}

void RowWalker::visit(const RowPlace &row, VisitPoints body) {
  auto visit = [&](const RowPlace &place, States states,
                   ArrayRef<Point> points) {
    for (const Point &point : points)
      body(place, point);
    return states;
  };
  if (rows.isLoop()) {
    walkLoops(row, {}, {}, {}, visit);
    return;
  }
  if (slots.count() > 0)
    atEachHead(row, [&](const RowPlace &place) {
      walkShared(place, {}, visit, {/*isFirst=*/false, /*isLast=*/true});
    });
  walkHeld(row, {}, visit, /*isLast=*/true);
}

//===----------------------------------------------------------------------===//
// Vectors in registers
//===----------------------------------------------------------------------===//

RowWalker::States RowWalker::walkHeld(const RowPlace &row, States states,
                                      Visit visit, bool isLast, bool together) {
  // What registers hold is remembered, what is elsewhere is not.
  std::optional<PointEmitter::Scope> scope;
  if (!rows.isInRegisters())
    scope.emplace(emitter);
  // All loads before the first store, behind which none could be moved.
  if (rows.isCached())
    loadCached(row, isLast ? CacheUse::last : CacheUse::again);
  SmallVector<Point> points = row.held;
  if (row.edge)
    points.push_back(*row.edge);
  // Those that every row has, and of others one after the other.
  auto isWhole = [](const Point &point) { return !point.guard; };
  size_t each = together ? points.size() : llvm::count_if(points, isWhole);
  for (ArrayRef<Point> left = points; !left.empty(); each = 1) {
    each = std::max<size_t>(each, 1);
    states = visit(row, std::move(states), left.take_front(each));
    left = left.drop_front(each);
  }
  emitter.loadThrough(nullptr);
  return states;
}

//===----------------------------------------------------------------------===//
// Slots of shared memory
//===----------------------------------------------------------------------===//

/// The vectors in shared memory; the first walk waits for them, the last one
/// starts the copies of the next row, in the same groups.
RowWalker::States RowWalker::walkShared(const RowPlace &row, States states,
                                        Visit visit, WalkOrder order) {
  bool isRefilled = order.isLast && slots.hasNext();
  int64_t count = slots.count(), inGroup = slots.countInGroup();
  int64_t length = order.isFirst || isRefilled ? inGroup : count;
  for (int64_t from = 0; from < count; from += length) {
    int64_t to = std::min(count, from + length);
    if (order.isFirst) {
      int64_t ofNext =
          isRefilled ? from / inGroup : rows.rowsAhead() * slots.groupsFrom(0);
      slots.wait(slots.groupsFrom(to) + ofNext);
    }
    int64_t stepped = to - (to - from) % rows.unroll;
    if (order.isLast && late.haveFirst())
      states = walkAhead(row, stepped, std::move(states), visit);
    else
      states = walkSlots(row, from, stepped, rows.unroll, std::move(states),
                         visit, isRefilled);
    if (stepped < to)
      states = walkSlots(row, stepped, to, to - stepped, std::move(states),
                         visit, isRefilled);
    if (isRefilled)
      slots.commit();
  }
  return states;
}

/// So many slots a step.
RowWalker::States RowWalker::walkSlots(const RowPlace &row, int64_t from,
                                       int64_t to, int64_t step,
                                       const States &states, Visit visit,
                                       bool isRefilled) {
  return loopOverStates(frame, Index::constant(from), Index::constant(to), step,
                        states, [&](const Index &first, States current) {
                          SmallVector<Point> points =
                              slots.points(row, first, step);
                          emitter.loadThrough(slots.loader(row, points, first));
                          current = visit(row, std::move(current), points);
                          emitter.loadThrough(nullptr);
                          if (isRefilled)
                            slots.copyNext(first, step);
                          return current;
                        });
}

void RowWalker::visitSlots(const RowPlace &row, VisitSlot body) {
  for (int64_t slot = 0; slot < slots.count(); ++slot) {
    Index number = Index::constant(slot);
    {
      PointEmitter::Scope scope(emitter);
      Point point = slots.pointOf(row, number);
      emitter.loadThrough(slots.loader(row, point, number));
      body(slot, point);
      emitter.loadThrough(nullptr);
    }
    if (!slots.hasNext())
      continue;
    slots.copyNext(number, 1);
    if (slots.endsGroup(slot))
      slots.commit();
  }
}

/// Visits a step whose late inputs are there.
RowWalker::States RowWalker::visitLate(const RowPlace &row, const Index &first,
                                       const ReductionState &loaded,
                                       States states, Visit visit) {
  SmallVector<Point> points = slots.points(row, first, rows.unroll);
  late.define(points, loaded);
  emitter.loadThrough(slots.loader(row, points, first));
  states = visit(row, std::move(states), points);
  emitter.loadThrough(nullptr);
  return states;
}

/// Whole steps from the first to slot `to`; each loads the late inputs of the
/// next one. The last step is code of its own, for it has no next.
RowWalker::States RowWalker::walkAhead(const RowPlace &row, int64_t to,
                                       States states, Visit visit) {
  int64_t unroll = rows.unroll;
  states.push_back(late.takeFirst());
  states = loopOverStates(
      frame, Index::constant(0), Index::constant(to - unroll), unroll,
      std::move(states), [&](const Index &first, States current) {
        ReductionState loaded = current.pop_back_val();
        Index following = emitter.add(first, Index::constant(unroll));
        ReductionState next = late.load(slots.points(row, following, unroll));
        current = visitLate(row, first, loaded, std::move(current), visit);
        current.push_back(std::move(next));
        return current;
      });
  ReductionState loaded = states.pop_back_val();
  PointEmitter::Scope scope(emitter);
  return visitLate(row, Index::constant(to - unroll), loaded, std::move(states),
                   visit);
}

/// Whether so many vectors are cut out of two each, by moving words and then
/// parts of words, that a step waits for this and not for memory.
bool RowWalker::cutsManyLate() {
  auto isNarrow = [](const ScheduledRows::SharedInput &each) {
    Type element = getElementTypeOrSelf(each.input.getType());
    return PointEmitter::storageType(element).getIntOrFloatBitWidth() < 32;
  };
  return geometry.hasEdges && rows.vector >= headPlaces &&
         !rows.copiesAhead() &&
         llvm::count_if(rows.sharedInputs(), isNarrow) > 1;
}

/// Emits the walk, or one for each quarter of the places past an aligned one
/// where a row's vectors may start: by how many words to cut is then known, and
/// moving them takes no instruction.
void RowWalker::atEachHead(const RowPlace &row,
                           llvm::function_ref<void(const RowPlace &)> walk) {
  if (!cutsManyLate())
    return walk(row);
  int64_t apart = rows.vector / headPlaces;
  Index rest = emitter.rem(row.head, Index::constant(apart));
  Index past = emitter.rem(row.head, Index::constant(rows.vector));
  Index whole = emitter.sub(row.head, past);
  std::function<void(int64_t, int64_t)> split = [&](int64_t from, int64_t to) {
    if (to - from == 1) {
      RowPlace placed = row;
      placed.head =
          emitter.add(whole, emitter.add(rest, Index::constant(from * apart)));
      return walk(placed);
    }
    int64_t middle = (from + to) / 2;
    frame.ifElse(
        emitter.less(past, Index::constant(middle * apart)),
        [&] { split(from, middle); }, [&] { split(middle, to); });
  };
  split(0, headPlaces);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::pair<RowWalker::States, RowWalker::States>
RowWalker::walkLoops(const RowPlace &row, MutableArrayRef<Reducer> reducers,
                     States vectorStates, States scalarStates, Visit visit) {
  const Index &walker = geometry.walker, &walkers = geometry.walkers;
  int64_t unroll = rows.unroll;
  Index perStep = emitter.mul(walkers, Index::constant(unroll));
  // The last vector of a row with edges is none of a step, so that all of a
  // step are followed by another.
  Index last = geometry.hasEdges ? emitter.min(Index::constant(1), row.vectors)
                                 : Index::constant(0);
  Index steps = emitter.div(emitter.sub(row.vectors, last), perStep);
  Index stepped = emitter.mul(steps, perStep);

  auto vectorPoint = [&](const Index &number, bool followed) {
    return places.pointAt(row, places.vectorColumn(row, number), rows.vector,
                          followed);
  };
  auto visitRow = [&](States states, ArrayRef<Point> points) {
    return visit(row, std::move(states), points);
  };
  StagedWalk staged{
      copyableInputs(frame,
                     streamedInputs(frame.kernel, frame.dims, rows.segment),
                     vectorPoint(walker, /*followed=*/true)),
      rows.schedule.getHold().getStages(), geometry.thread,
      rows.schedule.getThreads()};
  vectorStates = loopInStages(
      frame, reducers, staged, {Index::constant(0), stepped, perStep, unroll},
      vectorStates,
      [&](const Index &base) {
        SmallVector<Point> points;
        Index number = emitter.add(base, walker);
        for (int64_t i = 0; i < unroll; ++i)
          points.push_back(vectorPoint(
              emitter.add(number, emitter.mul(walkers, Index::constant(i))),
              /*followed=*/true));
        return points;
      },
      visitRow);
  vectorStates =
      loopOverStates(frame, emitter.add(stepped, walker), row.vectors, walkers,
                     vectorStates, [&](const Index &number, States states) {
                       return visitRow(std::move(states),
                                       vectorPoint(number, /*followed=*/false));
                     });
  if (!geometry.hasTail)
    return {vectorStates, scalarStates};
  Index elements = places.edgeElements(row);
  scalarStates = loopOverStates(
      frame, walker, elements, walkers, scalarStates,
      [&](const Index &number, States states) {
        return visitRow(std::move(states),
                        places.pointAt(row, places.edgeColumn(row, number), 1));
      });
  return {vectorStates, scalarStates};
}
