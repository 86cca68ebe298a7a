//===- DecomposeNorm.cpp - Softmaxes and norms into primitives ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "ReshapeOperands.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mlir::fuse;

static Value emitReduce(ImplicitLocOpBuilder &builder, ReduceKind kind,
                        Value value, ArrayRef<int64_t> dims) {
  return ReduceOp::create(builder, kind, value, dims, /*keep=*/true);
}

/// The mean over the last dimension, kept with size 1.
static Value emitMean(ImplicitLocOpBuilder &builder, Value value) {
  int64_t last = cast<RankedTensorType>(value.getType()).getRank() - 1;
  return emitReduce(builder, ReduceKind::mean, value, {last});
}

/// 1 / sqrt(mean(value^2) + eps) over the last dimension.
static Value emitInverseDeviation(ImplicitLocOpBuilder &builder, Value value,
                                  double eps) {
  Value square = MulOp::create(builder, value, value);
  Value mean = emitMean(builder, square);
  Value offset = emitScalar(builder, getElementTypeOrSelf(value), eps);
  Value sum = AddOp::create(builder, mean, offset);
  return RsqrtOp::create(builder, sum);
}

/// Drops the dimensions `dims`, which have size 1.
static Value emitDropDims(ImplicitLocOpBuilder &builder, Value value,
                          ArrayRef<int64_t> dims) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  return tensor::CollapseShapeOp::create(builder, value,
                                         groupsWithout(rank, dims));
}

Value mlir::fuse::emitWhereFinite(ImplicitLocOpBuilder &builder, Value tested,
                                  Value value) {
  Type element = getElementTypeOrSelf(tested);
  Value infinity =
      emitScalar(builder, element, std::numeric_limits<double>::infinity());
  Value zero = emitScalar(builder, element, 0.0);
  Value magnitude = AbsOp::create(builder, tested);
  Value infinite =
      CompareOp::create(builder, ComparePredicate::eq, magnitude, infinity);
  return SelectOp::create(builder, infinite, zero, value);
}

Value mlir::fuse::emitFiniteOrZero(ImplicitLocOpBuilder &builder, Value value) {
  return emitWhereFinite(builder, value, value);
}

namespace {

/// exp(x - max) / sum(exp(x - max)).
struct DecomposeSoftmax : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value x = emitWiden(builder, op.getInput());
    Value max = emitReduce(builder, ReduceKind::max, x, op.getDims());
    Value shifted = SubOp::create(builder, x, max);
    Type element = getElementTypeOrSelf(op);
    Value exp = withAccuracy(ExpOp::create(builder, shifted), element);
    Value sum = emitReduce(builder, ReduceKind::sum, exp, op.getDims());
    Value quotient = DivOp::create(builder, exp, sum);
    // In any type: the sum is at least 1, so that its reciprocal serves all.
    quotient.getDefiningOp()->setAttr(kAccuracyAttr, TypeAttr::get(element));
    rewriter.replaceOp(op, emitCast(builder, quotient, element));
    return success();
  }
};

/// x - max - log(sum(exp(x - max))): no exp overflows and the sum is at least
/// 1, so its logarithm is finite.
struct DecomposeLogSoftmax : OpRewritePattern<LogSoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LogSoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value x = emitWiden(builder, op.getInput());
    Value max = emitReduce(builder, ReduceKind::max, x, op.getDims());
    Value shifted = SubOp::create(builder, x, max);
    Type element = getElementTypeOrSelf(op);
    Value exp = withAccuracy(ExpOp::create(builder, shifted), element);
    Value sum = emitReduce(builder, ReduceKind::sum, exp, op.getDims());
    Value log = withAccuracy(LogOp::create(builder, sum), element);
    Value result = SubOp::create(builder, shifted, log);
    rewriter.replaceOp(op, emitCast(builder, result, element));
    return success();
  }
};

/// shift + log(sum(exp(x - shift))), where shift is the maximum, or 0 where
/// the maximum is infinite: inf - inf would be NaN, but a row of all -inf is
/// -inf (log of 0), and one with +inf is +inf.
struct DecomposeLogSumExp : OpRewritePattern<LogSumExpOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LogSumExpOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value x = emitWiden(builder, op.getInput());
    Value max = emitReduce(builder, ReduceKind::max, x, op.getDims());
    Value shift = emitFiniteOrZero(builder, max);
    Value shifted = SubOp::create(builder, x, shift);
    Type element = getElementTypeOrSelf(op);
    Value exp = withAccuracy(ExpOp::create(builder, shifted), element);
    Value sum = emitReduce(builder, ReduceKind::sum, exp, op.getDims());
    Value log = withAccuracy(LogOp::create(builder, sum), element);
    Value result = AddOp::create(builder, log, shift);
    result = emitCast(builder, result, element);
    if (!op.getKeep() && !op.getDims().empty())
      result = emitDropDims(builder, result, op.getDims());
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// x / sqrt(mean(x^2) + eps) * weight.
struct DecomposeRmsNorm : OpRewritePattern<RmsNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RmsNormOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value x = emitWiden(builder, op.getInput());
    Value scale =
        emitInverseDeviation(builder, x, op.getEps().convertToDouble());
    Value result = MulOp::create(builder, x, scale);
    if (Value weight = op.getWeight())
      result = MulOp::create(builder, result, emitWiden(builder, weight));
    rewriter.replaceOp(op, emitCast(builder, result, getElementTypeOrSelf(op)));
    return success();
  }
};

/// (x - mean) / sqrt(mean((x - mean)^2) + eps) * weight + bias. The variance
/// is taken from the centred values: E[x^2] - E[x]^2 would cancel.
struct DecomposeLayerNorm : OpRewritePattern<LayerNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LayerNormOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value x = emitWiden(builder, op.getInput());
    Value mean = emitMean(builder, x);
    Value centred = SubOp::create(builder, x, mean);
    Value scale =
        emitInverseDeviation(builder, centred, op.getEps().convertToDouble());
    Value result = MulOp::create(builder, centred, scale);
    if (Value weight = op.getWeight())
      result = MulOp::create(builder, result, emitWiden(builder, weight));
    if (Value bias = op.getBias())
      result = AddOp::create(builder, result, emitWiden(builder, bias));
    rewriter.replaceOp(op, emitCast(builder, result, getElementTypeOrSelf(op)));
    return success();
  }
};

} // namespace

void mlir::fuse::populateDecomposeNormPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeSoftmax, DecomposeLogSoftmax, DecomposeLogSumExp,
               DecomposeRmsNorm, DecomposeLayerNorm>(patterns.getContext());
}
