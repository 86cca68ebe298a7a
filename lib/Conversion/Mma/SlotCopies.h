//===- SlotCopies.h - From tensors to slots by all threads ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread finds where it starts in a tile's operand once, and adds constants
// and the step's distance (ThreadChunk.h).
//
// What lies past the end of the summed axis is zero: a copy writes 16 bytes,
// and reads fewer. Nor is anything read past an edge of the result, where
// nobody needs the sums.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_SLOTCOPIES_H
#define FUSE_LIB_CONVERSION_MMA_SLOTCOPIES_H

#include "ThreadChunk.h"
#include "TileOrder.h"

namespace mlir::fuse {

/// The copies of one tile.
class SlotCopies {
public:
  /// `memory`: where the slots start; `thread`: the number in the block;
  /// `places`: the first of the summed axis that is not copied, a word.
  SlotCopies(MmaBuilder &b, const MmaSpace &space, MmaScheduleAttr schedule,
             const TileSlot &slot, Value memory, Value thread, Value places)
      : b(b), space(space), schedule(schedule), slot(slot), memory(memory),
        thread(thread), places(places) {}

  /// Finds where this thread reads of the tile, in a segment.
  void start(const TilePlace &tile, unsigned segment);
  /// Starts the copies of a step of the summed axis to the slot at an offset:
  /// all, or of `parts` shares number `part`.
  void copy(Value step, Value at, int64_t part = 0, int64_t parts = 1);

private:
  /// What a thread copies of one operand.
  struct Source {
    explicit Source(const ThreadChunk &chunk) : chunk(chunk) {}

    ThreadChunk chunk;
    /// In global memory: its 16 bytes of the first row of memory.
    Value pointer;
    /// Elements from a row of memory to the next.
    Index pitch;
    bool isAlongK;
    /// Places that an element holds.
    int64_t perElement;
    /// Its row or column of the result and its place of the summed axis there,
    /// in words, and the first row or column that the operand lacks.
    Value own, place, ownEnd;
    /// Whether tiles end where the operand does, and copies take 8 elements or
    /// none.
    bool hasWholeTiles, hasWholeChunks;
    int64_t bytesEach;
    Type element;
    /// Boxes, and bytes from the slot's start to that of the operand there.
    SmallVector<SlotBox> boxes;
    int64_t boxRows, offset;
  };

  void addSource(const MmaOperand &operand, const SlotOperand &place,
                 int64_t offset, ArrayRef<SlotBox> boxes, int64_t boxRows,
                 Value first, int64_t tileSize, ArrayRef<Extent> own,
                 const TilePlace &tile);
  void copyBox(const Source &source, const SlotBox &box, Value step, Value at,
               llvm::function_ref<bool()> isTaken);
  Value bytesInside(const Source &source, Value own, Value place);

  MmaBuilder &b;
  const MmaSpace &space;
  MmaScheduleAttr schedule;
  const TileSlot &slot;
  Value memory, thread, places;
  SmallVector<Source> sources;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_SLOTCOPIES_H
