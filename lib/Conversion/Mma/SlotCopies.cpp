//===- SlotCopies.cpp - From tensors to slots by all threads --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlotCopies.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t chunkBytes = ThreadChunk::bytes;

/// Rows of memory lie along the operand's second dimension.
void SlotCopies::addSource(const MmaOperand &operand, const SlotOperand &place,
                           int64_t offset, ArrayRef<SlotBox> boxes,
                           int64_t boxRows, Value first, int64_t tileSize,
                           ArrayRef<Extent> own, const TilePlace &tile) {
  PointEmitter &emitter = b.frame.emitter;
  auto input = cast<BlockArgument>(operand.tensor);
  Source source(ThreadChunk(b, thread, schedule.getThreads(), place));
  source.isAlongK = place.isAlongK;
  source.element =
      PointEmitter::storageType(getElementTypeOrSelf(operand.tensor.getType()));
  source.bytesEach = place.bytesEach;
  source.perElement = operand.computed ? operand.computed->perElement : 1;
  for (SlotBox box : boxes) {
    box.offset = place.inSlot(box.offset);
    source.boxes.push_back(box);
  }
  source.boxRows = boxRows;
  source.offset = offset;
  source.pitch = inputStride(b, operand, operand.dims[1].back());
  Value row = source.chunk.row;
  Value column =
      b.mul(source.chunk.column, place.rowElements() / source.chunk.inRow);
  source.own = b.add(first, place.isAlongK ? row : column);
  source.place = place.isAlongK ? column : row;
  source.ownEnd = b.wordOf(emitter.product(own));
  std::optional<int64_t> size = staticProduct(own);
  source.hasWholeTiles = size && *size % tileSize == 0;
  Extent inner = b.frame.dims.extent(input, operand.dims[0].back());
  source.hasWholeChunks = hasWholeChunks(b, operand, inner);

  Index at = b.indexOf(
      b.div(place.isAlongK ? source.place : source.own, source.perElement));
  at = emitter.add(
      at, emitter.mul(b.indexOf(place.isAlongK ? source.own : source.place),
                      source.pitch));
  for (auto [dims, letter] :
       llvm::drop_begin(llvm::zip_equal(operand.dims, operand.axes), 2))
    at = emitter.add(at, emitter.mul(b.indexOf(tile.outer.lookup(letter)),
                                     inputStride(b, operand, dims.back())));
  source.pointer =
      movedPointer(b, inputPointer(b, operand), source.element, at);
  sources.push_back(std::move(source));
}

void SlotCopies::start(const TilePlace &tile, unsigned number) {
  const MmaSegment &segment = space.segments[number];
  sources.clear();
  bool swap = schedule.getSwap();
  SmallVector<Extent> rows = space.extents(space.m, b.frame.dims);
  SmallVector<Extent> columns = {space.columns(segment, b.frame.dims)};
  int64_t ofRows = slot.pieceRows(segment);
  for (const TileSlot::RowPiece &piece : slot.rowPieces(segment))
    addSource(leftOperand(space, schedule, segment, piece.number), slot.rows, 0,
              slot.rows.boxes(piece.inTile, ofRows), slot.rows.boxRows(ofRows),
              b.add(tile.row, piece.further), ofRows, swap ? columns : rows,
              tile);
  for (int64_t i = 0; i < segment.sharersOfColumns(schedule); ++i) {
    const ColumnRun &run = slot.runs[slot.runOf(i)];
    int64_t count = slot.pieceColumns(segment);
    for (const TileSlot::Piece &piece : slot.pieces(segment, i))
      addSource(rightOperand(space, schedule, segment, i), run.operand,
                run.offset, run.operand.boxes(piece.inRun, count),
                run.operand.boxRows(count), b.add(tile.column, piece.inTile),
                segment.columnsPerTile(schedule), swap ? rows : columns, tile);
  }
}

/// How much of the thread's 16 bytes is there.
Value SlotCopies::bytesInside(const Source &source, Value own, Value place) {
  Value along = source.isAlongK ? place : own;
  Value end = source.isAlongK ? places : source.ownEnd;
  Value bytes = b.word(chunkBytes);
  if (!source.hasWholeChunks)
    bytes = b.min(bytes, b.mul(b.sub(end, along), source.bytesEach));
  Value isInside = b.isLess(place, places);
  if (!source.hasWholeTiles)
    isInside = b.frame.both(isInside, b.isLess(own, source.ownEnd));
  return b.select(isInside, bytes, b.word(0));
}

void SlotCopies::copyBox(const Source &source, const SlotBox &box, Value step,
                         Value at, llvm::function_ref<bool()> isTaken) {
  PointEmitter &emitter = b.frame.emitter;
  const ThreadChunk &chunk = source.chunk;
  Value stepPlaces = b.mul(step, schedule.getTileK());
  Index perStep =
      b.indexOf(b.div(stepPlaces, source.isAlongK ? source.perElement : 1));
  if (!source.isAlongK)
    perStep = emitter.mul(perStep, source.pitch);
  Value pointer = movedPointer(b, source.pointer, source.element, perStep);
  Value start = b.behind(memory, b.add(at, chunk.target));
  int64_t along = source.isAlongK ? box.place : box.further;
  for (int64_t first = 0; first < source.boxRows; first += chunk.rowsAtOnce) {
    if (!isTaken())
      continue;
    int64_t ownRow = source.isAlongK ? first : 0;
    int64_t placeRow = source.isAlongK ? 0 : first;
    Value own = b.add(source.own, box.further + ownRow);
    Value place = b.add(b.add(source.place, stepPlaces), box.place + placeRow);
    Index distance =
        emitter.add(emitter.mul(Index::constant(first), source.pitch),
                    Index::constant(along / source.perElement));
    auto copy = [&] {
      Value to = b.behind(start, source.offset + box.offset +
                                     first * chunk.inRow * chunkBytes);
      chunk.copy(to, movedPointer(b, pointer, source.element, distance),
                 bytesInside(source, own, place));
    };
    Value exists;
    if (first + chunk.rowsAtOnce > source.boxRows)
      exists = b.isLess(chunk.row, b.word(source.boxRows - first));
    b.frame.ifTrue(exists, copy);
  }
}

void SlotCopies::copy(Value step, Value at, int64_t part, int64_t parts) {
  int64_t number = 0;
  for (const Source &source : sources)
    for (const SlotBox &box : source.boxes)
      copyBox(source, box, step, at, [&] { return number++ % parts == part; });
}
