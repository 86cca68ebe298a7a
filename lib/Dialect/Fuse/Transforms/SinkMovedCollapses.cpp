//===- SinkMovedCollapses.cpp - Collapses behind movements ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rotary embedding by hand cuts normed heads in halves and joins them. Where
// the heads are a slice of a packed tensor, the collapse that drops its
// dimension of size 1 has sunk to just before that:
//
//   slice(collapse(x)) -> collapse(slice(x))
//   concat(collapse(x), y) -> collapse(concat(x, expand(y)))
//
// What moves elements along a dimension that the collapse leaves alone is then
// part of the rows' kernel, as without the collapse.
//
//===----------------------------------------------------------------------===//

#include "SinkMovedCollapses.h"

#include "ReshapeOperands.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/IR/SliceSizes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether the value follows from a reduction, by pointwise ops and such
/// movements.
static bool isOfRows(Value value) {
  return followsFromReduction(value, [](Operation *op) {
    return isShapeless(op) || isa<SliceOp, ConcatOp>(op);
  });
}

/// The collapse that makes the value of what follows from a reduction; null for
/// others, whose reshapes are the host's.
static tensor::CollapseShapeOp collapseOfRows(Value value) {
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  bool sinks =
      collapse && !isIdentity(collapse) && isOfRows(collapse.getSrc()) &&
      haveKnownSizes(collapse.getSrcType(), collapse.getReassociationIndices());
  return sinks ? collapse : tensor::CollapseShapeOp();
}

/// The shape before a collapse, but for dimensions that it leaves alone, which
/// are those of `shape`.
static SmallVector<int64_t> shapeBefore(tensor::CollapseShapeOp collapse,
                                        ArrayRef<int64_t> shape) {
  SmallVector<int64_t> before(collapse.getSrcType().getShape());
  for (auto [axis, group] : llvm::enumerate(collapse.getReassociationIndices()))
    if (group.size() == 1)
      before[group.front()] = shape[axis];
  return before;
}

namespace {
struct SinkCollapseOfSlice : public OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp slice,
                                PatternRewriter &rewriter) const override {
    tensor::CollapseShapeOp collapse = collapseOfRows(slice.getInput());
    if (!collapse)
      return rewriter.notifyMatchFailure(slice, "of no collapse of rows");
    ArrayRef<int64_t> source = collapse.getSrcType().getShape();
    SmallVector<int64_t> offsets, sizes, steps;
    for (auto [axis, group] :
         llvm::enumerate(collapse.getReassociationIndices())) {
      bool isWhole = slice.getOffsets()[axis] == 0 &&
                     slice.getSteps()[axis] == 1 &&
                     slice.getLeftOut(axis) == 0 &&
                     slice.getInput().getType().getDimSize(axis) ==
                         slice.getType().getDimSize(axis);
      if (group.size() != 1 && !isWhole)
        return rewriter.notifyMatchFailure(slice, "cuts what is joined");
      for (int64_t dim : group) {
        bool isOwn = group.size() == 1;
        offsets.push_back(isOwn ? slice.getOffsets()[axis] : 0);
        steps.push_back(isOwn ? slice.getSteps()[axis] : 1);
        sizes.push_back(isOwn ? slice.getSizes()[axis]
                              : sliceSize(source[dim]));
      }
    }
    auto type = slice.getType().clone(
        shapeBefore(collapse, slice.getType().getShape()));
    Value moved = SliceOp::create(rewriter, slice.getLoc(), type,
                                  collapse.getSrc(), offsets, sizes, steps);
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        slice, slice.getType(), moved, collapse.getReassociationIndices());
    return success();
  }
};

struct SinkCollapseOfConcat : public OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp concat,
                                PatternRewriter &rewriter) const override {
    tensor::CollapseShapeOp collapse;
    for (Value input : concat.getInputs())
      if (!collapse)
        collapse = collapseOfRows(input);
    if (!collapse)
      return rewriter.notifyMatchFailure(concat, "of no collapse of rows");
    ReshapeGroups groups = collapse.getReassociationIndices();
    if (groups[concat.getDim()].size() != 1)
      return rewriter.notifyMatchFailure(concat, "joins along what is joined");
    int64_t dim = groups[concat.getDim()].front();
    SmallVector<Value> inputs;
    for (Value input : concat.getInputs()) {
      auto type = cast<RankedTensorType>(input.getType());
      inputs.push_back(expandOperand(
          rewriter, concat.getLoc(), input,
          type.clone(shapeBefore(collapse, type.getShape())), groups));
    }
    auto type = concat.getType().clone(
        shapeBefore(collapse, concat.getType().getShape()));
    Value joined =
        ConcatOp::create(rewriter, concat.getLoc(), type, inputs, dim);
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        concat, concat.getType(), joined, groups);
    return success();
  }
};
} // namespace

void mlir::fuse::populateSinkMovedCollapsesPatterns(
    RewritePatternSet &patterns) {
  patterns.add<SinkCollapseOfSlice, SinkCollapseOfConcat>(
      patterns.getContext());
}
