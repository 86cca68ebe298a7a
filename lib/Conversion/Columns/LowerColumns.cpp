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
// Where the places are neighbours in memory, the lanes of a vector are places
// of one column. A vector then need not divide their number: whole vectors
// start at the first place that is aligned, and the edges, what is before and
// behind them, are walked element by element.
//
// Where they are rows apart, the lanes are columns, and rows that no vector
// divides are aligned nowhere: vectors are cut out of aligned ones, and the
// last of a row overlaps the one before, whose columns it reduces again but
// does not write. With `fold` > 1 so many rows are walked as one, which whole
// vectors divide; the columns of each are a part of their own. Eight rows of
// five 16-bit elements are five vectors:
//
//   v0: row 0 columns 0 to 4, row 1 columns 0 to 2
//   v1: row 1 columns 3 and 4, row 2 columns 0 to 4, row 3 column 0
//   ...
//
// With `parts` > 1 the steps of a walk are dealt to as many blocks, which leave
// their states for a second launch; see PartStates.h. With `share = cluster`
// > 1 these are the blocks of a cluster, and leave them for its first block.
//
//===----------------------------------------------------------------------===//

#include "LowerColumns.h"
#include "ColumnsLowering.h"
#include "Reductions/ClusterExchange.h"
#include "Reductions/PartStates.h"
#include "Reductions/ResultStorer.h"
#include "fuse/Analysis/ReductionSegments.h"

#include "fuse/Analysis/ColumnSegments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

/// Each takes dozens of instructions, of which LLVM takes minutes to select
/// thousands in one block.
static constexpr int64_t maxCutUnroll = 16;

bool ColumnsLowering::divides() const {
  return folded() > 1 || emitter.divides(vector, space.domain.back());
}

bool ColumnsLowering::mayOverlap() const {
  bool isFull = llvm::any_of(segment.stored, [&](Value value) {
    return !space.isReducedShape(frame.dims.extents(value));
  });
  return !alongPlaces && kept.size() == 1 && kept.front().isStatic() &&
         kept.front().size >= 2 * vector && !isHeld() && !isFull;
}

LogicalResult ColumnsLowering::verify() {
  auto error = [&](const Twine &what) {
    return frame.kernel.emitError() << what;
  };
  bool mayLeaveEdges = alongPlaces && space.reduced.size() == 1 && !isHeld();
  if (!divides() && !mayLeaveEdges && !mayOverlap())
    return error("expected a vector that divides the last dimension, but got "
                 "vector = " +
                 Twine(vector) + "; use vector = 1");
  if (overlaps() && schedule.getHold().getUnroll() > maxCutUnroll)
    return error("expected at most unroll = " + Twine(maxCutUnroll) +
                 " for vectors that are cut out of aligned ones, but got "
                 "unroll = " +
                 Twine(schedule.getHold().getUnroll()) + "; use fewer");
  if (isHeld() &&
      !llvm::all_of(places, [](const Extent &e) { return e.isStatic(); }))
    return error("expected a static number of reduced elements with hold = "
                 "registers, but got a dynamic one; use hold = loop");
  int64_t share = splits * vector / width;
  if (isHeld() && *staticProduct(places) > maxHeldVectors * share)
    return error("expected at most " + Twine(maxHeldVectors) +
                 " vectors a thread with hold = registers, but got " +
                 Twine(llvm::divideCeil(*staticProduct(places), share)) +
                 "; use more splits or hold = loop");
  if (failed(verifyCluster()) || failed(verifyFold()) ||
      failed(verifyResults()))
    return failure();
  foldRows();
  return success();
}

LogicalResult ColumnsLowering::verifyResults() {
  for (auto [number, value] :
       llvm::zip_equal(segment.results, segment.stored)) {
    SmallVector<Extent> extents = frame.dims.extents(value);
    if (!space.isReducedShape(extents) && extents != space.domain)
      return frame.kernel.emitError()
             << "expected results of the shape that is reduced, or without the "
                "reduced dimensions, but got "
             << value.getType() << " as result " << number
             << "; put it into a kernel of its own";
  }
  return success();
}

LogicalResult ColumnsLowering::verifyFold() {
  if (folded() == 1)
    return success();
  if (!foldsRows(frame.kernel, space, frame.dims))
    return frame.kernel.emitError()
           << "expected fold = " << folded()
           << " where a static last dimension is the only one that stays, all "
              "before the reductions is pointwise, and all results are "
              "reduced, but got other ops or shapes; use fold = 1";
  int64_t columns = kept.front().size;
  if (columns * folded() % vector == 0)
    return success();
  return frame.kernel.emitError()
         << "expected a vector that divides " << folded()
         << " rows, but got vector = " << vector << " for rows of " << columns
         << "; use fold = " << vector / std::gcd(columns, vector);
}

/// From here on the columns are those of all rows that are walked as one.
void ColumnsLowering::foldRows() {
  if (folded() > 1)
    kept = {Extent{kept.front().size * folded()}};
}

LogicalResult ColumnsLowering::verifyCluster() {
  int64_t most = emitter.getOptions().cluster;
  if (clustered() > most)
    return frame.kernel.emitError()
           << "expected a chip with clusters of " << clustered()
           << " blocks, but got one with " << most
           << "; leave share out, or take another chip";
  if (clustered() > 1 && !isWalkedOnce())
    return frame.kernel.emitError()
           << "expected a cluster where one walk is enough, but got reductions "
              "that need others, an op that reads them at other indices, or a "
              "result of the reduced shape that needs one; leave share out";
  return success();
}

/// Blocks beside each other take neighbouring columns, or parts of the same
/// columns where they are a cluster.
Index ColumnsLowering::placeBlock(const Index &block) {
  if (clustered() == 1)
    return block;
  parts = Index::constant(clustered());
  part = emitter.rem(block, parts);
  return emitter.div(block, parts);
}

void ColumnsLowering::placeThread(const Index &block) {
  thread = frame.threadId(schedule.getThreads());
  group.vectors = vectors;
  group.slices = splits;
  group.vector = emitter.rem(thread, Index::constant(vectors));
  group.slice = emitter.div(thread, Index::constant(vectors));
  Index unit = emitter.add(
      emitter.mul(placeBlock(block), Index::constant(vectors)), group.vector);
  firstOwn = emitter.mul(unit, Index::constant(width));
  Index total = emitter.product(kept);
  // Threads past the end work on the last vector again: they must take part in
  // the exchange, and must not write.
  exists = emitter.less(firstOwn, total);
  column = emitter.min(firstOwn, emitter.add(total, Index::constant(-width)));
  columnDims = emitter.delinearize(column, kept);
  if (clustered() > 1)
    arrival = startCluster(frame, /*exchanges=*/1, thread).front();
  placeStride();
  if (hasEdges())
    placeHead();
}

/// From here on each of the block's first threads has one column: a lane of the
/// vector that it had. Of a vector past the end none exists.
void ColumnsLowering::placeOneColumn() {
  Index lane = emitter.div(thread, Index::constant(vectors));
  column = emitter.add(column, lane);
  columnDims = emitter.delinearize(column, kept);
  width = 1;
  group.vectors *= vector;
  group.vector = thread;
}

/// A single column starts where its tensor does.
void ColumnsLowering::placeHead() {
  Index count = emitter.product(places), size = Index::constant(vector);
  Index past = emitter.rem(emitter.mul(column, count), size);
  head = emitter.min(emitter.rem(emitter.sub(size, past), size), count);
}

/// Positions in the domain without a division a place: with [2, ?, 3, 8]
/// reduced over the middle dimensions, place p of column [i, j] is element (i *
/// places + p) * 8 + j.
void ColumnsLowering::placeStride() {
  int64_t front = space.reduced.front(), count = space.reduced.size();
  if (space.reduced.back() != front + count - 1)
    return;
  Index outer = Index::constant(0), inner = Index::constant(0);
  Index width = Index::constant(1);
  for (auto [number, index] : llvm::enumerate(columnDims)) {
    Index size = emitter.size(kept[number]);
    if (static_cast<int64_t>(number) < front) {
      outer = emitter.add(emitter.mul(outer, size), index);
    } else {
      inner = emitter.add(emitter.mul(inner, size), index);
      width = emitter.mul(width, size);
    }
  }
  Index row = emitter.mul(outer, emitter.product(places));
  stride = {width, emitter.add(emitter.mul(row, width), inner)};
}

/// Of place number `vectorPlace`, or of the vector of places of that number.
Point ColumnsLowering::pointAt(const Index &vectorPlace, Behind behind) {
  Index places = emitter.mul(vectorPlace, Index::constant(vector / width));
  Point point = pointAtPlace(emitter.add(head, places), vector);
  point.ragged = !divides();
  point.behind = behind;
  return point;
}

Point ColumnsLowering::pointAtPlace(const Index &place, int64_t lanes) {
  Point point;
  if (folded() > 1) {
    point.linear =
        emitter.add(stride->second, emitter.mul(place, stride->first));
    point.dims = emitter.delinearize(*point.linear, space.domain);
    point.shape = space.domain;
    point.lanes = lanes;
    point.flat = true;
    point.crossesRows = lanes > 1;
    return point;
  }
  SmallVector<Index, 4> placeDims = emitter.delinearize(place, places);
  const Index *nextPlace = placeDims.begin(), *nextColumn = columnDims.begin();
  for (size_t axis = 0; axis < space.domain.size(); ++axis)
    point.dims.push_back(space.isReduced(axis) ? *nextPlace++ : *nextColumn++);
  point.lanes = lanes;
  if (stride) {
    point.linear =
        emitter.add(stride->second, emitter.mul(place, stride->first));
    point.shape = space.domain;
    point.flat = !overlaps();
  }
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
  point.flat = !overlaps();
  point.ragged = overlaps();
  point.lanes = width;
  return point;
}

void ColumnsLowering::define(MutableArrayRef<Reducer> reducers,
                             const States &states) {
  Index count = emitter.product(places);
  for (auto [reducer, state] : llvm::zip(reducers, states))
    for (auto [result, value] :
         llvm::zip(reducer.getOp()->getResults(), reducer.finish(state, count)))
      emitter.define(result, reducedPoint(result), value);
}

void ColumnsLowering::reduceLevel(ArrayRef<Operation *> ops) {
  SmallVector<Reducer> reducers;
  for (Operation *op : ops)
    reducers.emplace_back(emitter, op, lanes());
  States states = walkLevel(reducers);
  if (splits > 1)
    states = combineSlices(frame, reducers, states, group);
  define(reducers, states);
}

void ColumnsLowering::reduceLastLevel(ArrayRef<Operation *> ops,
                                      ArrayRef<unsigned> full,
                                      ArrayRef<unsigned> reduced) {
  SmallVector<Reducer> reducers;
  for (Operation *op : ops)
    reducers.emplace_back(emitter, op, lanes());
  States states = walkLevel(reducers, full);
  if (clustered() > 1)
    awaitCluster(frame);
  if (combinesLanes())
    return combineLanes(frame, reducers, states, group, thread, vector,
                        [&](const States &combined) {
                          placeOneColumn();
                          finishColumns(reducers, combined, reduced);
                        });
  Value first =
      splits > 1 ? emitter.less(group.slice, Index::constant(1)) : Value();
  combineSlices(frame, reducers, states, group, first,
                [&](const States &combined) {
                  finishColumns(reducers, combined, reduced);
                });
}

/// With the block's states of this thread's columns, whether they exist or not:
/// the first block of a cluster counts on all.
void ColumnsLowering::finishColumns(MutableArrayRef<Reducer> reducers,
                                    const States &states,
                                    ArrayRef<unsigned> reduced) {
  if (frame.partStates)
    return frame.ifTrue(exists, [&] { leaveColumns(states); });
  auto finish = [&](const States &combined) {
    define(reducers, combined);
    storeReduced(reduced);
  };
  if (clustered() == 1)
    return frame.ifTrue(exists, [&] { finish(states); });
  SliceGroup blocks{group.vectors, clustered(), group.vector, part, arrival};
  combineInCluster(frame, reducers, states, blocks, exists, finish);
}

void ColumnsLowering::storeAt(ArrayRef<unsigned> stores,
                              ArrayRef<Point> points) {
  if (stores.empty())
    return;
  for (const Point &point : points)
    frame.ifTrue(frame.both(exists, point.guard), [&] {
      SmallVector<Value> values;
      for (unsigned store : stores)
        values.push_back(emitter.emitLanes(segment.stored[store], point));
      for (auto [store, value] : llvm::zip(stores, values))
        emitter.store(segment.results[store], point, value);
    });
}

void ColumnsLowering::storeFull(ArrayRef<unsigned> stores) {
  auto visit = [&](States states, ArrayRef<Point> points) {
    storeAt(stores, points);
    return states;
  };
  walk({}, {}, visit);
  if (hasEdges())
    walkEdges({}, visit);
}

/// Where this thread writes.
void ColumnsLowering::storeReduced(ArrayRef<unsigned> stores) {
  SmallVector<Value> values;
  for (unsigned store : stores)
    values.push_back(emitter.emitLanes(segment.stored[store],
                                       reducedPoint(segment.stored[store])));
  auto storeEach = [&](std::optional<int64_t> lane) {
    for (auto [store, value] : llvm::zip(stores, values)) {
      Point point = reducedPoint(segment.stored[store]);
      Value stored = value;
      if (lane) {
        point = emitter.lanePoint(point, *lane);
        stored = mlir::vector::ExtractOp::create(frame.builder, frame.loc(),
                                                 value, *lane);
      }
      ResultStorer(frame, segment.results[store], segment.paths[store])
          .store(point, stored);
    }
  };
  if (!overlaps())
    return storeEach(std::nullopt);
  forOwnColumns([&](int64_t lane) { storeEach(lane); });
}

/// For each lane whose column no other thread writes.
void ColumnsLowering::forOwnColumns(llvm::function_ref<void(int64_t)> body) {
  for (int64_t lane = 0; lane < vector; ++lane)
    frame.ifTrue(
        emitter.less(firstOwn, emitter.add(column, Index::constant(lane + 1))),
        [&] { body(lane); });
}

void ColumnsLowering::leaveColumns(const States &states) {
  Index total = emitter.product(kept);
  if (!overlaps())
    return leaveStates(frame, states, part, column, total, firstState);
  forOwnColumns([&](int64_t lane) {
    States own = states;
    for (ReductionState &state : own)
      for (Value &value : state)
        // A number of elements is the same for all lanes.
        if (isa<VectorType>(value.getType()))
          value = mlir::vector::ExtractOp::create(frame.builder, frame.loc(),
                                                  value, lane);
    leaveStates(frame, own, part, emitter.add(column, Index::constant(lane)),
                total, firstState);
  });
}

void ColumnsLowering::emit(const Index &block, const Index &part,
                           const Index &parts) {
  this->part = part;
  this->parts = parts;
  placeThread(block);
  if (isHeld())
    placeHeldPoints();
  SmallVector<unsigned> full, reduced;
  for (auto [store, value] : llvm::enumerate(segment.stored))
    (space.isReducedShape(frame.dims.extents(value)) ? reduced : full)
        .push_back(store);
  ArrayRef<SmallVector<Operation *>> levels = space.levels;
  bool stopsThere = isWalkedOnce() || full.empty();
  for (ArrayRef<Operation *> level : stopsThere ? levels.drop_back() : levels)
    reduceLevel(level);
  if (stopsThere)
    return reduceLastLevel(levels.back(), full, reduced);
  storeFull(full);
  Value first =
      splits > 1 ? emitter.less(group.slice, Index::constant(1)) : Value();
  frame.ifTrue(frame.both(exists, first), [&] { storeReduced(reduced); });
}

/// The segments of a kernel; each has one way to be walked where there are
/// several.
static FailureOr<std::vector<ReductionSegment>>
verifiedSegments(KernelFrame &frame, ColumnsScheduleAttr schedule) {
  Reason reason;
  auto segments = columnSegmentsOf(frame.kernel, frame.dims, reason);
  bool haveGroups = succeeded(segments) &&
                    llvm::any_of(*segments, [](const ReductionSegment &each) {
                      return each.space.hasGroups();
                    });
  if (haveGroups)
    reason = ReasonKind::differentDims;
  if (failed(segments) || haveGroups)
    return frame.kernel.emitError()
           << "expected reductions over the same dimensions of one shape for "
              "#fuse.columns, but "
           << reason.sentence() << "; put them into kernels of their own";
  if (segments->size() > 1 &&
      (schedule.getFold() > 1 || schedule.clusterSize() > 1))
    return frame.kernel.emitError()
           << "expected fold = 1 and no cluster for columns of several shapes, "
              "but got fold = "
           << schedule.getFold() << " and " << schedule.clusterSize()
           << " blocks a column; put them into kernels of their own";
  return segments;
}

FailureOr<Grid> mlir::fuse::lowerColumns(KernelFrame &frame,
                                         ColumnsScheduleAttr schedule) {
  auto segments = verifiedSegments(frame, schedule);
  if (failed(segments))
    return failure();
  std::vector<ColumnsLowering> lowerings;
  unsigned firstState = 0;
  Grid grid;
  auto vectors = columnVectors(*segments, schedule.getVector(), frame.dims);
  for (auto [segment, vector] : llvm::zip_equal(*segments, vectors)) {
    lowerings.emplace_back(frame, schedule, segment, vector, firstState);
    if (failed(lowerings.back().verify()))
      return failure();
    firstState += stateTypes(segment.space.levels.front()).size();
    grid.push_back(lowerings.back().grid());
  }
  // With parts, all blocks of one come before those of the next.
  PointEmitter &emitter = frame.emitter;
  Index block = frame.blockId(), part = Index::constant(0),
        parts = Index::constant(1);
  if (frame.partStates && schedule.clusterSize() == 1) {
    parts = emitter.div(frame.partStates->parts,
                        Index::constant(schedule.getFold()));
    Index across = Index::constant(0);
    for (const GridTerm &term : grid)
      across = emitter.add(across, frame.blocks(term));
    part = emitter.div(block, across);
    block = emitter.rem(block, across);
  }
  frame.divideBlocks(grid, block, [&](unsigned number, const Index &own) {
    lowerings[number].emit(own, part, parts);
  });
  return grid;
}
