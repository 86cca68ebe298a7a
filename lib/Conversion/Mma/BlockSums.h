//===- BlockSums.h - Sums of blocks, scaled in registers --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the summed axis comes in blocks, a step is a block. Its sums are
// elements of the contraction's result, at the thread's rows and columns:
//
//   before the products   load what they are multiplied by
//   behind them           sum + emit(what is summed, [block, row, column])
//
// A scale of the row is then emitted once for all columns, and one of 128
// columns once for these, since their points are the same.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_BLOCKSUMS_H
#define FUSE_LIB_CONVERSION_MMA_BLOCKSUMS_H

#include "FlowPlaces.h"
#include "MmaEpilogue.h"

namespace mlir::fuse {

class BlockSums {
public:
  BlockSums(MmaBuilder &b, const MmaSpace &space, MmaScheduleAttr schedule);

  /// Finds this thread's rows and columns of a tile.
  void startTile(const TilePlace &tile, const ConsumerThread &self);
  /// Starts the loads of a step.
  void loadAhead(const Index &step);
  /// The sums so far and, added to them, what becomes of those of a step; a
  /// list for each part of 64 rows.
  TileSums add(const Index &step, const TileSums &sums, const TileSums &added);

private:
  /// Rows of sums, and pairs or columns.
  int64_t rowCount() const { return 2 * schedule.partsPerConsumer(); }
  int64_t columnCount() const;
  void placeRows(Value first, ArrayRef<int64_t> steps, int64_t tileRows);
  void placeColumns(Value first, Value own, ArrayRef<int64_t> steps,
                    int64_t span, int64_t tileColumns);
  PartedPoint place(const Index &step, int64_t row, int64_t column);
  Point pointOf(Value value, const PartedPoint &from) {
    return places.pointOf(places.follow(value, from), lanes);
  }
  /// `body` for each row and each pair, or column, of this thread.
  void forEach(llvm::function_ref<void(int64_t row, int64_t column)> body);

  MmaBuilder &b;
  PointEmitter &emitter;
  const MmaSpace &space;
  const BlockSum &blocks;
  MmaScheduleAttr schedule;
  FlowPlaces places;
  int64_t lanes;
  /// Of the result, for the tile at hand: one index for each of the axes that
  /// rows join.
  SmallVector<SmallVector<Index, 4>> rows;
  SmallVector<PartedIndex> columns;
  llvm::SmallDenseMap<char, Index> outer;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_BLOCKSUMS_H
