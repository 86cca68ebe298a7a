//===- RowWalker.h - Walks over a thread's part of a row --------*- C++ -*-===//
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
// a multiple of the vector. For softmax of a row of 5 vectors a thread, 3 of
// them in shared memory:
//
//   reduce (maximum):  slots 0, 1, 2 as their copies end, held 3, 4
//   reduce (sum):      slots 0, 1, 2, held 3, 4
//   visit (results):   slots 0, 1, 2, held 3, 4
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWS_ROWWALKER_H
#define FUSE_LIB_CONVERSION_ROWS_ROWWALKER_H

#include "LateInputs.h"
#include "Reductions/StateLoop.h"
#include "RowSlots.h"

namespace mlir::fuse {

/// Which of the walks over a row one is.
struct WalkOrder {
  bool isFirst, isLast;
};

class RowWalker {
public:
  using States = ReductionStates;
  /// Takes the elements at some points of a row into the states.
  using Visit =
      llvm::function_ref<States(const RowPlace &, States, ArrayRef<Point>)>;
  /// Takes points of a row that are stored to.
  using VisitPoints = llvm::function_ref<void(const RowPlace &, const Point &)>;
  /// Takes a vector of shared memory, by the number of its slot.
  using VisitSlot = llvm::function_ref<void(int64_t, const Point &)>;

  RowWalker(const ScheduledRows &rows, const RowGeometry &geometry,
            const RowPlaces &places, RowSlots &slots)
      : rows(rows), frame(rows.frame), emitter(rows.emitter),
        geometry(geometry), places(places), slots(slots), late(rows) {}

  /// Loads inputs at the points that the row holds; the emitter remembers them.
  void loadHeld(const RowPlace &row, ArrayRef<BlockArgument> inputs);
  /// The same of a row that stays in the caches, or that one walk reads. Later
  /// loads of it go the same way, up to loadThrough(nullptr).
  void loadCached(const RowPlace &row, CacheUse use);
  /// Loads all inputs that the ops of the row read at each of its points.
  void preload(const RowPlace &row);
  /// Loads what the first step of the last walk needs besides the row, if there
  /// is a whole one. For rows whose last walk is one of visit().
  void loadFirstLate(const RowPlace &row);

  /// What this thread finds in the row; one state of one lane for each reducer.
  States reduce(const RowPlace &row, MutableArrayRef<Reducer> reducers,
                WalkOrder order);
  /// The same of several rows in registers, each of which has as many reducers,
  /// where tensor cores add up products of two rows at a time.
  States reduceByMma(ArrayRef<RowPlace> present,
                     MutableArrayRef<Reducer> reducers);
  /// The last walk, which leaves no states.
  void visit(const RowPlace &row, VisitPoints body);
  /// The last walk over slots, each of which is code of its own: what the body
  /// keeps of it is in registers.
  void visitSlots(const RowPlace &row, VisitSlot body);

private:
  /// `together`: all are visited at once, which takes registers for all.
  States walkHeld(const RowPlace &row, States states, Visit visit, bool isLast,
                  bool together = false);
  States walkShared(const RowPlace &row, States states, Visit visit,
                    WalkOrder order);
  States walkSlots(const RowPlace &row, int64_t from, int64_t to, int64_t step,
                   const States &states, Visit visit, bool isRefilled);
  States walkAhead(const RowPlace &row, int64_t to, States states, Visit visit);
  States visitLate(const RowPlace &row, const Index &first,
                   const ReductionState &loaded, States states, Visit visit);
  bool cutsManyLate();
  void atEachHead(const RowPlace &row,
                  llvm::function_ref<void(const RowPlace &)> walk);
  /// The states, if any, are those of the reducers.
  std::pair<States, States> walkLoops(const RowPlace &row,
                                      MutableArrayRef<Reducer> reducers,
                                      States vectorStates, States scalarStates,
                                      Visit visit);

  const ScheduledRows &rows;
  KernelFrame &frame;
  PointEmitter &emitter;
  const RowGeometry &geometry;
  const RowPlaces &places;
  RowSlots &slots;
  LateInputs late;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWS_ROWWALKER_H
