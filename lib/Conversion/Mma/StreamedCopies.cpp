//===- StreamedCopies.cpp - From tensors to tiles of rows -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedCopies.h"

using namespace mlir;
using namespace mlir::fuse;

StreamedCopies::StreamedCopies(MmaBuilder &b, const ThreadChunk &chunk,
                               const MmaOperand &operand,
                               const SlotOperand &slot, char walked,
                               const Extent &places, const Extent &features,
                               OuterPlace outer)
    : b(b), emitter(b.frame.emitter), chunk(chunk), operand(operand),
      slot(slot), walked(walked),
      element(PointEmitter::storageType(getElementTypeOrSelf(operand.tensor))),
      innerExtent(arePlacesRows() ? features : places),
      rowExtent(arePlacesRows() ? places : features),
      pitch(inputStride(b, operand, operand.dims[1].back())) {
  Index at = Index::constant(0);
  for (auto [dims, axis] :
       llvm::drop_begin(llvm::zip_equal(operand.dims, operand.axes), 2))
    if (axis != MmaPages::kAxis)
      at = emitter.add(at, emitter.mul(b.indexOf(outer(axis)),
                                       inputStride(b, operand, dims.back())));
  pointer = movedPointer(b, inputPointer(b, operand), element, at);
}

StreamedCopies::StreamedCopies(MmaBuilder &b, const ThreadChunk &chunk,
                               const FeaturePart &part, bool isLast,
                               const SlotOperand &slot, char walked,
                               const Extent &places, OuterPlace outer)
    : StreamedCopies(b, chunk, part.operand, slot, walked, places, {part.count},
                     outer) {
  firstFeature = part.first;
  if (!isLast)
    endFeature = part.first + part.count;
}

/// The blocks of the tile that the tensor has.
SmallVector<SlotBox> StreamedCopies::ownBoxes() const {
  SmallVector<SlotBox> boxes = slot.boxes(0, slot.count);
  llvm::erase_if(boxes, [&](const SlotBox &box) {
    return box.place < firstFeature || (endFeature && box.place >= *endFeature);
  });
  for (SlotBox &box : boxes)
    box.place -= firstFeature;
  return boxes;
}

Index StreamedCopies::stride(char axis) {
  auto number = llvm::find(operand.axes, axis) - operand.axes.begin();
  return inputStride(b, operand, operand.dims[number].back());
}

/// Of this thread's 16 bytes of a row, `further` elements behind `inner`.
Value StreamedCopies::bytesInside(Value inner, int64_t further, Value exists) {
  Value bytes = b.word(ThreadChunk::bytes), zero = b.word(0);
  int64_t unit = arePlacesRows() ? slot.rowElements()
                 : slot.isAlongK ? slot.places
                                 : slot.count;
  bool isWhole = innerExtent.isStatic() && innerExtent.size % unit == 0 &&
                 (!arePlacesRows() || further < innerExtent.size);
  if (!isWhole) {
    Value along = b.add(inner, further);
    Value end = b.wordOf(emitter.size(innerExtent));
    if (!hasWholeChunks(b, operand, innerExtent))
      bytes = b.min(bytes, b.mul(b.sub(end, along), slot.bytesEach));
    bytes = b.select(b.isLess(along, end), bytes, zero);
  }
  return exists ? b.select(exists, bytes, zero) : bytes;
}

void StreamedCopies::copy(Value to, Value first, RowFinder find) {
  int64_t perChunk = ThreadChunk::bytes / slot.bytesEach;
  Value column = b.mul(chunk.column, perChunk);
  Value inner = arePlacesRows() ? column : b.add(first, column);
  for (int64_t further = 0; further < slot.blockRows();
       further += chunk.rowsAtOnce) {
    Value inTile = b.add(chunk.row, further);
    Row row;
    if (arePlacesRows() && find) {
      row = find(inTile);
    } else {
      Value number = arePlacesRows() ? b.add(first, inTile) : inTile;
      row.at = emitter.mul(b.indexOf(number), pitch);
      if (!rowExtent.isStatic() || rowExtent.size % slot.blockRows() != 0)
        row.exists = b.isLess(number, b.wordOf(emitter.size(rowExtent)));
    }
    Value from = movedPointer(b, pointer, element,
                              emitter.add(row.at, b.indexOf(inner)));
    Value start =
        b.behind(to, b.add(chunk.target, further * SlotOperand::rowBytes));
    for (const SlotBox &box : ownBoxes()) {
      int64_t along = slot.isAlongK ? box.place : box.further;
      chunk.copy(b.behind(start, box.offset),
                 movedPointer(b, from, element, Index::constant(along)),
                 bytesInside(inner, along, row.exists));
    }
  }
}
