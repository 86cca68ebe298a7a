//===- TensorMaps.cpp - Tensor maps that a kernel takes -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::fuse;

/// Of a CUtensorMap.
static constexpr int64_t mapBytes = 128, mapAlignment = 64;

Value mlir::fuse::addTensorMap(KernelFrame &frame, TensorMapUse use) {
  OpBuilder &builder = frame.builder;
  Type bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), mapBytes);
  auto attributes = builder.getDictionaryAttr(
      {builder.getNamedAttr(LLVM::LLVMDialect::getByValAttrName(),
                            TypeAttr::get(bytes)),
       builder.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                            builder.getI64IntegerAttr(mapAlignment))});
  unsigned number = frame.function.getNumArguments();
  [[maybe_unused]] LogicalResult inserted = frame.function.insertArgument(
      number, LLVM::LLVMPointerType::get(builder.getContext()), attributes,
      frame.loc());
  assert(succeeded(inserted) && "functions of kernels take any arguments");
  frame.tensorMaps.push_back(std::move(use));
  return frame.function.getArgument(number);
}

SmallVector<Value> mlir::fuse::hostMapDims(
    OpBuilder &builder, Location loc, ArrayRef<SmallVector<unsigned, 2>> dims,
    ArrayRef<Extent> extents, ArrayRef<OpFoldResult> strides,
    llvm::function_ref<Value(const Extent &)> sizeOf) {
  // Row-major, from the innermost dimension on.
  SmallVector<Value> dense(extents.size());
  Value stride = arith::ConstantIndexOp::create(builder, loc, 1);
  for (int64_t dim = int64_t(extents.size()) - 1; dim >= 0; --dim) {
    dense[dim] = stride;
    stride =
        builder.createOrFold<arith::MulIOp>(loc, stride, sizeOf(extents[dim]));
  }
  SmallVector<Value> values;
  for (ArrayRef<unsigned> joined : dims) {
    Value size = sizeOf(extents[joined.front()]);
    for (unsigned dim : joined.drop_front())
      size =
          builder.createOrFold<arith::MulIOp>(loc, size, sizeOf(extents[dim]));
    values.push_back(size);
  }
  for (ArrayRef<unsigned> joined : dims.drop_front())
    values.push_back(strides.empty()
                         ? dense[joined.back()]
                         : getValueOrCreateConstantIndexOp(
                               builder, loc, strides[joined.back()]));
  return values;
}
