//===- StridedSlices.cpp - One of each few neighbours ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gate and what it gates may lie side by side: x[.., 2i] and x[.., 2i + 1].
// By a reshape to pairs and a slice of each the results have a last dimension
// of size 1, along which no vector lies; by strides they have whole rows:
//
//   %p = tensor.expand_shape %x [[0], [1, 2]] : tensor<?x8xf32>
//        into tensor<?x4x2xf32>
//   %g = fuse.slice %p offsets = [0, 0, 1] sizes = [-1, 4, 1]
//   -> %s = fuse.slice %x offsets = [0, 1] sizes = [-1, 4] steps = [1, 2]
//      %g = tensor.expand_shape %s [[0], [1, 2]]
//
//===----------------------------------------------------------------------===//

#include "StridedSlices.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/IR/SliceSizes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

/// Neighbours of which one is taken, up to which a thread reads all.
static constexpr int64_t mostNeighbours = 4;

/// Whether the slice has all of the dimension.
static bool isWhole(SliceOp slice, int64_t dim) {
  int64_t size = slice.getInput().getType().getDimSize(dim);
  return slice.getOffsets()[dim] == 0 && slice.getSteps()[dim] == 1 &&
         (ShapedType::isDynamic(size)
              ? slice.getSizes()[dim] == -1
              : slice.getType().getDimSize(dim) == size);
}

namespace {
struct StrideSlice : public OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp slice,
                                PatternRewriter &rewriter) const override {
    auto expand = slice.getInput().getDefiningOp<tensor::ExpandShapeOp>();
    if (!expand || !takesOne(slice, expand))
      return rewriter.notifyMatchFailure(slice, "it takes no one of a few");
    auto groups = expand.getReassociationIndices();
    SmallVector<int64_t> offsets, sizes, steps, shape;
    for (auto [dim, group] : llvm::enumerate(groups)) {
      int64_t first = group.front(), size = expand.getSrcType().getDimSize(dim);
      bool isOne = group.size() == 1;
      offsets.push_back(isOne ? slice.getOffsets()[first] : 0);
      steps.push_back(isOne ? slice.getSteps()[first] : 1);
      shape.push_back(isOne ? slice.getType().getDimSize(first) : size);
      sizes.push_back(isOne ? slice.getSizes()[first] : sliceSize(size));
    }
    int64_t last = groups.back().back();
    int64_t neighbours = expand.getResultType().getDimSize(last);
    offsets.back() = slice.getOffsets()[last];
    steps.back() = neighbours;
    if (!ShapedType::isDynamic(shape.back()))
      shape.back() /= neighbours;
    sizes.back() = sliceSize(shape.back());
    Value strided =
        SliceOp::create(rewriter, slice.getLoc(), slice.getType().clone(shape),
                        expand.getSrc(), offsets, sizes, steps);
    // Reshapes that give the dimension up again are nothing any more: they
    // would sink, and leave it to all that follows.
    for (Operation *user : llvm::make_early_inc_range(slice->getUsers()))
      if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user);
          collapse && collapse.getType() == strided.getType())
        rewriter.replaceOp(collapse, strided);
    SmallVector<OpFoldResult> output = expand.getMixedOutputShape();
    for (auto [dim, size] : llvm::enumerate(slice.getType().getShape()))
      if (!ShapedType::isDynamic(size))
        output[dim] = rewriter.getIndexAttr(size);
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(slice, slice.getType(),
                                                       strided, groups, output);
    return success();
  }

private:
  /// Whether the slice takes one of two or four neighbours along the last
  /// dimension, and cuts nothing else that the reshape has split.
  static bool takesOne(SliceOp slice, tensor::ExpandShapeOp expand) {
    auto groups = expand.getReassociationIndices();
    if (groups.empty() || groups.back().size() < 2)
      return false;
    int64_t last = groups.back().back();
    int64_t neighbours = expand.getResultType().getDimSize(last);
    if (neighbours < 2 || neighbours > mostNeighbours ||
        !llvm::isPowerOf2_64(neighbours) ||
        slice.getType().getDimSize(last) != 1)
      return false;
    return llvm::all_of(groups, [&](const ReassociationIndices &group) {
      bool mayCut = group.size() == 1 &&
                    !expand.getResultType().isDynamicDim(group.front());
      return llvm::all_of(group, [&](int64_t dim) {
        return dim == last || mayCut || isWhole(slice, dim);
      });
    });
  }
};
} // namespace

void mlir::fuse::populateStridedSlicePatterns(RewritePatternSet &patterns) {
  patterns.add<StrideSlice>(patterns.getContext());
}
