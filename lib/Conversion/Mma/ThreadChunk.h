//===- ThreadChunk.h - What a thread copies at once -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a block copy 16 bytes each by cp.async, side by side along the
// rows of 128 bytes of a box (TileSlot.h), then the rows behind. A thread has
// the same 16-byte column in each row.
//
//   thread     0 1 2 3 4 5 6 7    rows 0, 16, ... of 128 threads
//              8 9 ...            rows 1, 17, ...
//
// A copy of fewer bytes than 16 fills the rest with zeros, and reads nothing
// behind them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_THREADCHUNK_H
#define FUSE_LIB_CONVERSION_MMA_THREADCHUNK_H

#include "MmaBuilder.h"
#include "TileSlot.h"

namespace mlir::fuse {

struct ThreadChunk {
  /// What a copy brings.
  static constexpr int64_t bytes = 16;

  /// `thread`: its number in a block of so many.
  ThreadChunk(MmaBuilder &b, Value thread, int64_t threads)
      : ThreadChunk(b, thread, threads, SlotOperand::rowBytes,
                    Swizzle::matrices) {}
  /// Of what the operand has in slots: elements that it is computed from lie
  /// without a swizzle, in rows that are shorter if these have fewer bits.
  ThreadChunk(MmaBuilder &b, Value thread, int64_t threads,
              const SlotOperand &place)
      : ThreadChunk(b, thread, threads, place.inSlot(SlotOperand::rowBytes),
                    place.computedBits ? Swizzle::none
                    : place.isWide()   ? Swizzle::wide
                                       : Swizzle::matrices) {}

  /// Copies so many bytes, a word.
  void copy(Value to, Value from, Value count) const;

  MmaBuilder &b;
  /// How many are a row of the box at hand.
  int64_t inRow;
  /// Rows of a box that the threads copy at once.
  int64_t rowsAtOnce;
  /// This thread's first row of a box and its 16-byte column there, and where
  /// it writes in the box; words.
  Value row, column, target;

private:
  /// How the 16-byte columns of a row are permuted, see MmaSync.h.
  enum class Swizzle : uint8_t { none, matrices, wide };

  ThreadChunk(MmaBuilder &b, Value thread, int64_t threads, int64_t rowBytes,
              Swizzle swizzle);
};

/// Elements from a place of the operand's input to the next along `dim`.
Index inputStride(MmaBuilder &b, const MmaOperand &operand, unsigned dim);
/// Where the operand's input starts in global memory.
Value inputPointer(MmaBuilder &b, const MmaOperand &operand);
/// So many elements behind a pointer.
Value movedPointer(MmaBuilder &b, Value pointer, Type element,
                   const Index &elements);
/// Whether copies of a row whose neighbours lie along `inner` take 16 bytes or
/// none: rows of a dense tensor are multiples of these.
bool hasWholeChunks(MmaBuilder &b, const MmaOperand &operand,
                    const Extent &inner);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_THREADCHUNK_H
