//===- RowWalks.cpp - Where a row stays, and walks over it ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
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
// Rows whose length is no multiple of the vector start anywhere in memory.
// Their vectors start at the first place that is aligned, to a line of the
// caches where the group has threads enough, so that accesses stay as wide as
// in other rows; the edges, before the first and behind the last vector, are
// elements that the first threads of the group take besides.
//
//===----------------------------------------------------------------------===//

#include "RowsLowering.h"
#include "StagedLoop.h"
#include "fuse/Analysis/KernelEdge.h"

using namespace mlir;
using namespace mlir::fuse;

/// Walks over a row, one of which is taken by where the row starts.
static constexpr int64_t headPlaces = 4;

/// The column of an element of the edges, from the front to the back.
Index RowsLowering::edgeColumn(const Index &number) {
  Index behind =
      emitter.add(number, emitter.mul(row.vectors, Index::constant(vector)));
  return hasEdges()
             ? emitter.select(emitter.less(number, row.head), number, behind)
             : behind;
}

/// Of a row of static length, wherever it starts.
int64_t RowsLowering::leastVectors() const {
  return hasEdges() ? edges.least : columns.offset / vector;
}

int64_t RowsLowering::mostVectors() const {
  return row.vectors.base ? columns.offset / vector : row.vectors.offset;
}

/// Whether the row has vector `number`: one value for all rows where that is
/// the same for all.
Value RowsLowering::isInRow(const Index &number) {
  Value &known = inRow[{number.key(), row.vectors.key()}];
  if (!known)
    known = emitter.less(number, row.vectors);
  return known;
}

/// This thread's from a vector on; those past the end are guarded.
SmallVector<RowsLowering::Part> RowsLowering::partsFrom(int64_t firstVector) {
  SmallVector<Part> parts;
  int64_t most = mostVectors();
  for (int64_t from = firstVector * group.width; from < most;
       from += group.width) {
    Index number = emitter.add(group.lane, Index::constant(from));
    Index column = vectorColumn(number);
    bool whole = from + group.width <= leastVectors();
    column.guarded = !whole;
    bool followed = from + group.width < leastVectors();
    parts.push_back(
        {column, vector, followed, whole ? Value() : isInRow(number)});
  }
  if (!hasEdges())
    return parts;
  Index column = edgeColumn(group.lane);
  column.guarded = true;
  Index elements =
      emitter.sub(columns, emitter.mul(row.vectors, Index::constant(vector)));
  parts.push_back(
      {column, 1, /*followed=*/false, emitter.less(group.lane, elements)});
  return parts;
}

void RowsLowering::placeHeldPoints(ArrayRef<Part> parts) {
  for (const Part &part : parts) {
    row.held.push_back(pointAt(part.column, part.lanes, part.followed));
    row.held.back().guard = part.guard;
  }
  if (hasEdges())
    row.edge = row.held.pop_back_val();
}

/// Whole vectors only: the last one may be a part and goes to the registers.
int64_t RowsLowering::slotsInSharedMemory() const {
  int64_t most = llvm::divideCeil(mostVectors(), group.width);
  return std::clamp<int64_t>(most - schedule.getInRegisters(), 0,
                             leastVectors() / group.width);
}

Index RowsLowering::slotColumn(const Index &slot) {
  return vectorColumn(
      emitter.add(emitter.mul(slot, Index::constant(group.width)), group.lane));
}

/// Room for the vectors of a row that go to shared memory, and for those of
/// rows ahead.
void RowsLowering::planSlots() {
  slots = slotsInSharedMemory();
  if (slots == 0)
    return;
  staging.emplace(frame, streamed, schedule.getThreads(), thread,
                  slots * (1 + rowsAhead()), vector);
  frame.sharedBytes = std::max(frame.sharedBytes, staging->bytes());
  // Whole steps, but for the last group.
  slotsInGroup =
      llvm::alignTo(llvm::divideCeil(slots, schedule.getCopyGroups()), unroll);
}

/// Starts all copies of the placed row, if it exists, in groups, so that the
/// first walk need not wait for the last one. The groups are there in any case,
/// so that as many are younger than any.
void RowsLowering::startCopies(Value exists) {
  for (int64_t from = 0; from < slots; from += slotsInGroup) {
    int64_t to = std::min(slots, from + slotsInGroup);
    frame.ifTrue(exists, [&] {
      loopOverStates(frame, Index::constant(from), Index::constant(to), 1, {},
                     [&](const Index &slot, States states) {
                       staging->copy(pointAt(slotColumn(slot), vector),
                                     placeOf(slot));
                       return states;
                     });
    });
    staging->commit();
  }
}

/// Starts the copies of the next row's vectors into slots that nobody reads any
/// more. Slots belong to a thread each, whose own accesses are in order.
void RowsLowering::copyNext(const Index &first, int64_t count) {
  RowPlace present = std::exchange(row, next->row);
  frame.ifTrue(next->exists, [&] {
    for (int64_t i = 0; i < count; ++i) {
      Index slot = emitter.add(first, Index::constant(i));
      staging->copy(pointAt(slotColumn(slot), vector), placeOf(slot));
    }
  });
  row = present;
}

void RowsLowering::loadHeld(ArrayRef<BlockArgument> inputs) {
  for (const Point &point : row.held)
    for (BlockArgument input : inputs)
      emitter.emit(input, point);
}

/// Loads all inputs that the ops of the row read, which the emitter remembers.
void RowsLowering::preload() {
  for (Operation *op : segment.ops) {
    if (!op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
        frame.dims.extents(op->getResult(0)) != space.domain)
      continue;
    for (Value operand : op->getOperands()) {
      if (!isa<BlockArgument>(beforeCasts(operand)))
        continue;
      for (const Point &point : row.held)
        emitter.emitOperand(operand, op->getResult(0), point);
      if (row.edge)
        emitter.emitOperand(operand, op->getResult(0), *row.edge);
    }
  }
}

/// The vectors in shared memory; the first walk waits for them, the last one
/// starts the copies of the next row, in the same groups.
RowsLowering::States RowsLowering::walkShared(States states, Visit visit,
                                              bool isFirst, bool isLast) {
  bool isRefilled = isLast && next;
  int64_t length = isFirst || isRefilled ? slotsInGroup : slots;
  auto groupsFrom = [&](int64_t slot) {
    return llvm::divideCeil(slots - slot, slotsInGroup);
  };
  for (int64_t from = 0; from < slots; from += length) {
    int64_t to = std::min(slots, from + length);
    if (isFirst) {
      int64_t ofNext =
          isRefilled ? from / slotsInGroup : rowsAhead() * groupsFrom(0);
      staging->wait(groupsFrom(to) + ofNext);
    }
    int64_t stepped = to - (to - from) % unroll;
    if (isLast && !lateOfFirst.empty())
      states = walkAhead(stepped, std::move(states), visit);
    else
      states = walkSlots(from, stepped, unroll, std::move(states), visit,
                         isRefilled);
    if (stepped < to)
      states = walkSlots(stepped, to, to - stepped, std::move(states), visit,
                         isRefilled);
    if (isRefilled)
      staging->commit();
  }
  return states;
}

/// Whether so many vectors are cut out of two each, by moving words and then
/// parts of words, that a step waits for this and not for memory.
bool RowsLowering::cutsManyLate() {
  auto isNarrow = [](const SharedInput &each) {
    Type element = getElementTypeOrSelf(each.input.getType());
    return PointEmitter::storageType(element).getIntOrFloatBitWidth() < 32;
  };
  return hasEdges() && vector >= headPlaces && !copiesAhead() &&
         llvm::count_if(sharedInputs(), isNarrow) > 1;
}

/// Emits the walk, or one for each quarter of the places past an aligned one
/// where a row's vectors may start: by how many words to cut is then known, and
/// moving them takes no instruction.
void RowsLowering::atEachHead(llvm::function_ref<void()> walk) {
  if (!cutsManyLate())
    return walk();
  RowPlace placed = row;
  int64_t apart = vector / headPlaces;
  Index rest = emitter.rem(placed.head, Index::constant(apart));
  Index past = emitter.rem(placed.head, Index::constant(vector));
  Index whole = emitter.sub(placed.head, past);
  std::function<void(int64_t, int64_t)> split = [&](int64_t from, int64_t to) {
    if (to - from == 1) {
      row.head =
          emitter.add(whole, emitter.add(rest, Index::constant(from * apart)));
      return walk();
    }
    int64_t middle = (from + to) / 2;
    frame.ifElse(
        emitter.less(past, Index::constant(middle * apart)),
        [&] { split(from, middle); }, [&] { split(middle, to); });
  };
  split(0, headPlaces);
  row = placed;
}

SmallVector<Point> RowsLowering::slotPoints(const Index &first, int64_t count) {
  bool followed = slots * group.width < leastVectors();
  SmallVector<Point> points;
  for (int64_t i = 0; i < count; ++i)
    points.push_back(pointAt(slotColumn(emitter.add(first, Index::constant(i))),
                             vector, followed));
  return points;
}

/// Loads what the first step of the last walk needs besides the row, if there
/// is a whole one, and unless the last walk is another than over these results.
void RowsLowering::loadFirstLate(ArrayRef<unsigned> results) {
  if (!schedule.getPreload() || slots < unroll || results.empty() ||
      copiesAhead())
    return;
  late = llvm::filter_to_vector(sharedInputs(), [&](const SharedInput &each) {
    return !llvm::is_contained(streamed, each.input);
  });
  lateOfFirst = loadLate(slotPoints(Index::constant(0), unroll));
}

/// The late inputs at the points, as they lie in memory.
ReductionState RowsLowering::loadLate(ArrayRef<Point> points) {
  ReductionState loaded;
  for (const SharedInput &each : late)
    for (const Point &point : points)
      loaded.push_back(emitter.loadStored(
          each.input, emitter.operandPoint(each.operand, each.result, point)));
  return loaded;
}

/// Visits a step whose late inputs are there.
RowsLowering::States RowsLowering::visitLate(const Index &first,
                                             const ReductionState &loaded,
                                             States states, Visit visit) {
  SmallVector<Point> points = slotPoints(first, unroll);
  const Value *next = loaded.begin();
  for (const SharedInput &each : late) {
    Type element = getElementTypeOrSelf(each.input.getType());
    for (const Point &point : points)
      emitter.define(
          each.input, emitter.operandPoint(each.operand, each.result, point),
          emitter.fromStorage(each.input.getLoc(), element, *next++));
  }
  emitter.loadThrough(staging->loader(points, placeOf(first)));
  states = visit(std::move(states), points);
  emitter.loadThrough(nullptr);
  return states;
}

/// Whole steps from the first to slot `to`; each loads the late inputs of the
/// next one. The last step is code of its own, for it has no next.
RowsLowering::States RowsLowering::walkAhead(int64_t to, States states,
                                             Visit visit) {
  states.push_back(std::move(lateOfFirst));
  states = loopOverStates(
      frame, Index::constant(0), Index::constant(to - unroll), unroll,
      std::move(states), [&](const Index &first, States current) {
        ReductionState loaded = current.pop_back_val();
        Index following = emitter.add(first, Index::constant(unroll));
        ReductionState next = loadLate(slotPoints(following, unroll));
        current = visitLate(first, loaded, std::move(current), visit);
        current.push_back(std::move(next));
        return current;
      });
  ReductionState loaded = states.pop_back_val();
  PointEmitter::Scope scope(emitter);
  return visitLate(Index::constant(to - unroll), loaded, std::move(states),
                   visit);
}

/// The last walk, each slot of which is code of its own: what `takeSlot` keeps
/// of it is in registers.
void RowsLowering::storeSlots(ArrayRef<unsigned> results, VisitSlot takeSlot) {
  for (int64_t slot = 0; slot < slots; ++slot) {
    {
      PointEmitter::Scope scope(emitter);
      Index number = Index::constant(slot);
      Point point = pointAt(slotColumn(number), vector);
      emitter.loadThrough(staging->loader(point, placeOf(number)));
      if (!results.empty())
        storeAt(results, point);
      takeSlot(slot, point);
      emitter.loadThrough(nullptr);
    }
    if (!next)
      continue;
    copyNext(Index::constant(slot), 1);
    if ((slot + 1) % slotsInGroup == 0 || slot + 1 == slots)
      staging->commit();
  }
}

/// So many slots a step.
RowsLowering::States RowsLowering::walkSlots(int64_t from, int64_t to,
                                             int64_t step, const States &states,
                                             Visit visit, bool isRefilled) {
  return loopOverStates(frame, Index::constant(from), Index::constant(to), step,
                        states, [&](const Index &first, States current) {
                          SmallVector<Point> points = slotPoints(first, step);
                          emitter.loadThrough(
                              staging->loader(points, placeOf(first)));
                          current = visit(std::move(current), points);
                          emitter.loadThrough(nullptr);
                          if (isRefilled)
                            copyNext(first, step);
                          return current;
                        });
}

RowsLowering::States RowsLowering::walkHeld(States states, Visit visit,
                                            bool isLast, bool together) {
  // What registers hold is remembered, what is elsewhere is not.
  std::optional<PointEmitter::Scope> scope;
  if (schedule.getHold() != HoldKind::registers)
    scope.emplace(emitter);
  if (isCached()) {
    emitter.loadThrough(cacheLoader(emitter, streamed,
                                    isLast ? CacheUse::last : CacheUse::again));
    // All loads before the first store, behind which none could be moved.
    loadHeld(streamed);
  }
  SmallVector<Point> points = row.held;
  if (row.edge)
    points.push_back(*row.edge);
  // Those that every row has, and of others one after the other.
  auto isWhole = [](const Point &point) { return !point.guard; };
  size_t each = together ? points.size() : llvm::count_if(points, isWhole);
  for (ArrayRef<Point> left = points; !left.empty(); each = 1) {
    each = std::max<size_t>(each, 1);
    states = visit(std::move(states), left.take_front(each));
    left = left.drop_front(each);
  }
  emitter.loadThrough(nullptr);
  return states;
}

std::pair<RowsLowering::States, RowsLowering::States>
RowsLowering::walkLoops(MutableArrayRef<Reducer> reducers, States vectorStates,
                        States scalarStates, Visit visit) {
  Index perStep = emitter.mul(walkers, Index::constant(unroll));
  // The last vector of a row with edges is none of a step, so that all of a
  // step are followed by another.
  Index last = hasEdges() ? emitter.min(Index::constant(1), row.vectors)
                          : Index::constant(0);
  Index steps = emitter.div(emitter.sub(row.vectors, last), perStep);
  Index stepped = emitter.mul(steps, perStep);

  auto vectorPoint = [&](const Index &number, bool followed) {
    return pointAt(vectorColumn(number), vector, followed);
  };
  StagedWalk staged{
      copyableInputs(frame, streamedInputs(frame.kernel, frame.dims, segment),
                     vectorPoint(walker, /*followed=*/true)),
      schedule.getStages(), thread, schedule.getThreads()};
  vectorStates = loopInStages(
      frame, reducers, staged, {Index::constant(0), stepped, perStep, unroll},
      vectorStates,
      [&](const Index &base) {
        SmallVector<Point> points;
        Index number = emitter.add(base, walker);
        for (int64_t i = 0; i < unroll; ++i)
          points.push_back(vectorPoint(
              emitter.add(number, emitter.mul(walkers, Index::constant(i))),
              /*followed=*/true));
        return points;
      },
      visit);
  vectorStates =
      loopOverStates(frame, emitter.add(stepped, walker), row.vectors, walkers,
                     vectorStates, [&](Index number, States states) {
                       return visit(std::move(states),
                                    vectorPoint(number, /*followed=*/false));
                     });
  if (!hasTail())
    return {vectorStates, scalarStates};
  Index elements =
      emitter.sub(columns, emitter.mul(row.vectors, Index::constant(vector)));
  scalarStates = loopOverStates(frame, walker, elements, walkers, scalarStates,
                                [&](Index number, States states) {
                                  return visit(std::move(states),
                                               pointAt(edgeColumn(number), 1));
                                });
  return {vectorStates, scalarStates};
}
