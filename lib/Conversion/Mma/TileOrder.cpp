//===- TileOrder.cpp - Which tile a block computes when -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileOrder.h"
#include "TileSlot.h"

using namespace mlir;
using namespace mlir::fuse;

void TileOrder::initialize() {
  PointEmitter &emitter = b.frame.emitter;
  auto sizeOf = [&](char axis) {
    return b.wordOf(emitter.product(extents(axis)));
  };
  auto columnsIn = [&](const MmaSegment &segment) {
    return b.wordOf(emitter.product(columnsOf(segment)));
  };
  ownRank = b.rem(b.wordOf(b.frame.blockId()), schedule.clusterSize());
  tilesM = b.ceilDiv(sizeOf(space.m), rowsOfCluster());
  tilesN = b.word(0);
  for (const MmaSegment &segment : space.segments) {
    before.push_back(tilesN);
    tilesN =
        b.add(tilesN, b.ceilDiv(columnsIn(segment), columnsOfCluster(segment)));
  }
  if (schedule.getSwap())
    std::swap(tilesM, tilesN);
  tiles = b.mul(tilesM, tilesN);
  for (char axis : space.outer)
    tiles = b.mul(tiles, sizeOf(axis));
}

TilePlace TileOrder::place(Value tile) {
  TilePlace place;
  if (!space.outer.empty()) {
    Value perBatch = b.mul(tilesM, tilesN);
    Value batch = b.div(tile, perBatch);
    tile = b.sub(tile, b.mul(batch, perBatch));
    SmallVector<Extent> sizes;
    for (char axis : space.outer)
      llvm::append_range(sizes, extents(axis));
    auto indices = b.frame.emitter.delinearize(b.indexOf(batch), sizes);
    for (auto [axis, index] : llvm::zip(space.outer, indices))
      place.outer[axis] = b.wordOf(index);
  }
  Value raster = b.word(schedule.getRaster());
  Value perGroup = b.mul(tilesN, raster);
  Value group = b.div(tile, perGroup);
  Value inGroup = b.sub(tile, b.mul(group, perGroup));
  Value first = b.mul(group, raster);
  Value height = b.min(raster, b.sub(tilesM, first));
  Value column = b.div(inGroup, height);
  Value row = b.add(first, b.sub(inGroup, b.mul(column, height)));
  bool swap = schedule.getSwap();
  place.row = b.mul(swap ? column : row, rowsOfCluster());
  if (schedule.clusterRows() > 1)
    place.row = b.add(place.row, b.mul(ownRank, schedule.resultRows()));
  place.column = placeInSegment(place, swap ? row : column);
  if (swap)
    std::swap(place.row, place.column);
  return place;
}

/// Of tile number `number` of a segment, the first of the results' columns.
Value TileOrder::columnOf(const MmaSegment &segment, Value number) {
  int64_t width = columnsOfCluster(segment);
  if (int64_t parts = headParts(segment, schedule); parts > 1) {
    int64_t whole = segment.flow.wholeColumns, inHead = whole / width;
    return b.add(b.mul(b.div(number, inHead), whole),
                 b.mul(b.rem(number, inHead), width / parts));
  }
  Value column = b.mul(number, width);
  if (int64_t neighbours = schedule.clusterColumns(); neighbours > 1)
    column = b.add(column, b.mul(ownRank, width / neighbours));
  return column;
}

/// Finds the segment of that number along the results' columns, and the first
/// of these there.
Value TileOrder::placeInSegment(TilePlace &place, Value number) {
  Value column = columnOf(space.segments.front(), number);
  if (space.segments.size() > 1)
    place.segment = b.word(0);
  for (size_t i = 1; i < space.segments.size(); ++i) {
    Value isHere = b.atLeast(number, before[i]);
    place.segment = b.select(isHere, b.word(i), place.segment);
    column = b.select(
        isHere, columnOf(space.segments[i], b.sub(number, before[i])), column);
  }
  return column;
}

void TileOrder::inSegment(const TilePlace &place,
                          llvm::function_ref<void(unsigned)> body) {
  std::function<void(unsigned)> emitFrom = [&](unsigned number) {
    if (number + 1 == space.segments.size())
      return body(number);
    b.frame.ifElse(
        b.equal(place.segment, number), [&] { body(number); },
        [&] { emitFrom(number + 1); });
  };
  emitFrom(0);
}

/// An exchange between the threads of a warp stays where it is.
Value TileOrder::fixHere(Value word) {
  constexpr int64_t warpThreads = 32;
  return gpu::ShuffleOp::create(b.builder, b.loc(), word, b.word(0),
                                b.word(warpThreads), gpu::ShuffleMode::IDX)
      .getShuffleResult();
}

TilePlace TileOrder::fixHere(const TilePlace &place) {
  auto fix = [&](Value word) { return fixHere(word); };
  TilePlace fixed;
  if (place.segment)
    fixed.segment = fix(place.segment);
  fixed.row = fix(place.row);
  fixed.column = fix(place.column);
  for (char axis : space.outer)
    fixed.outer[axis] = fix(place.outer.lookup(axis));
  return fixed;
}

GridTerm TileOrder::grid() const {
  GridFactor batches;
  for (char axis : space.outer)
    llvm::append_range(batches.extents, extents(axis));
  std::vector<GridFactor> columns;
  for (const MmaSegment &segment : space.segments)
    columns.push_back({columnsOf(segment), columnsOfCluster(segment)});
  GridFactor all = columns.front();
  all.others.assign(columns.begin() + 1, columns.end());
  GridTerm term{{batches,
                 {extents(space.m), rowsOfCluster()},
                 all,
                 {{Extent{schedule.clusterSize()}}}}};
  // Of parts each has so many.
  int64_t parts = schedule.leavesParts() ? schedule.getSplitK() : 1;
  term.most = schedule.getPersistent() / parts;
  return term;
}
