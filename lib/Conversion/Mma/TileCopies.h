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
// A launch may start while the one ahead of it still runs, whose results it
// must not read before that has ended. What it reads then is on its way to the
// L2 by then, of operands that are the program's arguments: of few rows the
// columns, which are nearly all that is read. A prefetch reads nothing, so that
// what the launch ahead writes after it is what a copy finds.
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

  /// Fills a slot with a step of the tile.
  void copyStep(TileRing &ring, const RingPlace &place, const TilePlace &tile,
                Value step);
  /// Brings the columns of a step of the tile to the L2.
  void prefetchStep(const TilePlace &tile, Value step);
  /// Whether these lie in arguments of the program.
  bool mayPrefetch();

private:
  /// Starts a copy of a box: from where in the tensor, and to so many bytes
  /// behind the operand's start in a slot.
  using Start =
      llvm::function_ref<void(Value map, ValueRange coordinates, Value offset)>;

  Value addMap(const MmaOperand &operand, int64_t boxRows, int64_t sharers);
  void forEachBox(const MmaOperand &operand, Value map, ArrayRef<SlotBox> boxes,
                  int64_t boxRows, int64_t sharers, const TilePlace &tile,
                  Value first, Value step, Start start);
  void forRows(const TilePlace &tile, Value step, Start start);
  void forColumns(unsigned segment, const TilePlace &tile, Value step,
                  Start start);

  MmaBuilder &b;
  const MmaSpace &space;
  MmaScheduleAttr schedule;
  const TileSlot &slot;
  TileOrder &order;
  Value rowsMap;
  /// Of each segment's contractions.
  SmallVector<SmallVector<Value, 2>, 1> columnsMaps;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_TILECOPIES_H
