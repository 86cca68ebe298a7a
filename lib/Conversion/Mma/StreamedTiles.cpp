//===- StreamedTiles.cpp - Queries and keys of a block --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedTiles.h"

using namespace mlir;
using namespace mlir::fuse;

/// The tiles along each outer axis of the product.
static SmallVector<Extent> outerTiles(const StreamedSpace &space,
                                      StreamedScheduleAttr schedule,
                                      const DimClasses &dims) {
  SmallVector<Extent> sizes;
  for (char axis : space.product.outer) {
    bool isShared = space.heads && space.productAxis(*space.heads) == axis;
    if (isShared && schedule.getHeads() > 1)
      sizes.push_back({static_cast<int64_t>(
          llvm::divideCeil(space.headCount(dims), schedule.getHeads()))});
    else
      llvm::append_range(sizes, space.product.extents(axis, dims));
  }
  return sizes;
}

GridTerm StreamedTiles::grid(const StreamedSpace &space,
                             StreamedScheduleAttr schedule,
                             const DimClasses &dims) {
  GridTerm term{{{outerTiles(space, schedule, dims)},
                 {space.product.extents(space.product.m, dims),
                  schedule.queriesPerTile()}}};
  term.most = schedule.getPersistent();
  return term;
}

Value StreamedTiles::count() {
  const MmaSpace &its = space.product;
  Value rows = b.wordOf(emitter.product(its.extents(its.m, b.frame.dims)));
  return b.mul(
      b.ceilDiv(rows, schedule.queriesPerTile()),
      b.wordOf(emitter.product(outerTiles(space, schedule, b.frame.dims))));
}

TilePlace StreamedTiles::place() {
  Value block = b.wordOf(b.frame.blockId());
  if (schedule.leavesParts()) {
    parts = b.wordOf(b.frame.partStates->parts);
    Value tile = b.div(block, parts);
    number = b.sub(block, b.mul(tile, parts));
    block = tile;
  }
  return placeOf(block);
}

TilePlace StreamedTiles::placeOf(Value block) {
  const MmaSpace &its = space.product;
  int64_t queries = schedule.queriesPerTile();
  Value rows = b.wordOf(emitter.product(its.extents(its.m, b.frame.dims)));
  Value count = b.ceilDiv(rows, queries);
  Value batch = b.div(block, count);
  Value before = b.sub(block, b.mul(batch, count));
  TilePlace tile;
  tile.row = b.mul(b.sub(b.sub(count, b.word(1)), before), queries);
  tile.column = b.word(0);
  SmallVector<Index, 4> indices = emitter.delinearize(
      b.indexOf(batch), outerTiles(space, schedule, b.frame.dims));
  for (auto [axis, index] : llvm::zip_equal(its.outer, indices)) {
    bool isShared = space.heads && space.productAxis(*space.heads) == axis;
    tile.outer[axis] =
        b.mul(b.wordOf(index), isShared ? schedule.getHeads() : 1);
  }
  return tile;
}

/// Each warp finds them: its lanes have a few of the queries each.
std::pair<Value, Value> StreamedTiles::extremesOf(Value first, Value last,
                                                  KeyRows::Numbers numbers) {
  constexpr int32_t warpThreads = 32;
  Value lane = b.rem(b.thread(), warpThreads), least, largest;
  auto add = [&](Value low, Value high) {
    least = least ? b.builder.createOrFold<arith::MinSIOp>(b.loc(), least, low)
                  : low;
    largest =
        largest ? b.builder.createOrFold<arith::MaxSIOp>(b.loc(), largest, high)
                : high;
  };
  for (int64_t query = 0; query < schedule.queriesPerTile();
       query += warpThreads) {
    Value row = b.min(b.add(first, b.add(lane, query)), last);
    Value number = numbers(b.indexOf(row));
    add(number, number);
  }
  auto other = [&](Value value, int32_t distance) {
    return gpu::ShuffleOp::create(b.builder, b.loc(), value, b.word(distance),
                                  b.word(warpThreads), gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  for (int32_t distance = warpThreads / 2; distance > 0; distance /= 2)
    add(other(least, distance), other(largest, distance));
  return {least, largest};
}

/// All parts of a tile together have one tile of keys at least, so that rows
/// which see nothing have statistics.
KeyTiles StreamedTiles::find(const TilePlace &tile, ArrayRef<ScoreMask> masks) {
  ContractOp op = space.scores;
  const DimClasses &dims = b.frame.dims;
  SmallVector<Index> point;
  std::optional<unsigned> varying;
  for (auto [axis, letter] : llvm::enumerate(op.getResultAxes())) {
    bool isOne = dims.extent(op.getResult(), axis).size == 1;
    bool isPlace = letter == space.m || letter == space.n;
    if (schedule.getHeads() > 1 && letter == space.heads)
      varying = axis;
    point.push_back(isOne || isPlace ? Index::constant(0)
                                     : b.indexOf(tile.outer.lookup(
                                           space.productAxis(letter))));
  }
  auto wide = [&](Value word) -> Value {
    return arith::ExtUIOp::create(b.builder, b.loc(), b.builder.getI64Type(),
                                  word);
  };
  auto narrow = [&](Value value) -> Value {
    return arith::TruncIOp::create(b.builder, b.loc(), b.builder.getI32Type(),
                                   value);
  };
  Value rowCount = b.wordOf(emitter.size(space.rowExtent(dims)));
  Value keyCount = b.wordOf(emitter.size(space.keyExtent(dims)));
  Value last = b.sub(
      b.min(b.add(tile.row, schedule.queriesPerTile()), rowCount), b.word(1));
  KeyRows rows{wide(tile.row), wide(last),
               static_cast<unsigned>(op.getResultAxes().find(space.m)), varying,
               [&](KeyRows::Numbers numbers) {
                 return extremesOf(tile.row, last, numbers);
               }};
  KeyRangeEmitter ranges(b, point, std::move(rows), wide(keyCount));
  KeyRanges seen = ranges.everything();
  for (const ScoreMask &mask : masks) {
    KeyRanges its = ranges.emit(mask.condition);
    if (!mask.hides)
      its.some = ranges.everything().some;
    seen = ranges.both(seen, its);
  }
  KeyTiles found;
  if (space.mayHaveNoKeys(dims))
    found.exist = b.differs(keyCount, b.word(0));
  found.all = {narrow(seen.all.first), narrow(seen.all.last)};
  Value zero = ranges.number(0);
  Value firstKey = narrow(ranges.max(seen.some.first, zero));
  Value lastKey = narrow(ranges.max(seen.some.last, zero));
  Value count = b.ceilDiv(keyCount, schedule.getTileK());
  // A range may start behind the last key.
  found.first =
      b.min(b.div(firstKey, schedule.getTileK()),
            b.select(b.equal(count, 0), b.word(0), b.sub(count, b.word(1))));
  found.last = b.ceilDiv(lastKey, schedule.getTileK());
  Value least = b.add(found.first, 1);
  found.last = b.select(b.isLess(found.last, least), least, found.last);
  return schedule.leavesParts() ? ownPart(found) : found;
}

/// All parts are of one length but the last ones, of which some may be empty.
KeyTiles StreamedTiles::ownPart(KeyTiles tiles) {
  Value count = b.sub(tiles.last, tiles.first);
  Value length = b.div(b.sub(b.add(count, parts), b.word(1)), parts);
  Value first = b.min(b.add(tiles.first, b.mul(number, length)), tiles.last);
  Value last = b.min(b.add(first, length), tiles.last);
  Value any = b.isLess(first, last);
  tiles.exist = b.frame.both(tiles.exist, any);
  tiles.first = first;
  tiles.last = last;
  return tiles;
}
