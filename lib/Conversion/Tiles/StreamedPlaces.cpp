//===- StreamedPlaces.cpp - Queries of a block on a CPU -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedPlaces.h"
#include "fuse/Analysis/ContractionSpace.h"

using namespace mlir;
using namespace mlir::fuse;

StreamedPlaces::StreamedPlaces(KernelFrame &frame, const StreamedSpace &space,
                               StreamedPanelsScheduleAttr schedule)
    : frame(frame), emitter(frame.emitter), space(space), schedule(schedule) {
  ContractionSpace its = contractionSpaceOf(space.scores, RowAxis::innermost);
  ContractOp first = space.scores, second = space.productOp();
  queries = {first.getLhs(), first.getLhsAxes()};
  keys = {first.getRhs(), first.getRhsAxes()};
  if (!its.nIsOnRhs)
    std::swap(queries, keys);
  values = {second.getRhs(), second.getRhsAxes()};
  if (space.weights != second.getLhs())
    values = {second.getLhs(), second.getLhsAxes()};
  rowAxes = {space.m};
  if (space.heads)
    rowAxes.push_back(*space.heads);
  for (char axis : first.getResultAxes())
    if (axis != space.n && !llvm::is_contained(rowAxes, axis))
      outerAxes.push_back(axis);
  auto extentsOf = [&](ArrayRef<char> axes) {
    return llvm::map_to_vector(
        axes, [&](char axis) { return its.extent(axis, frame.dims); });
  };
  rowExtents = extentsOf(rowAxes);
  outerExtents = extentsOf(outerAxes);
}

void StreamedPlaces::findTile() {
  Index tiles = frame.blocks({{rowTiles()}});
  Index block = frame.blockId();
  Index tile = emitter.sub(emitter.add(tiles, Index::constant(-1)),
                           emitter.rem(block, tiles));
  row = emitter.mul(tile, Index::constant(schedule.getTileM()));
  rows = emitter.min(emitter.sub(emitter.product(rowExtents), row),
                     Index::constant(schedule.getTileM()));
  for (auto [axis, index] :
       llvm::zip_equal(outerAxes, emitter.delinearize(emitter.div(block, tiles),
                                                      outerExtents))) {
    outer[axis] = index;
    productOuter[space.productAxis(axis)] = index;
  }
}

StreamedPlaces::Places StreamedPlaces::ofRow(const Index &number) {
  Places places = outer;
  for (auto [axis, index] : llvm::zip_equal(
           rowAxes, emitter.delinearize(emitter.add(row, number), rowExtents)))
    places[axis] = index;
  return places;
}

/// Dimensions of size 1 repeat.
SmallVector<Index, 4> StreamedPlaces::dimsOf(Value tensor, StringRef axes,
                                             const Places &places) {
  SmallVector<Index, 4> dims;
  for (auto [number, axis] : llvm::enumerate(axes))
    dims.push_back(frame.dims.extent(tensor, number).size == 1
                       ? Index::constant(0)
                       : places.lookup(axis));
  return dims;
}

Value StreamedPlaces::emitOperand(const Operand &operand, const Places &places,
                                  int64_t lanes) {
  Point point;
  point.dims = dimsOf(operand.tensor, operand.axes, places);
  point.lanes = lanes;
  return emitter.emitLanes(operand.tensor, point);
}

Point StreamedPlaces::scorePoint(const Index &row, const Index &key,
                                 int64_t width) {
  Places places = ofRow(row);
  places[space.n] = key;
  ContractOp op = space.scores;
  Point point;
  point.dims = dimsOf(op.getResult(), op.getResultAxes(), places);
  point.lanes = width;
  return point;
}

Point StreamedPlaces::productPoint(const Index &row, const Index &column,
                                   int64_t width) {
  Places places;
  for (auto [axis, index] : ofRow(row))
    places[space.productAxis(axis)] = index;
  places[space.product.n] = column;
  ContractOp op = space.productOp();
  Point point;
  point.dims = dimsOf(op.getResult(), op.getResultAxes(), places);
  point.lanes = width;
  return point;
}

SmallVector<Index> StreamedPlaces::outerPoint() {
  ContractOp op = space.scores;
  SmallVector<Index, 4> dims =
      dimsOf(op.getResult(), op.getResultAxes(), outer);
  return SmallVector<Index>(dims.begin(), dims.end());
}
