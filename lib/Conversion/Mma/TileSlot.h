//===- TileSlot.h - How operands of a tile lie in a slot --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First come the rows, then the columns of all contractions of a segment. What
// a consumer multiplies lies together, so that one instruction takes the
// columns of several contractions. With contractions a and b, a tile of 256
// columns, and two consumers that share them:
//
//   rows | a 0..63, b 0..63 | a 64..127, b 64..127
//          first consumer     second consumer
//
// Operands in the two orders of memory need instructions of their own, each for
// a run of neighbouring contractions.
//
// Where the operands are swapped the columns of the contractions are the rows
// here, those of the first come first. A tile may then have less than a head,
// some features of each side of its pairs:
//
//   heads of 128, tiles of 64   features 0..31, 64..95 | 32..63, 96..127
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_TILESLOT_H
#define FUSE_LIB_CONVERSION_MMA_TILESLOT_H

#include "fuse/Analysis/MmaSpace.h"

namespace mlir::fuse {

/// What one copy brings: where it goes, in bytes from the operand's start, and
/// how much further its rows or columns and its places of the summed axis are.
struct SlotBox {
  int64_t offset, further, place;
};

/// How one operand of a tile lies in a slot: in blocks of rows of 128 bytes, as
/// copies bring them.
struct SlotOperand {
  /// Rows or columns of the tile, and places of the summed axis.
  int64_t count, places;
  bool isAlongK;
  /// Bytes of an element.
  int64_t bytesEach;
  /// Bits of an element in memory where the operand is computed, else 0. Slots
  /// have it as memory does, in rows of as many elements, and buffers behind
  /// them have what is computed.
  int64_t computedBits = 0;

  static constexpr int64_t rowBytes = MmaScheduleAttr::kRowBytes;
  /// What an instruction takes of the summed axis; of f64 twice as much.
  static constexpr int64_t stepBytes = 32;

  int64_t rowElements() const { return rowBytes / bytesEach; }
  bool isWide() const { return bytesEach == 8; }
  int64_t placesPerStep() const {
    return (isWide() ? 2 : 1) * stepBytes / bytesEach;
  }
  /// Rows of memory in a block, and blocks.
  int64_t blockRows() const { return isAlongK ? count : places; }
  int64_t blocks() const { return (isAlongK ? places : count) / rowElements(); }
  int64_t blockBytes() const { return blockRows() * rowBytes; }
  int64_t bytes() const { return blocks() * blockBytes(); }
  /// Of so many bytes of the operand: those in the slot.
  int64_t inSlot(int64_t bytes) const {
    return computedBits ? bytes * computedBits / (8 * bytesEach) : bytes;
  }
  /// From the start of the operand to row or column `first` of the tile.
  int64_t offsetOf(int64_t first) const {
    return isAlongK ? first * rowBytes : first / rowElements() * blockBytes();
  }
  /// How much further the places of instruction `step` are.
  int64_t stepOffset(int64_t step) const;
  /// The boxes of `number` rows or columns from `first` on, and the rows of
  /// memory of each.
  SmallVector<SlotBox> boxes(int64_t first, int64_t number) const;
  int64_t boxRows(int64_t number) const { return isAlongK ? number : places; }
};

/// Neighbouring contractions of each segment, of whose columns one instruction
/// takes all that a consumer has.
struct ColumnRun {
  SlotOperand operand;
  /// Where it starts in a slot, and in a buffer if it is computed.
  int64_t offset, computedOffset;
  /// Its contractions.
  int64_t first, count;
  /// The columns of a consumer.
  int64_t consumerColumns;
};

/// The operands that are a tile's rows, and its columns, of contraction
/// `number` of the segment.
const MmaOperand &leftOperand(const MmaSpace &space, MmaScheduleAttr schedule,
                              const MmaSegment &segment, int64_t number);
const MmaOperand &rightOperand(const MmaSpace &space, MmaScheduleAttr schedule,
                               const MmaSegment &segment, int64_t number);

/// The sides of pairs of which a tile has so many neighbouring columns each; 1
/// where it has whole heads.
int64_t headParts(const MmaSegment &segment, MmaScheduleAttr schedule);

class TileSlot {
public:
  TileSlot(const MmaSpace &space, MmaScheduleAttr schedule);

  SlotOperand rows;
  SmallVector<ColumnRun, 1> runs;

  /// The run that contraction `number` of a segment is in, and the first of the
  /// columns there that a consumer has of it.
  unsigned runOf(int64_t number) const;
  int64_t columnInRun(const MmaSegment &segment, int64_t number) const;
  /// Columns of contraction `number` that lie together, for all consumers or
  /// each of them: which of the run and of the contraction's they are.
  struct Piece {
    int64_t inRun, inTile;
  };
  SmallVector<Piece> pieces(const MmaSegment &segment, int64_t number) const;
  int64_t pieceColumns(const MmaSegment &segment) const;
  /// Neighbouring rows of contraction `number`: which of the tile they are, and
  /// how far behind its first one.
  struct RowPiece {
    int64_t number, inTile, further;
  };
  SmallVector<RowPiece> rowPieces(const MmaSegment &segment) const;
  int64_t pieceRows(const MmaSegment &segment) const {
    return segment.rowsPerTile(schedule) / headParts(segment, schedule);
  }

private:
  MmaScheduleAttr schedule;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_TILESLOT_H
