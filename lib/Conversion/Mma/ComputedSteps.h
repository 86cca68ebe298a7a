//===- ComputedSteps.h - Operands computed in shared memory -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where an operand is computed from what copies bring (ComputedOperand), the
// threads of a block compute that of one step while they multiply that of the
// step before:
//
//   slot     elements as in memory, rows of 64 without a swizzle
//     |      8 places a thread: emit(operand, [row, place ...])
//   buffer   16-bit elements, as if they had been copied; see TileSlot.h
//
// The emitter asks for the elements of the input at these places, which come
// from the slot, and loads all else, as scales, from memory (ComputedPlaces.h).
// What is a tile's rows where operands are swapped has no buffer: warps compute
// it in registers (ComputedFragments.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_COMPUTEDSTEPS_H
#define FUSE_LIB_CONVERSION_MMA_COMPUTEDSTEPS_H

#include "ComputedPlaces.h"

namespace mlir::fuse {

/// The computed operands of one tile.
class ComputedSteps {
public:
  ComputedSteps(MmaBuilder &b, const MmaSpace &space, MmaScheduleAttr schedule,
                const TileSlot &slot, Value memory, Value thread)
      : b(b), space(space), schedule(schedule), slot(slot), memory(memory),
        thread(thread) {}

  /// Finds this thread's places of the tile, in a segment.
  void start(const TilePlace &tile, unsigned segment);
  /// Computes the operands of a step, whose elements are in the slot at `from`,
  /// into the buffer at `to`: all, or of `parts` shares number `part`. Another
  /// step than one of the tile's gives values that nobody may use.
  void compute(Value step, Value from, Value to, int64_t part = 0,
               int64_t parts = 1);
  /// Leaves zeros in the buffer at `to` instead.
  void clear(Value to);

private:
  /// What a thread computes of one operand.
  struct Source {
    ComputedPlaces places;
    const SlotOperand *place;
    /// Its first row or column of the result.
    Index own;
    /// Bytes from the start of a slot, and of a buffer.
    int64_t slotOffset, bufferOffset;
    SmallVector<SlotBox> boxes;
    int64_t boxRows;
  };

  void addSource(const MmaOperand &operand, const SlotOperand &place,
                 int64_t slotOffset, int64_t bufferOffset,
                 ArrayRef<SlotBox> boxes, int64_t boxRows, Value first,
                 int64_t tileSize);
  /// `body` for each chunk of this thread in a share.
  using ChunkBody =
      llvm::function_ref<void(const Source &, const SlotBox &, int64_t first)>;
  void forEachChunk(int64_t part, int64_t parts, ChunkBody body);
  void computeChunk(const Source &source, const SlotBox &box, int64_t first,
                    Value step, Value from, Value to);
  void store(Value stored, const Source &source, int64_t start, Value to);
  MmaBuilder &b;
  const MmaSpace &space;
  MmaScheduleAttr schedule;
  const TileSlot &slot;
  Value memory, thread;
  TilePlace tile;
  SmallVector<Source, 3> sources;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_COMPUTEDSTEPS_H
