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
// and then adds up the slices, from the first to the last.
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"
#include "Reducer.h"
#include "ThreadReduce.h"

#include "fuse/Analysis/KernelSpace.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

/// Places that a thread reads before it uses the first: loads in flight.
static constexpr int64_t placesPerStep = 4;

namespace {
class ColumnsLowering {
public:
  ColumnsLowering(KernelFrame &frame, ColumnsScheduleAttr schedule,
                  const Segment &segment)
      : frame(frame), emitter(frame.emitter), schedule(schedule),
        segment(segment), vector(schedule.getVector()),
        splits(schedule.getSplits()),
        vectors(schedule.getThreads() / schedule.getSplits()) {}

  FailureOr<Grid> run();

private:
  LogicalResult verify();
  void placeThread();
  ReductionState walk(Reducer &reducer);
  ReductionState loop(Reducer &reducer, Index from, Index to, int64_t step,
                      const ReductionState &state,
                      llvm::function_ref<SmallVector<Index>(Index)> places);
  void reduceAll();
  void store();

  KernelFrame &frame;
  PointEmitter &emitter;
  ColumnsScheduleAttr schedule;
  const Segment &segment;
  int64_t vector, splits;
  /// Vectors of results of a block.
  int64_t vectors;
  SliceGroup group;
  Point point;
  Value exists;
};
} // namespace

LogicalResult ColumnsLowering::verify() {
  Extent inner = segment.extents.empty() ? Extent{1} : segment.extents.back();
  bool divides = inner.isStatic() ? inner.size % vector == 0
                                  : emitter.getOptions().divisible;
  if (vector > 1 && !divides)
    return frame.kernel.emitError()
           << "expected a vector that divides the last dimension, but got "
              "vector = "
           << vector << "; use vector = 1";
  for (ReduceOp op : frame.kernel.getBody().getOps<ReduceOp>())
    if (vector > 1 &&
        llvm::is_contained(op.getDims(), op.getInput().getType().getRank() - 1))
      return frame.kernel.emitError()
             << "expected vector = 1 where the last dimension is reduced, but "
                "got vector = "
             << vector << "; use vector = 1";
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
  Index total = emitter.product(segment.extents);
  // Threads past the end work on the last vector again: they must take part in
  // the exchange, and must not write.
  exists = emitter.less(first, total);
  Index inside =
      emitter.min(first, emitter.add(total, Index::constant(-vector)));
  point.dims = emitter.delinearize(inside, segment.extents);
  point.linear = inside;
  point.shape = segment.extents;
  point.flat = true;
  point.lanes = vector;
}

ReductionState
ColumnsLowering::loop(Reducer &reducer, Index from, Index to, int64_t step,
                      const ReductionState &state,
                      llvm::function_ref<SmallVector<Index>(Index)> places) {
  OpBuilder &builder = frame.builder;
  auto forOp = scf::ForOp::create(
      builder, frame.loc(), emitter.materialize(from), emitter.materialize(to),
      emitter.materialize(Index::constant(step)), state);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  PointEmitter::Scope scope(emitter);
  SmallVector<Extent> extents = reducer.reducedExtents();
  SmallVector<Value> elements;
  for (const Index &place : places({forOp.getInductionVar()}))
    elements.push_back(emitter.emit(
        reducer.getInput(),
        reducer.inputPoint(point, emitter.delinearize(place, extents))));
  ReductionState inner(forOp.getRegionIterArgs());
  scf::YieldOp::create(builder, frame.loc(),
                       reducer.accumulate(inner, elements, Value()));
  return ReductionState(forOp.getResults());
}

/// The places of this thread's slice, several at a time and then one by one.
ReductionState ColumnsLowering::walk(Reducer &reducer) {
  Index count = emitter.product(reducer.reducedExtents());
  int64_t perStep = placesPerStep * splits;
  Index stepped = emitter.mul(emitter.div(count, Index::constant(perStep)),
                              Index::constant(perStep));
  ReductionState state = loop(
      reducer, Index::constant(0), stepped, perStep, reducer.identity(vector),
      [&](Index base) {
        SmallVector<Index> places;
        Index first = emitter.add(base, group.slice);
        for (int64_t i = 0; i < placesPerStep; ++i)
          places.push_back(emitter.add(first, Index::constant(i * splits)));
        return places;
      });
  return loop(reducer, emitter.add(stepped, group.slice), count, splits, state,
              [](Index place) { return SmallVector<Index>{place}; });
}

void ColumnsLowering::reduceAll() {
  SmallVector<Reducer> reducers;
  SmallVector<ReductionState> states;
  for (ReduceOp op : frame.kernel.getBody().getOps<ReduceOp>()) {
    reducers.emplace_back(emitter, op);
    states.push_back(walk(reducers.back()));
  }
  states = combineSlices(frame, reducers, states, group);
  for (auto [reducer, state] : llvm::zip(reducers, states)) {
    Index count = emitter.product(reducer.reducedExtents());
    emitter.define(reducer.getOp()->getResult(0), point,
                   reducer.finish(state, count).front());
  }
}

void ColumnsLowering::store() {
  Value first = emitter.less(group.slice, Index::constant(1));
  frame.ifTrue(frame.both(exists, first), [&] {
    auto yielded = frame.kernel.getYield().getValues();
    SmallVector<Value> values;
    for (unsigned result : segment.results)
      values.push_back(emitter.emitLanes(yielded[result], point));
    for (auto [result, value] : llvm::zip(segment.results, values))
      emitter.store(result, point, value);
  });
}

FailureOr<Grid> ColumnsLowering::run() {
  if (failed(verify()))
    return failure();
  placeThread();
  reduceAll();
  store();
  return Grid{GridTerm{{{segment.extents, vector * vectors}}}};
}

FailureOr<Grid> mlir::fuse::lowerColumns(KernelFrame &frame,
                                         ColumnsScheduleAttr schedule) {
  if (schedule.getSplits() == 1)
    return lowerPointwise(frame, schedule.getThreads(), schedule.getVector(),
                          /*unroll=*/1);
  SmallVector<Segment> segments = segmentsOf(frame.kernel, frame.dims);
  if (segments.size() != 1)
    return frame.kernel.emitError()
           << "expected results of one shape with splits = "
           << schedule.getSplits() << ", but got " << segments.size()
           << " shapes; use splits = 1";
  return ColumnsLowering(frame, schedule, segments.front()).run();
}
