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
// SwapReshapes.cpp has what happens where one meets the other, and
// KeepReducedDims.cpp the dimensions of size 1 that reductions leave.
//
//===----------------------------------------------------------------------===//

#include "KeepReducedDims.h"
#include "ReshapeBatches.h"
#include "ReshapeOperands.h"
#include "SinkMovedCollapses.h"
#include "SplatConstants.h"
#include "StridedSlices.h"
#include "SwapReshapes.h"
#include "TransposedOnes.h"
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

SmallVector<int64_t> mlir::fuse::withoutOnes(ArrayRef<int64_t> shape) {
  return llvm::filter_to_vector(shape, [](int64_t size) { return size != 1; });
}

bool mlir::fuse::isShapeless(Operation *op) {
  return op && op->hasTrait<mlir::fuse::OpTrait::Pointwise>() &&
         !isa<IotaOp, RandomOp, BroadcastOp>(op);
}

bool mlir::fuse::haveKnownSizes(RankedTensorType expanded,
                                const Groups &groups) {
  return llvm::all_of(groups, [&](const ReassociationIndices &group) {
    return llvm::count_if(group, [&](int64_t dim) {
             return expanded.isDynamicDim(dim);
           }) <= 1;
  });
}

/// Something of the same size along `axis` that the value is computed from, as
/// early as ops tell: who asks for a size should not need the value.
static Value earliestOfSize(Value value, int64_t axis) {
  auto hasAxis = [&](Value operand, Value result) {
    auto type = cast<RankedTensorType>(operand.getType());
    return type.getRank() ==
               cast<RankedTensorType>(result.getType()).getRank() &&
           type.isDynamicDim(axis);
  };
  while (Operation *op = value.getDefiningOp()) {
    bool isTied =
        isShapeless(op) || (isReduction(op) && keepsReducedDims(op) &&
                            !llvm::is_contained(reducedDims(op), axis));
    auto operand = llvm::find_if(op->getOperands(), [&](Value operand) {
      return isTied && hasAxis(operand, value);
    });
    if (operand == op->operand_end())
      break;
    value = *operand;
  }
  return value;
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
  Value size =
      tensor::DimOp::create(builder, loc, earliestOfSize(source, axis), axis);
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

Operation *mlir::fuse::expandOp(OpBuilder &builder, Operation *op,
                                RankedTensorType expanded,
                                const Groups &groups) {
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

ReshapeGroups mlir::fuse::reducedGroups(const Groups &groups,
                                        ArrayRef<int64_t> dims, bool keep) {
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

bool mlir::fuse::followsFromReduction(
    Value value, llvm::function_ref<bool(Operation *)> passes) {
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
    if (passes(op))
      llvm::for_each(op->getOperands(), add);
  }
  return false;
}

bool mlir::fuse::meetsReduced(Value value) {
  constexpr size_t mostValues = 64;
  auto sizesOf = [](Value each) {
    return withoutOnes(cast<RankedTensorType>(each.getType()).getShape());
  };
  SmallVector<int64_t> sizes = sizesOf(value);
  llvm::SmallSetVector<Value, 16> found;
  auto add = [&](Value each) {
    if (isa<RankedTensorType>(each.getType()) && sizesOf(each) == sizes)
      found.insert(each);
  };
  auto passes = [](Operation *op) {
    return isShapeless(op) ||
           isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
  };
  add(value);
  for (size_t next = 0; next < found.size() && next < mostValues; ++next) {
    Value each = found[next];
    if (Operation *op = each.getDefiningOp()) {
      if (isReduction(op))
        return true;
      if (passes(op))
        llvm::for_each(op->getOperands(), add);
    }
    for (Operation *user : each.getUsers())
      if (passes(user))
        add(user->getResult(0));
  }
  return false;
}

bool mlir::fuse::isMadeHere(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
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

/// Whether a value follows element by element from indices and single numbers:
/// then it may as well be computed again in another shape.
static bool isOfPlaces(Value value) {
  constexpr unsigned most = 16;
  SmallVector<Value> work = {value};
  for (unsigned seen = 0; !work.empty(); ++seen) {
    Value next = work.pop_back_val();
    Operation *op = next.getDefiningOp();
    bool isNumber = cast<RankedTensorType>(next.getType()).getRank() == 0;
    if (isNumber || isa_and_nonnull<IotaOp>(op))
      continue;
    if (!isShapeless(op) || seen == most)
      return false;
    llvm::append_range(work, op->getOperands());
  }
  return true;
}

/// expand(op(x)) -> op(expand(x)).
struct RaiseExpand : public OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    Operation *producer = expand.getSrc().getDefiningOp();
    if (isIdentity(expand))
      return rewriter.notifyMatchFailure(expand, "it changes no shape");
    if (!isShapeless(producer) ||
        (!expand.getSrc().hasOneUse() && !isOfPlaces(expand.getSrc())))
      return rewriter.notifyMatchFailure(
          expand, "its operand is not that of a pointwise op alone");
    Groups groups = expand.getReassociationIndices();
    if (!haveKnownSizes(expand.getResultType(), groups))
      return rewriter.notifyMatchFailure(expand, "several dynamic sizes");
    // In the expanded shape what it is computed from would be another kernel's.
    if (followsFromReduction(expand.getSrc()))
      return rewriter.notifyMatchFailure(expand, "its operand is of rows");
    Operation *clone =
        expandOp(rewriter, producer, expand.getResultType(), groups);
    rewriter.replaceOp(expand, clone->getResults());
    return success();
  }
};

/// expand(iota) -> iota, where its dimension stays whole: who reads it still
/// sees an index.
struct ExpandIota : public OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    auto iota = expand.getSrc().getDefiningOp<IotaOp>();
    RankedTensorType type = expand.getResultType();
    Groups groups = expand.getReassociationIndices();
    if (!iota || !haveKnownSizes(type, groups))
      return rewriter.notifyMatchFailure(expand, "its operand is no index");
    const ReassociationIndices &group = groups[iota.getDim()];
    auto isWhole = [&](int64_t dim) { return type.getDimSize(dim) != 1; };
    if (llvm::count_if(group, isWhole) > 1)
      return rewriter.notifyMatchFailure(expand, "the index is split");
    const auto *whole = llvm::find_if(group, isWhole);
    int64_t dim = whole == group.end() ? group.front() : *whole;
    Value like = iota.getLike();
    if (like)
      like = expandOperand(rewriter, expand.getLoc(), like,
                           type.clone(getElementTypeOrSelf(like.getType())),
                           groups);
    rewriter.replaceOpWithNewOp<IotaOp>(expand, type, dim, iota.getFromEnd(),
                                        like);
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

/// scan(collapse(x)) -> collapse(scan(x)), and the same of top_k, where other
/// dimensions than the one that is walked are joined.
struct SinkCollapseOfRows : public RewritePattern {
  explicit SinkCollapseOfRows(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<ScanOp, TopKOp>(op))
      return rewriter.notifyMatchFailure(op, "walks nothing in order");
    auto collapse = op->getOperand(0).getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || isIdentity(collapse) || !isMadeHere(collapse.getSrc()))
      return rewriter.notifyMatchFailure(op,
                                         "its operand is no collapsed value");
    Groups groups = collapse.getReassociationIndices();
    auto scan = dyn_cast<ScanOp>(op);
    int64_t walked = scan ? scan.getAxis() : groups.size() - 1;
    if (groups[walked].size() != 1)
      return rewriter.notifyMatchFailure(op, "what is walked is joined");
    int64_t dim = groups[walked].front();
    Operation *clone = rewriter.clone(*op);
    clone->setOperand(0, collapse.getSrc());
    if (scan && scan.getDim())
      cast<ScanOp>(clone).setDim(dim);
    SmallVector<Value> results;
    for (auto [inner, old] :
         llvm::zip_equal(clone->getResults(), op->getResults())) {
      auto type = cast<RankedTensorType>(old.getType());
      SmallVector<int64_t> shape(collapse.getSrcType().getShape());
      shape[dim] = type.getDimSize(walked);
      inner.setType(type.clone(shape));
      results.push_back(tensor::CollapseShapeOp::create(
          rewriter, collapse.getLoc(), type, inner, groups));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// scatter(into, ids, collapse(x)) -> collapse(scatter(expand(into), ids, x)),
/// where dimensions behind the rows that are scattered are joined.
struct SinkCollapseOfUpdates : public OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScatterOp scatter,
                                PatternRewriter &rewriter) const override {
    auto collapse =
        scatter.getUpdates().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || isIdentity(collapse) || !isMadeHere(collapse.getSrc()))
      return rewriter.notifyMatchFailure(scatter,
                                         "its updates are no collapse");
    auto kept = static_cast<int64_t>(scatter.getDim()) + 1;
    int64_t first = kept - 1 + scatter.getIds().getType().getRank();
    RankedTensorType source = collapse.getSrcType();
    SmallVector<int64_t> shape(scatter.getType().getShape().take_front(kept));
    Groups groups;
    for (int64_t dim = 0; dim < kept; ++dim)
      groups.push_back({dim});
    for (auto [axis, group] :
         llvm::enumerate(collapse.getReassociationIndices())) {
      if (static_cast<int64_t>(axis) < first) {
        if (group.size() != 1)
          return rewriter.notifyMatchFailure(scatter,
                                             "joins what is scattered");
        continue;
      }
      groups.emplace_back();
      for (int64_t dim : group) {
        groups.back().push_back(static_cast<int64_t>(shape.size()));
        shape.push_back(source.getDimSize(dim));
      }
    }
    RankedTensorType type = scatter.getType().clone(shape);
    if (!haveKnownSizes(type, groups))
      return rewriter.notifyMatchFailure(scatter, "several dynamic sizes");
    Value into = expandOperand(rewriter, scatter.getLoc(), scatter.getInto(),
                               type, groups);
    Value result = ScatterOp::create(rewriter, scatter.getLoc(), type, into,
                                     scatter.getIds(), collapse.getSrc(),
                                     scatter.getDim());
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        scatter, scatter.getType(), result, groups);
    return success();
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
    patterns.add<ExpandIota, SinkCollapseOfRows, SinkCollapseOfUpdates>(
        context);
    populateSwapReshapesPatterns(patterns);
    populateKeepReducedDimsPatterns(patterns);
    populateStridedSlicePatterns(patterns);
    populateReshapeBatchesPatterns(patterns);
    populateSinkMovedCollapsesPatterns(patterns);
    populateSplatConstantPatterns(patterns);
    populateTransposedOnesPatterns(patterns);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
