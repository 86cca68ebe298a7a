//===- ScheduledRows.h - Rows and how they are lowered ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all stages of the lowering of rows read: the rows of one shape, and the
// schedule. Nothing here changes while code is emitted.
//
// The stages are builders, each with a state of its own:
//
//   place     RowPlaces     which rows and columns a thread has
//   stage     RowSlots      what waits in shared memory, and copies into it
//             LateInputs    what only the last walk reads, a step ahead
//             RowsAhead     what the next row needs, in registers
//   walk      RowWalker     the points of a row in order, with states
//   exchange  RowExchange   states across threads, blocks, or the grid
//   store     RowResults     results
//
// RowsLowering calls them in the order of the program.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWS_SCHEDULEDROWS_H
#define FUSE_LIB_CONVERSION_ROWS_SCHEDULEDROWS_H

#include "KernelFrame.h"

#include "fuse/Analysis/ReductionSegments.h"

namespace mlir::fuse {

struct ScheduledRows {
  ScheduledRows(KernelFrame &frame, RowsScheduleAttr schedule,
                const ReductionSegment &segment)
      : frame(frame), emitter(frame.emitter), schedule(schedule),
        segment(segment), space(segment.space),
        reduced(valuesFromReductions(segment.ops)),
        vector(schedule.getVector()), unroll(schedule.getHold().getUnroll()) {}

  /// An input that all rows share, and an operand that it is, converted or not,
  /// of the op with that result.
  struct SharedInput {
    BlockArgument input;
    Value operand, result;
  };

  bool isLoop() const { return isa<LoopHoldAttr>(schedule.getHold()); }
  bool isCached() const { return isa<CacheHoldAttr>(schedule.getHold()); }
  bool isShared() const { return isa<SharedHoldAttr>(schedule.getHold()); }
  bool isInRegisters() const {
    return isa<RegistersHoldAttr>(schedule.getHold());
  }
  bool preloads() const { return schedule.getHold().getPreload(); }
  bool isPersistent() const { return schedule.getPersistent() > 0; }
  /// Whether copies of rows into shared memory begin before these are walked:
  /// of the next row in the last walk over the present one, or of several in
  /// memory of their own.
  bool copiesAhead() const {
    return isShared() && preloads() && isPersistent();
  }
  /// Rows that are on their way beside the present one, which has its own room.
  int64_t rowsAhead() const {
    return copiesAhead() ? schedule.getHold().getStages() - 1 : 0;
  }
  /// Whether columns are summed of a row in shared memory.
  bool sumsSlots() const { return isShared() && segment.reducesToColumns(); }

  /// Whether a thread walks its row as loops over groups in each other.
  bool loopsOverGroups() const;

  /// The blocks for all rows, or clusters times their blocks; and how many of
  /// them are launched.
  GridTerm blocks() const;
  GridTerm grid() const;

  /// What is stored as result `number` of the segment.
  Value yielded(unsigned number) const { return segment.stored[number]; }
  /// Whether that has the shape that is reduced, and not one element a row.
  bool isFull(unsigned number) const;
  /// Whether groups of a row have one of it each.
  bool isOfGroups(unsigned number) const;
  /// Whether each row has several of it, in a row of their own.
  bool isPart(unsigned number) const {
    return space.isPartShape(frame.dims.extents(yielded(number)));
  }
  /// Whether a row has one of the value.
  bool isOneARow(Value value) const;
  /// Whether the op is computed at every point of a row.
  bool isAtEachPoint(Operation *op) const;
  /// What the ops of every row read at its columns.
  SmallVector<SharedInput> sharedInputs() const;

  KernelFrame &frame;
  PointEmitter &emitter;
  RowsScheduleAttr schedule;
  const ReductionSegment &segment;
  const ReductionSpace &space;
  /// What follows from a reduction of the segment.
  llvm::DenseSet<Value> reduced;
  int64_t vector;
  /// Vectors in one step of the loop form: loads in flight, and one rescaling
  /// of an online sum for all of them.
  int64_t unroll;
};

/// What is converted, if the value is nothing else.
inline Value beforeCasts(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  return value;
}

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWS_SCHEDULEDROWS_H
