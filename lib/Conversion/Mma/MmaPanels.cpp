//===- MmaPanels.cpp - Matrices in shared memory --------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of 128 bytes, swizzled: buffers that a thread's pairs of results go to,
// and panels from which its pairs of inputs come.
//
//===----------------------------------------------------------------------===//

#include "MmaEpilogue.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::fuse;

/// Where a row of a matrix lies in a panel, `column` matrices further along the
/// row, and one more in the upper half of the warp.
Value MmaEpilogue::matrixAddress(Value panel, Value row, int64_t column) {
  Value matrix = b.div(self.lane, 8), inMatrix = b.rem(self.lane, 8);
  Value place = b.bitXor(b.add(b.div(matrix, 2), column), inMatrix);
  return b.behind(panel, b.add(b.mul(row, MmaScheduleAttr::kRowBytes),
                               b.mul(place, chunkBytes)));
}

/// The row of which a thread gives the address, of four 8 x 8 matrices: 16 rows
/// of 16 columns.
Value MmaEpilogue::matrixRow() {
  Value matrix = b.div(self.lane, 8), inMatrix = b.rem(self.lane, 8);
  return b.add(warpRow, b.add(b.mul(b.rem(matrix, 2), rowStep), inMatrix));
}

/// Where a thread's pair of elements of so many bytes lies in a row of a panel,
/// in its block of 8 columns.
Value MmaEpilogue::pairAddress(Value panel, Value row, int64_t block,
                               int64_t bytes) {
  Value inBlock = b.mul(quadColumn, bytes);
  Value at = b.add(inBlock, block * blockColumns * bytes);
  Value place = b.bitXor(b.div(at, chunkBytes), quadRow);
  return b.behind(
      panel, b.add(b.mul(row, MmaScheduleAttr::kRowBytes),
                   b.add(b.mul(place, chunkBytes), b.rem(at, chunkBytes))));
}

static NVVM::LdStMatrixShapeAttr shapeOfMatrices(OpBuilder &builder) {
  return NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8);
}

/// Pairs of 2-byte elements, four matrices at a time.
void MmaEpilogue::fillWithMatrices(Value buffer, ArrayRef<Value> pairs) {
  OpBuilder &builder = b.builder;
  Value row = matrixRow();
  for (size_t first = 0; first < pairs.size(); first += 4) {
    SmallVector<Value> words;
    for (Value values : pairs.slice(first, 4))
      words.push_back(LLVM::BitcastOp::create(builder, b.loc(),
                                              builder.getI32Type(), values));
    NVVM::StMatrixOp::create(builder, b.loc(),
                             matrixAddress(buffer, row, first / 2), words,
                             NVVM::MMALayout::row, shapeOfMatrices(builder),
                             NVVM::LdStMatrixEltType::B16);
  }
}

/// Pairs of elements of other widths.
void MmaEpilogue::fillWithPairs(Value buffer, ArrayRef<Value> pairs,
                                int64_t bytes) {
  for (auto [number, values] : llvm::enumerate(pairs)) {
    Value row = b.add(b.add(warpRow, quadRow), number % 2 * rowStep);
    LLVM::StoreOp::create(b.builder, b.loc(), values,
                          pairAddress(buffer, row, number / 2, bytes),
                          pair * bytes);
  }
}

/// This thread's pairs of 2-byte elements of 64 rows and 64 columns.
SmallVector<Value> MmaEpilogue::readMatrices(Value panel, int64_t part) {
  OpBuilder &builder = b.builder;
  SmallVector<Type> types(4, builder.getI32Type());
  auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  Value row = b.add(matrixRow(), part * MmaScheduleAttr::kRows);
  SmallVector<Value> pairs;
  constexpr int64_t matrices = MmaScheduleAttr::kRowBytes / chunkBytes;
  for (int64_t column = 0; column < matrices; column += 2) {
    Value four = NVVM::LdMatrixOp::create(
        builder, b.loc(), type, matrixAddress(panel, row, column), /*num=*/4,
        NVVM::MMALayout::row, shapeOfMatrices(builder),
        NVVM::LdStMatrixEltType::B16);
    for (int64_t i = 0; i < 4; ++i)
      pairs.push_back(LLVM::ExtractValueOp::create(builder, b.loc(), four, i));
  }
  return pairs;
}

/// The same of 4-byte elements, of 32 columns.
SmallVector<Value> MmaEpilogue::readWords(Value panel, int64_t part) {
  constexpr int64_t bytes = 4;
  Type type = VectorType::get({pair}, b.builder.getI32Type());
  SmallVector<Value> pairs;
  for (int64_t block = 0;
       block < MmaScheduleAttr::kRowBytes / bytes / blockColumns; ++block)
    for (int64_t half = 0; half < 2; ++half) {
      Value row = b.add(b.add(warpRow, quadRow),
                        part * MmaScheduleAttr::kRows + half * rowStep);
      pairs.push_back(LLVM::LoadOp::create(
          b.builder, b.loc(), type, pairAddress(panel, row, block, bytes),
          pair * bytes));
    }
  return pairs;
}

/// Makes the elements of a group of columns known, from the last on as
/// defineSums() does.
void MmaEpilogue::readStage(TileRing &ring, const RingPlace &stage,
                            const Places &places, int64_t firstColumn) {
  Value share = schedule.sharesColumns() ? self.consumer : b.word(0);
  int64_t parts = schedule.partsPerConsumer();
  Value rows = schedule.sharesColumns()
                   ? b.word(0)
                   : b.mul(self.consumer, parts * MmaScheduleAttr::kRows *
                                              MmaScheduleAttr::kRowBytes);
  int64_t last = firstColumn + stepWidth(firstColumn);
  for (auto [number, input] : llvm::enumerate(tileInputs.all())) {
    Type element = getElementTypeOrSelf(input.value.getType());
    Type type = VectorType::get({pair}, PointEmitter::storageType(element));
    for (int64_t column = last - input.columns(); column >= firstColumn;
         column -= input.columns()) {
      Value at = b.add(tileInputs.panelOffset(number, column, share), rows);
      Value panel = ring.memoryAt(b.add(ring.offset(stage.slot), at));
      for (int64_t part = parts - 1; part >= 0; --part) {
        SmallVector<Value> pairs = input.bytes == 2 ? readMatrices(panel, part)
                                                    : readWords(panel, part);
        for (int64_t i = pairs.size() - 1; i >= 0; --i) {
          Value stored =
              LLVM::BitcastOp::create(b.builder, b.loc(), type, pairs[i]);
          Fragment fragment{2 * part + i % 2, column / blockColumns + i / 2};
          emitter.define(input.value, pointOf(places, fragment),
                         emitter.fromStorage(b.loc(), element, stored));
        }
      }
    }
  }
}
