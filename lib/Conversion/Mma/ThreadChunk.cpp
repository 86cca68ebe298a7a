//===- ThreadChunk.cpp - What a thread copies at once ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadChunk.h"

#include "fuse/Analysis/Strides.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr unsigned globalSpace = 1;

/// The swizzle repeats after as many rows as a row has chunks.
ThreadChunk::ThreadChunk(MmaBuilder &b, Value thread, int64_t threads,
                         int64_t rowBytes, Swizzle swizzle)
    : b(b), inRow(rowBytes / bytes), rowsAtOnce(threads / inRow),
      row(b.div(thread, inRow)), column(b.rem(thread, inRow)) {
  Value place = column;
  if (swizzle == Swizzle::matrices)
    place = b.bitXor(column, b.rem(row, inRow));
  if (swizzle == Swizzle::wide)
    place = b.bitXor(column, b.mul(b.rem(row, inRow / 2), 2));
  target = b.add(b.mul(row, rowBytes), b.mul(place, bytes));
}

void ThreadChunk::copy(Value to, Value from, Value count) const {
  NVVM::CpAsyncOp::create(b.builder, b.loc(), to, from, bytes,
                          NVVM::LoadCacheModifierKind::CG, count);
}

Index mlir::fuse::inputStride(MmaBuilder &b, const MmaOperand &operand,
                              unsigned dim) {
  auto input = cast<BlockArgument>(operand.tensor);
  PointEmitter &emitter = b.frame.emitter;
  const auto &layouts = emitter.getAbi().layouts;
  if (input.getArgNumber() < layouts.size() &&
      layouts[input.getArgNumber()].kind != StrideKind::dense)
    return layouts[input.getArgNumber()].strides[dim];
  SmallVector<Extent> extents = b.frame.dims.extents(input);
  return emitter.product(ArrayRef(extents).drop_front(dim + 1));
}

Value mlir::fuse::inputPointer(MmaBuilder &b, const MmaOperand &operand) {
  auto input = cast<BlockArgument>(operand.tensor);
  auto global = LLVM::LLVMPointerType::get(b.builder.getContext(), globalSpace);
  return LLVM::AddrSpaceCastOp::create(
      b.builder, b.loc(), global,
      b.frame.emitter.getAbi().inputs[input.getArgNumber()]);
}

Value mlir::fuse::movedPointer(MmaBuilder &b, Value pointer, Type element,
                               const Index &elements) {
  auto step = [&](LLVM::GEPArg distance) {
    pointer = LLVM::GEPOp::create(b.builder, b.loc(), pointer.getType(),
                                  element, pointer, distance);
  };
  if (elements.base) {
    Value base = b.frame.emitter.materialize({elements.base});
    step(Value(arith::IndexCastOp::create(b.builder, b.loc(),
                                          b.builder.getI64Type(), base)));
  }
  // Apart, so that it becomes an immediate.
  if (llvm::isInt<LLVM::kGEPConstantBitWidth>(elements.offset)) {
    if (elements.offset)
      step(static_cast<int32_t>(elements.offset));
    return pointer;
  }
  step(Value(arith::ConstantIntOp::create(b.builder, b.loc(), elements.offset,
                                          /*width=*/64)));
  return pointer;
}

bool mlir::fuse::hasWholeChunks(MmaBuilder &b, const MmaOperand &operand,
                                const Extent &inner) {
  auto input = cast<BlockArgument>(operand.tensor);
  int64_t bits = getElementTypeOrSelf(input).getIntOrFloatBitWidth();
  return strideKind(input) == StrideKind::dense ||
         b.frame.emitter.divides(ThreadChunk::bytes * 8 / bits, inner);
}
