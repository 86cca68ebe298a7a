//===- Wgmma.h - Products of a warpgroup ------------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma.mma_async multiplies 64 rows of 32 bytes by N columns of 32 bytes, both
// in shared memory, and adds to sums in registers; the PTX ISA has the layouts.
// In shared memory rows have 128 bytes, whose 16-byte columns are swizzled:
// column c of row r stands at c xor r % 8.
//
// Along the summed axis (K-major) a row of memory is 128 bytes of one row of
// the matrix; 8 rows are 1024 bytes. Across it (MN-major) it is 64 rows of the
// matrix at one place of the summed axis; 8 places are 1024 bytes.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_WGMMA_H
#define FUSE_LIB_CONVERSION_MMA_WGMMA_H

#include "MmaBuilder.h"
#include "TileSlot.h"

namespace mlir::fuse {

class Wgmma {
public:
  /// Sums of 64 x `columns`, products of elements that are both f16, both bf16,
  /// both f32, of which TF32 is read, or each f8E4M3FN or f8E5M2.
  Wgmma(MmaBuilder &b, int64_t columns, Type leftElement, Type rightElement,
        SlotOperand left, SlotOperand right);

  /// A struct of this thread's f32 sums.
  Type sumsType() const { return type; }
  int64_t sumsPerThread() const { return columns / 2; }
  Value zeros();
  Value undefined();
  Value extract(Value sums, int64_t number);
  /// All of them, one by one.
  SmallVector<Value> values(Value sums);
  /// The struct of these sums.
  Value collect(ArrayRef<Value> sums);
  /// Of finished sums, one by one.
  Value add(Value a, Value b);

  /// The i64 that describes an operand from `pointer` on.
  Value leftDescriptor(Value pointer) { return descriptor(pointer, left); }
  Value rightDescriptor(Value pointer) { return descriptor(pointer, right); }

  /// Registers of sums may be written again by products.
  void fence();
  /// Starts the products of 32 bytes of places; `keeps`, an i32, is 0 where the
  /// sums so far count for nothing.
  Value multiply(Value sums, Value leftDescriptor, Value rightDescriptor,
                 int64_t step, Value keeps);
  /// The same with the left operand in registers: four words of this thread, of
  /// two rows and two pairs of places.
  Value multiply(Value sums, ArrayRef<Value> left, Value rightDescriptor,
                 int64_t step, Value keeps);
  /// Ends a group of products.
  void commit();
  /// Waits until all but one group are done: their operands are free.
  void awaitAllButOne();
  /// Waits until all are done. What is read are the returned sums: an op that
  /// did not have them as operands would not keep LLVM from reading them
  /// before.
  Value awaitAll(Value sums) { return awaitAllBut(sums, /*groups=*/0); }
  /// The same, but for so many groups that were started last and have other
  /// sums.
  Value awaitAllBut(Value sums, int64_t groups);

private:
  Value descriptor(Value pointer, const SlotOperand &operand);
  Value stepped(Value descriptor, const SlotOperand &operand, int64_t step);
  Value start(Value sums, StringRef leftOperand, ValueRange leftValues,
              StringRef leftConstraint, StringRef leftOrder, Value right,
              Value keeps);
  Value tied(StringRef code, Value sums, ValueRange inputs,
             StringRef constraints);

  MmaBuilder &b;
  int64_t columns;
  Type leftElement, rightElement;
  SlotOperand left, right;
  Type type;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_WGMMA_H
