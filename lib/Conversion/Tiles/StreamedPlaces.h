//===- StreamedPlaces.h - Queries of a block on a CPU -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_TILES_STREAMEDPLACES_H
#define FUSE_LIB_CONVERSION_TILES_STREAMEDPLACES_H

#include "KernelFrame.h"

#include "fuse/Analysis/StreamedSpace.h"

namespace mlir::fuse {

/// From a block to its tile of queries, and from rows, keys and columns to
/// points of tensors. Query heads that share a head of keys are rows, too: row
/// r is head r mod h of query r / h.
class StreamedPlaces {
public:
  /// By the letters of a contraction.
  using Places = llvm::SmallDenseMap<char, Index>;
  /// An operand, and the letters of its dimensions.
  struct Operand {
    Value tensor;
    StringRef axes;
  };

  StreamedPlaces(KernelFrame &frame, const StreamedSpace &space,
                 StreamedPanelsScheduleAttr schedule);

  /// Tiles of queries are numbered fastest: they share the keys.
  GridTerm grid() const { return {{{outerExtents}, rowTiles()}}; }
  /// Finds the tile of this block. Later queries, which see more keys of a
  /// causal mask, come first.
  void findTile();

  const Index &firstRow() const { return row; }
  const Index &rowCount() const { return rows; }
  /// The axes that the tile has one place of, by the letters of the first
  /// contraction and of the second.
  const Places &ofKeys() const { return outer; }
  const Places &ofValues() const { return productOuter; }
  /// The same with a row's places.
  Places ofRow(const Index &row);

  Point scorePoint(const Index &row, const Index &key, int64_t width);
  Point productPoint(const Index &row, const Index &column, int64_t width);
  /// Of a score of the tile, but for its row and its key.
  SmallVector<Index> outerPoint();

  Operand queries, keys, values;
  /// `lanes` elements of an operand.
  Value emitOperand(const Operand &operand, const Places &places,
                    int64_t lanes);

private:
  GridFactor rowTiles() const { return {rowExtents, schedule.getTileM()}; }
  SmallVector<Index, 4> dimsOf(Value tensor, StringRef axes,
                               const Places &places);

  KernelFrame &frame;
  PointEmitter &emitter;
  const StreamedSpace &space;
  StreamedPanelsScheduleAttr schedule;
  SmallVector<char> rowAxes, outerAxes;
  SmallVector<Extent> rowExtents, outerExtents;
  Places outer, productOuter;
  Index row, rows;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_TILES_STREAMEDPLACES_H
