//===- ComputedSteps.cpp - Operands computed in shared memory -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedSteps.h"

using namespace mlir;
using namespace mlir::fuse;

/// What a thread computes at once of an operand of 16 bits, and how many of
/// these are a row of a box.
static constexpr int64_t chunkBytes = 16, chunkPlaces = ComputedPlaces::kPlaces;
static constexpr int64_t rowChunks = SlotOperand::rowBytes / chunkBytes;

void ComputedSteps::addSource(const MmaOperand &operand,
                              const SlotOperand &place, int64_t slotOffset,
                              int64_t bufferOffset, ArrayRef<SlotBox> boxes,
                              int64_t boxRows, Value first, int64_t tileSize) {
  Value row = b.div(thread, rowChunks);
  Value column = b.mul(b.rem(thread, rowChunks), chunkPlaces);
  sources.push_back(
      {ComputedPlaces(b, space, schedule, operand, tile, tileSize), &place,
       b.indexOf(b.add(first, place.isAlongK ? row : column)), slotOffset,
       bufferOffset, SmallVector<SlotBox>(boxes), boxRows});
}

void ComputedSteps::start(const TilePlace &place, unsigned number) {
  const MmaSegment &segment = space.segments[number];
  tile = place;
  sources.clear();
  int64_t rows = slot.pieceRows(segment);
  for (const TileSlot::RowPiece &piece : slot.rowPieces(segment))
    if (slot.rows.computedBits && !schedule.getSwap())
      addSource(leftOperand(space, schedule, segment, piece.number), slot.rows,
                0, 0, slot.rows.boxes(piece.inTile, rows),
                slot.rows.boxRows(rows), b.add(tile.row, piece.further), rows);
  for (int64_t i = 0; i < segment.sharersOfColumns(schedule); ++i) {
    const ColumnRun &run = slot.runs[slot.runOf(i)];
    int64_t count = slot.pieceColumns(segment);
    if (!run.operand.computedBits)
      continue;
    for (const TileSlot::Piece &piece : slot.pieces(segment, i))
      addSource(rightOperand(space, schedule, segment, i), run.operand,
                run.offset, run.computedOffset,
                run.operand.boxes(piece.inRun, count),
                run.operand.boxRows(count), b.add(tile.column, piece.inTile),
                segment.columnsPerTile(schedule));
  }
}

void ComputedSteps::computeChunk(const Source &source, const SlotBox &box,
                                 int64_t first, Value step, Value from,
                                 Value to) {
  PointEmitter &emitter = b.frame.emitter;
  const SlotOperand &place = *source.place;
  bool isAlongK = place.isAlongK;
  ComputedPlaces places = source.places;
  Index own = places.ownAt(
      emitter.add(source.own,
                  Index::constant(box.further + (isAlongK ? first : 0))),
      /*together=*/isAlongK ? 1 : chunkPlaces);
  Value mine = isAlongK ? b.mul(b.rem(thread, rowChunks), chunkPlaces)
                        : b.div(thread, rowChunks);
  Value isInside;
  Index at = places.placeAt(step, mine, box.place + (isAlongK ? 0 : first),
                            /*together=*/isAlongK ? chunkPlaces : 1, isInside);
  // Chunks follow each other in a box as threads do.
  int64_t start = box.offset + first * SlotOperand::rowBytes;
  int64_t bytes = place.inSlot(chunkBytes);
  Value elements = b.behind(b.behind(memory, b.add(from, b.mul(thread, bytes))),
                            source.slotOffset + place.inSlot(start));
  Value stored = places.valueAt(own, at, isInside, [&]() -> Value {
    Type type = PointEmitter::lanesOf(places.elementType(),
                                      chunkPlaces / places.perElement());
    return LLVM::LoadOp::create(b.builder, b.loc(), type, elements, bytes);
  });
  store(stored, source, start, to);
}

/// `start`: bytes from the operand's start to the chunk of the first thread.
void ComputedSteps::store(Value stored, const Source &source, int64_t start,
                          Value to) {
  Value row = b.div(thread, rowChunks);
  Value chunk = b.bitXor(b.rem(thread, rowChunks), b.rem(row, rowChunks));
  Value target =
      b.add(b.mul(row, SlotOperand::rowBytes), b.mul(chunk, chunkBytes));
  LLVM::StoreOp::create(b.builder, b.loc(), stored,
                        b.behind(b.behind(memory, b.add(to, target)),
                                 source.bufferOffset + start),
                        chunkBytes);
}

void ComputedSteps::forEachChunk(int64_t part, int64_t parts, ChunkBody body) {
  int64_t rowsAtOnce = schedule.getThreads() / rowChunks, number = 0;
  Value row = b.div(thread, rowChunks);
  for (const Source &source : sources)
    for (const SlotBox &box : source.boxes)
      for (int64_t first = 0; first < source.boxRows; first += rowsAtOnce) {
        if (number++ % parts != part)
          continue;
        Value exists;
        if (first + rowsAtOnce > source.boxRows)
          exists = b.isLess(row, b.word(source.boxRows - first));
        b.frame.ifTrue(exists, [&] { body(source, box, first); });
      }
}

void ComputedSteps::compute(Value step, Value from, Value to, int64_t part,
                            int64_t parts) {
  PointEmitter::Scope scope(b.frame.emitter);
  forEachChunk(part, parts,
               [&](const Source &source, const SlotBox &box, int64_t first) {
                 computeChunk(source, box, first, step, from, to);
               });
}

void ComputedSteps::clear(Value to) {
  auto chunk = VectorType::get({chunkPlaces}, b.builder.getI16Type());
  Value zero = arith::ConstantOp::create(b.builder, b.loc(),
                                         b.builder.getZeroAttr(chunk));
  forEachChunk(/*part=*/0, /*parts=*/1,
               [&](const Source &source, const SlotBox &box, int64_t first) {
                 store(zero, source, box.offset + first * SlotOperand::rowBytes,
                       to);
               });
}
