//===- PropagateReshapes.cpp - Reshapes to the ends of a program ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tensor.collapse_shape moves down past the ops that read it, and
// tensor.expand_shape up past the op that makes its operand: what lies between
// then works in the shape with more dimensions. Every step moves one reshape in
// its one direction, so that the pass ends.
//
//===----------------------------------------------------------------------===//

#include "ReshapeOperands.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEPROPAGATERESHAPES
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

using Groups = ReshapeGroups;

bool mlir::fuse::isShapeless(Operation *op) {
  return op && op->hasTrait<mlir::fuse::OpTrait::Pointwise>() &&
         !isa<IotaOp, RandomOp, BroadcastOp>(op);
}

/// A reshape to the same shape moves nothing on; it folds when its turn comes.
template <typename ReshapeOp> static bool isIdentity(ReshapeOp reshape) {
  return reshape.getSrcType() == reshape.getType();
}

bool mlir::fuse::haveKnownSizes(RankedTensorType expanded,
                                const Groups &groups) {
  return llvm::all_of(groups, [&](const ReassociationIndices &group) {
    return llvm::count_if(group, [&](int64_t dim) {
             return expanded.isDynamicDim(dim);
           }) <= 1;
  });
}

/// The size of dimension `dim` of an expansion of `source`.
static OpFoldResult expandedSize(OpBuilder &builder, Location loc, Value source,
                                 int64_t axis, RankedTensorType expanded,
                                 const ReassociationIndices &group,
                                 int64_t dim) {
  if (!expanded.isDynamicDim(dim))
    return builder.getIndexAttr(expanded.getDimSize(dim));
  int64_t known = 1;
  for (int64_t other : group)
    known *= expanded.isDynamicDim(other) ? 1 : expanded.getDimSize(other);
  Value size = tensor::DimOp::create(builder, loc, source, axis);
  if (known == 1)
    return size;
  Value divisor = arith::ConstantIndexOp::create(builder, loc, known);
  return arith::DivUIOp::create(builder, loc, size, divisor).getResult();
}

Value mlir::fuse::expandOperand(OpBuilder &builder, Location loc, Value operand,
                                RankedTensorType expanded,
                                const Groups &groups) {
  auto type = cast<RankedTensorType>(operand.getType());
  if (type.getRank() == 0)
    return operand;
  int64_t missing = groups.size() - type.getRank(), next = 0;
  Groups own;
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    bool repeats = type.getDimSize(axis) == 1;
    const ReassociationIndices &group = groups[axis + missing];
    own.emplace_back();
    for (int64_t dim : group) {
      own.back().push_back(next++);
      shape.push_back(repeats ? 1 : expanded.getDimSize(dim));
      sizes.push_back(repeats ? OpFoldResult(builder.getIndexAttr(1))
                              : expandedSize(builder, loc, operand, axis,
                                             expanded, group, dim));
    }
  }
  if (static_cast<int64_t>(shape.size()) == type.getRank())
    return operand;
  return tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()),
      operand, own, sizes);
}

/// The op on expanded operands; its result has the shape of `expanded`.
static Operation *expandOp(OpBuilder &builder, Operation *op,
                           RankedTensorType expanded, const Groups &groups) {
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(expandOperand(builder, loc, operand, expanded, groups));
  // All operands have rank 0: one of them has to bring the ones.
  if (groups.empty())
    operands.back() = tensor::ExpandShapeOp::create(
        builder, loc,
        expanded.clone(getElementTypeOrSelf(operands.back().getType())),
        operands.back(), groups);
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  clone->getResult(0).setType(
      expanded.clone(getElementTypeOrSelf(op->getResult(0).getType())));
  return clone;
}

SmallVector<int64_t> mlir::fuse::expandedDims(ArrayRef<int64_t> dims,
                                              const Groups &groups) {
  SmallVector<int64_t> mapped;
  for (int64_t dim : dims)
    llvm::append_range(mapped, groups[dim]);
  return mapped;
}

/// The groups of a reduction's result, from those of its operand.
static Groups reducedGroups(const Groups &groups, ArrayRef<int64_t> dims,
                            bool keep) {
  Groups result;
  int64_t next = 0;
  for (auto [axis, group] : llvm::enumerate(groups)) {
    if (!keep && llvm::is_contained(dims, axis))
      continue;
    result.emplace_back();
    for (size_t i = 0; i < group.size(); ++i)
      result.back().push_back(next++);
  }
  return result;
}

/// Whether `value` follows from a reduction, by pointwise ops in its shape or
/// of smaller operands. In the expanded shape those would be another kernel's.
static bool followsFromReduction(Value value) {
  // What is further away does not matter often enough to be looked for each
  // time.
  constexpr size_t mostOps = 64;
  llvm::SmallSetVector<Operation *, 16> ops;
  auto add = [&](Value operand) {
    if (Operation *op = operand.getDefiningOp())
      ops.insert(op);
  };
  add(value);
  for (size_t next = 0; next < ops.size() && next < mostOps; ++next) {
    Operation *op = ops[next];
    if (isReduction(op))
      return true;
    if (isShapeless(op))
      llvm::for_each(op->getOperands(), add);
  }
  return false;
}

static bool isMadeHere(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<FuseDialect>(op->getDialect()) && !isa<ConstantOp>(op);
}

namespace {
/// op(collapse(x)) -> collapse(op(x)).
struct SinkCollapse : public RewritePattern {
  explicit SinkCollapse(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isShapeless(op))
      return rewriter.notifyMatchFailure(op, "not a pointwise op");
    for (Value operand : op->getOperands()) {
      auto collapse = operand.getDefiningOp<tensor::CollapseShapeOp>();
      if (!collapse || isIdentity(collapse) || !isMadeHere(collapse.getSrc()) ||
          cast<RankedTensorType>(operand.getType()).getShape() !=
              cast<RankedTensorType>(op->getResult(0).getType()).getShape())
        continue;
      RankedTensorType expanded = collapse.getSrcType();
      Groups groups = collapse.getReassociationIndices();
      if (!haveKnownSizes(expanded, groups))
        continue;
      Operation *clone = expandOp(rewriter, op, expanded, groups);
      rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
          op, op->getResult(0).getType(), clone->getResult(0), groups);
      return success();
    }
    return rewriter.notifyMatchFailure(
        op, "no operand of the result's shape is the collapse of a value");
  }
};

/// expand(op(x)) -> op(expand(x)).
struct RaiseExpand : public OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    Operation *producer = expand.getSrc().getDefiningOp();
    if (isIdentity(expand))
      return rewriter.notifyMatchFailure(expand, "it changes no shape");
    if (!isShapeless(producer) || !expand.getSrc().hasOneUse())
      return rewriter.notifyMatchFailure(
          expand, "its operand is not that of a pointwise op alone");
    Groups groups = expand.getReassociationIndices();
    if (!haveKnownSizes(expand.getResultType(), groups))
      return rewriter.notifyMatchFailure(expand, "several dynamic sizes");
    if (followsFromReduction(expand.getSrc()))
      return rewriter.notifyMatchFailure(expand, "its operand is of rows");
    Operation *clone =
        expandOp(rewriter, producer, expand.getResultType(), groups);
    rewriter.replaceOp(expand, clone->getResults());
    return success();
  }
};

/// reduce(collapse(x)) -> collapse(reduce(x)).
struct SinkCollapseOfReduce : public OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp reduce,
                                PatternRewriter &rewriter) const override {
    auto collapse = reduce.getInput().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || isIdentity(collapse) || !isMadeHere(collapse.getSrc()))
      return rewriter.notifyMatchFailure(reduce,
                                         "its operand is no collapsed value");
    Groups groups = collapse.getReassociationIndices();
    if (!haveKnownSizes(collapse.getSrcType(), groups))
      return rewriter.notifyMatchFailure(reduce, "several dynamic sizes");
    Value inner = ReduceOp::create(
        rewriter, reduce.getLoc(), reduce.getKind(), collapse.getSrc(),
        expandedDims(reduce.getDims(), groups), reduce.getKeep());
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        reduce, reduce.getType(), inner,
        reducedGroups(groups, reduce.getDims(), reduce.getKeep()));
    return success();
  }
};

/// gather(collapse(cast(x))) -> cast(gather(collapse(x))) for floats that the
/// cast widens, with or without the collapse: what is gathered is then memory
/// where x is.
struct SinkCastOfTable : public OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp gather,
                                PatternRewriter &rewriter) const override {
    auto collapse = gather.getTable().getDefiningOp<tensor::CollapseShapeOp>();
    Value computed = collapse ? collapse.getSrc() : gather.getTable();
    auto cast = computed.getDefiningOp<CastOp>();
    if (!cast || !widensFloats(cast))
      return rewriter.notifyMatchFailure(gather,
                                         "its table is no widened float's");
    Value table = cast.getInput();
    Type element = getElementTypeOrSelf(table);
    if (collapse)
      table = tensor::CollapseShapeOp::create(
          rewriter, collapse.getLoc(), collapse.getResultType().clone(element),
          table, collapse.getReassociationIndices());
    Value gathered = GatherOp::create(rewriter, gather.getLoc(),
                                      gather.getType().clone(element), table,
                                      gather.getIds(), gather.getDim());
    auto widened =
        rewriter.replaceOpWithNewOp<CastOp>(gather, gather.getType(), gathered);
    widened->setDiscardableAttrs(cast->getDiscardableAttrDictionary());
    return success();
  }

private:
  static bool widensFloats(CastOp cast) {
    auto from = dyn_cast<FloatType>(getElementTypeOrSelf(cast.getInput()));
    auto to = dyn_cast<FloatType>(getElementTypeOrSelf(cast.getType()));
    return from && to && from.getWidth() < to.getWidth();
  }
};

struct PropagateReshapesPass
    : public mlir::fuse::impl::FusePropagateReshapesBase<
          PropagateReshapesPass> {
  using Base::Base;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns
        .add<SinkCollapse, RaiseExpand, SinkCollapseOfReduce, SinkCastOfTable>(
            context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
