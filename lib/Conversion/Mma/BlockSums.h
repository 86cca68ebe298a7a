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
//   while the block before is multiplied   load what they are scaled by
//   behind the products                    sum + scaled sum of the block
//
// A scale of the row is loaded once for all columns, and one of 128 columns
// once for these, since their points are the same. What is loaded goes with the
// loop from one step to the next: ptxas moves a load behind all that does not
// need it, products too, and its latency would follow theirs.
//
// Where all that stands between is products with scales, the scales of a place
// are multiplied with each other first, once for all places that share them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_BLOCKSUMS_H
#define FUSE_LIB_CONVERSION_MMA_BLOCKSUMS_H

#include "FlowPlaces.h"
#include "MmaEpilogue.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {

class BlockSums {
public:
  /// Of one of the contractions that share a tile.
  BlockSums(MmaBuilder &b, const MmaSpace &space, MmaScheduleAttr schedule,
            int64_t contraction);

  /// Finds this thread's rows and columns of a tile. `other`, if not null, has
  /// the same rows, whose scales are then loaded once for both.
  void startTile(const TilePlace &tile, const ConsumerThread &self,
                 const BlockSums *other);
  /// Adds what is loaded for the sums of a step to what others load for theirs.
  void load(const Index &step, llvm::SetVector<Value> &loaded);
  /// Whether a thread has registers for so much of the next step, for all
  /// contractions together.
  bool mayLoadAhead(ArrayRef<Value> loaded) const;
  /// Says that the step's loads, those of others too, gave these.
  void define(const Index &step, ArrayRef<Value> loaded);
  /// The sums so far and, added to them, what becomes of those of a step; a
  /// list for each part of 64 rows.
  TileSums add(const Index &step, const TileSums &sums, const TileSums &added);

private:
  /// Rows of sums, and pairs or columns.
  int64_t rowCount() const { return 2 * schedule.partsPerConsumer(); }
  int64_t columnCount() const;
  /// Columns of a tile that are the contraction's, and of a consumer.
  int64_t tileColumns() const {
    return space.segments.front().columnsPerTile(schedule);
  }
  int64_t ownColumns() const {
    return space.segments.front().columnsPerConsumer(schedule);
  }
  void placeTile(const TilePlace &tile, const ConsumerThread &self);
  void placeRows(Value first, ArrayRef<int64_t> steps, int64_t tileRows);
  void placeColumns(Value first, Value own, ArrayRef<int64_t> steps,
                    int64_t span, int64_t tileWidth);
  PartedPoint place(const Index &step, int64_t row, int64_t column);
  Point pointOf(Value value, const PartedPoint &from) {
    return places.pointOf(places.follow(value, from), lanes);
  }
  /// `body` for each row and each pair, or column, of this thread.
  void forEach(llvm::function_ref<void(int64_t row, int64_t column)> body);
  /// An operand, and what is computed of it and of the block's sums.
  struct Scale {
    Value operand, result;
  };
  void findScales();
  Value scaleAt(const Scale &scale, const Index &step, int64_t row,
                int64_t column) {
    return emitter.emitOperand(scale.operand, scale.result,
                               pointOf(scale.result, place(step, row, column)));
  }
  /// The product of all scales at a place.
  Value factorAt(const Index &step, int64_t row, int64_t column);
  Value scaledAt(const Index &step, int64_t row, int64_t column, Value sums);
  Value addTo(Value total, Value lane);

  MmaBuilder &b;
  PointEmitter &emitter;
  const MmaSpace &space;
  const BlockSum &blocks;
  MmaScheduleAttr schedule;
  FlowPlaces places;
  int64_t lanes;
  /// All other operands of what follows from the contraction.
  SmallVector<Scale, 2> scales;
  /// Whether what is summed is the block's sums times all of them.
  bool isProduct = false;
  /// Of each place of a scale in turn, the number of what is loaded for it.
  SmallVector<unsigned> numbers;
  llvm::SmallDenseMap<std::pair<Value, Value>, Value> factors;
  /// Of the result, for the tile at hand: one index for each of the axes that
  /// rows join.
  SmallVector<SmallVector<Index, 4>> rows;
  SmallVector<PartedIndex> columns;
  llvm::SmallDenseMap<char, Index> outer;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_BLOCKSUMS_H
