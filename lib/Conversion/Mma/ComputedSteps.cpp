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
static constexpr int64_t chunkBytes = 16, chunkPlaces = 8;
static constexpr int64_t rowChunks = SlotOperand::rowBytes / chunkBytes;

void ComputedSteps::addSource(const MmaOperand &operand,
                              const SlotOperand &place, int64_t slotOffset,
                              int64_t bufferOffset, ArrayRef<SlotBox> boxes,
                              int64_t boxRows, Value first, int64_t tileSize) {
  Source source;
  source.operand = &operand;
  source.place = &place;
  source.isRows = &operand == &space.rows;
  Value row = b.div(thread, rowChunks);
  Value column = b.mul(b.rem(thread, rowChunks), chunkPlaces);
  source.own = b.indexOf(b.add(first, place.isAlongK ? row : column));
  if (source.isRows)
    source.ownExtents = space.extents(space.m, b.frame.dims);
  else
    for (auto [number, axis] : llvm::enumerate(operand.computed->axes))
      if (axis == space.n)
        source.ownExtents = {
            b.frame.dims.extent(operand.computed->value, number)};
  std::optional<int64_t> size = staticProduct(source.ownExtents);
  source.hasWholeTiles = size && *size % tileSize == 0;
  source.slotOffset = slotOffset;
  source.bufferOffset = bufferOffset;
  source.boxes.assign(boxes.begin(), boxes.end());
  source.boxRows = boxRows;
  sources.push_back(std::move(source));
}

void ComputedSteps::start(const TilePlace &place, unsigned number) {
  const MmaSegment &segment = space.segments[number];
  tile = place;
  sources.clear();
  int64_t rows = slot.pieceRows(segment);
  for (const TileSlot::RowPiece &piece : slot.rowPieces(segment))
    if (slot.rows.computedBits)
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

Index ComputedSteps::ownOf(const Source &source, int64_t further) {
  PointEmitter &emitter = b.frame.emitter;
  Index own = emitter.add(source.own, Index::constant(further));
  if (source.hasWholeTiles)
    return own;
  int64_t together = source.place->isAlongK ? 1 : chunkPlaces;
  return emitter.min(own, emitter.add(emitter.product(source.ownExtents),
                                      Index::constant(-together)));
}

/// Sets `isInside` where a step may end beyond the summed axis.
Index ComputedSteps::placeOf(const Source &source, Value step, int64_t further,
                             Value &isInside) {
  PointEmitter &emitter = b.frame.emitter;
  bool isAlongK = source.place->isAlongK;
  Index places = emitter.product(summed());
  Value mine = isAlongK ? b.mul(b.rem(thread, rowChunks), chunkPlaces)
                        : b.div(thread, rowChunks);
  if (hasWholeSteps()) {
    // Whoever runs has a step.
    Value last = b.add(b.div(b.wordOf(places), schedule.getTileK()), -1);
    Value start = b.mul(b.min(step, last), schedule.getTileK());
    return emitter.add(b.indexOf(b.add(start, mine)), Index::constant(further));
  }
  Index place =
      emitter.add(b.indexOf(b.add(b.mul(step, schedule.getTileK()), mine)),
                  Index::constant(further));
  isInside = emitter.less(place, places);
  int64_t together = isAlongK ? chunkPlaces : 1;
  return emitter.min(place, emitter.add(places, Index::constant(-together)));
}

Point ComputedSteps::pointOf(const Source &source, const Index &own,
                             const Index &place) {
  PointEmitter &emitter = b.frame.emitter;
  SmallVector<Index, 4> owns = {own};
  if (source.isRows)
    owns = emitter.delinearize(own, source.ownExtents);
  Point point;
  point.lanes = chunkPlaces;
  for (char axis : source.operand->computed->axes) {
    const auto *joined = llvm::find(space.rowAxes, axis);
    if (axis == 0)
      point.dims.push_back(Index::constant(0));
    else if (axis == space.k)
      point.dims.push_back(place);
    else if (axis == space.n && !source.isRows)
      point.dims.push_back(own);
    else if (source.isRows && joined != space.rowAxes.end())
      point.dims.push_back(owns[joined - space.rowAxes.begin()]);
    else
      point.dims.push_back(b.indexOf(tile.outer.lookup(axis)));
  }
  return point;
}

/// `elements`: where those of the input are in shared memory.
Value ComputedSteps::valueAt(const Source &source, const Point &point,
                             Value elements) {
  PointEmitter &emitter = b.frame.emitter;
  const ComputedOperand &computed = *source.operand->computed;
  int64_t lanes = chunkPlaces / computed.perElement;
  int64_t bytes = source.place->inSlot(chunkBytes);
  emitter.loadThrough([&](BlockArgument input, const Point &at) -> Value {
    // Lanes that are asked for one by one are loaded from memory.
    if (input != source.operand->tensor || at.lanes != lanes)
      return nullptr;
    Type element =
        PointEmitter::storageType(getElementTypeOrSelf(input.getType()));
    return LLVM::LoadOp::create(b.builder, b.loc(),
                                PointEmitter::lanesOf(element, lanes), elements,
                                bytes);
  });
  Value value = emitter.emitLanes(computed.value, point);
  emitter.loadThrough(nullptr);
  Type element = getElementTypeOrSelf(computed.value.getType());
  return emitter.toStorage(b.loc(), element, value);
}

void ComputedSteps::computeChunk(const Source &source, const SlotBox &box,
                                 int64_t first, Value step, Value from,
                                 Value to) {
  bool isAlongK = source.place->isAlongK;
  Value isInside;
  Index own = ownOf(source, box.further + (isAlongK ? first : 0));
  Index place =
      placeOf(source, step, box.place + (isAlongK ? 0 : first), isInside);
  // Chunks follow each other in a box as threads do.
  int64_t start = box.offset + first * SlotOperand::rowBytes;
  Value mine = b.mul(thread, source.place->inSlot(chunkBytes));
  Value elements = b.behind(b.behind(memory, b.add(from, mine)),
                            source.slotOffset + source.place->inSlot(start));
  Value stored = valueAt(source, pointOf(source, own, place), elements);
  if (isInside) {
    Value zero = arith::ConstantOp::create(
        b.builder, b.loc(), b.builder.getZeroAttr(stored.getType()));
    stored = b.select(isInside, stored, zero);
  }
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
