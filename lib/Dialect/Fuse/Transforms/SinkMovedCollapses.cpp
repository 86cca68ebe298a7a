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
// part of the rows' kernel, as without the collapse. A slice may also take one
// of each few neighbours of what is joined, as nibbles for a byte, or whole
// blocks of the first of the joined dimensions.
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
/// A slice of what is not collapsed yet.
struct Cuts {
  SmallVector<int64_t> offsets, sizes, steps, shape;

  void add(int64_t offset, int64_t size, int64_t step, int64_t length) {
    offsets.push_back(offset);
    sizes.push_back(size);
    steps.push_back(step);
    shape.push_back(length);
  }
  void addWhole(int64_t length) { add(0, sliceSize(length), 1, length); }
};
} // namespace

/// What the slice takes of the dimensions that a collapse joins to `axis`;
/// false if no slice takes this of them.
static bool cutGroup(SliceOp slice, int64_t axis,
                     const ReassociationIndices &group, RankedTensorType source,
                     Cuts &cuts) {
  int64_t offset = slice.getOffsets()[axis], step = slice.getSteps()[axis],
          length = slice.getType().getDimSize(axis),
          whole = slice.getInput().getType().getDimSize(axis);
  if (group.size() == 1) {
    cuts.add(offset, slice.getSizes()[axis], step, length);
    return true;
  }
  auto shape = source.getShape().slice(group.front(), group.size());
  if (step == 1 && offset == 0 && slice.getLeftOut(axis) == 0 &&
      length == whole) {
    for (int64_t size : shape)
      cuts.addWhole(size);
    return true;
  }
  if (ShapedType::isDynamic(length) || ShapedType::isDynamic(whole))
    return false;
  if (step > 1) {
    int64_t inner = shape.back();
    if (inner % step != 0 || offset >= step || length * step != whole)
      return false;
    for (int64_t size : shape.drop_back())
      cuts.addWhole(size);
    cuts.add(offset, inner / step, step, inner / step);
    return true;
  }
  int64_t block = whole / std::max<int64_t>(1, shape.front());
  if (block == 0 || offset % block != 0 || length % block != 0)
    return false;
  cuts.add(offset / block, length / block, 1, length / block);
  for (int64_t size : shape.drop_front())
    cuts.addWhole(size);
  return true;
}

namespace {
struct SinkCollapseOfSlice : public OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp slice,
                                PatternRewriter &rewriter) const override {
    tensor::CollapseShapeOp collapse = collapseOfRows(slice.getInput());
    if (!collapse)
      return rewriter.notifyMatchFailure(slice, "of no collapse of rows");
    Cuts cuts;
    for (auto [axis, group] :
         llvm::enumerate(collapse.getReassociationIndices()))
      if (!cutGroup(slice, axis, group, collapse.getSrcType(), cuts))
        return rewriter.notifyMatchFailure(slice, "cuts what is joined");
    auto type = slice.getType().clone(cuts.shape);
    Value moved =
        SliceOp::create(rewriter, slice.getLoc(), type, collapse.getSrc(),
                        cuts.offsets, cuts.sizes, cuts.steps);
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
