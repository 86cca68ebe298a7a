//===- DecomposeElementwise.cpp - Activations into primitives -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// 0.5 x (1 + tanh(u)) = x sigmoid(2u), which has one op less and, unlike
/// 1 + tanh(u), keeps its digits where u is far below zero. u is
/// sqrt(2/pi) x (1 + 0.044715 x^2), and both factors take the 2.
static Value emitGeluTanh(ImplicitLocOpBuilder &builder, Value x,
                          Type accuracy) {
  Type element = getElementTypeOrSelf(x);
  const double slope = 2.0 * std::sqrt(2.0 / llvm::numbers::pi);
  Value square = MulOp::create(builder, x, x);
  Value cubic = emitScalar(builder, element, slope * 0.044715);
  Value linear = emitScalar(builder, element, slope);
  Value factor = MulOp::create(builder, square, cubic);
  factor = AddOp::create(builder, factor, linear);
  Value angle = MulOp::create(builder, x, factor);
  Value gate = withAccuracy(SigmoidOp::create(builder, angle), accuracy);
  return MulOp::create(builder, x, gate);
}

static Value emitGeluErf(ImplicitLocOpBuilder &builder, Value x,
                         Type accuracy) {
  Type element = getElementTypeOrSelf(x);
  Value invSqrt2 = emitScalar(builder, element, llvm::numbers::inv_sqrt2);
  Value one = emitScalar(builder, element, 1.0);
  Value half = emitScalar(builder, element, 0.5);
  Value scaled = MulOp::create(builder, x, invSqrt2);
  Value erf = withAccuracy(ErfOp::create(builder, scaled), accuracy);
  Value sum = AddOp::create(builder, erf, one);
  Value halved = MulOp::create(builder, x, half);
  return MulOp::create(builder, halved, sum);
}

static Value emitGeluSigmoid(ImplicitLocOpBuilder &builder, Value x,
                             Type accuracy) {
  Value slope = emitScalar(builder, getElementTypeOrSelf(x), 1.702);
  Value angle = MulOp::create(builder, x, slope);
  Value gate = withAccuracy(SigmoidOp::create(builder, angle), accuracy);
  return MulOp::create(builder, x, gate);
}

/// `x` is wide; the result need only be good to `accuracy`.
static Value emitGelu(ImplicitLocOpBuilder &builder, GeluForm form, Value x,
                      Type accuracy) {
  switch (form) {
  case GeluForm::tanh:
    return emitGeluTanh(builder, x, accuracy);
  case GeluForm::erf:
    return emitGeluErf(builder, x, accuracy);
  case GeluForm::sigmoid:
    return emitGeluSigmoid(builder, x, accuracy);
  }
  llvm_unreachable("unknown form of gelu");
}

/// x sigmoid(x). At -inf this is NaN, as x / (1 + exp(-x)) is.
static Value emitSilu(ImplicitLocOpBuilder &builder, Value x) {
  Value gate = SigmoidOp::create(builder, x);
  return MulOp::create(builder, x, gate);
}

namespace {

struct DecomposeGelu : OpRewritePattern<GeluOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GeluOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value x = emitWiden(builder, op.getInput());
    Value gelu = emitGelu(builder, op.getForm(), x, getElementTypeOrSelf(op));
    rewriter.replaceOp(op, emitCast(builder, gelu, getElementTypeOrSelf(op)));
    return success();
  }
};

struct DecomposeGeglu : OpRewritePattern<GegluOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GegluOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value gate = emitWiden(builder, op.getLhs());
    Value rhs = emitWiden(builder, op.getRhs());
    Value gelu =
        emitGelu(builder, op.getForm(), gate, getElementTypeOrSelf(op));
    Value product = MulOp::create(builder, gelu, rhs);
    rewriter.replaceOp(op,
                       emitCast(builder, product, getElementTypeOrSelf(op)));
    return success();
  }
};

struct DecomposeSilu : OpRewritePattern<SiluOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SiluOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emitSilu(builder, op.getInput()));
    return success();
  }
};

struct DecomposeSwiglu : OpRewritePattern<SwigluOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SwigluOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value gate = emitSilu(builder, op.getLhs());
    rewriter.replaceOpWithNewOp<MulOp>(op, gate, op.getRhs());
    return success();
  }
};

struct DecomposeRelu : OpRewritePattern<ReluOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReluOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value zero = emitScalar(builder, getElementTypeOrSelf(op), 0.0);
    rewriter.replaceOpWithNewOp<MaxOp>(op, op.getInput(), zero);
    return success();
  }
};

/// fmod, and the divisor added to it where the signs differ.
struct DecomposeRemainder : OpRewritePattern<RemainderOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RemainderOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type element = getElementTypeOrSelf(op);
    Value zero = emitScalar(builder, element, 0.0);
    Value rest = FmodOp::create(builder, op.getLhs(), op.getRhs());
    auto isNegative = [&](Value x) -> Value {
      return CompareOp::create(builder, ComparePredicate::lt, x, zero);
    };
    Value differ =
        XorOp::create(builder, isNegative(rest), isNegative(op.getRhs()));
    Value isLeft = CompareOp::create(builder, ComparePredicate::ne, rest, zero);
    Value wanted = AndOp::create(builder, isLeft, differ);
    Value moved = AddOp::create(builder, rest, op.getRhs());
    rewriter.replaceOpWithNewOp<SelectOp>(op, wanted, moved, rest);
    return success();
  }
};

} // namespace

void mlir::fuse::populateDecomposeElementwisePatterns(
    RewritePatternSet &patterns) {
  patterns.add<DecomposeGelu, DecomposeGeglu, DecomposeSilu, DecomposeSwiglu,
               DecomposeRelu, DecomposeRemainder>(patterns.getContext());
}
