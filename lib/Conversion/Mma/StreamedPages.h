//===- StreamedPages.h - Pages of a tile of keys ----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where keys or values are gathered from pages, a tile of them is copied page
// by page, or is a part of one. The numbers of the pages are read by the thread
// that copies, and by those that multiply: what a page that is not there gives
// is NaN, as fuse.gather defines it, where copies fill in zeros. So the scores
// of such keys become NaN, which a mask may still hide.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_STREAMEDPAGES_H
#define FUSE_LIB_CONVERSION_MMA_STREAMEDPAGES_H

#include "TileOrder.h"
#include "TileRing.h"
#include "TileSlot.h"
#include "fuse/Analysis/StreamedSpace.h"

namespace mlir::fuse {

/// A word: where a box of a slot starts along an axis of its tensor.
using BoxCoordinate = llvm::function_ref<Value(char axis, const SlotBox &)>;

/// A tensor of an operand, its tensor map, and the first place of the summed
/// axis that it has.
struct MappedPart {
  const MmaOperand *operand;
  Value map;
  int64_t first = 0;
};

/// Copies an operand, one tensor or several side by side, into a place of the
/// ring, which awaits so many bytes.
void copySlot(MmaBuilder &b, TileRing &ring, const RingPlace &place,
              const SlotOperand &slot, ArrayRef<MappedPart> parts,
              int64_t bytes, BoxCoordinate coordinate);

class StreamedPages {
public:
  /// `operand` of a tile of so many keys; `axisOf` gives the product's letter
  /// for one of the operand's.
  StreamedPages(MmaBuilder &b, const MmaOperand &operand, int64_t tileKeys,
                llvm::function_ref<char(char)> axisOf);

  bool exist() const { return operand.pages.has_value(); }
  /// Rows that a copy brings, and copies of a block of a tile.
  int64_t rowsPerCopy() const {
    return exist() ? std::min(operand.pages->rows, tileKeys) : tileKeys;
  }
  int64_t copies() const { return tileKeys / rowsPerCopy(); }
  /// The page that has a key, a word; -1 if it is not there.
  Value pageOf(const TilePlace &tile, Value key);
  /// The row of a key in its page.
  Value rowInPage(Value key) { return b.rem(key, operand.pages->rows); }
  /// The pages of a tile, words; `firstKey` is one, too.
  SmallVector<Value> load(const TilePlace &tile, Value firstKey);
  /// Copies the tile from `firstKey` on, of the pages `found` that load() gave,
  /// or as copySlot() does where there are none.
  void copy(TileRing &ring, const RingPlace &place, const SlotOperand &slot,
            ArrayRef<Value> found, ArrayRef<MappedPart> parts, int64_t bytes,
            Value firstKey, BoxCoordinate coordinate);

private:
  MmaBuilder &b;
  const MmaOperand &operand;
  int64_t tileKeys;
  SmallVector<char, 2> axes;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_STREAMEDPAGES_H
