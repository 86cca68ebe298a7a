//===- LowerOrdered.cpp - Rows that are walked in order -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has a row and walks it as often as OrderedSpace says: for reductions
// and selections that need none, for those that need these, and so on, and at
// last for the results that have the row's elements. Each walk is a loop over
// tiles. In a tile the scans come first that the walk needs; then every value
// of the tile's points is known or can be computed there. Short rows within the
// row, such as its groups, have a thread each, which leaves what it finds of
// them in shared memory.
//
//===----------------------------------------------------------------------===//

#include "LowerOrdered.h"
#include "Columns/LowerOrderedColumns.h"
#include "KernelFrame.h"
#include "OrderedTiles.h"
#include "RowScan.h"
#include "RowSelection.h"

#include "fuse/Analysis/OrderedSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <memory>
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

namespace {
class OrderedLowering {
public:
  OrderedLowering(KernelFrame &frame, OrderedScheduleAttr schedule,
                  const OrderedSpace &space)
      : frame(frame), emitter(frame.emitter), space(space),
        vector(schedule.getVector()), splits(schedule.getSplits()),
        unroll(isOneElement() ? 1 : schedule.getUnroll()),
        walkers{schedule.getThreads(), {}} {}

  LogicalResult verify();
  Grid grid() const { return {{{{space.kept(), 1}}}}; }
  void emit(const Index &block);

private:
  using Kind = OrderedSpace::ResultKind;
  using States = ReductionStates;
  /// What else is done with the points of a tile.
  using Visit = llvm::function_ref<States(States, ArrayRef<Point>)>;

  /// Whether rows have one element, which ops ask for at index 0 then, as they
  /// do for what is reduced: one thread has it.
  bool isOneElement() const { return space.length().size == 1; }
  Value yielded(unsigned result) {
    return frame.kernel.getYield().getValues()[result];
  }
  SmallVector<unsigned> resultsOf(Kind kind) const;
  Point pointAt(const Index &column, int64_t lanes);
  Point pointOf(Value value, const Point &point);
  SmallVector<Point> pointsOfTile(const Index &first, bool isWhole);
  States walkTiles(MutableArrayRef<Reducer> reducers,
                   MutableArrayRef<RowScan> scans, States states, Visit visit);
  void walk(ArrayRef<Operation *> ops);
  void walkRow(ArrayRef<Operation *> ops);
  Index numberInRow(Value value, const Point &point);
  Point pointInRow(Value value, const Index &number);
  void selectInGroups(TopKOp op);
  void reduceInGroups(Operation *op);
  void storeFull();
  void storeRow();
  void storeSelected();
  void emitRow(const Index &number);

  KernelFrame &frame;
  PointEmitter &emitter;
  const OrderedSpace &space;
  int64_t vector, splits, unroll;
  RowWalkers walkers;
  /// This block's row and number, its first element, and the vectors that it
  /// has.
  SmallVector<Index, 4> row;
  Index block, start, vectors;
  /// What walks have found.
  llvm::DenseSet<Value> known;
  SmallVector<std::unique_ptr<RowSelection>> selections;
};
} // namespace

LogicalResult OrderedLowering::verify() {
  if (splits > 1)
    return frame.kernel.emitError()
           << "expected a schedule with splits = 1 for rows, but got splits = "
           << splits << "; leave splits out";
  if (vector > 1 && !emitter.divides(vector, space.length()))
    return frame.kernel.emitError()
           << "expected a schedule whose vector divides the last dimension, "
              "but got vector = "
           << vector << "; use vector = 1";
  int64_t parts = walkers.warps() * unroll;
  if (space.scans.empty() || parts <= warpSize)
    return success();
  return frame.kernel.emitError()
         << "expected a schedule with at most " << warpSize
         << " warps times unroll for a scan, but got " << walkers.warps()
         << " warps and unroll = " << unroll << "; use unroll = "
         << std::max<int64_t>(1, warpSize / walkers.warps());
}

SmallVector<unsigned> OrderedLowering::resultsOf(Kind kind) const {
  SmallVector<unsigned> found;
  for (auto [number, own] : llvm::enumerate(space.results))
    if (own == kind)
      found.push_back(number);
  return found;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Point OrderedLowering::pointAt(const Index &column, int64_t lanes) {
  Point point;
  point.dims = row;
  point.dims.push_back(column);
  point.linear = emitter.add(start, column);
  point.shape = space.domain;
  point.flat = lanes > 1;
  point.lanes = lanes;
  return point;
}

/// The point of a row's element where the value has it, in one dimension or in
/// several.
Point OrderedLowering::pointOf(Value value, const Point &point) {
  SmallVector<Extent> extents = emitter.getDims().extents(value);
  if (extents.size() == space.domain.size())
    return point;
  Point own = point;
  own.dims = row;
  own.dims.append(emitter.delinearize(
      point.dims.back(), ArrayRef(extents).drop_front(row.size())));
  for (Index &index : own.dims)
    index.guarded = point.dims.back().guarded;
  own.shape = extents;
  own.crossesRows = point.lanes > 1 && extents.back().size % point.lanes != 0;
  return own;
}

/// The vectors of this thread in the tile that starts with vector `first`, in
/// the order of the scans.
SmallVector<Point> OrderedLowering::pointsOfTile(const Index &first,
                                                 bool isWhole) {
  SmallVector<Point> points;
  Index size = Index::constant(vector);
  for (int64_t i = 0; i < unroll; ++i) {
    Index number = emitter.add(emitter.add(first, walkers.thread),
                               Index::constant(i * walkers.threads));
    Index place =
        space.reverse
            ? emitter.sub(emitter.add(vectors, Index::constant(-1)), number)
            : number;
    Index column = emitter.mul(place, size);
    column.guarded = !isWhole;
    Point point = pointAt(isOneElement() ? Index::constant(0) : column, vector);
    if (!isWhole)
      point.guard = emitter.less(number, vectors);
    points.push_back(std::move(point));
  }
  return points;
}

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

/// All tiles of the row: `states` are those of the reducers, then what comes
/// before the next tile for each scan, then whatever else `visit` carries.
OrderedLowering::States
OrderedLowering::walkTiles(MutableArrayRef<Reducer> reducers,
                           MutableArrayRef<RowScan> scans, States states,
                           Visit visit) {
  OrderedTiles tiles{vectors, walkers.threads * unroll, unroll};
  return walkOrderedTiles(
      emitter, frame.loc(), reducers, tiles, std::move(states),
      [&](const OrderedTile &tile, States current) {
        SmallVector<Point> points = pointsOfTile(tile.first, tile.isWhole);
        for (auto [number, scan] : llvm::enumerate(scans)) {
          ReductionState &before = current[reducers.size() + number];
          before = scan.take(points, before, tile.parity);
        }
        return visit(std::move(current), points);
      });
}

/// The number of the value's element at the point among those of its row. A
/// point that does not exist may have any place: it gets the first.
Index OrderedLowering::numberInRow(Value value, const Point &point) {
  SmallVector<Extent> extents = emitter.getDims().extents(value);
  size_t rank = row.size();
  auto axes = llvm::to_vector(llvm::seq<int64_t>(rank, extents.size()));
  Index number = emitter.numberIn(axes, extents, point.dims);
  return point.guard ? emitter.select(point.guard, number, Index::constant(0))
                     : number;
}

/// The point of the value's element with a number among those of this row.
Point OrderedLowering::pointInRow(Value value, const Index &number) {
  SmallVector<Extent> extents = emitter.getDims().extents(value);
  Point point;
  point.dims = row;
  point.dims.append(
      emitter.delinearize(number, ArrayRef(extents).drop_front(row.size())));
  return point;
}

/// A thread selects of a group after the other.
void OrderedLowering::selectInGroups(TopKOp op) {
  Value input = op.getInput();
  SmallVector<Extent> extents = emitter.getDims().extents(input);
  int64_t length = extents.back().size;
  int64_t groups =
      *staticProduct(ArrayRef(extents).drop_front(row.size()).drop_back());
  int64_t lanes = std::gcd(vector, length);
  RowWalkers alone{1, Index::constant(0)};
  selections.push_back(
      std::make_unique<RowSelection>(frame, op, alone, groups));
  RowSelection &selection = *selections.back();
  auto selectOf = [&](const Index &group, States none) {
    selection.setRow(group);
    Index before = emitter.mul(group, Index::constant(length));
    Point first = pointInRow(input, before);
    Index inTensor = emitter.add(
        emitter.mul(block, Index::constant(groups * length)), before);
    walkOrderedTiles(
        emitter, frame.loc(), {}, {Index::constant(length / lanes), 1, 1},
        {selection.start()}, [&](const OrderedTile &tile, States current) {
          Index place = emitter.mul(tile.first, Index::constant(lanes));
          Point point = first;
          point.dims.back() = place;
          point.linear = emitter.add(inTensor, place);
          point.shape = extents;
          point.flat = lanes > 1;
          point.lanes = lanes;
          return States{selection.take(point, current.front())};
        });
    return none;
  };
  loopOverStates(frame, walkers.thread, Index::constant(groups),
                 walkers.threads, {}, selectOf);
  selection.finish([this](Value result, const Point &point) {
    return numberInRow(result, point);
  });
}

/// A thread reduces what one element of the result needs after the other.
void OrderedLowering::reduceInGroups(Operation *op) {
  SmallVector<Extent> extents = emitter.getDims().extents(op->getResult(0));
  int64_t count = *staticProduct(ArrayRef(extents).drop_front(row.size()));
  SmallVector<Value> slots;
  for (Value result : op->getResults())
    slots.push_back(addSlots(
        frame, PointEmitter::computeType(getElementTypeOrSelf(result)), count));
  auto reduceOf = [&](const Index &number, States none) {
    for (auto [result, memory] : llvm::zip_equal(op->getResults(), slots))
      storeSlot(frame, memory, number,
                emitter.emit(result, pointInRow(result, number)));
    return none;
  };
  loopOverStates(frame, walkers.thread, Index::constant(count), walkers.threads,
                 {}, reduceOf);
  for (auto [result, memory] : llvm::zip_equal(op->getResults(), slots)) {
    Type type = PointEmitter::computeType(getElementTypeOrSelf(result));
    auto read = [this, result = Value(result), memory = memory,
                 type](const Point &point) {
      return loadSlot(frame, memory, numberInRow(result, point), type);
    };
    emitter.readThrough(result, read);
  }
}

/// What reductions and selections give that need the walks so far.
void OrderedLowering::walk(ArrayRef<Operation *> ops) {
  SmallVector<Operation *> ofRow, inGroups;
  for (Operation *op : ops)
    (space.inGroups.contains(op) ? inGroups : ofRow).push_back(op);
  if (!ofRow.empty())
    walkRow(ofRow);
  for (Operation *op : inGroups) {
    if (auto top = dyn_cast<TopKOp>(op))
      selectInGroups(top);
    else
      reduceInGroups(op);
  }
  if (!inGroups.empty() && walkers.threads > 1)
    gpu::BarrierOp::create(frame.builder, frame.loc());
  for (Operation *op : ops)
    known.insert(op->result_begin(), op->result_end());
}

/// One walk of the whole row.
void OrderedLowering::walkRow(ArrayRef<Operation *> ops) {
  SmallVector<Reducer> reducers;
  SmallVector<RowSelection *> ofWalk;
  SmallVector<Value> inputs;
  for (Operation *op : ops) {
    inputs.push_back(op->getOperand(0));
    if (auto top = dyn_cast<TopKOp>(op)) {
      selections.push_back(std::make_unique<RowSelection>(frame, top, walkers));
      ofWalk.push_back(selections.back().get());
    } else {
      reducers.emplace_back(emitter, op, Reducer::Lanes::partsOfOneResult);
    }
  }
  SmallVector<RowScan> scans;
  for (ScanOp scan : scansBehind(space, inputs, known))
    scans.emplace_back(frame, scan, walkers, unroll);
  States states;
  for (Reducer &reducer : reducers)
    states.push_back(reducer.identity(vector));
  for (RowScan &scan : scans)
    states.push_back(scan.start());
  for (RowSelection *selection : ofWalk)
    states.push_back(selection->start());

  size_t firstSelection = reducers.size() + scans.size();
  states = walkTiles(
      reducers, scans, std::move(states),
      [&](States current, ArrayRef<Point> points) {
        for (auto [reducer, state] :
             llvm::zip(reducers, MutableArrayRef<ReductionState>(current))) {
          SmallVector<Point> own;
          for (const Point &point : points)
            own.push_back(pointOf(reducer.getInput(), point));
          state = accumulateAt(emitter, reducer, {state}, own).front();
        }
        for (auto [number, selection] : llvm::enumerate(ofWalk)) {
          ReductionState &least = current[firstSelection + number];
          least = selection->take(points, least);
        }
        return current;
      });

  states.truncate(reducers.size());
  for (auto [reducer, state] : llvm::zip(reducers, states))
    state = reducer.reduceLanes(state);
  if (walkers.threads > 1)
    states = combineThreads(
        frame, reducers, std::move(states),
        {walkers.threads, 1, walkers.thread, Index::constant(0)});
  Index columns = emitter.size(space.length());
  Point first = pointAt(Index::constant(0), 1);
  for (auto [reducer, state] : llvm::zip(reducers, states)) {
    SmallVector<Value, 2> finished = reducer.finish(state, columns);
    for (auto [result, value] :
         llvm::zip(reducer.getOp()->getResults(), finished)) {
      emitter.define(result,
                     reducer.resultPoint(pointOf(reducer.getInput(), first)),
                     value);
      // Behind a reshape the row's number is another value.
      emitter.readThrough(result,
                          [value = value](const Point &) { return value; });
    }
  }
  for (RowSelection *selection : ofWalk)
    selection->finish([this](Value result, const Point &point) {
      return numberInRow(result, point);
    });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void OrderedLowering::storeFull() {
  SmallVector<unsigned> results = resultsOf(Kind::full);
  if (results.empty())
    return;
  auto values = llvm::map_to_vector(
      results, [&](unsigned result) { return yielded(result); });
  SmallVector<RowScan> scans;
  for (ScanOp scan : scansBehind(space, values, known))
    scans.emplace_back(frame, scan, walkers, unroll);
  States states;
  for (RowScan &scan : scans)
    states.push_back(scan.start());
  walkTiles({}, scans, std::move(states),
            [&](States current, ArrayRef<Point> points) {
              for (const Point &point : points)
                for (unsigned result : results) {
                  Point own = pointOf(yielded(result), point);
                  Value value = emitter.emitLanes(yielded(result), own);
                  frame.ifTrue(point.guard,
                               [&] { emitter.store(result, own, value); });
                }
              return current;
            });
}

void OrderedLowering::storeRow() {
  SmallVector<unsigned> results = resultsOf(Kind::row);
  if (results.empty())
    return;
  bool isAlone = walkers.threads == 1;
  Value isFirst =
      isAlone ? Value() : emitter.less(walkers.thread, Index::constant(1));
  frame.ifTrue(isFirst, [&] {
    for (unsigned result : results) {
      Point point;
      point.dims = row;
      size_t rank = cast<RankedTensorType>(yielded(result).getType()).getRank();
      point.dims.resize(rank, Index::constant(0));
      emitter.store(result, point, emitter.emit(yielded(result), point));
    }
  });
}

/// Each thread has some of the few elements.
void OrderedLowering::storeSelected() {
  for (unsigned result : resultsOf(Kind::selected)) {
    SmallVector<Extent> extents = emitter.getDims().extents(yielded(result));
    int64_t count = *staticProduct(ArrayRef(extents).drop_front(row.size()));
    loopOverStates(frame, walkers.thread, Index::constant(count),
                   walkers.threads, {}, [&](const Index &place, States states) {
                     Point point = pointInRow(yielded(result), place);
                     emitter.store(result, point,
                                   emitter.emit(yielded(result), point));
                     return states;
                   });
  }
}

void OrderedLowering::emit(const Index &block) {
  walkers.thread = frame.threadId(walkers.threads);
  if (!isOneElement() || walkers.threads == 1)
    return emitRow(block);
  Value isFirst = emitter.less(walkers.thread, Index::constant(1));
  walkers = {1, Index::constant(0)};
  frame.ifTrue(isFirst, [&] { emitRow(block); });
}

void OrderedLowering::emitRow(const Index &number) {
  block = number;
  row = emitter.delinearize(block, space.kept());
  Index columns = emitter.size(space.length());
  start = emitter.mul(block, columns);
  vectors = emitter.div(columns, Index::constant(vector));
  for (ArrayRef<Operation *> ops : space.walks)
    walk(ops);
  storeRow();
  storeSelected();
  storeFull();
}

FailureOr<Grid> mlir::fuse::lowerOrdered(KernelFrame &frame,
                                         OrderedScheduleAttr schedule) {
  bool isOrdered =
      llvm::any_of(frame.kernel.getBody().front().without_terminator(),
                   [](Operation &op) { return isRowOrder(&op); });
  if (!isOrdered)
    return frame.kernel.emitError()
           << "expected fuse.scan or fuse.top_k in a kernel whose rows are "
              "walked in order, but got none; use #fuse.pointwise or "
              "#fuse.rows";
  Reason reason;
  FailureOr<OrderedSpace> space =
      orderedSpaceOf(frame.kernel, frame.dims, reason);
  if (failed(space))
    return frame.kernel.emitError()
           << "expected a kernel that walks rows in order, but got one where "
           << reason.sentence()
           << "; put what needs it into a kernel of its own";
  if (!space->areRows())
    return lowerOrderedColumns(frame, schedule, *space);
  OrderedLowering lowering(frame, schedule, *space);
  if (failed(lowering.verify()))
    return failure();
  Grid grid = lowering.grid();
  frame.divideBlocks(
      grid, [&](unsigned, const Index &block) { lowering.emit(block); });
  return grid;
}
