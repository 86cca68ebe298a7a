//===- DecomposeMovement.cpp - Movement ops into primitives ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "StridedSlices.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// A gather by start, start + 1, and so on.
struct DecomposeDynamicSlice : OpRewritePattern<DynamicSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DynamicSliceOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type i64 = builder.getI64Type();
    int64_t size = op.getType().getDimSize(op.getDim());
    auto type = RankedTensorType::get({size}, i64);
    Value places =
        IotaOp::create(builder, type, /*dim=*/0, /*from_end=*/false,
                       ShapedType::isDynamic(size) ? op.getLike() : Value());
    Value start = emitCast(builder, op.getStart(), i64);
    Value ids = AddOp::create(builder, places, start);
    rewriter.replaceOpWithNewOp<GatherOp>(op, op.getInput(), ids, op.getDim());
    return success();
  }
};

} // namespace

void mlir::fuse::populateDecomposeMovementPatterns(
    RewritePatternSet &patterns) {
  patterns.add<DecomposeDynamicSlice>(patterns.getContext());
  populateStridedSlicePatterns(patterns);
}
