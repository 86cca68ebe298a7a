//===- RowGroupStates.cpp - Reductions inside of rows ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroupStates.h"

#include "Reductions/ThreadReduce.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;

RowGroupStates::RowGroupStates(const ScheduledRows &rows,
                               const RowGeometry &geometry)
    : rows(rows), frame(rows.frame), emitter(rows.emitter), geometry(geometry) {
  if (auto shared = rowGroupsOf(rows.space))
    groups = *shared;
}

bool RowGroupStates::isOfGroups(Operation *op) const {
  return reducedDims(op).front() != rows.space.reduced.front();
}

bool RowGroupStates::countsGroups(Operation *op) const {
  return rows.space.hasGroups() &&
         rows.space.runOf(op).second !=
             static_cast<int64_t>(rows.space.domain.size());
}

Index RowGroupStates::count(Operation *op) const {
  auto [first, end] = rows.space.runOf(op);
  return emitter.product(ArrayRef(rows.space.domain).slice(first, end - first));
}

/// The number of a vector in its row.
Index RowGroupStates::numberOf(int64_t held) const {
  return emitter.add(geometry.group.lane,
                     Index::constant(held * geometry.group.width));
}

Value RowGroupStates::isFirst(int64_t held, int64_t dim) {
  int64_t vectors = groups.vectorsFrom(rows.space, dim);
  if (vectors == 1)
    return {};
  bool isSame = geometry.group.width % vectors == 0;
  const Index &number = isSame ? geometry.group.lane : numberOf(held);
  return emitter.less(emitter.rem(number, Index::constant(vectors)),
                      Index::constant(1));
}

Point RowGroupStates::groupPoint(Operation *op, const Point &point) const {
  int64_t end = rows.space.runOf(op).second;
  Point place;
  place.dims.assign(point.dims.begin(), point.dims.begin() + end);
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  place.dims.resize(type.getRank(), Index::constant(0));
  place.guard = point.guard;
  return place;
}

/// The state of what the thread has of one vector, or of the group that begins
/// with it.
ReductionState RowGroupStates::take(Reducer &reducer, const Point &point,
                                    int64_t held) {
  Operation *op = reducer.getOp();
  if (!countsGroups(op)) {
    ReductionStates states = {reducer.identity(rows.vector)};
    states = accumulateAt(emitter, reducer, std::move(states), point);
    return reducer.reduceLanes(states.front());
  }
  // All threads know the element, one takes it in.
  Value element = emitter.emit(reducer.getInput(), groupPoint(op, point));
  Value counts =
      frame.both(point.guard, isFirst(held, rows.space.runOf(op).second));
  return reducer.accumulate(reducer.identity(1),
                            ReducedElements{element, counts, 1});
}

/// Tells the emitter what a group at the point has been reduced to.
void RowGroupStates::define(Reducer &reducer, const Point &point,
                            const ReductionState &state) {
  Operation *op = reducer.getOp();
  Point at =
      reducer.resultPoint(countsGroups(op) ? groupPoint(op, point) : point);
  SmallVector<Value, 2> finished = reducer.finish(state, count(op));
  for (auto [result, value] : llvm::zip(op->getResults(), finished)) {
    at.guard = {};
    emitter.define(result, at, value);
    at.guard = point.guard;
    emitter.define(result, at, value);
  }
}

ReductionState RowGroupStates::reduce(const RowPlace &row, Reducer &reducer) {
  SmallVector<ReductionState> parts;
  for (auto [held, point] : llvm::enumerate(row.held))
    parts.push_back(take(reducer, point, held));
  return parts.size() > 1 ? reducer.combineAll(parts) : parts.front();
}

/// What the neighbours of a warp have found of parts of groups, for all parts
/// of a group.
void RowGroupStates::exchange(MutableArrayRef<Reducer> reducers,
                              const RowPlace &row,
                              MutableArrayRef<ReductionStates> states,
                              int64_t vectors) {
  const ThreadGroup &group = geometry.group;
  int64_t together = RowGroups::neighbours(vectors);
  int64_t parts = vectors / together;
  auto held = static_cast<int64_t>(row.held.size());
  int64_t slotsOfRow = held * group.width / together;
  Index neighbours = Index::constant(together);
  Index first = emitter.mul(group.group, Index::constant(slotsOfRow));
  SmallVector<SmallVector<Value, 2>> memory;
  for (const ReductionState &state : states.front()) {
    memory.emplace_back();
    for (Value value : state)
      memory.back().push_back(
          addSlots(frame, value.getType(), group.groups * slotsOfRow));
  }
  Value writes;
  if (together > 1)
    writes =
        emitter.less(emitter.rem(group.lane, neighbours), Index::constant(1));
  frame.ifTrue(writes, [&] {
    for (auto [number, ofPoint] : llvm::enumerate(states)) {
      Index slot =
          emitter.add(first, emitter.div(numberOf(number), neighbours));
      for (auto [state, slots] : llvm::zip_equal(ofPoint, memory))
        for (auto [value, component] : llvm::zip_equal(state, slots))
          storeSlot(frame, component, slot, value);
    }
  });
  gpu::BarrierOp::create(frame.builder, frame.loc());
  Index last = Index::constant(groups.vectors - 1);
  for (auto [number, ofPoint] : llvm::enumerate(states)) {
    Index vector = numberOf(number);
    // Threads behind the row's end take the last group.
    if (row.held[number].guard)
      vector = emitter.min(vector, last);
    Index begin = emitter.add(
        first, emitter.mul(emitter.div(vector, Index::constant(vectors)),
                           Index::constant(parts)));
    for (auto [state, slots, reducer] :
         llvm::zip_equal(ofPoint, memory, reducers)) {
      SmallVector<ReductionState> found(parts);
      for (auto [part, to] : llvm::enumerate(found))
        for (auto [value, component] : llvm::zip_equal(state, slots))
          to.push_back(loadSlot(frame, component,
                                emitter.add(begin, Index::constant(part)),
                                value.getType()));
      state = reducer.combineAll(found);
    }
  }
}

/// Reduces groups of so many vectors.
void RowGroupStates::reduceFrom(const RowPlace &row, ArrayRef<Operation *> ops,
                                int64_t vectors) {
  int64_t together = RowGroups::neighbours(vectors);
  ThreadGroup neighbours{together, /*groups=*/1, geometry.group.lane,
                         Index::constant(0)};
  SmallVector<Reducer> reducers;
  for (Operation *op : ops)
    reducers.emplace_back(emitter, op, Reducer::Lanes::partsOfOneResult);
  SmallVector<ReductionStates> states;
  for (auto [held, point] : llvm::enumerate(row.held)) {
    ReductionStates found;
    for (Reducer &reducer : reducers)
      found.push_back(take(reducer, point, held));
    if (together > 1)
      found = combineThreads(frame, reducers, std::move(found), neighbours);
    if (together == vectors)
      for (auto [reducer, state] : llvm::zip_equal(reducers, found))
        define(reducer, point, state);
    else
      states.push_back(std::move(found));
  }
  if (together == vectors)
    return;
  exchange(reducers, row, states, vectors);
  for (auto [point, found] : llvm::zip_equal(row.held, states))
    for (auto [reducer, state] : llvm::zip_equal(reducers, found))
      define(reducer, point, state);
}

void RowGroupStates::reduceGroups(const RowPlace &row,
                                  ArrayRef<Operation *> ops) {
  llvm::SmallMapVector<int64_t, SmallVector<Operation *>, 2> bySize;
  for (Operation *op : ops)
    bySize[groups.vectorsFrom(rows.space, rows.space.runOf(op).first)]
        .push_back(op);
  for (auto &[vectors, ofSize] : bySize)
    reduceFrom(row, ofSize, vectors);
}
