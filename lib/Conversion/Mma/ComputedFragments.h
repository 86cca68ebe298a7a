//===- ComputedFragments.h - Rows computed in registers ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row of a tile is one warp's. What is computed of it needs no shared
// memory: a lane reads elements from the slot, computes, and multiplies.
//
// An instruction takes 16 places of the summed axis, and which ones they are
// does not matter if both operands agree. So a lane has 16 neighbours of a row
// for four instructions, and reads them at once:
//
//   place of 64     0 .. 3     4 .. 7     8 .. 11    12 .. 15   16 .. 19
//   lane mod 4      0          0          0          0          1        ...
//   instruction     0          1          2          3          0        ...
//
// It reads the same places of the columns, 16 bytes for two instructions.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_COMPUTEDFRAGMENTS_H
#define FUSE_LIB_CONVERSION_MMA_COMPUTEDFRAGMENTS_H

#include "ComputedPlaces.h"
#include "MmaSync.h"

namespace mlir::fuse {

/// The rows of one tile.
class ComputedFragments {
public:
  /// Whether a warp computes the rows of such a tile.
  static bool compute(MmaScheduleAttr schedule) {
    return schedule.getSwap() && schedule.leftBits() != 0;
  }
  /// Instructions whose places of a lane are computed together, and that have
  /// a row of a box.
  static constexpr int64_t kTogether = 2, kPerBox = 4;

  /// `memory`: where the slots start; `warp`: its number in the consumer.
  ComputedFragments(MmaBuilder &b, const MmaSpace &space,
                    MmaScheduleAttr schedule, const TileSlot &slot,
                    Value memory, Value warp, Value lane);

  /// Finds this warp's rows of the tile, in a segment.
  void start(const TilePlace &tile, unsigned segment);
  /// Those of a step of the summed axis, whose elements are in the slot at
  /// `at`, for the instructions from `first` on that are computed together:
  /// for each of these the words of all rows.
  SmallVector<SmallVector<Value>> rows(Value step, Value at, int64_t first);
  /// The same of columns, from the start of which the lane's row is `start`
  /// bytes away, a word, `count` columns from `from` on.
  SmallVector<SmallVector<Value>> columns(const SlotOperand &operand,
                                          Value start, int64_t from,
                                          int64_t count, int64_t first);

private:
  /// Eight rows of a warp in a part of the tile.
  struct Source {
    ComputedPlaces places;
    Index own;
    /// Its row of the tile without what is a warp's own.
    int64_t row;
    /// The elements of a box, loaded.
    Value elements = {};
  };

  Value elementsOf(Source &source, Value at, const SlotBox &box);
  SmallVector<Value> wordsOf(Source &source, Value step, const SlotBox &box,
                             int64_t chunk);

  MmaBuilder &b;
  const MmaSpace &space;
  MmaScheduleAttr schedule;
  const TileSlot &slot;
  Value memory;
  /// This lane's row of the first part, and its first place of a box.
  Value row, place, lane;
  SmallVector<Source> sources;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_COMPUTEDFRAGMENTS_H
