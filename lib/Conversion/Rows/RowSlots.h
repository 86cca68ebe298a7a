//===- RowSlots.h - Vectors of rows in shared memory ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second stage: what of a row waits where its thread reads it again. With
// `hold = shared` a thread's first vectors lie in slots of shared memory, the
// others and the edges in registers. With 6 vectors a thread, `in_registers` =
// 1, `copy_groups` = 2 and `unroll` = 2:
//
//   slots  0 1 2 3 | 4      two groups of copies, of whole steps but the last
//   held   vector 5
//
// The first walk waits for a group when it comes to it. With `preload` and
// persistent blocks, a row's copies start before it is walked: slot by slot, as
// the last walk over the row before leaves them, or with `stages` = s into a
// circle of s rows' slots:
//
//   stages = 3:   | present | next | the one behind |     then present = next
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWS_ROWSLOTS_H
#define FUSE_LIB_CONVERSION_ROWS_ROWSLOTS_H

#include "RowPlaces.h"
#include "RowStaging.h"

namespace mlir::fuse {

/// Vectors of a thread in shared memory, and how many a group of copies has.
struct SlotPlan {
  int64_t slots = 0, inGroup = 0;
};

/// The plan for rows that have from `leastVectors` to `mostVectors`, by where
/// they start, and are shared by `width` threads. Only vectors that all threads
/// have in every row are in slots.
SlotPlan planSlots(SharedHoldAttr hold, int64_t leastVectors,
                   int64_t mostVectors, int64_t width);

class RowSlots {
public:
  RowSlots(const ScheduledRows &rows, const RowGeometry &geometry,
           const RowPlaces &places)
      : rows(rows), emitter(rows.emitter), geometry(geometry), places(places) {}

  /// Finds the inputs that are kept near between the walks, of any row: in
  /// slots, or in the caches, which need none.
  void findInputs(const RowPlace &row);
  ArrayRef<BlockArgument> getInputs() const { return inputs; }
  /// Room for the vectors of a row that go to shared memory, and for those of
  /// rows ahead.
  void plan(const RowPlace &row);
  int64_t count() const { return planned.slots; }
  int64_t countInGroup() const { return planned.inGroup; }
  /// Groups of copies from a slot on.
  int64_t groupsFrom(int64_t slot) const {
    return llvm::divideCeil(planned.slots - slot, planned.inGroup);
  }
  /// Whether the group of copies ends with the slot.
  bool endsGroup(int64_t slot) const {
    return (slot + 1) % planned.inGroup == 0 || slot + 1 == planned.slots;
  }

  /// Starts all copies of the row, if it exists, in groups, so that the
  /// first walk need not wait for the last one. The groups are there in any
  /// case, so that as many are younger than any.
  void startCopies(const RowPlace &row, Value exists = {});
  /// Says which row comes next, for the last walk over the present one to start
  /// its copies; `exists` is an i1.
  void setNext(const RowPlace &row, Value exists) { next = {row, exists}; }
  bool hasNext() const { return next.has_value(); }
  /// Starts the copies of the next row's vectors into slots that nobody reads
  /// any more. Slots belong to a thread each, whose own accesses are in order.
  void copyNext(const Index &first, int64_t count);
  void commit() { staging->commit(); }
  /// Waits until at most `pending` groups, the youngest, are on their way.
  void wait(int64_t pending) { staging->wait(pending); }

  /// The points of `count` slots of a row.
  SmallVector<Point> points(const RowPlace &row, const Index &first,
                            int64_t count) const;
  /// The point of one slot, which is not followed by another.
  Point pointOf(const RowPlace &row, const Index &slot) const;
  /// Reads the inputs at points[i] from slot first + i; others from memory.
  PointEmitter::Loader loader(const RowPlace &row, ArrayRef<Point> points,
                              const Index &first);
  /// The first slot of a row so many behind another, in the circle that they
  /// are.
  Index slotsAfter(const Index &firstSlot, int64_t count) const;

private:
  Index columnOf(const RowPlace &row, const Index &slot) const;
  Index placeOf(const RowPlace &row, const Index &slot) const {
    return emitter.add(row.firstSlot, slot);
  }
  void copy(const RowPlace &row, const Index &slot);

  struct NextRow {
    RowPlace row;
    Value exists;
  };

  const ScheduledRows &rows;
  PointEmitter &emitter;
  const RowGeometry &geometry;
  const RowPlaces &places;
  SmallVector<BlockArgument> inputs;
  SlotPlan planned;
  std::optional<RowStaging> staging;
  std::optional<NextRow> next;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWS_ROWSLOTS_H
