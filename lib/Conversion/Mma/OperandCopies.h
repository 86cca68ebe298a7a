//===- OperandCopies.h - Operands of tiles into a ring ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread copies what a step of the summed axis needs of both operands into
// a slot. Where launches overlap, operands that no launch before writes, as
// weights are, are early: the slots of the first tile's first steps get them
// before the kernel waits for these launches, and the others' share behind.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_OPERANDCOPIES_H
#define FUSE_LIB_CONVERSION_MMA_OPERANDCOPIES_H

#include "TileOrder.h"
#include "TileRing.h"
#include "TileSlot.h"

namespace mlir::fuse {

class OperandCopies {
public:
  /// Adds the tensor maps that it needs to the kernel.
  OperandCopies(MmaBuilder &b, const MmaSpace &space, MmaScheduleAttr schedule,
                TileOrder &order, const TileSlot &slot);

  /// Whether the left operand or all of the right ones are early.
  bool hasEarly() const { return isLeftEarly || isRightEarly; }

  /// Fills the ring with the early operands of the block's first tile, whose
  /// steps are those from `firstStep` up to `lastStep`.
  void copyAhead(TileRing &ring, Value firstStep, Value lastStep);
  /// The step behind the last of those that fit into the ring.
  Value behindAhead(Value firstStep) {
    return b.add(firstStep, b.word(schedule.getStages()));
  }

  /// Copies a step of a tile into the place of the ring, once it is empty. Of
  /// steps before number `copied` the early operands are there already.
  void copyStep(TileRing &ring, const RingPlace &place, const TilePlace &tile,
                Value step, Value copied);

private:
  bool isEarly(const MmaOperand &operand);
  Value addMap(const MmaOperand &operand, int64_t boxRows, int64_t sharers);
  void copyOperands(TileRing &ring, Value at, Value barrier,
                    const TilePlace &tile, Value step, bool early);
  void copyColumns(TileRing &ring, unsigned segment, Value at, Value barrier,
                   const TilePlace &tile, Value step);
  void copyBoxes(TileRing &ring, const MmaOperand &operand, Value map,
                 ArrayRef<SlotBox> boxes, int64_t boxRows, int64_t sharers,
                 Value at, Value barrier, const TilePlace &tile, Value first,
                 Value step);

  MmaBuilder &b;
  const MmaSpace &space;
  MmaScheduleAttr schedule;
  TileOrder &order;
  const TileSlot &slot;
  Value rowsMap;
  /// Of each segment's contractions.
  SmallVector<SmallVector<Value, 2>, 1> columnsMaps;
  /// Whether no launch before writes the left operand, or the right ones.
  bool isLeftEarly = false, isRightEarly = false;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_OPERANDCOPIES_H
