//===- ComputedPlaces.h - Values of an operand that is computed -*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emitter is asked for eight neighbours of an operand at once. Elements of
// its input come from a slot, and all else, as scales, from memory. No place
// outside of the operand is asked for: instead of these, which nobody needs,
// its last one is. Past the end of the summed axis an operand is zero, whatever
// would be computed there.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_COMPUTEDPLACES_H
#define FUSE_LIB_CONVERSION_MMA_COMPUTEDPLACES_H

#include "TileOrder.h"
#include "TileSlot.h"

namespace mlir::fuse {

/// An operand in a tile.
class ComputedPlaces {
public:
  /// Neighbours that are computed together.
  static constexpr int64_t kPlaces = 8;

  /// `tileSize`: what a tile has of its rows or columns.
  ComputedPlaces(MmaBuilder &b, const MmaSpace &space, MmaScheduleAttr schedule,
                 const MmaOperand &operand, const TilePlace &tile,
                 int64_t tileSize);

  /// The row or column of the result, if the operand has it, else its last one
  /// that leaves room for `together`.
  Index ownAt(const Index &own, int64_t together);
  /// The place of the summed axis that is `mine`, a word, behind a step's
  /// first, and `further`. Sets `isInside` where a step may end beyond the
  /// axis.
  Index placeAt(Value step, Value mine, int64_t further, int64_t together,
                Value &isInside);
  /// What is stored of the operand there, 16 bytes; 0 where `isInside`, unless
  /// null, does not hold. `elements` gives those of the input.
  Value valueAt(const Index &own, const Index &place, Value isInside,
                llvm::function_ref<Value()> elements);
  /// What an element of the input is in memory, and the neighbours that it
  /// holds.
  Type elementType() const;
  int64_t perElement() const { return operand->computed->perElement; }

private:
  Point pointOf(const Index &own, const Index &place);
  SmallVector<Extent> summed() const {
    return space->extents(space->k, b->frame.dims);
  }
  bool hasWholeSteps() const;

  MmaBuilder *b;
  const MmaSpace *space;
  MmaScheduleAttr schedule;
  const MmaOperand *operand;
  TilePlace tile;
  bool isRows;
  /// Its rows or columns, and whether tiles end where these do.
  SmallVector<Extent> ownExtents;
  bool hasWholeTiles;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_COMPUTEDPLACES_H
