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
// Block i of n takes tiles i, i + n, i + 2 n, ...
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_TILEORDER_H
#define FUSE_LIB_CONVERSION_MMA_TILEORDER_H

#include "MmaBuilder.h"
#include "fuse/Analysis/MmaSpace.h"

namespace mlir::fuse {

/// Where a tile lies: its first row and column, as words, and the indices of
/// the outer axes.
struct TilePlace {
  Value row, column;
  llvm::SmallDenseMap<char, Index> outer;
};

class TileOrder {
public:
  TileOrder(MmaBuilder &b, const MmaSpace &space, MmaScheduleAttr schedule)
      : b(b), space(space), schedule(schedule) {}

  /// Computes the numbers of tiles, for the code that follows.
  void initialize();
  /// All tiles, a word.
  Value count() { return tiles; }
  TilePlace place(Value tile);
  /// The same on the host: blocks.
  GridTerm grid() const;

private:
  SmallVector<Extent> extents(char axis) const {
    return space.extents(axis, b.frame.dims);
  }

  MmaBuilder &b;
  const MmaSpace &space;
  MmaScheduleAttr schedule;
  Value tilesM, tilesN, tiles;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_TILEORDER_H
