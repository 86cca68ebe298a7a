//===- DecomposeArgExtreme.cpp - argmax and argmin into reductions --------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first index of the largest element is the smallest index whose element
// equals the maximum, or is NaN: if there is a NaN, the maximum is NaN and
// equals nothing, so that only NaNs are left.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

using namespace mlir;
using namespace mlir::fuse;

/// `x` as the kernels on both sides of a memory round trip see it: the elements
/// are compared with their own maximum, so both must be rounded, and an
/// explicit cast rounds.
static Value emitRounded(ImplicitLocOpBuilder &builder, Value x) {
  Type element = getElementTypeOrSelf(x);
  if (getWideType(element) == element)
    return x;
  return CastOp::create(builder, x.getType(), x);
}

/// The largest integer of `type`, which no index is.
static Value emitNoIndex(ImplicitLocOpBuilder &builder, Type type) {
  APInt max = APInt::getSignedMaxValue(type.getIntOrFloatBitWidth());
  return ConstantOp::create(
      builder, DenseElementsAttr::get(RankedTensorType::get({}, type), max));
}

/// Whether an element is the extreme one.
static Value emitIsExtreme(ImplicitLocOpBuilder &builder, Value x,
                           Value extreme) {
  Value isEqual = CompareOp::create(builder, ComparePredicate::eq, x, extreme);
  if (!isa<FloatType>(getElementTypeOrSelf(x)))
    return isEqual;
  Value isNaN = CompareOp::create(builder, ComparePredicate::ne, x, x);
  return OrOp::create(builder, isEqual, isNaN);
}

namespace {

template <typename Op, ReduceKind kind>
struct DecomposeArgExtreme : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    int64_t dim = op.getDim();
    Value x = emitRounded(builder, op.getInput());
    Value extreme =
        ReduceOp::create(builder, kind, x, ArrayRef(dim), /*keep=*/true);
    Value isExtreme = emitIsExtreme(builder, x, extreme);

    auto type = cast<RankedTensorType>(x.getType());
    Type index = op.getType().getElementType();
    Value like = type.hasStaticShape() ? Value() : x;
    Value places = IotaOp::create(builder, type.clone(index), dim,
                                  /*from_end=*/false, like);
    Value candidates = SelectOp::create(builder, isExtreme, places,
                                        emitNoIndex(builder, index));
    rewriter.replaceOpWithNewOp<ReduceOp>(op, ReduceKind::min, candidates,
                                          ArrayRef(dim), op.getKeep());
    return success();
  }
};

} // namespace

void mlir::fuse::populateDecomposeArgExtremePatterns(
    RewritePatternSet &patterns) {
  patterns.add<DecomposeArgExtreme<ArgMaxOp, ReduceKind::max>,
               DecomposeArgExtreme<ArgMinOp, ReduceKind::min>>(
      patterns.getContext());
}
