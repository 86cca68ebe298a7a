//===- SwapReshapes.cpp - Expansions of what is collapsed -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where an expansion meets a collapse that it does not undo, as in [6, 8, 128]
// -> [6, 1024] -> [6, 2, 512], they change places by way of the shape that both
// refine: [6, 2, 4, 128]. Where there is none, or only sizes of 1 are dropped
// and made, both go up past what takes any shape.
//
//===----------------------------------------------------------------------===//

#include "SwapReshapes.h"

#include "ReshapeOperands.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

using Groups = ReshapeGroups;

std::optional<SmallVector<int64_t>>
mlir::fuse::refineSizes(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  auto isDynamic = ShapedType::isDynamic;
  if (a.empty() || b.empty() || isDynamic(a.front()) != isDynamic(b.front()) ||
      llvm::any_of(a.drop_front(), isDynamic) ||
      llvm::any_of(b.drop_front(), isDynamic))
    return std::nullopt;
  SmallVector<int64_t> left(a), right(b), reversed;
  while (left.size() > 1 || right.size() > 1) {
    int64_t &x = left.back(), &y = right.back();
    bool xIsFirst = left.size() == 1 && isDynamic(x);
    bool yIsFirst = right.size() == 1 && isDynamic(y);
    if (xIsFirst && yIsFirst)
      break;
    // What is left of a dynamic size, over a static one, is as dynamic.
    int64_t part = xIsFirst ? y : yIsFirst ? x : std::min(x, y);
    if (part == 0 || (!xIsFirst && x % part) || (!yIsFirst && y % part))
      return std::nullopt;
    reversed.push_back(part);
    auto take = [&](SmallVector<int64_t> &from, bool isFirst) {
      if (isFirst)
        return;
      from.back() /= part;
      if (from.back() == 1 && from.size() > 1)
        from.pop_back();
    };
    take(left, xIsFirst);
    take(right, yIsFirst);
  }
  if (left.back() != right.back())
    return std::nullopt;
  reversed.push_back(left.back());
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

/// Cuts the refined sizes into groups that make the sizes of `shape`; `next` is
/// the number of the first dimension.
static void appendGroups(Groups &groups, ArrayRef<int64_t> shape,
                         ArrayRef<int64_t> refined, int64_t next) {
  size_t first = groups.size(), end = refined.size();
  groups.resize(first + shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    size_t begin = end;
    for (int64_t size = 1;
         begin > 0 && (axis == 0 || size != shape[axis] || begin == end);)
      size *= refined[--begin];
    for (size_t dim = begin; dim < end; ++dim)
      groups[first + axis].push_back(next + static_cast<int64_t>(dim));
    end = begin;
  }
}

namespace {
/// expand(collapse(x)) -> collapse(expand(x)) where neither undoes the other.
struct SwapReshapes : public OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    auto collapse = expand.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || isIdentity(collapse) || isIdentity(expand) ||
        !isMadeHere(collapse.getSrc()))
      return rewriter.notifyMatchFailure(expand,
                                         "its operand is no collapsed value");
    RankedTensorType from = collapse.getSrcType(), to = expand.getResultType();
    Groups expanding, collapsing;
    SmallVector<int64_t> shape;
    bool expands = false, collapses = false;
    for (auto [in, out] : llvm::zip(collapse.getReassociationIndices(),
                                    expand.getReassociationIndices())) {
      ArrayRef<int64_t> source = from.getShape().slice(in.front(), in.size());
      ArrayRef<int64_t> target = to.getShape().slice(out.front(), out.size());
      if (hasOnes(source) || hasOnes(target))
        return rewriter.notifyMatchFailure(expand, "has sizes of 1");
      std::optional<SmallVector<int64_t>> refined = refineSizes(source, target);
      if (!refined)
        return rewriter.notifyMatchFailure(expand, "no shape refines both");
      appendGroups(expanding, source, *refined, shape.size());
      appendGroups(collapsing, target, *refined, shape.size());
      expands |= refined->size() != source.size();
      collapses |= refined->size() != target.size();
      shape.append(*refined);
    }
    if (!expands || !collapses)
      return rewriter.notifyMatchFailure(expand, "one reshape does it");
    RankedTensorType refined = from.clone(shape);
    Value fine = expandOperand(rewriter, expand.getLoc(), collapse.getSrc(),
                               refined, expanding);
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(expand, to, fine,
                                                         collapsing);
    return success();
  }

private:
  static bool hasOnes(ArrayRef<int64_t> sizes) {
    return sizes.size() > 1 && llvm::is_contained(sizes, 1);
  }
};

} // namespace

/// Whether a collapse leaves out dimensions of size 1 and nothing else.
static bool dropsOnes(tensor::CollapseShapeOp collapse) {
  ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
  return llvm::all_of(collapse.getReassociationIndices(), [&](auto &group) {
    return llvm::count_if(group,
                          [&](int64_t dim) { return shape[dim] != 1; }) <= 1;
  });
}

/// `operand`, which broadcasts to what is collapsed, collapsed likewise.
static Value collapseOperand(OpBuilder &builder,
                             tensor::CollapseShapeOp collapse, Value operand) {
  auto type = cast<RankedTensorType>(operand.getType());
  int64_t missing = collapse.getSrcType().getRank() - type.getRank();
  Groups own;
  for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
    ReassociationIndices dims;
    for (int64_t dim : group)
      if (dim >= missing)
        dims.push_back(dim - missing);
    if (!dims.empty())
      own.push_back(std::move(dims));
  }
  if (static_cast<int64_t>(own.size()) == type.getRank())
    return operand;
  return tensor::CollapseShapeOp::create(builder, collapse.getLoc(), operand,
                                         own);
}

namespace {
/// expand(collapse(op(x))) -> op(expand(collapse(x))) where no shape refines
/// both: ops that take any shape leave the reshapes to memory. Where the
/// collapse only leaves out sizes of 1, operands may be broadcast.
struct RaiseBoth : public OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    auto collapse = expand.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
    Operation *op = collapse ? collapse.getSrc().getDefiningOp() : nullptr;
    if (!op || !isShapeless(op) || !op->hasOneUse() || !collapse->hasOneUse() ||
        followsFromReduction(collapse.getSrc()))
      return rewriter.notifyMatchFailure(expand, "not of a pointwise op alone");
    auto shapeOf = [](Value value) {
      return cast<RankedTensorType>(value.getType()).getShape();
    };
    ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
    bool areWhole = llvm::all_of(op->getOperands(), [&](Value operand) {
      return shapeOf(operand).empty() || shapeOf(operand) == shape;
    });
    Groups groups = expand.getReassociationIndices();
    if ((!areWhole && !dropsOnes(collapse)) ||
        ShapedType::isDynamicShape(shape))
      return rewriter.notifyMatchFailure(expand, "an operand is broadcast");
    rewriter.setInsertionPoint(expand);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(
          expandOperand(rewriter, expand.getLoc(),
                        collapseOperand(rewriter, collapse, operand),
                        expand.getResultType(), groups));
    Operation *clone = rewriter.clone(*op);
    clone->setOperands(operands);
    clone->getResult(0).setType(expand.getType());
    rewriter.replaceOp(expand, clone->getResults());
    return success();
  }
};
} // namespace

void mlir::fuse::populateSwapReshapesPatterns(RewritePatternSet &patterns) {
  patterns.add<SwapReshapes, RaiseBoth>(patterns.getContext());
}
