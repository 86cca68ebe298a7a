//===- StreamedCombiner.cpp - Rows from their parts -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedCombiner.h"

#include "Reductions/StateLoop.h"
#include "fuse/Analysis/KernelEdge.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

StreamedCombiner::StreamedCombiner(KernelFrame &frame,
                                   StreamedScheduleAttr schedule,
                                   const StreamedSpace &space, Index parts,
                                   int64_t mostTogether)
    : frame(frame), emitter(frame.emitter), builder(frame.builder),
      space(space), segment(space.product.segments.front()), b(frame),
      scores(b, space, schedule),
      rows(b, space, scores, schedule.getPolynomials()),
      flowPlaces(emitter, segment.flow), parts(parts),
      columns(space.columnExtent(frame.dims).size), lanes(4),
      mostTogether(mostTogether) {
  lanes = std::gcd(lanes, columns);
  for (auto &[value, moved] : segment.flow.values)
    while (!emitter.divides(lanes, frame.dims.extents(value).back()))
      lanes /= 2;
}

StreamedCombiner::Values StreamedCombiner::overParts(
    const Values &start,
    llvm::function_ref<void(const Index &, Value, Values &)> take) {
  int64_t together =
      parts.base ? mostTogether : std::min(mostTogether, parts.offset);
  bool isWhole = !parts.base && parts.offset % together == 0;
  Index last = emitter.add(parts, Index::constant(-1));
  auto step = [&](const Index &first, Values current) {
    for (int64_t i = 0; i < together; ++i) {
      Index part = emitter.add(first, Index::constant(i));
      Value inside = isWhole ? Value() : emitter.less(part, parts);
      take(isWhole ? part : emitter.min(part, last), inside, current);
    }
    return current;
  };
  if (!parts.base && parts.offset == together)
    return step(Index::constant(0), start);
  ReductionStates states = {start};
  states =
      loopOverStates(frame, Index::constant(0), parts, together, states,
                     [&](Index first, ReductionStates current) {
                       return ReductionStates{step(first, current.front())};
                     });
  return states.front();
}

/// The second contraction's elements. Where all parts are loaded together, so
/// are their maxima once.
Value StreamedCombiner::combined(const RowParts &its, const Point &rowPoint) {
  Location loc = frame.loc();
  bool areTogether = !parts.base && parts.offset <= mostTogether;
  SmallVector<Value> maxima;
  Value infinite = rows.number(-std::numeric_limits<double>::infinity());
  Value most = overParts({infinite}, [&](const Index &part, Value inside,
                                         Values &current) {
                 maxima.push_back(its.max(part));
                 current[0] = arith::MaximumFOp::create(
                     builder, loc, current[0], maxima.back());
               }).front();
  auto maxOf = [&](const Index &part) {
    return areTogether ? maxima[part.offset] : its.max(part);
  };
  Value zero = rows.number(0);
  Values all = overParts(
      {zero, emitter.splat(loc, zero, lanes)},
      [&](const Index &part, Value inside, Values &current) {
        Value weight = rows.turn(maxOf(part), most);
        Value total = its.total(part);
        Value sums = its.sums(part);
        if (inside) {
          weight = b.select(inside, weight, zero);
          total = b.select(inside, total, zero);
          sums = b.select(inside, sums, emitter.splat(loc, zero, lanes));
        }
        current[0] =
            LLVM::FMAOp::create(builder, loc, weight, total, current[0]);
        current[1] = LLVM::FMAOp::create(
            builder, loc, emitter.splat(loc, weight, lanes), sums, current[1]);
      });
  Value factor = rows.finish(most, all[0], rowPoint);
  // Without keys there is nothing to divide.
  if (space.mayHaveNoKeys(frame.dims))
    factor = b.select(emitter.less(Index::constant(0),
                                   emitter.size(space.keyExtent(frame.dims))),
                      factor, rows.number(1));
  return arith::MulFOp::create(builder, loc, all[1],
                               emitter.splat(loc, factor, lanes));
}

/// Where the second contraction has the column of a row of the scores.
PartedPoint StreamedCombiner::productPoint(const Point &rowPoint,
                                           const Index &column) {
  llvm::SmallDenseMap<char, Index> places;
  StringRef axes = ContractOp(space.scores).getResultAxes();
  for (auto [axis, index] : llvm::zip(axes.drop_back(), rowPoint.dims))
    places[space.productAxis(axis)] = index;
  places[space.product.n] = column;
  PartedPoint point;
  for (auto [number, axis] : llvm::enumerate(space.product.resultAxes)) {
    bool isOne = frame.dims.extent(segment.shape(), number).size == 1;
    point.push_back(isOne ? PartedIndex()
                          : PartedIndex::of(places.lookup(axis)));
  }
  return point;
}

/// All values before the first is written, which may lie where an operand of
/// another does.
void StreamedCombiner::write(const Point &rowPoint, const Index &column,
                             const RowParts &its) {
  Value sums = combined(its, rowPoint);
  PartedPoint at = productPoint(rowPoint, column);
  emitter.define(segment.shape(), flowPlaces.pointOf(at, lanes), sums);
  flowPlaces.declare(at, lanes);
  auto yielded = frame.kernel.getYield().getValues();
  SmallVector<Value> computed, ofRow;
  SmallVector<Point> points;
  for (unsigned number : segment.results) {
    Value value = storedValue(yielded[number]);
    points.push_back(flowPlaces.pointOf(flowPlaces.follow(value, at), lanes));
    computed.push_back(emitter.emitLanes(value, points.back()));
  }
  for (unsigned number : space.rowResults)
    ofRow.push_back(emitter.emit(yielded[number], rowPoint));
  for (auto [number, point, value] :
       llvm::zip_equal(segment.results, points, computed))
    storeResult(frame, number, point, value);
  if (ofRow.empty())
    return;
  frame.ifTrue(emitter.less(column, Index::constant(1)), [&] {
    for (auto [number, value] : llvm::zip_equal(space.rowResults, ofRow))
      emitter.store(number, rowPoint, value);
  });
}
