//===- LowerRows.cpp - Reductions and results of rows ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerRows.h"
#include "Points/OpEmitters.h"
#include "RowsLowering.h"
#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/ReductionSegments.h"

#include "Reductions/ClusterExchange.h"
#include "Reductions/GridExchange.h"

#include "fuse/Analysis/OpCost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

LogicalResult RowsLowering::verifyLength() {
  const Extent &inner = space.columns().back();
  auto error = [&](const Twine &what) {
    return frame.kernel.emitError() << what;
  };
  std::optional<int64_t> length = staticProduct(space.columns());
  StringRef hold = stringifyHoldKind(schedule.getHold());
  if (!isLoop() && !length)
    return error("expected a static row length with hold = " + hold +
                 ", but got a dynamic one; use hold = loop");
  int64_t share = schedule.threadsPerRow() * vector;
  int64_t most = maxHeldVectors * (isShared() ? schedule.getUnroll() : 1);
  if (!isLoop() && *length > most * share)
    return error("expected at most " + Twine(most) +
                 " vectors a thread with hold = " + hold + ", but got " +
                 Twine(llvm::divideCeil(*length, share)) +
                 "; use more threads or hold = loop");
  bool mayHaveEdges =
      space.columns().size() == 1 && share >= 2 * vector * vector;
  if (!mayHaveEdges && (!isLoop() || space.columns().size() > 1) &&
      inner.isStatic() && inner.size % vector != 0)
    return error("expected a schedule whose vector divides the last dimension, "
                 "but got vector = " +
                 Twine(vector) + " for " + Twine(inner.size) +
                 "; use vector = 1");
  if (space.columns().size() > 1 && !inner.isStatic() &&
      !emitter.divides(vector, inner))
    return error("expected vector = 1 for several reduced dimensions of "
                 "dynamic size, but got vector = " +
                 Twine(vector) + "; use vector = 1");
  return success();
}

/// The largest power of two up to `most` that divides the number.
static int64_t powerOfTwoIn(int64_t number, int64_t most) {
  while (number % most != 0)
    most /= 2;
  return most;
}

/// The threads of the whole grid, which share a row, exchange by the block.
void RowsLowering::placeInGrid(const Index &block) {
  Index threads = Index::constant(schedule.getThreads());
  group = {schedule.getThreads(), /*groups=*/1, thread, Index::constant(0)};
  Index blocks = {
      gpu::GridDimOp::create(frame.builder, frame.loc(), gpu::Dimension::x)};
  walkers = emitter.mul(blocks, threads);
  walker = emitter.add(emitter.mul(block, threads), thread);
}

/// The threads of a block have one row or several; those of a cluster have one.
void RowsLowering::placeInBlocks(const Index &block) {
  Index blocks = Index::constant(schedule.getBlocksPerRow());
  group.groups = schedule.groupsPerBlock();
  group.width = schedule.threadsPerRow();
  group.blocks = schedule.getBlocksPerRow();
  group.thread = thread;
  Index width = Index::constant(group.width);
  Index before = emitter.mul(emitter.rem(block, blocks),
                             Index::constant(schedule.getThreads()));
  bool isAlone = group.groups == 1;
  group.lane =
      isAlone ? emitter.add(before, thread) : emitter.rem(thread, width);
  group.group = isAlone ? Index::constant(0) : emitter.div(thread, width);
  walkers = width;
  walker = group.lane;
}

void RowsLowering::placeThread(const Index &block) {
  thread = frame.threadId(schedule.getThreads());
  schedule.getWholeGrid() ? placeInGrid(block) : placeInBlocks(block);
  columns = emitter.product(space.columns());
  divisor = 1;
  for (const Extent &extent : space.columns())
    divisor *= powerOfTwoIn(frame.dims.knownDivisor(extent), vector / divisor);
  edges = findEdges();
}

/// This thread's row in the rows of block number `block`; its first of several.
Index RowsLowering::rowOf(const Index &block) {
  if (schedule.getWholeGrid())
    return Index::constant(0);
  Index blocks = Index::constant(schedule.getBlocksPerRow());
  return emitter.add(emitter.mul(emitter.div(block, blocks),
                                 Index::constant(schedule.getRowsPerBlock())),
                     group.group);
}

/// Whether each of a block's rows exists in every block.
bool RowsLowering::haveAllRows() {
  int64_t perBlock = schedule.getRowsPerBlock();
  Index rows = emitter.product(space.rows());
  return perBlock == 1 || (!rows.base && rows.offset % perBlock == 0);
}

void RowsLowering::placeStart(const Index &number) {
  row = {};
  row.dims = emitter.delinearize(number, space.rows());
  row.start = emitter.mul(number, columns);
}

void RowsLowering::placeRow(const Index &number) {
  placeStart(number);
  placeVectors();
}

/// Threads without a row work on the last one: they must take part in the
/// exchanges, and must not write.
void RowsLowering::placeExistingRow(const Index &number) {
  if (haveAllRows())
    return placeRow(number);
  Index rows = emitter.product(space.rows());
  Value exists = emitter.less(number, rows);
  placeRow(emitter.min(number, emitter.add(rows, Index::constant(-1))));
  row.exists = exists;
}

/// Walks of loops have the edges in a loop of their own, of any number.
RowEdges RowsLowering::findEdges() const {
  int64_t threads = isLoop() ? INT64_MAX : group.width;
  double bytes = 1;
  for (BlockArgument input : streamedInputs(frame.kernel, frame.dims, segment))
    bytes = std::max(bytes, elementBytes(input));
  return rowEdges(columns.offset, vector, threads, static_cast<int64_t>(bytes));
}

void RowsLowering::placeVectors() {
  Index size = Index::constant(vector);
  row.head = Index::constant(0);
  if (hasEdges()) {
    Index unit = Index::constant(edges.unit);
    Index past = emitter.rem(row.start, unit);
    row.head = emitter.min(emitter.rem(emitter.sub(unit, past), unit), columns);
    row.vectors = Index::constant(edges.even);
    if (edges.even > 0)
      return;
  }
  row.vectors = emitter.div(emitter.sub(columns, row.head), size);
}

Point RowsLowering::pointAt(Index column, int64_t lanes, bool followed) {
  Point point;
  point.dims = row.dims;
  point.dims.append(emitter.delinearize(column, space.columns()));
  point.linear = emitter.add(row.start, column);
  point.shape = space.domain;
  point.lanes = lanes;
  if (lanes > 1 && hasEdges()) {
    point.flat = true;
    point.ragged = true;
    point.behind = followed ? Behind::inRow : Behind::unknown;
  }
  return point;
}

Point RowsLowering::rowPoint(Value value) {
  Point point;
  point.dims = row.dims;
  size_t rank = cast<RankedTensorType>(value.getType()).getRank();
  point.dims.resize(rank, Index::constant(0));
  return point;
}

//===----------------------------------------------------------------------===//
// Reductions and results
//===----------------------------------------------------------------------===//

/// What this thread finds in the present row.
RowsLowering::States RowsLowering::walkLevel(MutableArrayRef<Reducer> reducers,
                                             bool isFirst, bool isLast) {
  States states, scalarStates;
  for (Reducer &reducer : reducers) {
    states.push_back(reducer.identity(vector));
    scalarStates.push_back(reducer.identity(1));
  }
  auto visit = [&](States current, ArrayRef<Point> points) {
    return accumulateAt(emitter, reducers, std::move(current), points);
  };
  if (isLoop()) {
    std::tie(states, scalarStates) =
        walkLoops(reducers, states, scalarStates, visit);
  } else {
    if (slots > 0)
      states = walkShared(std::move(states), visit, isFirst, isLast);
    // No sum is rescaled then.
    bool together = llvm::any_of(
        reducers, [](const Reducer &reducer) { return reducer.isOnline(); });
    states = walkHeld(std::move(states), visit, isLast, together);
  }
  for (auto [reducer, state, scalars] :
       llvm::zip(reducers, states, scalarStates)) {
    state = reducer.reduceLanes(state);
    if (isLoop() && hasTail())
      state = reducer.combine(state, scalars);
  }
  return states;
}

/// The same of all threads of the row; one state for each reducer.
RowsLowering::States RowsLowering::combineAll(MutableArrayRef<Reducer> reducers,
                                              States states, bool isFirst) {
  if (group.blocks > 1 && isFirst)
    awaitCluster(frame);
  if (!arrivals.empty()) {
    group.arrival = arrivals.front();
    arrivals.erase(arrivals.begin());
  }
  if (group.width > 1)
    states = combineThreads(frame, reducers, states, group);
  if (schedule.getWholeGrid()) {
    states = combineBlocks(frame, reducers, states, group, leftStates);
    for (const Reducer &reducer : reducers)
      leftStates += numStateComponents(reducer.getOp());
  }
  return states;
}

/// Of each vector of the thread the group that it is a part of, whose other
/// parts its neighbours have.
void RowsLowering::reduceGroups(ArrayRef<Operation *> ops) {
  RowGroups groups = *rowGroupsOf(space);
  ThreadGroup neighbours{groups.threads, /*groups=*/1, group.lane,
                         Index::constant(0)};
  for (const Point &point : row.held) {
    SmallVector<Reducer> reducers;
    States states;
    for (Operation *op : ops) {
      reducers.emplace_back(emitter, op, Reducer::Lanes::partsOfOneResult);
      states.push_back(reducers.back().identity(vector));
    }
    states = accumulateAt(emitter, reducers, std::move(states), point);
    for (auto [reducer, state] : llvm::zip(reducers, states))
      state = reducer.reduceLanes(state);
    states = combineThreads(frame, reducers, std::move(states), neighbours);
    for (auto [reducer, state] : llvm::zip(reducers, states)) {
      SmallVector<Value, 2> finished =
          reducer.finish(state, Index::constant(groups.elements));
      for (auto [result, value] :
           llvm::zip(reducer.getOp()->getResults(), finished))
        emitter.define(result, reducer.resultPoint(point), value);
    }
  }
}

/// What groups have one of, by the first thread of each.
void RowsLowering::storeGroups(ArrayRef<unsigned> numbers) {
  if (numbers.empty())
    return;
  RowGroups groups = *rowGroupsOf(space);
  Value isFirst =
      emitter.less(emitter.rem(group.lane, Index::constant(groups.threads)),
                   Index::constant(1));
  for (const Point &point : row.held)
    frame.ifTrue(frame.both(row.exists, isFirst), [&] {
      for (unsigned number : numbers) {
        Value value = yielded(number);
        Point place;
        place.dims.assign(point.dims.begin(),
                          point.dims.end() - space.inner.size());
        place.dims.resize(cast<RankedTensorType>(value.getType()).getRank(),
                          Index::constant(0));
        storeResult(number, place, emitter.emit(value, place));
      }
    });
}

LogicalResult RowsLowering::verifyGroups() {
  if (!space.hasGroups())
    return success();
  std::optional<RowGroups> groups = rowGroupsOf(space);
  bool fits = groups && schedule.getHold() == HoldKind::registers &&
              schedule.getVector() == groups->vector &&
              schedule.threadsPerRow() == groups->rowThreads &&
              schedule.getBlocksPerRow() == 1 &&
              schedule.getPersistent() == 0 &&
              schedule.getRowsPerThread() == 1 && !schedule.getPreload();
  if (fits)
    return success();
  return frame.kernel.emitError()
         << "expected a schedule for rows whose groups are reduced, too, with "
            "hold = registers, and with the vector and the threads by which "
            "neighbours hold a group, but got another; leave the schedule to "
            "fuse-assign-schedules";
}

/// All rows of a thread exchange together.
void RowsLowering::reduceLevel(ArrayRef<Operation *> ops, bool isFirst,
                               bool isLast) {
  SmallVector<Operation *> ofGroups, ofRows;
  for (Operation *op : ops)
    (reducedDims(op) == ArrayRef(space.reduced) ? ofRows : ofGroups)
        .push_back(op);
  if (!ofGroups.empty())
    reduceGroups(ofGroups);
  if (ofRows.empty())
    return;
  ops = ofRows;
  SmallVector<Reducer> reducers;
  States states;
  forEachRow([&] {
    size_t before = reducers.size();
    for (Operation *op : ops)
      reducers.emplace_back(emitter, op, Reducer::Lanes::partsOfOneResult);
    auto ofRow = MutableArrayRef(reducers).drop_front(before);
    llvm::append_range(states, walkLevel(ofRow, isFirst, isLast));
  });
  states = combineAll(reducers, std::move(states), isFirst);
  size_t next = 0;
  forEachRow([&] {
    Point first = pointAt(Index::constant(0), 1);
    for (Operation *op : ops) {
      Reducer &reducer = reducers[next];
      SmallVector<Value, 2> finished = reducer.finish(states[next++], columns);
      for (auto [result, value] : llvm::zip(op->getResults(), finished))
        emitter.define(result, reducer.resultPoint(first), value);
    }
  });
}

void RowsLowering::storeAt(ArrayRef<unsigned> results, const Point &point) {
  SmallVector<Value> values;
  for (unsigned result : results)
    values.push_back(emitter.emitLanes(yielded(result), point));
  frame.ifTrue(frame.both(row.exists, point.guard), [&] {
    for (auto [result, value] : llvm::zip(results, values))
      storeResult(result, point, value);
  });
}

/// The row of a scatter goes as a whole to where its id says.
void RowsLowering::storeResult(unsigned number, const Point &point,
                               Value value) {
  unsigned result = segment.results[number];
  Value yielded = frame.kernel.getYield().getValues()[result];
  auto scatter = yielded.getDefiningOp<ScatterOp>();
  if (!scatter)
    return storer(number).store(point, value);
  PointEmitter::Scope scope(emitter);
  ScatterTarget target = emitScatterTarget(emitter, scatter, point);
  frame.ifTrue(target.exists,
               [&] { emitter.store(result, target.point, value); });
}

void RowsLowering::storeFull(ArrayRef<unsigned> results) {
  if (results.empty())
    return;
  auto store = [&](States states, ArrayRef<Point> points) {
    for (const Point &point : points)
      storeAt(results, point);
    return states;
  };
  if (isLoop()) {
    walkLoops({}, {}, {}, store);
    return;
  }
  if (slots > 0)
    atEachHead(
        [&] { walkShared({}, store, /*isFirst=*/false, /*isLast=*/true); });
  forEachRow([&] { walkHeld({}, store, /*isLast=*/true); });
}

void RowsLowering::storeRows(ArrayRef<unsigned> results) {
  if (results.empty())
    return;
  bool isAlone = !walkers.base && walkers.offset == 1;
  Value first = isAlone ? Value() : emitter.less(walker, Index::constant(1));
  // Other warps than the first have nothing to compute either.
  forEachRow([&] {
    frame.ifTrue(frame.both(row.exists, first), [&] {
      SmallVector<Value> values;
      for (unsigned result : results)
        values.push_back(
            emitter.emit(yielded(result), rowPoint(yielded(result))));
      for (auto [result, value] : llvm::zip(results, values))
        storeResult(result, rowPoint(yielded(result)), value);
    });
  });
}

/// What is beside rows that are padded.
void RowsLowering::fillBesideRows(ArrayRef<unsigned> numbers) {
  for (unsigned number : numbers) {
    RowStorer toResult = storer(number);
    if (toResult.placesBeside() == 0)
      continue;
    forEachRow([&] {
      frame.ifTrue(row.exists, [&] {
        Point place = rowPoint(yielded(number));
        auto loop = scf::ForOp::create(
            frame.builder, frame.loc(), emitter.materialize(walker),
            emitter.materialize(Index::constant(toResult.placesBeside())),
            emitter.materialize(walkers));
        OpBuilder::InsertionGuard guard(frame.builder);
        frame.builder.setInsertionPointToStart(loop.getBody());
        PointEmitter::Scope scope(emitter);
        toResult.fillBeside(place, {loop.getInductionVar()});
      });
    });
  }
}

/// What a row has one of and needs no reduction, such as the logit of a label,
/// before the walks: its loads depend on each other, and would be waited for
/// behind them. The row's own loads, which all of its threads wait for, start
/// first.
void RowsLowering::computeRowValues() {
  auto isEarly = [&](Value value) {
    return isa<RankedTensorType>(value.getType()) &&
           space.isReducedShape(frame.dims.extents(value)) &&
           !reduced.contains(value);
  };
  SmallVector<Value> early;
  for (Operation *op : segment.ops)
    if (reduced.contains(op->getResult(0)))
      llvm::copy_if(op->getOperands(), std::back_inserter(early), isEarly);
  if (!early.empty() && schedule.getHold() == HoldKind::registers &&
      rows.empty())
    loadHeld(
        stageableInputs(frame, segment, pointAt(Index::constant(0), vector)));
  forEachRow([&] {
    for (Value value : early)
      emitter.emit(value, rowPoint(value));
  });
}

/// Whether a result has the shape that is reduced, and not one element a row.
bool RowsLowering::isFull(unsigned result) {
  SmallVector<Extent> extents = frame.dims.extents(yielded(result));
  return extents == space.domain && !space.isReducedShape(extents);
}

bool RowsLowering::isOfGroups(unsigned result) {
  SmallVector<Extent> extents = frame.dims.extents(yielded(result));
  return space.isGroupShape(extents) && !space.isReducedShape(extents);
}

/// Where a row goes, it stays whole.
LogicalResult RowsLowering::verifyScatter(unsigned result) {
  Value value = frame.kernel.getYield().getValues()[result];
  auto scatter = value.getDefiningOp<ScatterOp>();
  if (!scatter)
    return success();
  int64_t end = scatter.getDim() + scatter.getIds().getType().getRank();
  if (end <= space.reduced.front())
    return success();
  return scatter.emitError()
         << "expected ids of the dimensions before those that are reduced, but "
            "got them up to dimension "
         << end - 1 << "; put the scatter into a kernel of its own";
}

LogicalResult RowsLowering::verify() {
  for (auto [number, result] : llvm::enumerate(segment.results)) {
    if (failed(verifyScatter(result)))
      return failure();
    if (!isFull(number) && !isOfGroups(number) &&
        !space.isReducedShape(frame.dims.extents(yielded(number))))
      return frame.kernel.emitError()
             << "expected results of the shape that is reduced, or of one "
                "element a row, but got "
             << yielded(number).getType() << " as result " << result
             << "; put it into a kernel of its own";
  }
  int64_t most = emitter.getOptions().cluster;
  if (schedule.clusterSize() > most)
    return frame.kernel.emitError()
           << "expected a chip with clusters of blocks_per_row = "
           << schedule.getBlocksPerRow() << " blocks, but got one with " << most
           << "; use blocks_per_row = 1, or another chip";
  if (schedule.getWholeGrid() &&
      (staticProduct(space.rows()) != 1 || !frame.partStates))
    return frame.kernel.emitError()
           << "expected a kernel that reduces all dimensions of one shape "
              "where the whole grid shares a row, but got one with several "
              "rows or shapes; use whole_grid = false";
  if (failed(verifyPersistent()) || failed(verifyGroups()))
    return failure();
  return verifyLength();
}

void RowsLowering::emit(const Index &block) {
  placeThread(block);
  if (schedule.getPersistent() > 0)
    return emitPersistent(block);
  if (schedule.getRowsPerThread() > 1)
    return emitSeveral(block);
  placeRows(block);
  emitRows();
}

/// Blocks that stay exchange for several rows, and meet in each.
void RowsLowering::startExchanges() {
  if (schedule.getPersistent() > 0)
    restartCluster(frame);
  else
    arrivals = startCluster(frame, space.levels.size(), thread);
}

/// The row of this thread in those of block number `block`, and where it stays.
void RowsLowering::placeRows(const Index &block) {
  placeExistingRow(rowOf(block));
  if (group.blocks > 1)
    startExchanges();
  if (isShared() || isCached())
    streamed =
        stageableInputs(frame, segment, pointAt(Index::constant(0), vector));
  if (isShared()) {
    if (!copiesAhead()) {
      planSlots();
      startCopies();
    }
    placeHeldPoints(slots);
    loadHeld(streamed);
  } else if (!isLoop()) {
    placeHeldPoints(0);
  }
}

void RowsLowering::emitRows(VisitSlot takeSlot) {
  SmallVector<unsigned> full, rows, ofGroups;
  auto numbers = llvm::to_vector(llvm::seq<unsigned>(segment.stored.size()));
  for (unsigned number : numbers)
    (isFull(number)       ? full
     : isOfGroups(number) ? ofGroups
                          : rows)
        .push_back(number);
  computeRowValues();
  if (schedule.getPreload() && !isShared()) {
    forEachRow([&] { preload(); });
    auto *late = llvm::partition(full, [&](unsigned result) {
      return !reduced.contains(yielded(result));
    });
    storeFull(ArrayRef(full.begin(), late));
    full.erase(full.begin(), late);
  }
  loadFirstLate(full);
  for (auto [number, level] : llvm::enumerate(space.levels))
    reduceLevel(level, /*isFirst=*/number == 0,
                /*isLast=*/full.empty() && !takeSlot &&
                    number + 1 == space.levels.size());
  takeSlot ? storeSlots(full, takeSlot) : storeFull(full);
  storeRows(rows);
  storeGroups(ofGroups);
  fillBesideRows(numbers);
}

FailureOr<Grid> mlir::fuse::lowerRows(KernelFrame &frame,
                                      RowsScheduleAttr schedule) {
  Reason reason;
  FailureOr<std::vector<ReductionSegment>> segments =
      reductionSegmentsOf(frame.kernel, frame.dims, reason);
  bool overLast = succeeded(segments) &&
                  llvm::all_of(*segments, [](const ReductionSegment &segment) {
                    return segment.space.overLastDims();
                  });
  if (succeeded(segments) && !overLast)
    reason = ReasonKind::notOverLastDims;
  if (!overLast)
    return frame.kernel.emitError()
           << "expected reductions over the last dimensions of one shape for "
              "#fuse.rows, but "
           << reason.sentence() << "; use #fuse.columns";
  Grid grid;
  std::vector<RowsLowering> lowerings;
  for (const ReductionSegment &segment : *segments) {
    lowerings.emplace_back(frame, schedule, segment);
    if (failed(lowerings.back().verify()))
      return failure();
    grid.push_back(lowerings.back().grid());
  }
  frame.divideBlocks(grid, [&](unsigned number, const Index &block) {
    lowerings[number].emit(block);
  });
  return grid;
}
