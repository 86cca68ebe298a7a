//===- TransposedOnes.cpp - Transposes that move no element ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Planes of one channel have the same elements in the same order wherever the
// channel stands.
//
//===----------------------------------------------------------------------===//

#include "TransposedOnes.h"
#include "ReshapeOperands.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

static SmallVector<int64_t> onesOf(RankedTensorType type) {
  SmallVector<int64_t> ones;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (size == 1)
      ones.push_back(dim);
  return ones;
}

namespace {
/// transpose(x) -> expand(collapse(x)), where the dimensions that are not of
/// size 1 keep their order.
struct ReshapeTransposedOnes : public OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp transpose,
                                PatternRewriter &rewriter) const override {
    auto source = cast<RankedTensorType>(transpose.getInput().getType());
    RankedTensorType type = transpose.getType();
    SmallVector<int64_t> others(transpose.getPermutation());
    llvm::erase_if(others,
                   [&](int64_t dim) { return source.getDimSize(dim) == 1; });
    if (others.empty() || !llvm::is_sorted(others))
      return rewriter.notifyMatchFailure(transpose, "it moves elements");
    Location loc = transpose.getLoc();
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, from] : llvm::enumerate(transpose.getPermutation())) {
      if (type.isDynamicDim(dim))
        sizes.push_back(
            tensor::DimOp::create(rewriter, loc, transpose.getInput(), from)
                .getResult());
      else
        sizes.push_back(rewriter.getIndexAttr(type.getDimSize(dim)));
    }
    int64_t rank = type.getRank();
    Value collapsed =
        tensor::CollapseShapeOp::create(rewriter, loc, transpose.getInput(),
                                        groupsWithout(rank, onesOf(source)));
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
        transpose, type, collapsed, groupsWithout(rank, onesOf(type)), sizes);
    return success();
  }
};
} // namespace

void mlir::fuse::populateTransposedOnesPatterns(RewritePatternSet &patterns) {
  patterns.add<ReshapeTransposedOnes>(patterns.getContext());
}
