//===- StreamedKernel.h - What kernels of streamed rows share ---*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has a tile of queries, and takes tiles of keys and values from the
// last that it sees to the first: an edge, or what a causal mask cuts, comes
// first. How tiles are copied and multiplied is the instructions' own; which
// tiles there are, what becomes of scores, and what is left of the sums at the
// end is the same for all of them: a thread has its scores and sums where
// MmaEpilogue.h says.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_STREAMEDKERNEL_H
#define FUSE_LIB_CONVERSION_MMA_STREAMEDKERNEL_H

#include "StreamedPages.h"
#include "StreamedRows.h"
#include "StreamedTiles.h"

namespace mlir::fuse {

class StreamedKernel {
protected:
  StreamedKernel(KernelFrame &frame, StreamedScheduleAttr schedule,
                 StreamedSpace space, TensorFacts facts);
  ~StreamedKernel() = default;

  /// Finds the tile of queries, that of the block or of a number, and its tiles
  /// of keys.
  void placeTile(Value number = {});
  /// The tile of keys that a step from tiles.first to tiles.last takes, from
  /// the last to the first.
  Value tileAt(Value step);
  /// The tile's place of an axis of the scores but those of the first product.
  Value outerPlace(char scoreAxis);
  SmallVector<Value> missingKeys(Value number);
  /// This thread as one of those with the block's rows: consumers that share
  /// columns have the same ones.
  ConsumerThread rowThread() {
    return {schedule.columnGroups() > 1 ? b.word(0) : self.consumer,
            self.thread, self.lane};
  }
  /// What this consumer's columns start at, of consumers that share them; null
  /// where they do not.
  Value columnGroup() {
    return schedule.columnGroups() > 1 ? self.consumer : Value();
  }
  /// Bytes from the start of a slot of values, or of keys where these have the
  /// values, to this consumer's columns, a word.
  Value ownValues();
  /// The logits of the scores `own` of tile `number`.
  SmallVector<Value> logitsOf(ArrayRef<Value> own, Value number,
                              ArrayRef<Value> missing);
  /// The sums of both rows times the factor of each.
  SmallVector<Value> turned(ArrayRef<Value> sums, ArrayRef<Value> factors);
  void finish(ArrayRef<Value> sums, RowState &state);
  /// Writes what follows from a tile's sums.
  virtual void writeResults(ArrayRef<Value> sums) = 0;

  KernelFrame &frame;
  OpBuilder &builder;
  StreamedScheduleAttr schedule;
  StreamedSpace space;
  MmaScheduleAttr resultTile;
  MmaBuilder b;
  SlotOperand queries, keys, values;
  StreamedScores scores;
  StreamedRows rows;
  StreamedTiles places;
  StreamedPages keyPages, valuePages;
  /// None where a second launch writes the results.
  std::optional<MmaEpilogue> epilogue;
  TileOrder order;
  Value memory, thread;
  TilePlace tile;
  KeyTiles tiles;
  Value part;
  ConsumerThread self;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_STREAMEDKERNEL_H
