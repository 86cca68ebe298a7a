//===- MmaBuilder.h - Words and warps of a tensor-core kernel ---*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_MMABUILDER_H
#define FUSE_LIB_CONVERSION_MMA_MMABUILDER_H

#include "KernelFrame.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fuse {

/// i32 arithmetic, which folds constants, and pointers to shared memory.
class MmaBuilder {
public:
  explicit MmaBuilder(KernelFrame &frame)
      : frame(frame), builder(frame.builder) {}

  Location loc() { return frame.loc(); }
  Value word(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc(), value, 32);
  }
  Value add(Value a, Value b) { return fold<arith::AddIOp>(a, b); }
  Value sub(Value a, Value b) { return fold<arith::SubIOp>(a, b); }
  Value mul(Value a, Value b) { return fold<arith::MulIOp>(a, b); }
  Value div(Value a, Value b) { return fold<arith::DivUIOp>(a, b); }
  Value rem(Value a, Value b) { return fold<arith::RemUIOp>(a, b); }
  Value bitAnd(Value a, Value b) { return fold<arith::AndIOp>(a, b); }
  Value bitXor(Value a, Value b) { return fold<arith::XOrIOp>(a, b); }
  Value min(Value a, Value b) { return fold<arith::MinUIOp>(a, b); }
  Value add(Value a, int64_t b) { return add(a, word(b)); }
  Value mul(Value a, int64_t b) { return mul(a, word(b)); }
  Value div(Value a, int64_t b) { return div(a, word(b)); }
  Value rem(Value a, int64_t b) { return rem(a, word(b)); }
  Value ceilDiv(Value a, int64_t b) { return div(add(a, b - 1), b); }
  Value select(Value condition, Value a, Value b) {
    return builder.createOrFold<arith::SelectOp>(loc(), condition, a, b);
  }
  Value equal(Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc(), arith::CmpIPredicate::eq,
                                               a, b);
  }
  Value equal(Value a, int64_t b) { return equal(a, word(b)); }
  Value atLeast(Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc(), arith::CmpIPredicate::uge,
                                               a, b);
  }
  Value differs(Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc(), arith::CmpIPredicate::ne,
                                               a, b);
  }

  Value isLess(Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc(), arith::CmpIPredicate::ult,
                                               a, b);
  }

  /// Between words and the emitter's indices, which are not negative.
  Value wordOf(const Index &index) {
    return builder.createOrFold<arith::IndexCastUIOp>(
        loc(), builder.getI32Type(), frame.emitter.materialize(index));
  }
  Index indexOf(Value word) {
    return {builder.createOrFold<arith::IndexCastUIOp>(
        loc(), builder.getIndexType(), word)};
  }

  /// So many bytes behind a pointer to shared memory.
  Value behind(Value pointer, Value bytes) {
    return LLVM::GEPOp::create(
        builder, loc(), pointer.getType(), builder.getI8Type(), pointer,
        ArrayRef<LLVM::GEPArg>{bytes}, LLVM::GEPNoWrapFlags::inbounds);
  }
  Value behind(Value pointer, int64_t bytes) {
    return bytes == 0 ? pointer : behind(pointer, word(bytes));
  }

  /// The same place in the shared memory of block `rank` of the cluster.
  Value inBlock(Value pointer, Value rank);

  /// Waits at an mbarrier for the end of the phase of that parity, and sees
  /// what the threads of the scope have done before they arrived.
  void awaitPhase(Value barrier, Value parity,
                  NVVM::MemScopeKind scope = NVVM::MemScopeKind::CTA);

  /// Where the block's dynamic shared memory starts for swizzled rows.
  Value sharedMemory();

  /// `body` gets a word, and the values that it gave the last time.
  scf::ForOp
  loop(Value from, Value to, Value step, ValueRange values,
       llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body);

  /// The number of this thread in its block.
  Value thread() { return wordOf(frame.threadId(/*threads=*/2)); }

  KernelFrame &frame;
  OpBuilder &builder;

private:
  template <typename Op> Value fold(Value a, Value b) {
    return builder.createOrFold<Op>(loc(), a, b);
  }
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_MMABUILDER_H
