//===- LowerColumns.cpp - Reductions shared out along what they reduce ----===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a block form a grid: neighbouring threads take neighbouring
// vectors of results, so that they read neighbouring memory, and the slices
// behind each other take every splits-th place of the reduced dimensions. With
// 4 vectors and 3 slices the block reads
//
//   place 0: v0 v1 v2 v3   <- slice 0
//   place 1: v0 v1 v2 v3   <- slice 1
//   place 2: v0 v1 v2 v3   <- slice 2
//   place 3: v0 v1 v2 v3   <- slice 0 again
//
// and then adds up the slices, from the first to the last. Reductions that need
// the result of another, and results that have the reduced dimensions, take
// further walks over the same places; with `hold = registers` the walks are
// unrolled and the emitter remembers what the first has loaded.
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"
#include "StateLoop.h"
#include "ThreadReduce.h"

#include "fuse/Analysis/KernelSpace.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class ColumnsLowering {
public:
  ColumnsLowering(KernelFrame &frame, ColumnsScheduleAttr schedule,
                  ReductionSpace space)
      : frame(frame), emitter(frame.emitter), schedule(schedule),
        space(std::move(space)), kept(this->space.keptExtents()),
        places(this->space.reducedExtents()), vector(schedule.getVector()),
        splits(schedule.getSplits()),
        vectors(schedule.getThreads() / schedule.getSplits()) {}

  FailureOr<Grid> run();

private:
  using States = ReductionStates;
  /// Takes the elements at some points into the states.
  using Visit = llvm::function_ref<States(States, ArrayRef<Point>)>;

  LogicalResult verify();
  bool isHeld() const { return schedule.getHold() == HoldKind::registers; }
  void placeThread();
  void placeHeldPoints();
  Point pointAt(const Index &place);
  Point reducedPoint(Value value);
  States walk(States states, Visit visit);
  void reduceLevel(ArrayRef<Operation *> ops);
  void storeFull(ArrayRef<unsigned> results);
  void storeReduced(ArrayRef<unsigned> results);
  Value yielded(unsigned result) {
    return frame.kernel.getYield().getValues()[result];
  }

  KernelFrame &frame;
  PointEmitter &emitter;
  ColumnsScheduleAttr schedule;
  ReductionSpace space;
  SmallVector<Extent> kept, places;
  int64_t vector, splits;
  /// Vectors of columns of a block.
  int64_t vectors;
  SliceGroup group;
  /// This thread's columns: their position and their indices.
  Index column;
  SmallVector<Index, 4> columnDims;
  Value exists;
  /// With hold = registers: all points of this thread.
  SmallVector<Point> held;
};
} // namespace

LogicalResult ColumnsLowering::verify() {
  auto error = [&](const Twine &what) {
    return frame.kernel.emitError() << what;
  };
  Extent inner = space.domain.back();
  bool overLast = space.isReduced(space.domain.size() - 1);
  if (vector > 1 && overLast)
    return error("expected vector = 1 where the last dimension is reduced, but "
                 "got vector = " +
                 Twine(vector) + "; use vector = 1");
  bool divides = inner.isStatic() ? inner.size % vector == 0
                                  : emitter.getOptions().divisible;
  if (vector > 1 && !divides)
    return error("expected a vector that divides the last dimension, but got "
                 "vector = " +
                 Twine(vector) + "; use vector = 1");
  if (isHeld() &&
      !llvm::all_of(places, [](const Extent &e) { return e.isStatic(); }))
    return error("expected a static number of reduced places with hold = "
                 "registers, but got a dynamic one; use hold = loop");
  return success();
}

void ColumnsLowering::placeThread() {
  Index thread = frame.threadId(schedule.getThreads());
  group.vectors = vectors;
  group.slices = splits;
  group.vector = emitter.rem(thread, Index::constant(vectors));
  group.slice = emitter.div(thread, Index::constant(vectors));
  Index unit = emitter.add(
      emitter.mul(frame.blockId(), Index::constant(vectors)), group.vector);
  Index first = emitter.mul(unit, Index::constant(vector));
  Index total = emitter.product(kept);
  // Threads past the end work on the last vector again: they must take part in
  // the exchange, and must not write.
  exists = emitter.less(first, total);
  column = emitter.min(first, emitter.add(total, Index::constant(-vector)));
  columnDims = emitter.delinearize(column, kept);
}

Point ColumnsLowering::pointAt(const Index &place) {
  Point point;
  SmallVector<Index, 4> placeDims = emitter.delinearize(place, places);
  const Index *nextPlace = placeDims.begin(), *nextColumn = columnDims.begin();
  for (size_t axis = 0; axis < space.domain.size(); ++axis)
    point.dims.push_back(space.isReduced(axis) ? *nextPlace++ : *nextColumn++);
  point.lanes = vector;
  return point;
}

/// The point of a value that has one element for all places.
Point ColumnsLowering::reducedPoint(Value value) {
  Point point;
  size_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (rank == kept.size()) {
    point.dims = columnDims;
  } else {
    point = pointAt(Index::constant(0));
    for (int64_t axis : space.reduced)
      point.dims[axis] = Index::constant(0);
  }
  point.linear = column;
  point.shape = emitter.getDims().extents(value);
  point.flat = true;
  point.lanes = vector;
  return point;
}

void ColumnsLowering::placeHeldPoints() {
  int64_t count = emitter.product(places).offset;
  for (int64_t from = 0; from < count; from += splits) {
    Index place = emitter.add(group.slice, Index::constant(from));
    bool whole = from + splits <= count;
    place.guarded = !whole;
    held.push_back(pointAt(place));
    if (!whole)
      held.back().guard = emitter.less(place, Index::constant(count));
  }
}

/// The places of this thread's slice: all at once where they are held, else
/// several at a time and then one by one.
ColumnsLowering::States ColumnsLowering::walk(States states, Visit visit) {
  if (isHeld()) {
    size_t whole = llvm::count_if(held, [](auto &p) { return !p.guard; });
    if (whole)
      states = visit(states, ArrayRef(held).take_front(whole));
    for (const Point &point : ArrayRef(held).drop_front(whole))
      states = visit(states, point);
    return states;
  }
  Index count = emitter.product(places);
  int64_t unroll = schedule.getUnroll(), perStep = unroll * splits;
  Index stepped = emitter.mul(emitter.div(count, Index::constant(perStep)),
                              Index::constant(perStep));
  states = loopOverStates(frame, Index::constant(0), stepped, perStep, states,
                          [&](Index base, States inner) {
                            SmallVector<Point> points;
                            Index first = emitter.add(base, group.slice);
                            for (int64_t i = 0; i < unroll; ++i)
                              points.push_back(pointAt(emitter.add(
                                  first, Index::constant(i * splits))));
                            return visit(std::move(inner), points);
                          });
  return loopOverStates(frame, emitter.add(stepped, group.slice), count, splits,
                        states, [&](Index place, States inner) {
                          return visit(std::move(inner), pointAt(place));
                        });
}

void ColumnsLowering::reduceLevel(ArrayRef<Operation *> ops) {
  SmallVector<Reducer> reducers;
  States states;
  for (Operation *op : ops) {
    reducers.emplace_back(emitter, op);
    states.push_back(reducers.back().identity(vector));
  }
  states = walk(states, [&](States current, ArrayRef<Point> points) {
    return accumulateAt(emitter, reducers, std::move(current), points);
  });
  if (splits > 1)
    states = combineSlices(frame, reducers, states, group);
  Index count = emitter.product(places);
  for (auto [reducer, state] : llvm::zip(reducers, states))
    for (auto [result, value] :
         llvm::zip(reducer.getOp()->getResults(), reducer.finish(state, count)))
      emitter.define(result, reducedPoint(result), value);
}

void ColumnsLowering::storeFull(ArrayRef<unsigned> results) {
  if (results.empty())
    return;
  walk({}, [&](States states, ArrayRef<Point> points) {
    for (const Point &point : points)
      frame.ifTrue(frame.both(exists, point.guard), [&] {
        SmallVector<Value> values;
        for (unsigned result : results)
          values.push_back(emitter.emitLanes(yielded(result), point));
        for (auto [result, value] : llvm::zip(results, values))
          emitter.store(result, point, value);
      });
    return states;
  });
}

void ColumnsLowering::storeReduced(ArrayRef<unsigned> results) {
  if (results.empty())
    return;
  Value first =
      splits > 1 ? emitter.less(group.slice, Index::constant(1)) : Value();
  frame.ifTrue(frame.both(exists, first), [&] {
    SmallVector<Value> values;
    for (unsigned result : results)
      values.push_back(
          emitter.emitLanes(yielded(result), reducedPoint(yielded(result))));
    for (auto [result, value] : llvm::zip(results, values))
      emitter.store(result, reducedPoint(yielded(result)), value);
  });
}

FailureOr<Grid> ColumnsLowering::run() {
  if (failed(verify()))
    return failure();
  placeThread();
  if (isHeld())
    placeHeldPoints();
  SmallVector<unsigned> full, reduced;
  for (unsigned result = 0; result < frame.kernel.getNumResults(); ++result) {
    SmallVector<Extent> extents = frame.dims.extents(yielded(result));
    bool isReduced = space.isReducedShape(extents);
    if (!isReduced && extents != space.domain)
      return frame.kernel.emitError()
             << "expected results of the shape that is reduced, or without the "
                "reduced dimensions, but got "
             << yielded(result).getType() << " as result " << result
             << "; put it into a kernel of its own";
    (isReduced ? reduced : full).push_back(result);
  }
  for (ArrayRef<Operation *> level : space.levels)
    reduceLevel(level);
  storeFull(full);
  storeReduced(reduced);
  return Grid{GridTerm{{{kept, vector * vectors}}}};
}

FailureOr<Grid> mlir::fuse::lowerColumns(KernelFrame &frame,
                                         ColumnsScheduleAttr schedule) {
  std::string reason;
  FailureOr<ReductionSpace> space =
      reductionSpaceOf(frame.kernel, frame.dims, reason);
  if (failed(space))
    return frame.kernel.emitError()
           << "expected reductions over the same dimensions of one shape for "
              "#fuse.columns, but "
           << reason << "; put them into kernels of their own";
  return ColumnsLowering(frame, schedule, std::move(*space)).run();
}
