//===- TilePlaces.cpp - Where the elements of a tile are ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TilePlaces.h"

using namespace mlir;
using namespace mlir::fuse;

TilePlaces::TilePlaces(KernelFrame &frame, const TileSpace &space,
                       TiledScheduleAttr schedule)
    : frame(frame), emitter(frame.emitter), space(space), schedule(schedule),
      rows(space.rowExtents(frame.dims)), outer(space.outerExtents(frame.dims)),
      columns(space.columnExtent(frame.dims)) {}

GridTerm TilePlaces::grid() const {
  GridTerm term;
  term.factors.push_back({{rows}, schedule.getTileM()});
  term.factors.push_back({{columns}, schedule.getTileN()});
  term.factors.push_back({{outer}});
  return term;
}

void TilePlaces::findTile() {
  GridTerm all = grid();
  Index rowTiles = frame.blocks({{all.factors[0]}});
  Index columnTiles = frame.blocks({{all.factors[1]}});
  Index block = frame.blockId();
  row = emitter.mul(emitter.rem(block, rowTiles),
                    Index::constant(schedule.getTileM()));
  Index rest = emitter.div(block, rowTiles);
  column = emitter.mul(emitter.rem(rest, columnTiles),
                       Index::constant(schedule.getTileN()));
  outerAt = emitter.delinearize(emitter.div(rest, columnTiles), outer);
}

Index TilePlaces::countFrom(const Index &first, ArrayRef<Extent> extents,
                            int64_t tile) const {
  std::optional<int64_t> size = staticProduct(extents);
  if (size && *size % tile == 0)
    return Index::constant(tile);
  if (size && *size < tile)
    return Index::constant(*size);
  return emitter.min(emitter.sub(emitter.product(extents), first),
                     Index::constant(tile));
}

Index TilePlaces::summedCount(const TileContraction &contraction) const {
  return emitter.product(contraction.summedExtents(frame.dims));
}

/// Whether `lanes` places, a multiple of `lanes` behind one of `start`, are
/// neighbours along the last of the extents.
static bool staysInLast(ArrayRef<Extent> extents, int64_t start,
                        int64_t lanes) {
  bool isOnly = llvm::all_of(extents.drop_back(),
                             [](const Extent &e) { return e.size == 1; });
  return isOnly || (start % lanes == 0 && extents.back().isStatic() &&
                    extents.back().size % lanes == 0);
}

bool TilePlaces::alongOwn(const TileContraction &contraction, bool ofRows,
                          int64_t lanes) const {
  StringRef axes = ContractOp(contraction.op).getResultAxes();
  if (!ofRows)
    return contraction.columns.endsIn(axes[space.column], frame.dims);
  return !space.rows.empty() && staysInLast(rows, schedule.getTileM(), lanes) &&
         contraction.rows.endsIn(axes[space.rows.back()], frame.dims);
}

bool TilePlaces::alongSummed(const TileContraction &contraction, bool ofRows,
                             int64_t lanes) const {
  const TileOperand &operand = ofRows ? contraction.rows : contraction.columns;
  return operand.endsIn(contraction.summed.back(), frame.dims) &&
         staysInLast(contraction.summedExtents(frame.dims), schedule.getTileK(),
                     lanes);
}

Value TilePlaces::emitOperand(const TileContraction &contraction, bool ofRows,
                              const Index &own, const Index &summed,
                              int64_t lanes, bool lanesAreSummed) {
  ContractOp op = contraction.op;
  StringRef axes = op.getResultAxes();
  const TileOperand &operand = ofRows ? contraction.rows : contraction.columns;
  llvm::SmallDenseMap<char, Index> at;
  for (auto [number, index] : llvm::zip_equal(space.outer, outerAt))
    at[axes[number]] = index;
  if (ofRows)
    for (auto [number, index] :
         llvm::zip_equal(space.rows, emitter.delinearize(own, rows)))
      at[axes[number]] = index;
  else
    at[axes[space.column]] = own;
  for (auto [axis, index] : llvm::zip_equal(
           contraction.summed,
           emitter.delinearize(summed, contraction.summedExtents(frame.dims))))
    at[axis] = index;
  Point point;
  for (auto [number, axis] : llvm::enumerate(operand.axes))
    point.dims.push_back(frame.dims.extent(operand.tensor, number).size == 1
                             ? Index::constant(0)
                             : at.lookup(axis));
  point.lanes = lanes;
  // Tiles may start anywhere; summed places are taken in whole vectors.
  int64_t tile = ofRows ? schedule.getTileM() : schedule.getTileN();
  point.ragged = lanes > 1 && !lanesAreSummed && tile % lanes != 0;
  return emitter.emitLanes(operand.tensor, point);
}

Point TilePlaces::resultPoint(const Index &row, const Index &column,
                              int64_t lanes) const {
  Point point;
  point.dims.resize(space.column + 1);
  for (auto [number, index] : llvm::zip_equal(space.outer, outerAt))
    point.dims[number] = index;
  for (auto [number, index] :
       llvm::zip_equal(space.rows, emitter.delinearize(row, rows)))
    point.dims[number] = index;
  point.dims[space.column] = column;
  for (auto [number, index] : llvm::enumerate(point.dims))
    if (frame.dims.extent(space.shape(), number).size == 1)
      index = Index::constant(0);
  point.lanes = lanes;
  point.ragged = lanes > 1 && schedule.getTileN() % lanes != 0;
  return point;
}
