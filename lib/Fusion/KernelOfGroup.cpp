//===- KernelOfGroup.cpp - Ops as the body of a kernel --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelOfGroup.h"

#include "Groups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fuse;

/// Clones an op into a kernel. The dynamic sizes of an expanded tensor are
/// operands from the host; the kernel computes them from its own tensors.
static void cloneInto(OpBuilder &builder, Operation *op, IRMapping &mapping) {
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  if (!expand || expand.getResultType().hasStaticShape()) {
    builder.clone(*op, mapping);
    return;
  }
  Location loc = op->getLoc();
  Value source = mapping.lookup(expand.getSrc());
  RankedTensorType type = expand.getResultType();
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(builder.getIndexAttr(size));
  for (auto [axis, group] : llvm::enumerate(expand.getReassociationIndices())) {
    int64_t known = 1;
    for (int64_t dim : group)
      known *= type.isDynamicDim(dim) ? 1 : type.getDimSize(dim);
    for (int64_t dim : group)
      if (type.isDynamicDim(dim)) {
        Value size = tensor::DimOp::create(builder, loc, source, axis);
        Value divisor = arith::ConstantIndexOp::create(builder, loc, known);
        sizes[dim] =
            arith::DivUIOp::create(builder, loc, size, divisor).getResult();
      }
  }
  auto clone = tensor::ExpandShapeOp::create(
      builder, loc, type, source, expand.getReassociationIndices(), sizes);
  mapping.map(expand.getResult(), clone.getResult());
}

KernelOp mlir::fuse::cloneAsKernel(OpBuilder &builder, StringRef name,
                                   ArrayRef<Operation *> ops,
                                   ArrayRef<Value> inputs,
                                   ArrayRef<Value> results) {
  auto kernel = KernelOp::create(
      builder, ops.back()->getLoc(), ValueRange(results).getTypes(),
      builder.getStringAttr(name), inputs, ScheduleAttrInterface());
  Block &body = kernel.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (Groups::isDuplicated(operand.getDefiningOp()) &&
          !mapping.contains(operand))
        mapping.map(operand,
                    inner.clone(*operand.getDefiningOp())->getResult(0));
    cloneInto(inner, op, mapping);
  }
  SmallVector<Value> yielded;
  for (Value result : results)
    yielded.push_back(mapping.lookup(result));
  YieldOp::create(inner, kernel.getLoc(), yielded);
  return kernel;
}
