//===- LowerOrderedColumns.cpp - Columns that are walked in order ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As LowerOrdered.cpp has a row for each block, a block here has neighbouring
// vectors of columns, which it walks from one end to the other as often as
// OrderedSpace says. The threads that share a vector are its slices; see
// ColumnScan.h.
//
//===----------------------------------------------------------------------===//

#include "LowerOrderedColumns.h"
#include "ColumnScan.h"
#include "Rows/OrderedTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class OrderedColumnsLowering {
public:
  OrderedColumnsLowering(KernelFrame &frame, OrderedScheduleAttr schedule,
                         const OrderedSpace &space)
      : frame(frame), emitter(frame.emitter), space(space), schedule(schedule),
        kept(space.kept()), vector(schedule.getVector()),
        unroll(space.length().size == 1 ? 1 : schedule.getUnroll()) {}

  LogicalResult verify();
  Grid grid() const { return {{{{kept, vector * blockVectors()}}}}; }
  void emit(const Index &block);

private:
  using States = ReductionStates;
  /// What else is done with this thread's points of a tile.
  using Visit = llvm::function_ref<States(States, ArrayRef<Point>)>;

  int64_t blockVectors() const {
    return schedule.getThreads() / schedule.getSplits();
  }
  Value yielded(unsigned result) {
    return frame.kernel.getYield().getValues()[result];
  }
  void placeThread(const Index &block);
  Point pointAt(const Index &place);
  SmallVector<Point> pointsOfTile(const OrderedTile &tile);
  Point reducedPoint(Value value);
  States walkTiles(MutableArrayRef<Reducer> reducers, ArrayRef<Value> values,
                   Visit visit);
  void reduce(ArrayRef<Operation *> ops, ArrayRef<Value> inputs);
  void storeFull(ArrayRef<Value> values);
  void storeReduced();

  KernelFrame &frame;
  PointEmitter &emitter;
  const OrderedSpace &space;
  OrderedScheduleAttr schedule;
  SmallVector<Extent> kept;
  int64_t vector, unroll;
  SliceGroup group;
  /// This thread's columns: the first one's position and indices, and whether
  /// no other thread writes them; null for always.
  Index column;
  SmallVector<Index, 4> columnDims;
  Value exists;
  /// The elements from one place to the next, and the first place's.
  Index stride, start;
  /// What walks have found.
  llvm::DenseSet<Value> known;
};
} // namespace

LogicalResult OrderedColumnsLowering::verify() {
  if (space.length().size == 1 && schedule.getSplits() > 1)
    return frame.kernel.emitError()
           << "expected a schedule with splits = 1 for columns of one element, "
              "but got splits = "
           << schedule.getSplits() << "; leave splits out";
  if (vector == 1 || emitter.divides(vector, space.domain.back()))
    return success();
  return frame.kernel.emitError()
         << "expected a schedule whose vector divides the last dimension, "
            "but got vector = "
         << vector << "; use vector = 1";
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// With [2, 300, 64] scanned over the middle dimension, place p of column [i,
/// j] is element (i * 300 + p) * 64 + j.
void OrderedColumnsLowering::placeThread(const Index &block) {
  Index vectors = Index::constant(blockVectors());
  Index thread = frame.threadId(schedule.getThreads());
  group.vectors = blockVectors();
  group.slices = schedule.getSplits();
  group.vector = emitter.rem(thread, vectors);
  group.slice = emitter.div(thread, vectors);
  Index unit = emitter.add(emitter.mul(block, vectors), group.vector);
  Index own = emitter.mul(unit, Index::constant(vector));
  // Threads past the end work on the last vector again: they must take part in
  // the exchange, and must not write.
  Index total = emitter.product(kept);
  if (blockVectors() > 1)
    exists = emitter.less(own, total);
  column = blockVectors() == 1
               ? own
               : emitter.min(own, emitter.add(total, Index::constant(-vector)));
  columnDims = emitter.delinearize(column, kept);
  Index outer = Index::constant(0), inner = Index::constant(0);
  stride = Index::constant(1);
  for (auto [number, index] : llvm::enumerate(columnDims)) {
    Index size = emitter.size(kept[number]);
    if (static_cast<int64_t>(number) < space.dim) {
      outer = emitter.add(emitter.mul(outer, size), index);
    } else {
      inner = emitter.add(emitter.mul(inner, size), index);
      stride = emitter.mul(stride, size);
    }
  }
  Index row = emitter.mul(outer, emitter.size(space.length()));
  start = emitter.add(emitter.mul(row, stride), inner);
}

Point OrderedColumnsLowering::pointAt(const Index &place) {
  Point point;
  point.dims = columnDims;
  point.dims.insert(point.dims.begin() + space.dim, place);
  point.linear = emitter.add(start, emitter.mul(place, stride));
  point.shape = space.domain;
  point.flat = true;
  point.lanes = vector;
  return point;
}

/// This slice's, in the order of the scans.
SmallVector<Point>
OrderedColumnsLowering::pointsOfTile(const OrderedTile &tile) {
  SmallVector<Point> points;
  Index length = emitter.size(space.length());
  Index first = emitter.add(tile.first,
                            emitter.mul(group.slice, Index::constant(unroll)));
  for (int64_t i = 0; i < unroll; ++i) {
    Index number = emitter.add(first, Index::constant(i));
    Index place =
        space.reverse
            ? emitter.sub(emitter.add(length, Index::constant(-1)), number)
            : number;
    // Ops ask for the only element at index 0.
    if (space.length().size == 1)
      place = Index::constant(0);
    place.guarded = !tile.isWhole;
    points.push_back(pointAt(place));
    if (!tile.isWhole)
      points.back().guard = emitter.less(number, length);
  }
  return points;
}

/// The point of a value that has one element a column.
Point OrderedColumnsLowering::reducedPoint(Value value) {
  Point point;
  point.dims = columnDims;
  SmallVector<Extent> extents = emitter.getDims().extents(value);
  if (extents.size() == space.domain.size())
    point.dims.insert(point.dims.begin() + space.dim, Index::constant(0));
  point.linear = column;
  point.shape = std::move(extents);
  point.flat = true;
  point.lanes = vector;
  return point;
}

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

/// All tiles, with the scans that the values need; the reducers' states.
OrderedColumnsLowering::States
OrderedColumnsLowering::walkTiles(MutableArrayRef<Reducer> reducers,
                                  ArrayRef<Value> values, Visit visit) {
  SmallVector<ColumnScan> scans;
  States states;
  for (Reducer &reducer : reducers)
    states.push_back(reducer.identity(vector));
  for (ScanOp scan : scansBehind(space, values, known)) {
    scans.emplace_back(frame, scan, group, vector);
    states.push_back(scans.back().startColumns());
  }
  OrderedTiles tiles{emitter.size(space.length()), group.slices * unroll,
                     unroll};
  states = walkOrderedTiles(
      emitter, frame.loc(), reducers, tiles, std::move(states),
      [&](const OrderedTile &tile, States current) {
        SmallVector<Point> points = pointsOfTile(tile);
        for (auto [number, scan] : llvm::enumerate(scans)) {
          ReductionState &before = current[reducers.size() + number];
          before = scan.take(points, before, tile.parity);
        }
        States own(current.begin(), current.begin() + reducers.size());
        llvm::copy(visit(std::move(own), points), current.begin());
        return current;
      });
  states.truncate(reducers.size());
  return states;
}

void OrderedColumnsLowering::reduce(ArrayRef<Operation *> ops,
                                    ArrayRef<Value> inputs) {
  SmallVector<Reducer> reducers;
  for (Operation *op : ops)
    reducers.emplace_back(emitter, op, Reducer::Lanes::results);
  States states =
      walkTiles(reducers, inputs, [&](States own, ArrayRef<Point> points) {
        return accumulateAt(emitter, reducers, std::move(own), points);
      });
  if (group.slices > 1)
    states = combineSlices(frame, reducers, std::move(states), group);
  Index length = emitter.size(space.length());
  for (auto [reducer, state] : llvm::zip_equal(reducers, states))
    for (auto [result, value] : llvm::zip(reducer.getOp()->getResults(),
                                          reducer.finish(state, length)))
      emitter.define(result, reducedPoint(result), value);
  for (Operation *op : ops)
    known.insert(op->result_begin(), op->result_end());
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void OrderedColumnsLowering::storeFull(ArrayRef<Value> values) {
  if (values.empty())
    return;
  SmallVector<unsigned> results;
  for (auto [number, kind] : llvm::enumerate(space.results))
    if (kind == OrderedSpace::ResultKind::full)
      results.push_back(number);
  walkTiles({}, values, [&](States none, ArrayRef<Point> points) {
    // All loads start before the first store.
    SmallVector<SmallVector<Value>> computed;
    for (const Point &point : points)
      computed.push_back(llvm::map_to_vector(values, [&](Value value) {
        return emitter.emitLanes(value, point);
      }));
    for (auto [point, ofPoint] : llvm::zip_equal(points, computed))
      frame.ifTrue(frame.both(exists, point.guard), [&, &point = point,
                                                     &ofPoint = ofPoint] {
        for (auto [result, value] : llvm::zip_equal(results, ofPoint))
          emitter.store(result, point, value);
      });
    return none;
  });
}

void OrderedColumnsLowering::storeReduced() {
  Value isFirst = group.slices == 1
                      ? Value()
                      : emitter.less(group.slice, Index::constant(1));
  frame.ifTrue(frame.both(exists, isFirst), [&] {
    for (auto [number, kind] : llvm::enumerate(space.results)) {
      if (kind != OrderedSpace::ResultKind::row)
        continue;
      Point point = reducedPoint(yielded(number));
      emitter.store(number, point, emitter.emitLanes(yielded(number), point));
    }
  });
}

void OrderedColumnsLowering::emit(const Index &block) {
  placeThread(block);
  auto results = llvm::to_vector(frame.kernel.getYield().getValues());
  SmallVector<SmallVector<Value>> walked = walkedValues(space, results);
  for (auto [ops, inputs] : llvm::zip(space.walks, walked))
    reduce(ops, inputs);
  storeReduced();
  storeFull(walked.back());
}

FailureOr<Grid> mlir::fuse::lowerOrderedColumns(KernelFrame &frame,
                                                OrderedScheduleAttr schedule,
                                                const OrderedSpace &space) {
  OrderedColumnsLowering lowering(frame, schedule, space);
  if (failed(lowering.verify()))
    return failure();
  Grid grid = lowering.grid();
  frame.divideBlocks(
      grid, [&](unsigned, const Index &block) { lowering.emit(block); });
  return grid;
}
