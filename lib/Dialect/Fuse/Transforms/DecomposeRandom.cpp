//===- DecomposeRandom.cpp - Dropout into primitives ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct DecomposeDropout : OpRewritePattern<DropoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DropoutOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = op.getType();
    Type f32 = builder.getF32Type();
    double p = op.getP().convertToDouble();
    Value like = type.hasStaticShape() ? Value() : op.getInput();
    Value number = RandomOp::create(builder, type.clone(f32), op.getSeed(),
                                    op.getStreamAttr(), like);
    Value isKept = CompareOp::create(builder, ComparePredicate::ge, number,
                                     emitScalar(builder, f32, p));
    Value x = emitWiden(builder, op.getInput());
    Type wide = getElementTypeOrSelf(x);
    Value scale = emitScalar(builder, wide, 1.0 / (1.0 - p));
    Value scaled = MulOp::create(builder, x, scale);
    Value zero = emitScalar(builder, wide, 0.0);
    Value kept = SelectOp::create(builder, isKept, scaled, zero);
    rewriter.replaceOp(op, emitCast(builder, kept, type.getElementType()));
    return success();
  }
};

} // namespace

void mlir::fuse::populateDecomposeRandomPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeDropout>(patterns.getContext());
}
