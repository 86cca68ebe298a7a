//===- Decompose.cpp - Expand composite ops into primitives ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEDECOMPOSE
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"

Type getWideType(Type element) {
  if (element.isF16() || element.isBF16())
    return Float32Type::get(element.getContext());
  return element;
}

Value emitCast(ImplicitLocOpBuilder &builder, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  auto op = CastOp::create(builder, type.clone(element), value);
  if (element.isF16() || element.isBF16())
    op->setAttr(kImplicitAttr, builder.getUnitAttr());
  return op;
}

Value emitWiden(ImplicitLocOpBuilder &builder, Value value) {
  return emitCast(builder, value, getWideType(getElementTypeOrSelf(value)));
}

Value withAccuracy(Value value, Type element) {
  if (getElementTypeOrSelf(value) != element)
    value.getDefiningOp()->setAttr(kAccuracyAttr, TypeAttr::get(element));
  return value;
}

Value emitScalar(ImplicitLocOpBuilder &builder, Type element, double value) {
  auto type = RankedTensorType::get({}, element);
  TypedAttr attr;
  if (isa<FloatType>(element))
    attr = builder.getFloatAttr(element, value);
  else
    attr = builder.getIntegerAttr(element, static_cast<int64_t>(value));
  return ConstantOp::create(builder, DenseElementsAttr::get(type, attr));
}

namespace {

class FuseDecompose : public impl::FuseDecomposeBase<FuseDecompose> {
public:
  using FuseDecomposeBase::FuseDecomposeBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateDecomposeElementwisePatterns(set);
    populateDecomposeIntegerPatterns(set);
    populateDecomposeMovementPatterns(set);
    populateDecomposeNormPatterns(set);
    populateDecomposeContractionPatterns(set);
    populateDecomposeArgExtremePatterns(set);
    populateDecomposeRandomPatterns(set);
    populateDecomposeTensorPatterns(set);
    populateDecomposeEmptyPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    // This pass only expands; folding is the canonicalizer's.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(applyPatternsGreedily(getOperation(), patterns, config)))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      if (failed(verifyNoTensorMovement(op)))
        return signalPassFailure();
      if (!op->hasTrait<OpTrait::Composite>())
        return;
      op->emitOpError("expected a pattern that expands it, but got none");
      signalPassFailure();
    });
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace mlir::fuse
