//===- TilePlaces.h - Where the elements of a tile are ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_TILES_TILEPLACES_H
#define FUSE_LIB_CONVERSION_TILES_TILEPLACES_H

#include "KernelFrame.h"

#include "fuse/Analysis/TileSpace.h"

namespace mlir::fuse {

/// From a block to its tile, and from rows, columns and places of the summed
/// axes, each counted as one, to points of tensors.
class TilePlaces {
public:
  TilePlaces(KernelFrame &frame, const TileSpace &space,
             TiledScheduleAttr schedule);

  /// Tiles of rows are numbered fastest: what they share, the columns'
  /// operand, is usually the larger one.
  GridTerm grid() const;
  /// Finds the tile of this block.
  void findTile();

  const Index &firstRow() const { return row; }
  const Index &firstColumn() const { return column; }
  /// The rows and columns of the tile that exist.
  Index rowCount() const { return countFrom(row, rows, schedule.getTileM()); }
  Index columnCount() const {
    return countFrom(column, {columns}, schedule.getTileN());
  }
  /// The number of products of a sum.
  Index summedCount(const TileContraction &contraction) const;

  /// Whether so many neighbouring rows, or columns, are neighbours in the
  /// operand's memory and never lie in two of its rows; of summed places.
  bool alongOwn(const TileContraction &contraction, bool ofRows,
                int64_t lanes) const;
  bool alongSummed(const TileContraction &contraction, bool ofRows,
                   int64_t lanes) const;

  /// `lanes` elements of an operand from a row or column on, along it or along
  /// the summed axes, as alongOwn() or alongSummed() allow.
  Value emitOperand(const TileContraction &contraction, bool ofRows,
                    const Index &own, const Index &summed, int64_t lanes,
                    bool lanesAreSummed);

  Point resultPoint(const Index &row, const Index &column, int64_t lanes) const;

private:
  Index countFrom(const Index &first, ArrayRef<Extent> extents,
                  int64_t tile) const;

  KernelFrame &frame;
  PointEmitter &emitter;
  const TileSpace &space;
  TiledScheduleAttr schedule;
  SmallVector<Extent> rows, outer;
  Extent columns;
  Index row, column;
  /// One for each outer dimension.
  SmallVector<Index, 4> outerAt;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_TILES_TILEPLACES_H
