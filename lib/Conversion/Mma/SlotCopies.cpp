//===- SlotCopies.cpp - From tensors to slots by all threads --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlotCopies.h"

#include "fuse/Analysis/Strides.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::fuse;

/// What a thread copies at once, and how many are a row of a box.
static constexpr int64_t chunkBytes = 16;
static constexpr int64_t rowChunks = SlotOperand::rowBytes / chunkBytes;
static constexpr unsigned globalSpace = 1;

int64_t SlotCopies::rowsAtOnce() const {
  return schedule.getThreads() / rowChunks;
}

/// Elements from a place of the input's dimension to the next.
Index SlotCopies::strideOf(const MmaOperand &operand, unsigned dim) {
  auto input = cast<BlockArgument>(operand.tensor);
  PointEmitter &emitter = b.frame.emitter;
  const auto &layouts = emitter.getAbi().layouts;
  if (input.getArgNumber() < layouts.size() &&
      layouts[input.getArgNumber()].kind != StrideKind::dense)
    return layouts[input.getArgNumber()].strides[dim];
  SmallVector<Extent> extents = b.frame.dims.extents(input);
  return emitter.product(ArrayRef(extents).drop_front(dim + 1));
}

Value SlotCopies::moved(Value pointer, Type element, const Index &elements) {
  auto step = [&](LLVM::GEPArg distance) {
    pointer = LLVM::GEPOp::create(b.builder, b.loc(), pointer.getType(),
                                  element, pointer, distance);
  };
  if (elements.base) {
    Value base = b.frame.emitter.materialize({elements.base});
    step(Value(arith::IndexCastOp::create(b.builder, b.loc(),
                                          b.builder.getI64Type(), base)));
  }
  // Apart, so that it becomes an immediate.
  if (llvm::isInt<LLVM::kGEPConstantBitWidth>(elements.offset)) {
    if (elements.offset)
      step(static_cast<int32_t>(elements.offset));
    return pointer;
  }
  step(Value(arith::ConstantIntOp::create(b.builder, b.loc(), elements.offset,
                                          /*width=*/64)));
  return pointer;
}

/// Rows of memory lie along the operand's second dimension.
void SlotCopies::addSource(const MmaOperand &operand, const SlotOperand &place,
                           int64_t offset, ArrayRef<SlotBox> boxes,
                           int64_t boxRows, Value first, int64_t tileSize,
                           ArrayRef<Extent> own, const TilePlace &tile) {
  PointEmitter &emitter = b.frame.emitter;
  auto input = cast<BlockArgument>(operand.tensor);
  Source source;
  source.isAlongK = place.isAlongK;
  source.element =
      PointEmitter::storageType(getElementTypeOrSelf(operand.tensor.getType()));
  source.bytesEach = place.bytesEach;
  source.boxes.assign(boxes.begin(), boxes.end());
  source.boxRows = boxRows;
  source.offset = offset;
  source.pitch = strideOf(operand, operand.dims[1].back());
  Value row = b.div(thread, rowChunks);
  Value column = b.mul(b.rem(thread, rowChunks), chunkBytes / place.bytesEach);
  source.own = b.add(first, place.isAlongK ? row : column);
  source.place = place.isAlongK ? column : row;
  source.ownEnd = b.wordOf(emitter.product(own));
  std::optional<int64_t> size = staticProduct(own);
  source.hasWholeTiles = size && *size % tileSize == 0;
  // Rows of a dense tensor are multiples of 16 bytes.
  Extent inner = b.frame.dims.extent(input, operand.dims[0].back());
  source.hasWholeChunks = strideKind(input) == StrideKind::dense ||
                          emitter.divides(chunkBytes / place.bytesEach, inner);

  Index at = b.indexOf(place.isAlongK ? source.place : source.own);
  at = emitter.add(
      at, emitter.mul(b.indexOf(place.isAlongK ? source.own : source.place),
                      source.pitch));
  for (auto [dims, letter] :
       llvm::drop_begin(llvm::zip_equal(operand.dims, operand.axes), 2))
    at = emitter.add(at, emitter.mul(b.indexOf(tile.outer.lookup(letter)),
                                     strideOf(operand, dims.back())));
  auto global = LLVM::LLVMPointerType::get(b.builder.getContext(), globalSpace);
  Value tensor = LLVM::AddrSpaceCastOp::create(
      b.builder, b.loc(), global,
      emitter.getAbi().inputs[input.getArgNumber()]);
  source.pointer = moved(tensor, source.element, at);
  sources.push_back(std::move(source));
}

void SlotCopies::start(const TilePlace &tile, unsigned number) {
  const MmaSegment &segment = space.segments[number];
  sources.clear();
  Value row = b.div(thread, rowChunks);
  // The swizzle repeats after as many rows as a row has chunks.
  Value chunk = b.bitXor(b.rem(thread, rowChunks), b.rem(row, rowChunks));
  target = b.add(b.mul(row, SlotOperand::rowBytes), b.mul(chunk, chunkBytes));
  bool swap = schedule.getSwap();
  SmallVector<Extent> rows = space.extents(space.m, b.frame.dims);
  SmallVector<Extent> columns = {space.columns(segment, b.frame.dims)};
  addSource(leftOperand(space, schedule), slot.rows, 0,
            slot.rows.boxes(0, slot.rows.count), slot.rows.blockRows(),
            tile.row, schedule.getTileM(), swap ? columns : rows, tile);
  for (int64_t i = 0; i < segment.count(); ++i) {
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
  Value row = b.div(thread, rowChunks);
  Value stepPlaces = b.mul(step, schedule.getTileK());
  Index perStep = b.indexOf(stepPlaces);
  if (!source.isAlongK)
    perStep = emitter.mul(perStep, source.pitch);
  Value pointer = moved(source.pointer, source.element, perStep);
  Value start = b.behind(memory, b.add(at, target));
  for (int64_t first = 0; first < source.boxRows; first += rowsAtOnce()) {
    if (!isTaken())
      continue;
    int64_t ownRow = source.isAlongK ? first : 0;
    int64_t placeRow = source.isAlongK ? 0 : first;
    Value own = b.add(source.own, box.further + ownRow);
    Value place = b.add(b.add(source.place, stepPlaces), box.place + placeRow);
    Index distance =
        emitter.add(emitter.mul(Index::constant(first), source.pitch),
                    Index::constant(source.isAlongK ? box.place : box.further));
    auto copy = [&] {
      Value to = b.behind(start, source.offset + box.offset +
                                     first * SlotOperand::rowBytes);
      NVVM::CpAsyncOp::create(b.builder, b.loc(), to,
                              moved(pointer, source.element, distance),
                              chunkBytes, NVVM::LoadCacheModifierKind::CG,
                              bytesInside(source, own, place));
    };
    Value exists;
    if (first + rowsAtOnce() > source.boxRows)
      exists = b.isLess(row, b.word(source.boxRows - first));
    b.frame.ifTrue(exists, copy);
  }
}

void SlotCopies::copy(Value step, Value at, int64_t part, int64_t parts) {
  int64_t number = 0;
  for (const Source &source : sources)
    for (const SlotBox &box : source.boxes)
      copyBox(source, box, step, at, [&] { return number++ % parts == part; });
}
