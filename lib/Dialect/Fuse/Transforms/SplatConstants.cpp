//===- SplatConstants.cpp - Constants that kernels have -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplatConstants.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct TakeSplat : public OpRewritePattern<arith::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op,
                                PatternRewriter &rewriter) const override {
    auto elements = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!elements || !isa<RankedTensorType>(op.getType()) ||
        !elements.getElementType().isIntOrFloat())
      return rewriter.notifyMatchFailure(op, "it is no tensor of one value");
    rewriter.replaceOpWithNewOp<ConstantOp>(op, elements);
    return success();
  }
};
} // namespace

void mlir::fuse::populateSplatConstantPatterns(RewritePatternSet &patterns) {
  patterns.add<TakeSplat>(patterns.getContext());
}
