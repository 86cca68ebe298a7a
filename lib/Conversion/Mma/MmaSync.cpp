//===- MmaSync.cpp - Products of a warp -----------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaSync.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::fuse;

/// Rows of a matrix, which are as long: 16 bytes.
static constexpr int64_t matrixRows = 8;
static constexpr int64_t chunkBytes = 16;

FragmentReader::FragmentReader(MmaBuilder &b, const SlotOperand &operand,
                               Side side, Value lane, Value start, Value first)
    : b(b), operand(operand) {
  Value matrix = b.div(lane, matrixRows), inMatrix = b.rem(lane, matrixRows);
  Value low = b.rem(matrix, 2), high = b.div(matrix, 2);
  Value own = side == Side::rows ? low : high;
  Value place = side == Side::rows ? high : low;
  Value rowHalf = operand.isAlongK ? own : place;
  Value chunkHalf = operand.isAlongK ? place : own;
  Value inRow = first ? b.add(first, chunkHalf) : chunkHalf;
  row = b.add(start, b.mul(b.add(b.mul(rowHalf, matrixRows), inMatrix),
                           SlotOperand::rowBytes));
  chunk = b.bitXor(inRow, inMatrix);
}

/// What is the same for all lanes: a constant behind the lane's row, and in the
/// row an even 16-byte column, which the xor of the swizzle leaves apart.
SmallVector<Value> FragmentReader::load(Value memory, Value at, int64_t first,
                                        int64_t step, int64_t matrices) {
  OpBuilder &builder = b.builder;
  int64_t perRow = operand.rowElements(), place = step * matrixRows * 2;
  int64_t inRow = (operand.isAlongK ? place : first) % perRow;
  int64_t offset = operand.stepOffset(step);
  if (operand.isAlongK)
    offset += operand.offsetOf(first) - inRow * operand.bytesEach;
  else
    offset += operand.offsetOf(first);
  Value place16 =
      b.bitXor(chunk, b.word(inRow * operand.bytesEach / chunkBytes));
  Value lane = b.add(row, b.mul(place16, chunkBytes));
  Value address = b.behind(b.behind(memory, b.add(at, lane)), offset);
  Type word = builder.getI32Type();
  SmallVector<Type> words(matrices, word);
  Type type =
      matrices == 1
          ? word
          : LLVM::LLVMStructType::getLiteral(builder.getContext(), words);
  auto shape = NVVM::LdStMatrixShapeAttr::get(builder.getContext(), matrixRows,
                                              matrixRows);
  Value loaded = NVVM::LdMatrixOp::create(
      builder, b.loc(), type, address, matrices,
      operand.isAlongK ? NVVM::MMALayout::row : NVVM::MMALayout::col, shape,
      NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> found;
  for (int64_t i = 0; i < matrices; ++i)
    found.push_back(LLVM::ExtractValueOp::create(builder, b.loc(), loaded, i));
  return found;
}

SmallVector<Value> FragmentReader::rows(Value memory, Value at, int64_t first,
                                        int64_t step) {
  return load(memory, at, first, step, MmaSync::kRowWords);
}

SmallVector<Value> FragmentReader::columns(Value memory, Value at,
                                           int64_t first, int64_t count,
                                           int64_t step) {
  return load(memory, at, first, step,
              count / MmaSync::kColumns * MmaSync::kColumnWords);
}

MmaSync::MmaSync(MmaBuilder &b, Type element) : b(b), element(element) {}

/// Elements of bf16 go in words.
SmallVector<Value> MmaSync::fragment(ArrayRef<Value> words) {
  if (element.isBF16())
    return SmallVector<Value>(words);
  auto pair = VectorType::get({2}, element);
  return llvm::map_to_vector(words, [&](Value word) -> Value {
    return LLVM::BitcastOp::create(b.builder, b.loc(), pair, word);
  });
}

void MmaSync::multiply(MutableArrayRef<Value> sums, ArrayRef<Value> rows,
                       ArrayRef<Value> columns) {
  SmallVector<Type> four(kSums, b.builder.getF32Type());
  auto type = LLVM::LLVMStructType::getLiteral(b.builder.getContext(), four);
  std::optional<std::array<NVVM::MMATypes, 2>> types;
  if (element.isBF16())
    types = {NVVM::MMATypes::bf16, NVVM::MMATypes::bf16};
  int64_t shape[] = {kRows, kColumns, kPlaces};
  Value next = NVVM::MmaOp::create(
      b.builder, b.loc(), type, fragment(rows), fragment(columns),
      ValueRange(sums), shape, /*b1Op=*/std::nullopt,
      /*intOverflow=*/std::nullopt, types,
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  for (auto [number, sum] : llvm::enumerate(sums))
    sum = LLVM::ExtractValueOp::create(b.builder, b.loc(), next, number);
}
