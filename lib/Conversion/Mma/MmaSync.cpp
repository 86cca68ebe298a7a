//===- MmaSync.cpp - Products of a warp -----------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaSync.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

/// Rows of a matrix, which are as long: 16 bytes.
static constexpr int64_t matrixRows = 8;
static constexpr int64_t chunkBytes = 16;
/// Of the summed axis that an element of f64 of each lane is for.
static constexpr int64_t widePlaces = 4;

FragmentReader::FragmentReader(MmaBuilder &b, const SlotOperand &operand,
                               Side side, Value lane, Value start, Value first)
    : b(b), operand(operand) {
  if (operand.isWide()) {
    placeWide(lane, start);
    return;
  }
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

void FragmentReader::placeWide(Value lane, Value start) {
  Value own = b.div(lane, widePlaces), place = b.rem(lane, widePlaces);
  Value memoryRow = operand.isAlongK ? own : place;
  Value inRow = operand.isAlongK ? place : own;
  row = b.add(start, b.add(b.mul(memoryRow, SlotOperand::rowBytes),
                           b.mul(b.rem(inRow, 2), operand.bytesEach)));
  chunk = b.bitXor(b.div(inRow, 2), b.mul(b.rem(memoryRow, 4), 2));
}

/// What is the same for all lanes: a constant behind the lane's row, and in the
/// row a 16-byte column that the xor of the swizzle leaves apart. `further`
/// places follow those of the step.
Value FragmentReader::address(Value memory, Value at, int64_t first,
                              int64_t step, int64_t further) {
  int64_t perRow = operand.rowElements();
  int64_t place = step * operand.placesPerStep() + further;
  int64_t inRow = (operand.isAlongK ? place : first) % perRow;
  int64_t offset = operand.offsetOf(first);
  offset += operand.isAlongK ? place / perRow * operand.blockBytes()
                             : place * SlotOperand::rowBytes;
  Value place16 =
      b.bitXor(chunk, b.word(inRow * operand.bytesEach / chunkBytes));
  Value lane = b.add(row, b.mul(place16, chunkBytes));
  return b.behind(b.behind(memory, b.add(at, lane)), offset);
}

SmallVector<Value> FragmentReader::load(Value memory, Value at, int64_t first,
                                        int64_t step, int64_t matrices) {
  OpBuilder &builder = b.builder;
  Value address = this->address(memory, at, first, step, /*further=*/0);
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

/// A row's, or column's, two places. Loads of both at once would have to be
/// taken apart for the instruction, which wants rows side by side.
std::array<Value, 2> FragmentReader::loadWide(Value memory, Value at,
                                              int64_t first, int64_t step) {
  auto elementAt = [&](int64_t further) -> Value {
    return LLVM::LoadOp::create(b.builder, b.loc(), b.builder.getF64Type(),
                                address(memory, at, first, step, further),
                                static_cast<unsigned>(operand.bytesEach));
  };
  return {elementAt(0), elementAt(widePlaces)};
}

SmallVector<Value> FragmentReader::rows(Value memory, Value at, int64_t first,
                                        int64_t step) {
  if (operand.isWide()) {
    auto low = loadWide(memory, at, first, step);
    auto high = loadWide(memory, at, first + matrixRows, step);
    return {low[0], high[0], low[1], high[1]};
  }
  return load(memory, at, first, step, MmaSync::kRowWords);
}

SmallVector<Value> FragmentReader::columns(Value memory, Value at,
                                           int64_t first, int64_t count,
                                           int64_t step) {
  if (operand.isWide()) {
    SmallVector<Value> found;
    for (int64_t column = first; column < first + count;
         column += MmaSync::kColumns)
      llvm::append_range(found, loadWide(memory, at, column, step));
    return found;
  }
  return load(memory, at, first, step,
              count / MmaSync::kColumns * MmaSync::kColumnWords);
}

MmaSync::MmaSync(MmaBuilder &b, Type left, Type right)
    : b(b), left(left), right(right) {
  SmallVector<Type> four(kSums, b.builder.getF32Type());
  sumsType = LLVM::LLVMStructType::getLiteral(b.builder.getContext(), four);
}

/// Only elements of f16 go in pairs.
SmallVector<Value> MmaSync::fragment(ArrayRef<Value> words) {
  if (!left.isF16())
    return SmallVector<Value>(words);
  auto pair = VectorType::get({2}, left);
  return llvm::map_to_vector(words, [&](Value word) -> Value {
    return LLVM::BitcastOp::create(b.builder, b.loc(), pair, word);
  });
}

Value MmaSync::multiplyWords(ArrayRef<Value> sums, ArrayRef<Value> rows,
                             ArrayRef<Value> columns) {
  std::optional<std::array<NVVM::MMATypes, 2>> types;
  if (left.isBF16())
    types = {NVVM::MMATypes::bf16, NVVM::MMATypes::bf16};
  if (left.isF32())
    types = {NVVM::MMATypes::tf32, NVVM::MMATypes::tf32};
  int64_t places = SlotOperand::stepBytes * 8 / left.getIntOrFloatBitWidth();
  int64_t shape[] = {kRows, kColumns, places};
  return NVVM::MmaOp::create(b.builder, b.loc(), sumsType, fragment(rows),
                             fragment(columns), ValueRange(sums), shape,
                             /*b1Op=*/std::nullopt,
                             /*intOverflow=*/std::nullopt, types,
                             std::array<NVVM::MMALayout, 2>{
                                 NVVM::MMALayout::row, NVVM::MMALayout::col});
}

static StringRef nameOf(Type element) {
  return isa<Float8E4M3FNType>(element) ? "e4m3" : "e5m2";
}

/// The op of the NVVM dialect has no 8-bit floats.
Value MmaSync::multiplyBytes(ArrayRef<Value> sums, ArrayRef<Value> rows,
                             ArrayRef<Value> columns) {
  std::string name =
      llvm::formatv("llvm.nvvm.mma.m16n8k32.row.col.f32.{0}.{1}.f32",
                    nameOf(left), nameOf(right));
  SmallVector<Value> operands(rows);
  llvm::append_range(operands, columns);
  llvm::append_range(operands, sums);
  return LLVM::CallIntrinsicOp::create(b.builder, b.loc(), sumsType,
                                       b.builder.getStringAttr(name), operands)
      .getResult(0);
}

void MmaSync::callWide(StringRef name, MutableArrayRef<Value> sums,
                       ArrayRef<Value> rows, ArrayRef<Value> columns) {
  SmallVector<Value> operands(rows);
  llvm::append_range(operands, columns);
  llvm::append_range(operands, sums);
  SmallVector<Type> types(sums.size(), left);
  Value next =
      LLVM::CallIntrinsicOp::create(
          b.builder, b.loc(),
          LLVM::LLVMStructType::getLiteral(b.builder.getContext(), types),
          b.builder.getStringAttr(name), operands)
          .getResult(0);
  for (auto [number, sum] : llvm::enumerate(sums))
    sum = LLVM::ExtractValueOp::create(b.builder, b.loc(), next, number);
}

/// Chips before sm_90 multiply 8 rows and 4 places at a time. The op of the
/// NVVM dialect has these only.
void MmaSync::multiplyWide(MutableArrayRef<Value> sums, ArrayRef<Value> rows,
                           ArrayRef<Value> columns) {
  constexpr int64_t blocks = kRows / kColumns;
  if (b.frame.emitter.getOptions().float64Places > widePlaces)
    return callWide("llvm.nvvm.mma.m16n8k8.row.col.f64", sums, rows, columns);
  for (int64_t place = 0; place < kColumnWords; ++place)
    for (int64_t block = 0; block < blocks; ++block)
      callWide("llvm.nvvm.mma.m8n8k4.row.col.f64",
               sums.slice(block * kSums / blocks, kSums / blocks),
               rows[place * blocks + block], columns[place]);
}

void MmaSync::multiply(MutableArrayRef<Value> sums, ArrayRef<Value> rows,
                       ArrayRef<Value> columns) {
  if (left.isF64())
    return multiplyWide(sums, rows, columns);
  bool areBytes = left.getIntOrFloatBitWidth() == 8;
  Value next = areBytes ? multiplyBytes(sums, rows, columns)
                        : multiplyWords(sums, rows, columns);
  for (auto [number, sum] : llvm::enumerate(sums))
    sum = LLVM::ExtractValueOp::create(b.builder, b.loc(), next, number);
}
