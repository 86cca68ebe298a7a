//===- ComputedTiles.cpp - Tiles of what is computed ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedTiles.h"

using namespace mlir;
using namespace mlir::fuse;

ComputedTiles::ComputedTiles(MmaBuilder &b, const ThreadChunk &chunk,
                             ContractOp op, const MmaOperand &operand,
                             const SlotOperand &slot, const Extent &places,
                             const Extent &features, OuterPlace outerPlace)
    : b(b), emitter(b.frame.emitter), chunk(chunk), operand(operand),
      slot(slot), places(places), features(features),
      axes(op.getLhs() == operand.tensor ? op.getLhsAxes() : op.getRhsAxes()) {
  for (auto [number, axis] : llvm::enumerate(axes)) {
    bool isOuter = axis != operand.axes[0] && axis != operand.axes[1] &&
                   b.frame.dims.extent(operand.tensor, number).size != 1;
    outer.push_back(isOuter ? b.indexOf(outerPlace(axis)) : Index::constant(0));
  }
}

/// The features from `along` on of a place; zeros of one that does not exist.
void ComputedTiles::computeChunk(Value to, const Row &row, int64_t along) {
  PointEmitter::Scope scope(emitter);
  int64_t lanes = ThreadChunk::bytes / slot.bytesEach;
  Index feature = emitter.add(b.indexOf(b.mul(chunk.column, lanes)),
                              Index::constant(along));
  Value exists = row.exists;
  if (along + slot.rowElements() > features.size) {
    exists = b.frame.both(
        exists, emitter.less(feature, Index::constant(features.size)));
    feature = emitter.min(feature, Index::constant(features.size - lanes));
  }
  Point point;
  point.lanes = lanes;
  for (auto [axis, index] : llvm::zip_equal(axes, outer))
    point.dims.push_back(axis == operand.axes[0]   ? feature
                         : axis == operand.axes[1] ? row.place
                         : axis == row.axis        ? row.other
                                                   : index);
  Type element = getElementTypeOrSelf(operand.tensor);
  Value stored = emitter.toStorage(b.loc(), element,
                                   emitter.emitLanes(operand.tensor, point));
  if (exists)
    stored =
        b.select(exists, stored,
                 LLVM::ZeroOp::create(b.builder, b.loc(), stored.getType()));
  LLVM::StoreOp::create(b.builder, b.loc(), stored, to, ThreadChunk::bytes);
}

void ComputedTiles::compute(Value to, Value first, RowFinder find) {
  Index count = emitter.size(places);
  Index last = emitter.add(count, Index::constant(-1));
  bool isWhole = places.isStatic() && places.size % slot.blockRows() == 0;
  for (int64_t further = 0; further < slot.blockRows();
       further += chunk.rowsAtOnce) {
    Value inTile = b.add(chunk.row, further);
    Row row;
    if (find) {
      row = find(inTile);
    } else {
      row.place = b.indexOf(b.add(first, inTile));
      if (!isWhole) {
        row.exists = emitter.less(row.place, count);
        row.place = emitter.min(row.place, last);
      }
    }
    Value start =
        b.behind(to, b.add(chunk.target, further * SlotOperand::rowBytes));
    for (const SlotBox &box : slot.boxes(0, slot.count))
      computeChunk(b.behind(start, box.offset), row,
                   slot.isAlongK ? box.place : box.further);
  }
}
