//===- RowsLowering.h - Rows reduced by a group of threads ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWSLOWERING_H
#define FUSE_LIB_CONVERSION_ROWSLOWERING_H

#include "KernelFrame.h"
#include "Reductions/StateLoop.h"
#include "Reductions/ThreadReduce.h"
#include "RowStaging.h"
#include "StoredRows.h"

#include "fuse/Analysis/ReductionSegments.h"
#include "fuse/Analysis/RowEdges.h"
#include <optional>
#include <vector>

namespace mlir::fuse {

/// What is converted, if the value is nothing else.
inline Value beforeCasts(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  return value;
}

/// Lowers the rows of one shape; blocks are counted from the segment's first.
class RowsLowering {
public:
  RowsLowering(KernelFrame &frame, RowsScheduleAttr schedule,
               const ReductionSegment &segment)
      : frame(frame), emitter(frame.emitter), schedule(schedule),
        segment(segment), space(segment.space),
        reduced(valuesFromReductions(segment.ops)),
        vector(schedule.getVector()), unroll(schedule.getUnroll()) {}

  LogicalResult verify();
  GridTerm grid() const {
    GridTerm term = rowBlocks();
    term.most = schedule.getPersistent();
    // What is reduced over no row has a value, too.
    term.least = segment.across.empty() ? 0 : 1;
    return term;
  }
  void emit(const Index &block);

private:
  using States = ReductionStates;
  /// Takes the elements at some points into the states.
  using Visit = llvm::function_ref<States(States, ArrayRef<Point>)>;
  /// Takes a vector of shared memory, by the number of its slot.
  using VisitSlot = llvm::function_ref<void(int64_t, const Point &)>;

  /// Columns of a row that are one thread's, and whether another vector is
  /// behind them.
  struct Part {
    Index column;
    int64_t lanes;
    bool followed;
    Value guard;
  };
  /// Where a row lies, and this thread's part of it.
  struct RowPlace {
    SmallVector<Index, 4> dims;
    Index start;
    /// The column of the first whole vector, and how many there are.
    Index head, vectors;
    /// Whether the row exists; null where every one does.
    Value exists;
    /// Where its vectors lie in shared memory that several rows share.
    Index firstSlot;
    /// The points whose vectors are code of their own: all, but for those in
    /// shared memory or in loops.
    SmallVector<Point> held;
    /// The element of the edges that the thread has besides.
    std::optional<Point> edge;
  };
  /// An input that all rows share, and an operand that it is, converted or not,
  /// of the op with that result.
  struct SharedInput {
    BlockArgument input;
    Value operand, result;
  };
  /// A row whose copies begin while the one before is read; `exists` is an i1.
  struct NextRow {
    RowPlace row;
    Value exists;
  };

  /// One block, or cluster, for its rows.
  GridTerm rowBlocks() const {
    return {{{SmallVector<Extent>(space.rows()), schedule.getRowsPerBlock()},
             {{{schedule.getBlocksPerRow()}}, 1}}};
  }
  LogicalResult verifyLength();
  LogicalResult verifyPersistent();
  LogicalResult verifyScatter(unsigned result);
  bool isFull(unsigned result);
  bool isOfGroups(unsigned result);
  void placeThread(const Index &block);
  void placeInGrid(const Index &block);
  void placeInBlocks(const Index &block);
  Index rowOf(const Index &block);
  bool haveAllRows();
  void placeStart(const Index &number);
  void placeRow(const Index &number);
  void placeExistingRow(const Index &number);
  void emitSeveral(const Index &block);
  bool haveOneHead() const;
  void placeSeveral(const Index &first);
  void loadSeveral();
  void emitTogether(const Index &first);
  void emitOneByOne(const Index &firstOfBlock);
  void forEachRow(llvm::function_ref<void()> body);
  void startExchanges();
  void placeRows(const Index &block);
  void emitRows(VisitSlot takeSlot = nullptr);
  void emitPersistent(const Index &block);
  bool isOneARow(Value value);
  SmallVector<BlockArgument> inputsAhead();
  void
  forEachAhead(ArrayRef<BlockArgument> inputs,
               llvm::function_ref<void(BlockArgument, const Point &)> body);
  ReductionState loadAhead(ArrayRef<BlockArgument> inputs, const Index &row,
                           Value exists);
  void defineAhead(ArrayRef<BlockArgument> inputs,
                   const ReductionState &loaded);
  bool sumsSlots() const;
  void copyFirst(const Index &block, const Index &stride);
  void copyAhead(const Index &block, const Index &stride,
                 const Index &firstSlot);
  Index slotsAfter(const Index &firstSlot, int64_t rows);
  SmallVector<SharedInput> sharedInputs();
  bool needsBarrierBetweenRows() const;
  bool isLoop() const { return schedule.getHold() == HoldKind::loop; }
  bool isCached() const { return schedule.getHold() == HoldKind::cache; }
  bool isShared() const { return schedule.getHold() == HoldKind::shared; }
  /// Whether copies of rows into shared memory begin before these are walked:
  /// of the next row in the last walk over the present one, or of several in
  /// memory of their own.
  bool copiesAhead() const {
    return isShared() && schedule.getPreload() && schedule.getPersistent() > 0;
  }
  /// Rows that are on their way beside the present one, which has its own room.
  int64_t rowsAhead() const {
    return copiesAhead() ? schedule.getStages() - 1 : 0;
  }
  /// Whether elements may be left over after all whole vectors.
  bool hasTail() const {
    return divisor % vector != 0 &&
           !emitter.divides(vector, space.columns().back());
  }
  /// Whether rows start anywhere between two multiples of the vector. Whole
  /// vectors then start at the first multiple of edges.unit in memory;
  /// what is before and behind them are the edges, no more elements than a
  /// group has threads.
  bool hasEdges() const {
    bool isDivisible =
        !hasTail() || (columns.base && emitter.getOptions().divisible);
    return !isDivisible && space.columns().size() == 1 &&
           group.width >= 2 * vector && vector > 1;
  }
  /// `followed`: there is another vector behind this one.
  Point pointAt(Index column, int64_t lanes, bool followed = false);
  Point rowPoint(Value value);

  void placeVectors();
  Index vectorColumn(const Index &number) {
    return emitter.add(row.head, emitter.mul(number, Index::constant(vector)));
  }
  Index edgeColumn(const Index &number);
  RowEdges findEdges() const;
  int64_t leastVectors() const;
  int64_t mostVectors() const;
  Value isInRow(const Index &number);
  /// Of the row's edges the last one.
  SmallVector<Part> partsFrom(int64_t firstVector);
  void placeHeldPoints(ArrayRef<Part> parts);
  void placeHeldPoints(int64_t firstVector) {
    placeHeldPoints(partsFrom(firstVector));
  }
  int64_t slotsInSharedMemory() const;
  Index slotColumn(const Index &slot);
  Index placeOf(const Index &slot) { return emitter.add(row.firstSlot, slot); }
  void planSlots();
  void startCopies(Value exists = {});
  void copyNext(const Index &first, int64_t count);
  void loadHeld(ArrayRef<BlockArgument> inputs);
  void preload();
  void computeRowValues();
  /// `together`: all are visited at once, which takes registers for all.
  States walkHeld(States states, Visit visit, bool isLast,
                  bool together = false);
  States walkShared(States states, Visit visit, bool isFirst, bool isLast);
  States walkSlots(int64_t from, int64_t to, int64_t step, const States &states,
                   Visit visit, bool isRefilled);
  bool cutsManyLate();
  void atEachHead(llvm::function_ref<void()> walk);
  SmallVector<Point> slotPoints(const Index &first, int64_t count);
  void loadFirstLate(ArrayRef<unsigned> results);
  ReductionState loadLate(ArrayRef<Point> points);
  States visitLate(const Index &first, const ReductionState &loaded,
                   States states, Visit visit);
  States walkAhead(int64_t to, States states, Visit visit);
  /// The states, if any, are those of the reducers.
  std::pair<States, States> walkLoops(MutableArrayRef<Reducer> reducers,
                                      States vectorStates, States scalarStates,
                                      Visit visit);

  States walkLevel(MutableArrayRef<Reducer> reducers, bool isFirst,
                   bool isLast);
  States combineAll(MutableArrayRef<Reducer> reducers, States states,
                    bool isFirst);
  void reduceLevel(ArrayRef<Operation *> ops, bool isFirst, bool isLast);
  void reduceGroups(ArrayRef<Operation *> ops);
  void storeGroups(ArrayRef<unsigned> results);
  LogicalResult verifyGroups();
  void storeFull(ArrayRef<unsigned> results);
  void storeSlots(ArrayRef<unsigned> results, VisitSlot takeSlot);
  void storeRows(ArrayRef<unsigned> results);
  void storeAt(ArrayRef<unsigned> results, const Point &point);
  void storeResult(unsigned number, const Point &point, Value value);

  /// Values are stored by their numbers in the segment.
  Value yielded(unsigned number) { return segment.stored[number]; }
  RowStorer storer(unsigned number) {
    return {frame, segment.results[number], segment.paths[number]};
  }
  void fillBesideRows(ArrayRef<unsigned> numbers);

  KernelFrame &frame;
  PointEmitter &emitter;
  RowsScheduleAttr schedule;
  const ReductionSegment &segment;
  const ReductionSpace &space;
  llvm::DenseSet<Value> reduced;
  int64_t vector;
  /// Vectors in one step of the loop form: loads in flight, and one rescaling
  /// of an online sum for all of them.
  int64_t unroll;
  ThreadGroup group;
  /// This thread's number in its block.
  Index thread;
  /// This thread's number among those that share the row, and how many do; not
  /// a number that is known where the whole grid does.
  Index walker, walkers;
  /// States that the blocks of the grid have left in memory.
  unsigned leftStates = 0;
  /// Where vectors may lie in a row that has edges.
  RowEdges edges = {};
  /// The present row, and all that the thread has, where these are several.
  RowPlace row;
  std::vector<RowPlace> rows;
  std::optional<NextRow> next;
  Index columns;
  /// A power of two that is known to divide the number of columns.
  int64_t divisor = 1;
  /// Of the exchanges that are to come, what the blocks of a cluster wait at.
  SmallVector<Value> arrivals;
  using IndexKey = std::pair<void *, int64_t>;
  llvm::SmallDenseMap<std::pair<IndexKey, IndexKey>, Value> inRow;
  /// With hold = cache and hold = shared.
  SmallVector<BlockArgument> streamed;
  std::optional<RowStaging> staging;
  /// What only the last walk needs besides the row, and that of its first step.
  SmallVector<SharedInput> late;
  ReductionState lateOfFirst;
  /// Vectors of a thread in shared memory, and how many a group of copies has.
  int64_t slots = 0, slotsInGroup = 0;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWSLOWERING_H
