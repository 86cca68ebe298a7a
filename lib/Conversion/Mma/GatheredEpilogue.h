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
// the emitter the contraction's value there. Of rotary pairs that lie apart it
// has both vectors:
//
//   heads of 128, all rotated   columns 128 h + c and 128 h + 64 + c
//
// Of rows that are reduced the neighbours that have one combine their states.
// Results are written from registers, neighbouring threads side by side. Where
// another launch computes them, the sums are left for it instead (SplitSums.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_GATHEREDEPILOGUE_H
#define FUSE_LIB_CONVERSION_MMA_GATHEREDEPILOGUE_H

#include "FlowPlaces.h"
#include "MmaEpilogue.h"
#include "SumsExchange.h"
#include "TileReductions.h"

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
  /// A vector.
  struct Piece {
    /// Its place in the tile's sums, in bytes, and in the result.
    Value offset;
    PartedPoint at;
    Point point;
  };
  /// Vectors that a thread computes together.
  struct Share {
    SmallVector<Piece, 2> pieces;
    /// An i1: whether it is in the tile and the result; null for always.
    Value isInside;
    /// Its place among those of its row in the tile.
    Value inRow;
  };

  SmallVector<Extent> extents(char axis) const {
    if (axis == space.n)
      return {space.columns(segment, b.frame.dims)};
    return space.extents(axis, b.frame.dims);
  }
  /// What a tile has of each contraction's result.
  int64_t rows() const { return schedule.resultRows(); }
  int64_t columns() const { return segment.resultColumns(schedule); }
  /// Columns of which a share's pieces lie `apart()` each, and how many there
  /// are.
  int64_t wholeColumns() const {
    return pieces == 1 ? columns() : segment.flow.wholeColumns;
  }
  int64_t apart() const { return wholeColumns() / pieces; }
  /// Neighbouring columns of a piece in the tile: fewer where it has a part of
  /// a head.
  int64_t inTile() const { return std::min(apart(), columns() / pieces); }
  int64_t sharesPerThread() const;
  void leaveSums(int64_t contraction, const TileSums &sums);
  void storeSum(int64_t row, int64_t column, ArrayRef<Value> values);
  PartedIndex keepInside(PartedIndex column, Share &share);
  Share shareOf(const TilePlace &tile, Value number);
  SmallVector<Share, 0> sharesFrom(const TilePlace &tile, Value first,
                                   int64_t count);
  void loadInputs(ArrayRef<Share> shares);
  Point placeOf(Value value, const Piece &piece);
  Value sumOf(int64_t contraction, const Piece &piece);
  void leaveShares(ArrayRef<Share> shares);
  void defineSums(ArrayRef<Share> shares);
  void writeShares(const TilePlace &tile, ArrayRef<Share> shares);
  void reduceShares(ArrayRef<Share> shares);
  void leaveStates(const TilePlace &tile, ArrayRef<Share> shares);

  MmaBuilder &b;
  PointEmitter &emitter;
  const MmaSpace &space;
  const MmaSegment &segment;
  MmaScheduleAttr schedule;
  /// Inputs with an element for each of a result's, which pointwise ops read.
  SmallVector<BlockArgument> streamed;
  FlowPlaces flowPlaces;
  /// Neighbouring sums of a vector, the threads that have a share each before
  /// the next ones start, and the vectors of a share.
  int64_t lanes, threads, pieces;
  std::optional<TileReductions> reductions;
  SumsExchange *exchange = nullptr;
  /// In words: the number of this block among those that share a tile, this
  /// thread's first share, and where its first sum lies in shared memory.
  Value part, first, place;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_GATHEREDEPILOGUE_H
