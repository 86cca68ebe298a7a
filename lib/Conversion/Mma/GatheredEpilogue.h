//===- GatheredEpilogue.h - Results of sums in shared memory ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where blocks share a tile, or its operands are swapped, a thread's sums are
// not those that it computes results from. All consumers leave theirs in shared
// memory, as rows of the result:
//
//   operands as they are   pairs of sums, neighbours along a row
//   swapped                single sums, neighbours of which are 8 threads'
//
// The columns of several contractions lie side by side. Then vectors of a row
// go to neighbouring threads, first those of the first block. A thread reads
// the sums of each part, adds them from the first part to the last, and gives
// the emitter the contraction's value there. Results are written from
// registers, neighbouring threads side by side. Where another launch computes
// them, the sums are left for it instead (SplitSums.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_GATHEREDEPILOGUE_H
#define FUSE_LIB_CONVERSION_MMA_GATHEREDEPILOGUE_H

#include "MmaEpilogue.h"
#include "SumsExchange.h"

namespace mlir::fuse {

class GatheredEpilogue {
public:
  GatheredEpilogue(MmaBuilder &b, const MmaSpace &space,
                   const MmaSegment &segment, MmaScheduleAttr schedule);

  /// Computes what stays the same for all tiles; `rank` is the number of this
  /// block among those that share a tile.
  void initialize(const ConsumerThread &thread, Value rank,
                  SumsExchange &exchange);

  /// Writes the results of a tile. `sums` are those of each contraction.
  void write(const TilePlace &tile, ArrayRef<TileSums> sums,
             const TileTurn &turn);

private:
  /// One of a thread's vectors.
  struct Share {
    /// Its place in the tile's sums, in bytes, and in the result.
    Value offset;
    Index row, column;
    Point point;
    /// An i1: whether it is in the tile and the result; null for always.
    Value isInside;
  };

  SmallVector<Extent> extents(char axis) const {
    if (axis == space.n)
      return {space.columns(segment, b.frame.dims)};
    return space.extents(axis, b.frame.dims);
  }
  /// What a tile has of each contraction's result.
  int64_t rows() const { return schedule.resultRows(); }
  int64_t columns() const { return schedule.resultColumns() / segment.count(); }
  int64_t vectorsPerThread() const;
  void leaveSums(int64_t contraction, const TileSums &sums);
  void storeSum(int64_t row, int64_t column, ArrayRef<Value> values);
  Share shareOf(const TilePlace &tile, Value number);
  SmallVector<Share, 0> sharesFrom(const TilePlace &tile, Value first,
                                   int64_t count);
  void loadInputs(ArrayRef<Share> shares);
  Value sumOf(int64_t contraction, const Share &share);
  void leaveShares(ArrayRef<Share> shares);
  void defineSums(ArrayRef<Share> shares);
  void writeShares(ArrayRef<Share> shares);

  MmaBuilder &b;
  PointEmitter &emitter;
  const MmaSpace &space;
  const MmaSegment &segment;
  MmaScheduleAttr schedule;
  /// Inputs with an element for each of a result's, which pointwise ops read.
  SmallVector<BlockArgument> streamed;
  /// Neighbouring sums of a vector, and the threads that have one each before
  /// the next ones start.
  int64_t lanes, threads;
  SumsExchange *exchange = nullptr;
  /// In words: the number of this block among those that share a tile, this
  /// thread's first vector, and where its first sum lies in shared memory.
  Value part, first, place;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_GATHEREDEPILOGUE_H
