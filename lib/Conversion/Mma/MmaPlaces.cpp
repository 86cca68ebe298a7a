//===- MmaPlaces.cpp - Where a thread has sums of a tile ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaEpilogue.h"
#include "ResultPoint.h"

using namespace mlir;
using namespace mlir::fuse;

/// Constants stay apart from what differs between threads.
PartedIndex MmaEpilogue::columnAt(const Places &places, int64_t offset,
                                  Value lane, int64_t span) {
  PartedIndex column{places.columnBase, width(), offset, lane, span};
  // There is one tile of columns, and nothing behind its first head.
  if (staticProduct(extents(space.n)) == segment.flow.wholeColumns) {
    column.base = {};
    column.offset %= segment.flow.wholeColumns;
  }
  return column;
}

/// Pairs of the same head move together.
PartedIndex MmaEpilogue::keepInside(const PartedIndex &column) {
  int64_t whole = segment.flow.wholeColumns;
  if (whole == 1) {
    Index index = emitter.add(emitter.add(Index{column.base}, {column.lane}),
                              Index::constant(column.offset));
    return PartedIndex::of(emitter.min(
        index, emitter.add(size(space.n), Index::constant(-lanes))));
  }
  if (!column.base)
    return column;
  Index unit = Index::constant(whole);
  Index last =
      emitter.add(emitter.div(size(space.n), unit), Index::constant(-1));
  Index group = emitter.min(emitter.add(emitter.div({column.base}, unit),
                                        Index::constant(column.offset / whole)),
                            last);
  Index first = emitter.mul(group, unit);
  return {first.base, whole, first.offset + column.offset % whole, column.lane,
          column.span};
}

MmaEpilogue::Places MmaEpilogue::placesOf(const TilePlace &tile,
                                          bool hasEdges) {
  Places places;
  for (char axis : space.outer)
    places.outer[axis] = b.indexOf(tile.outer.lookup(axis));
  Index row = b.indexOf(b.add(firstRow(tile, 0), b.add(warpRow, quadRow)));
  places.columnBase = b.indexOf(firstColumn(tile, 0)).base;
  places.pairLane = b.indexOf(quadColumn).base;
  placeChunks(places, tile);
  Index column = emitter.add({places.columnBase}, {places.pairLane});
  emitter.setRange(places.pairLane, 0, blockColumns - pair + 1);
  for (int64_t part = 0; part < schedule.partsPerConsumer(); ++part)
    for (int64_t half = 0; half < 2; ++half)
      places.rows.push_back(emitter.add(
          row,
          Index::constant(part * MmaScheduleAttr::kRows + half * rowStep)));
  for (Index index : places.rows) {
    if (hasEdges)
      index =
          emitter.min(index, emitter.add(size(space.m), Index::constant(-1)));
    places.rowsInside.push_back(emitter.delinearize(index, extents(space.m)));
  }
  for (int64_t at = 0; at < width(); at += blockColumns)
    for (int64_t lane = 0; lane < pair; lane += lanes) {
      places.columns.push_back(emitter.add(column, Index::constant(at + lane)));
      PartedIndex parted =
          columnAt(places, at + lane, places.pairLane, blockColumns);
      places.columnsInside.push_back(hasEdges ? keepInside(parted) : parted);
    }
  return places;
}

PartedPoint
MmaEpilogue::partedPoint(ArrayRef<Index> rows, const PartedIndex &column,
                         const llvm::SmallDenseMap<char, Index> &outer) {
  return resultPlace(space, segment, b.frame.dims, {rows, column, outer});
}

/// From the last to the first: where an axis has size 1 all are one point,
/// whose value is the first's.
void MmaEpilogue::defineSums(Value sum, const Places &places,
                             const TileSums &sums) {
  int64_t perBlock = pair / lanes;
  for (int64_t row = places.rows.size() - 1; row >= 0; --row)
    for (int64_t column = places.columns.size() - 1; column >= 0; --column) {
      int64_t block = column / perBlock, lane = column % perBlock;
      int64_t first = 2 * pair * block + pair * (row % 2) + lane;
      Value value = emitter.gatherLanes(
          b.loc(), lanes, [&](int64_t i) { return sums[row / 2][first + i]; });
      PartedPoint at = partedPoint(places, {row, column});
      emitter.define(sum, flowPlaces.pointOf(at, lanes), value);
      flowPlaces.declare(at, lanes);
    }
}
