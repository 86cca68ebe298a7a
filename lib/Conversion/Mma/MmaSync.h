//===- MmaSync.h - Products of a warp ---------------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.sync m16n8k16 multiplies 16 rows by 8 columns, both in the registers of a
// warp, and adds to sums there. ldmatrix brings them from shared memory: four
// matrices of 8 x 8 elements at once, to a row of which each lane has the
// address. Operands lie as in SlotOperand, rows of 128 bytes whose 16-byte
// columns are swizzled: column c of row r stands at c xor r % 8.
//
//   matrix         0               1               2               3
//   rows           0-7, k 0-7      8-15, k 0-7     0-7, k 8-15     8-15, k 8-15
//   columns        0-7, k 0-7      0-7, k 8-15     8-15, k 0-7     8-15, k 8-15
//
// Across the summed axis rows of memory are places of it, and ldmatrix
// transposes. Pairs of 8-bit elements lie as one of 16 bits would, and halves
// of a 32-bit element as two, so that m16n8k32 and m16n8k8 take the same words,
// of twice and half as many places.
//
// f64 is read by plain loads, since ldmatrix moves 16 bits. A lane has row (or
// column) lane / 4 of each 8, and place lane % 4 of each 4. 16 lanes read at
// the same time, 32 bytes of each of 4 rows of memory: column c of row r stands
// at c xor 2 (r % 4), so that they meet in no bank.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_MMASYNC_H
#define FUSE_LIB_CONVERSION_MMA_MMASYNC_H

#include "MmaBuilder.h"
#include "TileSlot.h"

namespace mlir::fuse {

/// The fragments of one operand that a warp multiplies.
class FragmentReader {
public:
  enum class Side : uint8_t { rows, columns };

  /// `start`: bytes from the start of a slot to the warp's first row or column
  /// that is not the same for all warps, a word. `chunk`: the 16-byte column
  /// that this is in a row of memory, a word; null for the first.
  FragmentReader(MmaBuilder &b, const SlotOperand &operand, Side side,
                 Value lane, Value start, Value chunk);

  /// The words of one fragment, or elements of f64: four of 16 rows, or two of
  /// 8 columns, from `first` on, for instruction `step` of the slot at `at`, a
  /// word behind `memory`. Two fragments of neighbouring columns come together.
  SmallVector<Value> rows(Value memory, Value at, int64_t first, int64_t step);
  SmallVector<Value> columns(Value memory, Value at, int64_t first,
                             int64_t count, int64_t step);

private:
  void placeWide(Value lane, Value start);
  Value address(Value memory, Value at, int64_t first, int64_t step,
                int64_t further);
  SmallVector<Value> load(Value memory, Value at, int64_t first, int64_t step,
                          int64_t matrices);
  std::array<Value, 2> loadWide(Value memory, Value at, int64_t first,
                                int64_t step);

  MmaBuilder &b;
  SlotOperand operand;
  /// Where the lane's row starts, and the 16-byte column that it reads there
  /// where the warp's first is 0.
  Value row, chunk;
};

/// A product of fragments.
class MmaSync {
public:
  /// Rows and columns of an instruction.
  static constexpr int64_t kRows = 16, kColumns = 8;
  /// Sums of a thread, and words of both operands.
  static constexpr int64_t kSums = 4, kRowWords = 4, kColumnWords = 2;

  /// Elements of the two operands, which are of one type unless of 8 bits. Of
  /// f32 TF32 is read. f64 is summed in f64, all others in f32.
  MmaSync(MmaBuilder &b, Type left, Type right);

  /// Of this thread: four sums, which become those with the products.
  void multiply(MutableArrayRef<Value> sums, ArrayRef<Value> rows,
                ArrayRef<Value> columns);

private:
  SmallVector<Value> fragment(ArrayRef<Value> words);
  Value multiplyWords(ArrayRef<Value> sums, ArrayRef<Value> rows,
                      ArrayRef<Value> columns);
  Value multiplyBytes(ArrayRef<Value> sums, ArrayRef<Value> rows,
                      ArrayRef<Value> columns);
  void multiplyWide(MutableArrayRef<Value> sums, ArrayRef<Value> rows,
                    ArrayRef<Value> columns);
  void callWide(StringRef name, MutableArrayRef<Value> sums,
                ArrayRef<Value> rows, ArrayRef<Value> columns);

  MmaBuilder &b;
  Type left, right, sumsType;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_MMASYNC_H
