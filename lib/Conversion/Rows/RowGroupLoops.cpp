//===- RowGroupLoops.cpp - Rows and their groups, by one thread -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroupLoops.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

RowGroupLoops::RowGroupLoops(const ScheduledRows &rows, const Index &block)
    : rows(rows), frame(rows.frame), emitter(rows.emitter),
      geometry(rowGeometry(rows, block)), places(rows, geometry),
      groups(rows, geometry), results(rows, geometry, places),
      row(places.placeExisting(places.rowOf(block))) {
  firsts.push_back(rows.space.reduced.front());
  llvm::append_range(firsts, rows.space.groups);
  firsts.push_back(static_cast<int64_t>(rows.space.domain.size()));
}

/// The first dimension of the groups that have one element of a result each;
/// that behind all of one with every element.
int64_t RowGroupLoops::firstDimOf(unsigned result) const {
  if (rows.isFull(result))
    return firsts.back();
  if (rows.isOfGroups(result))
    return *rows.space.firstOfGroup(frame.dims.extents(rows.yielded(result)));
  return firsts.front();
}

/// The reductions among those of a level that combine what begins at a depth,
/// and whose results the work needs.
SmallVector<Operation *>
RowGroupLoops::neededAt(size_t depth, const Work &work,
                        ArrayRef<Operation *> level) const {
  llvm::SetVector<Value> values;
  for (const Reducer &reducer : work.reducers)
    values.insert(reducer.getInput());
  for (unsigned result : work.results)
    values.insert(rows.yielded(result));
  for (size_t next = 0; next < values.size(); ++next)
    if (Operation *op = values[next].getDefiningOp();
        op && !known.contains(values[next]))
      values.insert(op->operand_begin(), op->operand_end());
  return llvm::filter_to_vector(level, [&](Operation *op) {
    auto isNeeded = [&](Value result) {
      return values.contains(result) && !known.contains(result);
    };
    return rows.space.runOf(op).first == firsts[depth] &&
           llvm::any_of(op->getResults(), isNeeded);
  });
}

/// Element number `element` of the group at the place.
Point RowGroupLoops::pointAt(const Place &place, const Index &element,
                             int64_t lanes) {
  ArrayRef<Extent> domain = rows.space.domain;
  Point point;
  point.dims = place;
  llvm::append_range(point.dims, emitter.delinearize(
                                     element, domain.drop_front(place.size())));
  Index linear = Index::constant(0);
  for (auto [index, extent] : llvm::zip(place, domain))
    linear = emitter.add(emitter.mul(linear, emitter.size(extent)), index);
  Index length = emitter.product(domain.drop_front(place.size()));
  point.linear = emitter.add(emitter.mul(linear, length), element);
  point.shape = llvm::to_vector(domain);
  point.flat = lanes > 1;
  point.lanes = lanes;
  return point;
}

/// Where an op that combines what begins at the place has its operand's first
/// element.
Point RowGroupLoops::elementOf(Operation *op, const Place &place) {
  Point first;
  first.dims = place;
  first.dims.resize(rows.space.domain.size(), Index::constant(0));
  return groups.countsGroups(op) ? groups.groupPoint(op, first) : first;
}

/// Tells the emitter what the ops give at the place.
void RowGroupLoops::reduce(size_t depth, const Place &place,
                           ArrayRef<Operation *> ops) {
  Work work;
  States states;
  for (Operation *op : ops) {
    work.reducers.emplace_back(emitter, op, Reducer::Lanes::partsOfOneResult);
    states.push_back(work.reducers.back().identity(
        groups.countsGroups(op) ? 1 : rows.vector));
  }
  states = depth + 2 == firsts.size()
               ? walkVectors(depth, place, work, std::move(states))
               : walkGroups(depth, place, work, std::move(states));
  for (auto [reducer, state] : llvm::zip_equal(work.reducers, states)) {
    Operation *op = reducer.getOp();
    if (!groups.countsGroups(op))
      state = reducer.reduceLanes(state);
    Point at = reducer.resultPoint(elementOf(op, place));
    for (auto [result, value] :
         llvm::zip(op->getResults(), reducer.finish(state, groups.count(op)))) {
      emitter.define(result, at, value);
      known.insert(result);
    }
  }
}

RowGroupLoops::States RowGroupLoops::walk(size_t depth, const Place &place,
                                          const Work &work, States states) {
  llvm::DenseSet<Value> before = known;
  for (ArrayRef<Operation *> level : rows.space.levels)
    if (auto ops = neededAt(depth, work, level); !ops.empty())
      reduce(depth, place, ops);
  Work inside;
  SmallVector<size_t> numbers;
  for (auto [number, reducer] : llvm::enumerate(work.reducers)) {
    if (rows.space.runOf(reducer.getOp()).second != firsts[depth]) {
      inside.reducers.push_back(reducer);
      numbers.push_back(number);
      continue;
    }
    // A group counts once.
    Reducer own = reducer;
    Value element = emitter.emit(own.getInput(), elementOf(own.getOp(), place));
    states[number] =
        own.accumulate(states[number], ReducedElements{element, Value(), 1});
  }
  for (unsigned result : work.results) {
    if (firstDimOf(result) > firsts[depth])
      inside.results.push_back(result);
    else if (depth > 0)
      results.storeGroup(result, row, place);
  }
  if (!inside.reducers.empty() || !inside.results.empty()) {
    auto own = llvm::map_to_vector(
        numbers, [&](size_t number) { return states[number]; });
    own = depth + 2 == firsts.size()
              ? walkVectors(depth, place, inside, std::move(own))
              : walkGroups(depth, place, inside, std::move(own));
    for (auto [number, state] : llvm::zip_equal(numbers, own))
      states[number] = state;
  }
  known = std::move(before);
  return states;
}

/// The groups inside of the one at the place, one by one.
RowGroupLoops::States RowGroupLoops::walkGroups(size_t depth,
                                                const Place &place, Work &work,
                                                States states) {
  ArrayRef<Extent> domain = rows.space.domain;
  ArrayRef<Extent> counted =
      domain.slice(firsts[depth], firsts[depth + 1] - firsts[depth]);
  // Of groups of unknown size each has a sum of its own.
  std::optional<int64_t> size =
      staticProduct(domain.drop_front(firsts[depth + 1]));
  int64_t terms = size ? std::max<int64_t>(1, *size / rows.vector) : INT32_MAX;
  return accumulateOver(
      emitter, frame.loc(), work.reducers,
      {Index::constant(0), emitter.product(counted), Index::constant(1), terms},
      std::move(states), [&](const Index &number, States current) {
        Place inner(place);
        llvm::append_range(inner, emitter.delinearize(number, counted));
        return walk(depth + 1, inner, work, std::move(current));
      });
}

/// The vectors of an innermost group, some at a time.
RowGroupLoops::States RowGroupLoops::walkVectors(size_t depth,
                                                 const Place &place, Work &work,
                                                 States states) {
  Index length =
      emitter.product(ArrayRef(rows.space.domain).drop_front(firsts[depth]));
  Index vector = Index::constant(rows.vector);
  int64_t unroll = rows.unroll;
  while (unroll > 1 &&
         (length.base || length.offset / rows.vector % unroll != 0))
    unroll /= 2;
  auto step = [&](const Index &first, States current) {
    SmallVector<Point> points;
    for (int64_t i = 0; i < unroll; ++i) {
      Index number = emitter.add(first, Index::constant(i));
      points.push_back(
          pointAt(place, emitter.mul(number, vector), rows.vector));
    }
    current = accumulateAt(emitter, work.reducers, std::move(current), points);
    for (const Point &point : points)
      results.storeAt(work.results, row, point);
    return current;
  };
  // What the only step has computed is there for the next walk.
  if (!length.base && length.offset == unroll * rows.vector)
    return step(Index::constant(0), std::move(states));
  return accumulateOver(emitter, frame.loc(), work.reducers,
                        {Index::constant(0), emitter.div(length, vector),
                         Index::constant(unroll), unroll},
                        std::move(states), step);
}

void RowGroupLoops::emit() {
  Work work;
  for (unsigned number : llvm::seq<unsigned>(rows.segment.stored.size()))
    work.results.push_back(number);
  walk(/*depth=*/0, row.dims, work, {});
  results.storeRows(row);
  results.fillBeside(row);
}
