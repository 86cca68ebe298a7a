//===- LowerRows.cpp - Rows reduced by a group of threads -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of several shapes have blocks of their own, one shape behind the other.
//
// A row is walked once for every level of dependent reductions and once for the
// results. With `hold = registers` the walks are unrolled and the emitter
// remembers what it loaded, so that only the first one touches memory; with
// `hold = cache` they are unrolled too, but each loads again. With `hold =
// shared` the first walk follows asynchronous copies into shared memory, and
// all walks are loops over these, then over the vectors in registers. With
// `hold = loop` each walk is a loop over whole vectors, several a step, then
// over single vectors, then over single elements where the row's length is not
// a multiple of the vector.
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"
#include "RowStaging.h"
#include "StateLoop.h"
#include "ThreadReduce.h"

#include "fuse/Analysis/KernelSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Lowers the rows of one shape; blocks are counted from the segment's first.
class RowsLowering {
public:
  RowsLowering(KernelFrame &frame, RowsScheduleAttr schedule,
               const ReductionSegment &segment)
      : frame(frame), emitter(frame.emitter), schedule(schedule),
        segment(segment), space(segment.space), vector(schedule.getVector()),
        unroll(schedule.getUnroll()) {}

  LogicalResult verify();
  GridTerm grid() const {
    return {{{SmallVector<Extent>(space.rows()), schedule.getRowsPerBlock()}}};
  }
  void emit(const Index &block);

private:
  using States = ReductionStates;
  /// Takes the elements at some points of equal width into the states.
  using Visit = llvm::function_ref<States(States, ArrayRef<Point>)>;

  LogicalResult verifyLength();
  bool isFull(unsigned result);
  void placeThread(const Index &block);
  bool isLoop() const { return schedule.getHold() == HoldKind::loop; }
  bool isCached() const { return schedule.getHold() == HoldKind::cache; }
  bool isShared() const { return schedule.getHold() == HoldKind::shared; }
  /// Whether elements may be left over after all whole vectors.
  bool hasTail() const {
    return vector > 1 && (columns.base || columns.offset % vector != 0);
  }
  /// Whether rows start anywhere between two multiples of the vector. Whole
  /// vectors then start at the first multiple in memory; what is before and
  /// behind them are the edges, fewer elements than a group has threads.
  bool hasEdges() const {
    bool isDivisible =
        columns.base ? emitter.getOptions().divisible : !hasTail();
    return !isDivisible && space.columns().size() == 1 &&
           group.width >= 2 * vector && vector > 1;
  }
  Point pointAt(Index column, int64_t lanes);
  Point rowPoint(Value value);

  void placeVectors();
  Index vectorColumn(const Index &number) {
    return emitter.add(head, emitter.mul(number, Index::constant(vector)));
  }
  Index edgeColumn(const Index &number);
  int64_t leastVectors() const;
  void placeHeldPoints(int64_t firstVector);
  int64_t slotsInSharedMemory() const;
  Index slotColumn(const Index &slot);
  void fillSharedMemory();
  void loadHeld();
  void preload();
  void computeRowValues();
  bool followsFromReduction(Value value);
  States walkHeld(States states, Visit visit, bool isLast);
  States walkShared(States states, Visit visit, bool isFirst);
  States walkEdges(States states, Visit visit) {
    return edge ? visit(std::move(states), *edge) : states;
  }
  std::pair<States, States> walkLoops(States vectorStates, States scalarStates,
                                      Visit visit);

  void reduceLevel(ArrayRef<Operation *> ops, bool isFirst, bool isLast);
  void storeFull(ArrayRef<unsigned> results);
  void storeRows(ArrayRef<unsigned> results);
  void storeAt(ArrayRef<unsigned> results, const Point &point);

  Value yielded(unsigned result) {
    return frame.kernel.getYield().getValues()[result];
  }

  KernelFrame &frame;
  PointEmitter &emitter;
  RowsScheduleAttr schedule;
  const ReductionSegment &segment;
  const ReductionSpace &space;
  int64_t vector;
  /// Vectors in one step of the loop form: loads in flight, and one rescaling
  /// of an online sum for all of them.
  int64_t unroll;
  ThreadGroup group;
  SmallVector<Index, 4> rowDims;
  Index rowStart, columns;
  /// The column of the first whole vector, and how many there are.
  Index head, vectors;
  /// Whether the row exists; null where every one does.
  Value rowExists;
  /// The points of this thread whose vectors are code of their own: all, but
  /// for those in shared memory or in loops.
  SmallVector<Point> held;
  /// The element of the edges that the thread has besides.
  std::optional<Point> edge;
  /// With hold = cache and hold = shared.
  SmallVector<BlockArgument> streamed;
  std::optional<RowStaging> staging;
  /// Vectors of a thread in shared memory, and how many a group of copies has.
  int64_t slots = 0, slotsInGroup = 0;
};
} // namespace

/// More than the registers of any machine; each is code of its own, and LLVM
/// takes minutes over thousands of them.
static constexpr int64_t maxHeldVectors = 256;
/// Of asynchronous copies, at most.
static constexpr int64_t copyGroups = 4;

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
  int64_t share = schedule.getThreads() / schedule.getRowsPerBlock() * vector;
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
  if (space.columns().size() > 1 && !inner.isStatic() && vector != 1)
    return error("expected vector = 1 for several reduced dimensions of "
                 "dynamic size, but got vector = " +
                 Twine(vector) + "; use vector = 1");
  return success();
}

void RowsLowering::placeThread(const Index &block) {
  int64_t perBlock = schedule.getRowsPerBlock();
  group.groups = perBlock;
  group.width = schedule.getThreads() / perBlock;
  Index thread = frame.threadId(schedule.getThreads());
  Index width = Index::constant(group.width);
  group.lane = perBlock == 1 ? thread : emitter.rem(thread, width);
  group.group = perBlock == 1 ? Index::constant(0) : emitter.div(thread, width);

  Index rows = emitter.product(space.rows());
  Index row =
      emitter.add(emitter.mul(block, Index::constant(perBlock)), group.group);
  if (perBlock > 1 && (rows.base || rows.offset % perBlock != 0)) {
    // Threads without a row work on the last one: they must take part in the
    // exchanges, and must not write.
    rowExists = emitter.less(row, rows);
    row = emitter.min(row, emitter.add(rows, Index::constant(-1)));
  }
  rowDims = emitter.delinearize(row, space.rows());
  columns = emitter.product(space.columns());
  rowStart = emitter.mul(row, columns);
  placeVectors();
}

void RowsLowering::placeVectors() {
  Index size = Index::constant(vector);
  head = Index::constant(0);
  if (hasEdges()) {
    Index past = emitter.rem(rowStart, size);
    head = emitter.min(emitter.rem(emitter.sub(size, past), size), columns);
  }
  vectors = emitter.div(emitter.sub(columns, head), size);
}

Point RowsLowering::pointAt(Index column, int64_t lanes) {
  Point point;
  point.dims = rowDims;
  point.dims.append(emitter.delinearize(column, space.columns()));
  point.linear = emitter.add(rowStart, column);
  point.shape = space.domain;
  point.lanes = lanes;
  if (lanes > 1 && hasEdges()) {
    point.flat = true;
    // Any column.
    point.skew = 1;
  }
  return point;
}

Point RowsLowering::rowPoint(Value value) {
  Point point;
  point.dims = rowDims;
  size_t rank = cast<RankedTensorType>(value.getType()).getRank();
  point.dims.resize(rank, Index::constant(0));
  return point;
}

//===----------------------------------------------------------------------===//
// Walking a row
//===----------------------------------------------------------------------===//

/// The column of an element of the edges, from the front to the back.
Index RowsLowering::edgeColumn(const Index &number) {
  Index behind =
      emitter.add(number, emitter.mul(vectors, Index::constant(vector)));
  return hasEdges() ? emitter.select(emitter.less(number, head), number, behind)
                    : behind;
}

/// Of a row of static length, wherever it starts.
int64_t RowsLowering::leastVectors() const {
  int64_t before = hasEdges() ? vector - 1 : 0;
  return std::max<int64_t>(0, columns.offset - before) / vector;
}

/// The points of this thread from a vector on; those past the end are guarded.
void RowsLowering::placeHeldPoints(int64_t firstVector) {
  int64_t most = columns.offset / vector;
  for (int64_t from = firstVector * group.width; from < most;
       from += group.width) {
    Index number = emitter.add(group.lane, Index::constant(from));
    Index column = vectorColumn(number);
    bool whole = from + group.width <= leastVectors();
    column.guarded = !whole;
    held.push_back(pointAt(column, vector));
    if (!whole)
      held.back().guard = emitter.less(number, vectors);
  }
  if (!hasEdges())
    return;
  Index column = edgeColumn(group.lane);
  column.guarded = true;
  edge = pointAt(column, 1);
  Index elements =
      emitter.sub(columns, emitter.mul(vectors, Index::constant(vector)));
  edge->guard = emitter.less(group.lane, elements);
}

/// Whole vectors only: the last one may be a part and goes to the registers.
int64_t RowsLowering::slotsInSharedMemory() const {
  int64_t most = llvm::divideCeil(columns.offset / vector, group.width);
  return std::clamp<int64_t>(most - schedule.getInRegisters(), 0,
                             leastVectors() / group.width);
}

Index RowsLowering::slotColumn(const Index &slot) {
  return vectorColumn(
      emitter.add(emitter.mul(slot, Index::constant(group.width)), group.lane));
}

/// Starts all copies, in up to four groups, so that the first walk need not
/// wait for the last one; then loads what stays in registers.
void RowsLowering::fillSharedMemory() {
  slots = slotsInSharedMemory();
  placeHeldPoints(slots);
  if (slots == 0)
    return;
  staging.emplace(frame, streamed, group.width, group.lane, slots, vector);
  frame.sharedBytes = std::max(frame.sharedBytes, staging->bytes());
  int64_t groups = copyGroups;
  while (groups > 1 && slots % (groups * unroll) != 0)
    --groups;
  slotsInGroup = slots / groups;
  for (int64_t from = 0; from < slots; from += slotsInGroup) {
    loopOverStates(frame, Index::constant(from),
                   Index::constant(from + slotsInGroup), 1, {},
                   [&](Index slot, States states) {
                     staging->copy(pointAt(slotColumn(slot), vector), slot);
                     return states;
                   });
    staging->commit();
  }
  loadHeld();
}

void RowsLowering::loadHeld() {
  for (const Point &point : held)
    for (BlockArgument input : streamed)
      emitter.emit(input, point);
}

/// Whether the value is an input, converted or not.
static bool isInput(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  return isa<BlockArgument>(value);
}

/// Loads all inputs that the ops of the row read, which the emitter remembers.
void RowsLowering::preload() {
  for (Operation *op : segment.ops) {
    if (!op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
        frame.dims.extents(op->getResult(0)) != space.domain)
      continue;
    for (Value operand : op->getOperands()) {
      if (!isInput(operand))
        continue;
      for (const Point &point : held)
        emitter.emitOperand(operand, op->getResult(0), point);
      if (edge)
        emitter.emitOperand(operand, op->getResult(0), *edge);
    }
  }
}

/// The vectors in shared memory; the first walk waits for them.
RowsLowering::States RowsLowering::walkShared(States states, Visit visit,
                                              bool isFirst) {
  int64_t step = std::gcd(unroll, slotsInGroup);
  int64_t length = isFirst ? slotsInGroup : slots;
  for (int64_t from = 0; from < slots; from += length) {
    if (isFirst)
      staging->wait((slots - from) / slotsInGroup - 1);
    states = loopOverStates(
        frame, Index::constant(from), Index::constant(from + length), step,
        std::move(states), [&](Index first, States current) {
          SmallVector<Point> points;
          for (int64_t i = 0; i < step; ++i)
            points.push_back(pointAt(
                slotColumn(emitter.add(first, Index::constant(i))), vector));
          emitter.loadThrough(staging->loader(points, first));
          current = visit(std::move(current), points);
          emitter.loadThrough(nullptr);
          return current;
        });
  }
  return states;
}

RowsLowering::States RowsLowering::walkHeld(States states, Visit visit,
                                            bool isLast) {
  // What registers hold is remembered, what is elsewhere is not.
  std::optional<PointEmitter::Scope> scope;
  if (schedule.getHold() != HoldKind::registers)
    scope.emplace(emitter);
  if (isCached()) {
    emitter.loadThrough(cacheLoader(emitter, streamed,
                                    isLast ? CacheUse::last : CacheUse::again));
    // All loads before the first store, behind which none could be moved.
    loadHeld();
  }
  size_t whole = llvm::count_if(held, [](auto &p) { return !p.guard; });
  if (whole)
    states = visit(std::move(states), ArrayRef(held).take_front(whole));
  for (const Point &point : ArrayRef(held).drop_front(whole))
    states = visit(std::move(states), point);
  emitter.loadThrough(nullptr);
  return states;
}

std::pair<RowsLowering::States, RowsLowering::States>
RowsLowering::walkLoops(States vectorStates, States scalarStates, Visit visit) {
  int64_t width = group.width;
  Index perStep = Index::constant(unroll * width);
  Index steps = emitter.div(vectors, perStep);
  Index stepped = emitter.mul(steps, perStep);

  auto vectorPoint = [&](const Index &number) {
    return pointAt(vectorColumn(number), vector);
  };
  vectorStates =
      loopOverStates(frame, Index::constant(0), stepped, unroll * width,
                     vectorStates, [&](Index base, States states) {
                       SmallVector<Point> points;
                       Index number = emitter.add(base, group.lane);
                       for (int64_t i = 0; i < unroll; ++i)
                         points.push_back(vectorPoint(
                             emitter.add(number, Index::constant(i * width))));
                       return visit(std::move(states), points);
                     });
  vectorStates =
      loopOverStates(frame, emitter.add(stepped, group.lane), vectors, width,
                     vectorStates, [&](Index number, States states) {
                       return visit(std::move(states), vectorPoint(number));
                     });
  if (!hasTail())
    return {vectorStates, scalarStates};
  Index elements =
      emitter.sub(columns, emitter.mul(vectors, Index::constant(vector)));
  scalarStates = loopOverStates(frame, group.lane, elements, width,
                                scalarStates, [&](Index number, States states) {
                                  return visit(std::move(states),
                                               pointAt(edgeColumn(number), 1));
                                });
  return {vectorStates, scalarStates};
}

//===----------------------------------------------------------------------===//
// Reductions and results
//===----------------------------------------------------------------------===//

void RowsLowering::reduceLevel(ArrayRef<Operation *> ops, bool isFirst,
                               bool isLast) {
  SmallVector<Reducer> reducers;
  for (Operation *op : ops)
    reducers.emplace_back(emitter, op, Reducer::Lanes::partsOfOneResult);
  States states, scalarStates;
  for (Reducer &reducer : reducers) {
    states.push_back(reducer.identity(vector));
    scalarStates.push_back(reducer.identity(1));
  }
  auto visit = [&](States current, ArrayRef<Point> points) {
    return accumulateAt(emitter, reducers, std::move(current), points);
  };
  if (isLoop()) {
    std::tie(states, scalarStates) = walkLoops(states, scalarStates, visit);
  } else {
    if (slots > 0)
      states = walkShared(std::move(states), visit, isFirst);
    states = walkHeld(std::move(states), visit, isLast);
    scalarStates = walkEdges(std::move(scalarStates), visit);
  }
  for (auto [reducer, state, scalars] :
       llvm::zip(reducers, states, scalarStates)) {
    state = reducer.reduceLanes(state);
    if (edge || (isLoop() && hasTail()))
      state = reducer.combine(state, scalars);
  }
  if (group.width > 1)
    states = combineThreads(frame, reducers, states, group);
  for (auto [reducer, state] : llvm::zip(reducers, states)) {
    Point at = reducer.resultPoint(pointAt(Index::constant(0), 1));
    SmallVector<Value, 2> finished = reducer.finish(state, columns);
    for (auto [result, value] :
         llvm::zip(reducer.getOp()->getResults(), finished))
      emitter.define(result, at, value);
  }
}

void RowsLowering::storeAt(ArrayRef<unsigned> results, const Point &point) {
  SmallVector<Value> values;
  for (unsigned result : results)
    values.push_back(emitter.emitLanes(yielded(result), point));
  frame.ifTrue(frame.both(rowExists, point.guard), [&] {
    for (auto [result, value] : llvm::zip(results, values))
      emitter.store(result, point, value);
  });
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
    walkLoops({}, {}, store);
    return;
  }
  if (slots > 0)
    walkShared({}, store, /*isFirst=*/false);
  walkHeld({}, store, /*isLast=*/true);
  walkEdges({}, store);
}

void RowsLowering::storeRows(ArrayRef<unsigned> results) {
  if (results.empty())
    return;
  SmallVector<Value> values;
  for (unsigned result : results)
    values.push_back(emitter.emit(yielded(result), rowPoint(yielded(result))));
  Value first =
      group.width == 1 ? Value() : emitter.less(group.lane, Index::constant(1));
  frame.ifTrue(frame.both(rowExists, first), [&] {
    for (auto [result, value] : llvm::zip(results, values))
      emitter.store(result, rowPoint(yielded(result)), value);
  });
}

/// What a row has one of and needs no reduction, such as the logit of a label,
/// before the walks: its loads depend on each other, and would be waited for
/// behind them.
void RowsLowering::computeRowValues() {
  auto compute = [&](Value value) {
    if (isa<RankedTensorType>(value.getType()) &&
        space.isReducedShape(frame.dims.extents(value)) &&
        !followsFromReduction(value))
      emitter.emit(value, rowPoint(value));
  };
  for (Operation *op : segment.ops)
    for (Value operand : op->getOperands())
      if (followsFromReduction(op->getResult(0)))
        compute(operand);
}

bool RowsLowering::followsFromReduction(Value value) {
  SmallVector<Value> open = {value};
  SmallPtrSet<Operation *, 16> seen;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (llvm::any_of(space.levels, [&](const auto &level) {
          return llvm::is_contained(level, op);
        }))
      return true;
    llvm::append_range(open, op->getOperands());
  }
  return false;
}

/// Whether a result has the shape that is reduced, and not one element a row.
bool RowsLowering::isFull(unsigned result) {
  SmallVector<Extent> extents = frame.dims.extents(yielded(result));
  return extents == space.domain && !space.isReducedShape(extents);
}

LogicalResult RowsLowering::verify() {
  for (unsigned result : segment.results)
    if (!isFull(result) &&
        !space.isReducedShape(frame.dims.extents(yielded(result))))
      return frame.kernel.emitError()
             << "expected results of the shape that is reduced, or of one "
                "element a row, but got "
             << yielded(result).getType() << " as result " << result
             << "; put it into a kernel of its own";
  return verifyLength();
}

void RowsLowering::emit(const Index &block) {
  placeThread(block);
  if (isShared() || isCached()) {
    streamed = stageableInputs(frame, pointAt(Index::constant(0), vector));
    llvm::erase_if(streamed,
                   [&](BlockArgument input) { return !segment.reads(input); });
  }
  if (isShared())
    fillSharedMemory();
  else if (!isLoop())
    placeHeldPoints(0);
  SmallVector<unsigned> full, rows;
  for (unsigned result : segment.results)
    (isFull(result) ? full : rows).push_back(result);
  computeRowValues();
  if (schedule.getPreload()) {
    preload();
    auto *late = llvm::partition(full, [&](unsigned result) {
      return !followsFromReduction(yielded(result));
    });
    storeFull(ArrayRef(full.begin(), late));
    full.erase(full.begin(), late);
  }
  for (auto [number, level] : llvm::enumerate(space.levels))
    reduceLevel(level, /*isFirst=*/number == 0,
                /*isLast=*/full.empty() && number + 1 == space.levels.size());
  storeFull(full);
  storeRows(rows);
}

FailureOr<Grid> mlir::fuse::lowerRows(KernelFrame &frame,
                                      RowsScheduleAttr schedule) {
  std::string reason;
  FailureOr<std::vector<ReductionSegment>> segments =
      reductionSegmentsOf(frame.kernel, frame.dims, reason);
  bool overLast = succeeded(segments) &&
                  llvm::all_of(*segments, [](const ReductionSegment &segment) {
                    return segment.space.overLastDims();
                  });
  if (succeeded(segments) && !overLast)
    reason = "a reduction does not run over the last dimensions";
  if (!overLast)
    return frame.kernel.emitError()
           << "expected reductions over the last dimensions of one shape for "
              "#fuse.rows, but "
           << reason << "; use #fuse.columns";
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
