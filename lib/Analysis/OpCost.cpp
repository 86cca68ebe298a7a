//===- OpCost.cpp - What tensors and ops cost, roughly --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/OpCost.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

double mlir::fuse::estimatedElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return 0;
  double elements = 1;
  for (int64_t size : type.getShape())
    elements *= ShapedType::isDynamic(size) ? kAssumedSize : size;
  return elements;
}

double mlir::fuse::estimatedElements(ArrayRef<Extent> extents) {
  double elements = 1;
  for (const Extent &extent : extents)
    elements *= extent.isStatic() ? extent.size : kAssumedSize;
  return elements;
}

/// Of a size that is a product, as where dimensions have become one.
static double estimatedSize(const Extent &extent, const DimClasses &dims) {
  if (extent.isStatic())
    return extent.size;
  for (const SizeRule &rule : dims.rules(extent.cls)) {
    if (!rule.isPlainProduct())
      continue;
    double product = 1;
    for (const Extent &term : rule.terms)
      product *= term.isStatic() ? term.size : kAssumedSize;
    return product;
  }
  return kAssumedSize;
}

double mlir::fuse::estimatedElements(ArrayRef<Extent> extents,
                                     const DimClasses &dims) {
  double elements = 1;
  for (const Extent &extent : extents)
    elements *= estimatedSize(extent, dims);
  return elements;
}

double mlir::fuse::estimatedElements(Value value, const DimClasses &dims) {
  if (!isa<RankedTensorType>(value.getType()))
    return 0;
  return estimatedElements(dims.extents(value), dims);
}

double mlir::fuse::estimatedBytes(Value value, const DimClasses &dims) {
  double elements = estimatedElements(value, dims);
  return elements == 0 ? 0 : elements * elementBytes(value);
}

double mlir::fuse::elementBytes(Value value) {
  return llvm::divideCeil(
      getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth(), 8);
}

double mlir::fuse::estimatedBytes(Value value) {
  double elements = estimatedElements(value);
  return elements == 0 ? 0 : elements * elementBytes(value);
}

bool mlir::fuse::isSpecialFunction(Operation *op) {
  return isa<ExpOp, Exp2Op, Expm1Op, LogOp, Log2Op, Log1pOp, SinOp, CosOp,
             TanhOp, ErfOp, SigmoidOp, RsqrtOp, SqrtOp, DivOp, RecipOp>(op);
}

double mlir::fuse::instructionsOf(Operation *op) {
  if (isa<RotaryOp>(op))
    return 40;
  if (isa<RandomOp, PowOp>(op))
    return 30;
  if (isSpecialFunction(op))
    return 12;
  return isa<ConstantOp>(op) ? 0 : 1;
}
