//===- ComputedFragments.cpp - Rows computed in registers -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedFragments.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// Rows of an instruction that a lane has, and how far they are apart.
static constexpr int64_t laneRows = 2, rowStep = 8;
/// Lanes that share a row, and the places of a box that one has.
static constexpr int64_t rowLanes = 4;
static constexpr int64_t placeBytes = MmaScheduleAttr::kElementBytes;
static constexpr int64_t lanePlaces =
    SlotOperand::rowBytes / placeBytes / rowLanes;
/// What one access takes.
static constexpr int64_t chunkBytes = 16;
static constexpr int64_t chunkPlaces = ComputedPlaces::kPlaces;
static constexpr int64_t laneChunks = lanePlaces / chunkPlaces;
/// Words of a chunk, and those of them that an instruction takes.
static constexpr int64_t chunkWords = 4, stepWords = 2;

ComputedFragments::ComputedFragments(MmaBuilder &b, const MmaSpace &space,
                                     MmaScheduleAttr schedule,
                                     const TileSlot &slot, Value memory,
                                     Value warp, Value lane)
    : b(b), space(space), schedule(schedule), slot(slot), memory(memory),
      row(b.add(b.mul(warp, MmaSync::kRows), b.div(lane, rowLanes))),
      place(b.mul(b.rem(lane, rowLanes), lanePlaces)), lane(lane) {}

/// A piece of the tile's rows has whole parts.
void ComputedFragments::start(const TilePlace &tile, unsigned number) {
  const MmaSegment &segment = space.segments[number];
  int64_t rows = slot.pieceRows(segment);
  sources.clear();
  for (const TileSlot::RowPiece &piece : slot.rowPieces(segment)) {
    ComputedPlaces places(b, space, schedule,
                          leftOperand(space, schedule, segment, piece.number),
                          tile, rows);
    Value first = b.add(b.add(tile.row, piece.further), row);
    for (int64_t part = 0; part < rows; part += MmaScheduleAttr::kRows)
      for (int64_t i = 0; i < laneRows; ++i) {
        int64_t further = part + i * rowStep;
        sources.push_back(
            {places, b.indexOf(b.add(first, further)), piece.inTile + further});
      }
  }
}

/// All of a box that the lane has of a row.
Value ComputedFragments::elementsOf(Source &source, Value at,
                                    const SlotBox &box) {
  const SlotOperand &operand = slot.rows;
  int64_t bytes = operand.inSlot(lanePlaces * placeBytes);
  Value mine = b.add(b.mul(row, operand.inSlot(SlotOperand::rowBytes)),
                     b.mul(b.rem(lane, rowLanes), bytes));
  Value address =
      b.behind(b.behind(memory, b.add(at, mine)),
               operand.inSlot(box.offset + source.row * SlotOperand::rowBytes));
  Type type = PointEmitter::lanesOf(source.places.elementType(),
                                    lanePlaces / source.places.perElement());
  return LLVM::LoadOp::create(b.builder, b.loc(), type, address,
                              std::min(bytes, chunkBytes));
}

/// Those of eight neighbours.
SmallVector<Value> ComputedFragments::wordsOf(Source &source, Value step,
                                              const SlotBox &box,
                                              int64_t chunk) {
  Value isInside;
  Index own = source.places.ownAt(source.own, /*together=*/1);
  Index at = source.places.placeAt(step, place, box.place + chunk * chunkPlaces,
                                   chunkPlaces, isInside);
  Value stored = source.places.valueAt(own, at, isInside, [&]() -> Value {
    int64_t lanes = chunkPlaces / source.places.perElement();
    auto own =
        llvm::to_vector(llvm::seq<int32_t>(chunk * lanes, (chunk + 1) * lanes));
    return LLVM::ShuffleVectorOp::create(b.builder, b.loc(), source.elements,
                                         source.elements, own);
  });
  auto type = VectorType::get({chunkWords}, b.builder.getI32Type());
  Value all = LLVM::BitcastOp::create(b.builder, b.loc(), type, stored);
  SmallVector<Value> words;
  for (int64_t i = 0; i < chunkWords; ++i)
    words.push_back(vector::ExtractOp::create(b.builder, b.loc(), all, i));
  return words;
}

/// The words of an instruction are first those of the rows, for its first two
/// places, then for its last two.
SmallVector<SmallVector<Value>> ComputedFragments::rows(Value step, Value at,
                                                        int64_t first) {
  PointEmitter::Scope scope(b.frame.emitter);
  SlotBox box = slot.rows.boxes(0, slot.rows.count)[first / kPerBox];
  int64_t chunk = first % kPerBox / kTogether;
  SmallVector<SmallVector<Value>> of;
  for (Source &source : sources) {
    if (chunk == 0)
      source.elements = elementsOf(source, at, box);
    of.push_back(wordsOf(source, step, box, chunk));
  }
  SmallVector<SmallVector<Value>> found(kTogether);
  for (auto [number, words] : llvm::enumerate(found))
    for (size_t part = 0; part < of.size(); part += laneRows)
      for (int64_t i = 0; i < stepWords; ++i)
        for (int64_t own = 0; own < laneRows; ++own)
          words.push_back(of[part + own][number * stepWords + i]);
  return found;
}

/// Rows of shared memory are swizzled.
SmallVector<SmallVector<Value>>
ComputedFragments::columns(const SlotOperand &operand, Value start,
                           int64_t from, int64_t count, int64_t first) {
  Value own = b.div(lane, rowLanes);
  Value chunk = b.add(b.mul(b.rem(lane, rowLanes), laneChunks),
                      first % kPerBox / kTogether);
  Value mine = b.add(b.mul(own, SlotOperand::rowBytes),
                     b.mul(b.bitXor(chunk, own), chunkBytes));
  Value pointer = b.behind(memory, b.add(start, mine));
  int64_t box = first / kPerBox * operand.blockBytes();
  auto type = VectorType::get({chunkWords}, b.builder.getI32Type());
  SmallVector<SmallVector<Value>> found(kTogether);
  for (int64_t column = from; column < from + count;
       column += MmaSync::kColumns) {
    Value all = LLVM::LoadOp::create(
        b.builder, b.loc(), type,
        b.behind(pointer, box + operand.offsetOf(column)), chunkBytes);
    for (int64_t i = 0; i < chunkWords; ++i)
      found[i / stepWords].push_back(
          vector::ExtractOp::create(b.builder, b.loc(), all, i));
  }
  return found;
}
