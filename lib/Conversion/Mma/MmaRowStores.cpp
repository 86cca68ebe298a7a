//===- MmaRowStores.cpp - Rows of results that lie apart ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp's sums of one row are 16 bytes, of which a store of registers writes a
// few. So results go through a buffer in shared memory, from which eight
// threads write the 128 bytes of a row: wherever that is, as no tensor map
// could say of the slots of a cache.
//
//===----------------------------------------------------------------------===//

#include "MmaEpilogue.h"
#include "Points/OpEmitters.h"

using namespace mlir;
using namespace mlir::fuse;

/// Rows that the threads of a consumer write at once.
static constexpr int64_t rowsAtOnce =
    MmaScheduleAttr::kGroup / MmaEpilogue::rowChunks;

/// This thread's chunks of a buffer, of rows that lie `rowsAtOnce` apart.
SmallVector<Value> MmaEpilogue::loadChunks(const Result &result, Value buffer) {
  Type element =
      PointEmitter::storageType(getElementTypeOrSelf(result.value.getType()));
  auto type = VectorType::get({chunkBytes / result.bytes}, element);
  // The swizzle repeats after eight rows.
  Value swizzled = b.bitXor(bufferChunk, b.rem(bufferRow, rowStep));
  Value start = b.add(b.mul(bufferRow, MmaScheduleAttr::kRowBytes),
                      b.mul(swizzled, chunkBytes));
  SmallVector<Value> chunks;
  for (int64_t row = 0; row < MmaScheduleAttr::kRows; row += rowsAtOnce)
    chunks.push_back(LLVM::LoadOp::create(
        b.builder, b.loc(), type,
        b.behind(buffer, b.add(start, row * MmaScheduleAttr::kRowBytes)),
        chunkBytes));
  return chunks;
}

void MmaEpilogue::placeChunks(Places &places, const TilePlace &tile) {
  places.chunkRow = b.indexOf(b.add(firstRow(tile, 0), bufferRow));
  for (const Result &result : results)
    if (result.isInRows && !places.chunkLanes.contains(result.bytes))
      places.chunkLanes[result.bytes] =
          b.indexOf(b.mul(bufferChunk, chunkBytes / result.bytes)).base;
}

/// A buffer of fewer columns than it has room for is read as far as it is full.
void MmaEpilogue::storeRows(const Result &result, Value buffer,
                            const Places &places, int64_t part,
                            int64_t firstBlock, int64_t blocks, bool hasEdges) {
  Value lane = places.chunkLanes.lookup(result.bytes);
  int64_t first = firstBlock * blockColumns, width = blocks * blockColumns;
  PartedIndex column = columnAt(places, first, lane, result.columns());
  auto storeRow = [&](int64_t further, Value stored) {
    Index row =
        emitter.add(places.chunkRow,
                    Index::constant(part * MmaScheduleAttr::kRows + further));
    PartedPoint from = partedPoint(emitter.delinearize(row, extents(space.m)),
                                   column, places.outer);
    Point point = flowPlaces.pointOf(flowPlaces.follow(result.value, from),
                                     chunkBytes / result.bytes);
    Value exists;
    if (result.scatter) {
      ScatterTarget target = emitScatterTarget(emitter, result.scatter, point);
      point = target.point;
      exists = target.exists;
    }
    b.frame.ifTrue(exists,
                   [&] { emitter.storeStored(result.number, point, stored); });
  };
  auto isInside = [&](int64_t further) -> Value {
    if (!hasEdges)
      return {};
    Index row =
        emitter.add(places.chunkRow,
                    Index::constant(part * MmaScheduleAttr::kRows + further));
    Index at = emitter.add(emitter.add({places.columnBase}, {lane}),
                           Index::constant(first));
    return b.frame.both(emitter.less(row, size(space.m)),
                        emitter.less(at, size(space.n)));
  };
  Value isFull;
  if (width < result.columns())
    isFull = emitter.less({lane}, Index::constant(width));
  b.frame.ifTrue(isFull, [&] {
    for (auto [i, chunk] : llvm::enumerate(loadChunks(result, buffer))) {
      int64_t further = i * rowsAtOnce;
      Value stored = chunk;
      b.frame.ifTrue(isInside(further), [&] { storeRow(further, stored); });
    }
  });
}
