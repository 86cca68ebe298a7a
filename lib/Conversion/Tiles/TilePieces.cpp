//===- TilePieces.cpp - The sums of a thread in a tile --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TilePieces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

void TilePieces::place(const Index &thread) {
  Index warpSize = Index::constant(SharedTileLayout::kWarpSize);
  Index lane = emitter.rem(thread, warpSize);
  Index warp = emitter.div(thread, warpSize);
  Index warps = Index::constant(schedule.getTileM() / layout.warpRows());
  Index firstRow =
      emitter.mul(emitter.rem(warp, warps), Index::constant(layout.warpRows()));
  Index firstColumn = emitter.mul(emitter.div(warp, warps),
                                  Index::constant(layout.warpColumns()));
  if (places) {
    Index four = Index::constant(kPlaces);
    Index own = emitter.div(lane, four);
    readPlace = emitter.rem(lane, four);
    row = readRow = emitter.add(firstRow, own);
    readColumn = emitter.add(firstColumn, own);
    column = emitter.add(firstColumn,
                         emitter.mul(readPlace, Index::constant(width)));
    return;
  }
  Index across = Index::constant(SharedTileLayout::kLaneColumns);
  row = readRow =
      emitter.add(firstRow, emitter.mul(emitter.div(lane, across),
                                        Index::constant(layout.rowGroup())));
  column = readColumn =
      emitter.add(firstColumn, emitter.mul(emitter.rem(lane, across),
                                           Index::constant(width)));
}

/// Rows come in groups, too.
Index TilePieces::rowAt(const Index &number) {
  if (places)
    return emitter.add(row, emitter.mul(number, Index::constant(kBlock)));
  int64_t group = layout.rowGroup();
  Index size = Index::constant(group);
  Index within = emitter.rem(number, size);
  Index start =
      emitter.mul(emitter.div(number, size),
                  Index::constant(SharedTileLayout::kLaneRows * group));
  return emitter.add(row, emitter.add(start, within));
}

Index TilePieces::columnAt(int64_t group) {
  int64_t lanes = places ? kPlaces : SharedTileLayout::kLaneColumns;
  return emitter.add(column, Index::constant(group * lanes * width));
}

SmallVector<Value> TilePieces::multiply(const NearBuffer &rows,
                                        const NearBuffer &columns,
                                        const Index &buffer, int64_t from,
                                        int64_t to, ValueRange sums) {
  SmallVector<Value> result(sums);
  auto startOf = [&](int64_t tile, const Index &own) {
    Index pitch = Index::constant(layout.pitch(tile));
    Index place = emitter.add(
        emitter.mul(buffer, Index::constant(schedule.getTileK())), readPlace);
    return emitter.add(emitter.mul(place, pitch), own);
  };
  Index rowStart = startOf(schedule.getTileM(), readRow);
  Index columnStart = startOf(schedule.getTileN(), readColumn);
  auto at = [&](const Index &start, int64_t tile, int64_t place) {
    return emitter.add(start, Index::constant(place * layout.pitch(tile)));
  };
  for (int64_t place = from; place < to; place += places ? places : 1) {
    Index rowAt = at(rowStart, schedule.getTileM(), place);
    Index columnAt = at(columnStart, schedule.getTileN(), place);
    if (places)
      multiplyBlocks(rows, columns, rowAt, columnAt, result);
    else
      multiplyPlace(rows, columns, rowAt, columnAt, result);
  }
  return result;
}

/// `count` elements, in groups that lie `stride` apart.
static SmallVector<Value> loadGroups(OpBuilder &builder, Location loc,
                                     PointEmitter &emitter,
                                     const NearBuffer &buffer, const Index &at,
                                     int64_t count, int64_t group,
                                     int64_t stride) {
  SmallVector<Value> elements;
  for (int64_t first = 0; first < count; first += group) {
    Value loaded = buffer.load(
        emitter.add(at, Index::constant(first / group * stride)), group, group);
    for (int64_t lane = 0; lane < group; ++lane)
      elements.push_back(
          group == 1 ? loaded
                     : vector::ExtractOp::create(builder, loc, loaded, lane));
  }
  return elements;
}

void TilePieces::multiplyPlace(const NearBuffer &rows,
                               const NearBuffer &columns, const Index &rowStart,
                               const Index &columnStart,
                               MutableArrayRef<Value> sums) {
  Location loc = frame.loc();
  auto flags = arith::FastMathFlagsAttr::get(
      builder.getContext(), emitter.getOptions().strict
                                ? arith::FastMathFlags::none
                                : arith::FastMathFlags::contract);
  SmallVector<Value> a = loadGroups(
      builder, loc, emitter, rows, rowStart, schedule.getRows(),
      layout.rowGroup(), SharedTileLayout::kLaneRows * layout.rowGroup());
  SmallVector<Value> b = loadGroups(builder, loc, emitter, columns, columnStart,
                                    schedule.getColumns(), width,
                                    SharedTileLayout::kLaneColumns * width);
  for (auto [number, sum] : llvm::enumerate(sums)) {
    Value product =
        arith::MulFOp::create(builder, loc, a[number / schedule.getColumns()],
                              b[number % schedule.getColumns()], flags);
    sum = arith::AddFOp::create(builder, loc, sum, product, flags);
  }
}

/// An instruction takes one or two blocks of rows; of each operand first what
/// is for its first 4 places.
void TilePieces::multiplyBlocks(const NearBuffer &rows,
                                const NearBuffer &columns,
                                const Index &rowStart, const Index &columnStart,
                                MutableArrayRef<Value> sums) {
  int64_t together = places > kPlaces ? 2 : 1;
  auto fragment = [&](const NearBuffer &buffer, const Index &start,
                      int64_t tile, int64_t block, int64_t count) {
    SmallVector<Value> elements;
    for (int64_t place = 0; place < places; place += kPlaces)
      for (int64_t i = 0; i < count; ++i)
        elements.push_back(buffer.load(
            emitter.add(start, Index::constant(place * layout.pitch(tile) +
                                               (block + i) * kBlock)),
            1, 1));
    return elements;
  };
  SmallVector<SmallVector<Value>> a, b;
  for (int64_t block = 0; block < rowBlocks(); block += together)
    a.push_back(fragment(rows, rowStart, schedule.getTileM(), block, together));
  for (int64_t block = 0; block < layout.warpColumns() / kBlock; ++block)
    b.push_back(fragment(columns, columnStart, schedule.getTileN(), block, 1));
  for (size_t across = 0; across < b.size(); ++across)
    for (size_t down = 0; down < a.size(); ++down) {
      SmallVector<Value *> its;
      for (int64_t i = 0; i < together; ++i)
        for (int64_t lane = 0; lane < width; ++lane)
          its.push_back(&sums[(down * together + i) * ownColumns() +
                              across * width + lane]);
      addProduct(a[down], b[across], its);
    }
}

void TilePieces::addProduct(ArrayRef<Value> a, ArrayRef<Value> b,
                            ArrayRef<Value *> sums) {
  SmallVector<Value> operands(a);
  llvm::append_range(operands, b);
  for (Value *sum : sums)
    operands.push_back(*sum);
  SmallVector<Type> types(sums.size(), builder.getF64Type());
  StringRef name = places > kPlaces ? "llvm.nvvm.mma.m16n8k8.row.col.f64"
                                    : "llvm.nvvm.mma.m8n8k4.row.col.f64";
  Value next =
      LLVM::CallIntrinsicOp::create(
          builder, frame.loc(),
          LLVM::LLVMStructType::getLiteral(builder.getContext(), types),
          builder.getStringAttr(name), operands)
          .getResult(0);
  for (auto [number, sum] : llvm::enumerate(sums))
    *sum = LLVM::ExtractValueOp::create(builder, frame.loc(), next, number);
}
