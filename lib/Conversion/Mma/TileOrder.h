//===- TileOrder.h - Which tile a block computes when -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles are numbered so that those that run at the same time share rows and
// columns, which then come from the L2. With 5 x 3 tiles and a raster of 2:
//
//    0  2  4
//    1  3  5
//    6  8 10
//    7  9 11
//   12 13 14
//
// Block i of n takes tiles i, i + n, i + 2 n, ... The columns of tiles of the
// space's segments follow each other, or, where the operands are swapped, the
// rows. Where blocks share tiles, a cluster of
// them takes the place of a block; where they share operands, too, and a tile
// of the picture is as many neighbours as the cluster has blocks.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_TILEORDER_H
#define FUSE_LIB_CONVERSION_MMA_TILEORDER_H

#include "MmaBuilder.h"
#include "fuse/Analysis/MmaSpace.h"

namespace mlir::fuse {

/// Where a tile lies: its segment (null where there is one), its first row and
/// column in that, of the result's columns and rows where the operands are
/// swapped, and its places of the outer axes. All are words.
struct TilePlace {
  Value segment, row, column;
  llvm::SmallDenseMap<char, Value> outer;
};

class TileOrder {
public:
  TileOrder(MmaBuilder &b, const MmaSpace &space, MmaScheduleAttr schedule)
      : b(b), space(space), schedule(schedule) {}

  /// Computes the numbers of tiles, for the code that follows.
  void initialize();
  /// All tiles, a word.
  Value count() { return tiles; }
  /// The number of this block in its cluster, a word.
  Value rank() { return ownRank; }
  TilePlace place(Value tile);
  /// The same place, of which nothing that comes before this point can be
  /// computed behind it, nor what comes behind before it. ptxas 13.0 takes
  /// sums of products that are under way for finished where it calls a
  /// division between them and the instruction that waits for them, and reads
  /// them before that: so places are found before the products start, and what
  /// follows from them after the wait.
  TilePlace fixHere(const TilePlace &place);
  /// The same of a word that is equal in all threads of a warp.
  Value fixHere(Value word);
  /// The same on the host: blocks.
  GridTerm grid() const;
  /// Runs `body` for the tile's segment in a branch of its own.
  void inSegment(const TilePlace &place,
                 llvm::function_ref<void(unsigned)> body);

private:
  Value placeInSegment(TilePlace &place, Value number);
  Value columnOf(const MmaSegment &segment, Value number);
  /// The rows and columns of results that the tiles of a cluster have.
  int64_t rowsOfCluster() const {
    return schedule.resultRows() * schedule.clusterRows();
  }
  int64_t columnsOfCluster(const MmaSegment &segment) const {
    return segment.resultColumns(schedule) * schedule.clusterColumns();
  }
  /// Of the segment's columns.
  SmallVector<Extent> columnsOf(const MmaSegment &segment) const {
    return {space.columns(segment, b.frame.dims)};
  }
  SmallVector<Extent> extents(char axis) const {
    return space.extents(axis, b.frame.dims);
  }

  MmaBuilder &b;
  const MmaSpace &space;
  MmaScheduleAttr schedule;
  Value tilesM, tilesN, tiles, ownRank;
  /// The tiles of results' columns before each segment.
  SmallVector<Value> before;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_TILEORDER_H
