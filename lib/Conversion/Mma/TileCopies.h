//===- TileCopies.h - Copies of a tile's operands ---------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one thread of a block does for the steps of a tile: it starts copies by
// tensor map of the rows and of the columns of all contractions, as TileSlot.h
// lays them out. Copies count whole boxes, also where these reach past the
// tensor's end.
//
// Where launches overlap, operands that no launch before writes, as weights
// are, are early (EarlyInputs.h): the slots of the first tile's first steps get
// them before the kernel waits for these launches, and the other operand
// behind.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_TILECOPIES_H
#define FUSE_LIB_CONVERSION_MMA_TILECOPIES_H

#include "TileOrder.h"
#include "TileRing.h"
#include "TileSlot.h"

namespace mlir::fuse {

class TileCopies {
public:
  /// Adds the tensor maps to the function.
  TileCopies(MmaBuilder &b, const MmaSpace &space, MmaScheduleAttr schedule,
             const TileSlot &slot, TileOrder &order);

  /// Whether all left operands or all right ones are early.
  bool hasEarly() const { return isLeftEarly || isRightEarly; }

  /// Fills the ring with the early operands of the block's first tile, whose
  /// steps are those from `firstStep` up to `lastStep`.
  void copyAhead(TileRing &ring, Value firstStep, Value lastStep);
  /// The step behind the last of those that fit into the ring.
  Value behindAhead(Value firstStep) {
    return b.add(firstStep, schedule.getStages());
  }

  /// Fills a slot with a step of the tile. Of steps before number `copied` the
  /// early operands are there, in slots that nobody has used before.
  void copyStep(TileRing &ring, const RingPlace &place, const TilePlace &tile,
                Value step, Value copied);

private:
  /// Starts a copy of a box: from where in the tensor, and to so many bytes
  /// behind the operand's start in a slot.
  using Start =
      llvm::function_ref<void(Value map, ValueRange coordinates, Value offset)>;

  bool isEarly(const MmaOperand &operand);
  void copyOperands(TileRing &ring, Value at, Value barrier,
                    const TilePlace &tile, Value step, bool early);
  Value addMap(const MmaOperand &operand, int64_t boxRows, int64_t sharers);
  void forEachBox(const MmaOperand &operand, Value map, ArrayRef<SlotBox> boxes,
                  int64_t boxRows, int64_t sharers, const TilePlace &tile,
                  Value first, Value step, Start start);
  void forRows(unsigned segment, const TilePlace &tile, Value step,
               Start start);
  void forColumns(unsigned segment, const TilePlace &tile, Value step,
                  Start start);

  MmaBuilder &b;
  const MmaSpace &space;
  MmaScheduleAttr schedule;
  const TileSlot &slot;
  TileOrder &order;
  /// Of each segment's contractions; what all share has one.
  using Maps = SmallVector<SmallVector<Value, 2>, 1>;
  Maps rowsMaps, columnsMaps;
  /// Whether no launch before writes the left operands, or the right ones.
  bool isLeftEarly = true, isRightEarly = true;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_TILECOPIES_H
