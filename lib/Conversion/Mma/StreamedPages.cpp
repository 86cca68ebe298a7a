//===- StreamedPages.cpp - Pages of a tile of keys ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedPages.h"

using namespace mlir;
using namespace mlir::fuse;

StreamedPages::StreamedPages(MmaBuilder &b, const MmaOperand &operand,
                             int64_t tileKeys,
                             llvm::function_ref<char(char)> axisOf)
    : b(b), operand(operand), tileKeys(tileKeys) {
  if (exist())
    for (char axis : operand.pages->idAxes)
      axes.push_back(axis ? axisOf(axis) : 0);
}

/// Behind the last page of the sequence nothing is read.
Value StreamedPages::pageOf(const TilePlace &tile, Value key) {
  const MmaPages &pages = *operand.pages;
  PointEmitter &emitter = b.frame.emitter;
  OpBuilder &builder = b.builder;
  Type wide = builder.getI64Type(), word = builder.getI32Type();
  Index perSequence = emitter.size(pages.perSequence);
  Value count = arith::IndexCastOp::create(
      builder, b.loc(), wide, emitter.materialize(emitter.size(pages.count)));
  Index page = b.indexOf(b.div(key, pages.rows));
  Value isInside = emitter.less(page, perSequence);
  Point point;
  for (char axis : axes)
    point.dims.push_back(axis ? b.indexOf(tile.outer.lookup(axis))
                              : Index::constant(0));
  point.dims.push_back(
      emitter.min(page, emitter.add(perSequence, Index::constant(-1))));
  Value id = emitter.emit(pages.ids, point);
  if (id.getType() != wide)
    id = arith::ExtSIOp::create(builder, b.loc(), wide, id);
  Value exists = b.frame.both(
      isInside, arith::CmpIOp::create(builder, b.loc(),
                                      arith::CmpIPredicate::ult, id, count));
  return b.select(exists, arith::TruncIOp::create(builder, b.loc(), word, id),
                  b.word(-1));
}

SmallVector<Value> StreamedPages::load(const TilePlace &tile, Value firstKey) {
  SmallVector<Value> found;
  for (int64_t copy = 0; copy < copies(); ++copy)
    found.push_back(pageOf(tile, b.add(firstKey, copy * rowsPerCopy())));
  return found;
}

/// What lies behind the last part is past its end: copies fill in zeros.
void mlir::fuse::copySlot(MmaBuilder &b, TileRing &ring, const RingPlace &place,
                          const SlotOperand &slot, ArrayRef<MappedPart> parts,
                          int64_t bytes, BoxCoordinate coordinate) {
  Value barrier = ring.expect(place, bytes);
  Value at = ring.offset(place.slot);
  for (const SlotBox &box : slot.boxes(0, slot.count)) {
    const MappedPart *part = parts.begin();
    while (part + 1 != parts.end() && part[1].first <= box.place)
      ++part;
    SlotBox inPart{box.offset, box.further, box.place - part->first};
    SmallVector<Value> coordinates;
    for (char axis : part->operand->axes)
      coordinates.push_back(coordinate(axis, inPart));
    ring.copy(b.add(at, box.offset), part->map, coordinates, barrier);
  }
}

void StreamedPages::copy(TileRing &ring, const RingPlace &place,
                         const SlotOperand &slot, ArrayRef<Value> found,
                         ArrayRef<MappedPart> parts, int64_t bytes,
                         Value firstKey, BoxCoordinate coordinate) {
  if (!exist())
    return copySlot(b, ring, place, slot, parts, bytes, coordinate);
  Value barrier = ring.expect(place, bytes);
  Value at = ring.offset(place.slot);
  int64_t bytesOfCopy = rowsPerCopy() * SlotOperand::rowBytes;
  for (const SlotBox &box : slot.boxes(0, slot.count))
    for (auto [index, page] : llvm::enumerate(found)) {
      auto number = static_cast<int64_t>(index);
      SmallVector<Value> coordinates;
      for (char axis : operand.axes)
        coordinates.push_back(
            axis == MmaPages::kAxis ? page
            : axis == operand.pages->axis
                ? rowInPage(b.add(firstKey, number * rowsPerCopy()))
                : coordinate(axis, box));
      ring.copy(b.add(at, box.offset + number * bytesOfCopy), parts.front().map,
                coordinates, barrier);
    }
}
