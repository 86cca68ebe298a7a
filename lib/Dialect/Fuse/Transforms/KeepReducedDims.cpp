//===- KeepReducedDims.cpp - Reshapes of reduced dimensions ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a reduction keeps its dimensions must not matter. In
//
//   %m = fuse.reduce max %x dims = [1]                   [n]
//   %s = fuse.mul %m, %c                                 [n]
//   %u = tensor.expand_shape %s [[0, 1]]                 [n, 1]
//   %y = fuse.div %x, %u                                 [n, k]
//
// the expansion goes up past what follows from the reduction, which then keeps
// the dimension; what else reads %m or %s gets it without, by a collapse, which
// goes down. What groups of a row have been reduced to is reduced again with
// the groups' dimensions: [n, 1, 1] of [n, 8, 1]. A reduction of leading
// dimensions needs no reshape to be broadcast along them: it keeps these where
// its result meets what it has reduced.
//
//===----------------------------------------------------------------------===//

#include "KeepReducedDims.h"

#include "ReshapeOperands.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEKEEPREDUCEDDIMS
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The shape that the reduction's result has if it keeps its dimensions.
static SmallVector<int64_t> keptShape(ReduceOp reduce) {
  SmallVector<int64_t> shape(shapeOf(reduce.getInput()));
  for (int64_t dim : reduce.getDims())
    shape[dim] = 1;
  return shape;
}

/// Makes the reduction keep its dimensions, with a collapse for its users.
static ReduceOp keepDims(ReduceOp reduce, PatternRewriter &rewriter) {
  rewriter.setInsertionPoint(reduce);
  auto kept = ReduceOp::create(rewriter, reduce.getLoc(), reduce.getKind(),
                               reduce.getInput(), reduce.getDims(),
                               /*keep=*/true);
  kept->setDiscardableAttrs(reduce->getDiscardableAttrDictionary());
  rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
      reduce, reduce.getType(), kept.getResult(),
      groupsWithout(reduce.getInput().getType().getRank(), reduce.getDims()));
  return kept;
}

/// Whether the shape is that of a reduction which keeps its dimensions, with
/// leading ones or without.
static bool isKeptShape(ReduceOp reduce, ArrayRef<int64_t> shape) {
  if (reduce.getKeep() || reduce.getDims().empty())
    return false;
  SmallVector<int64_t> kept = keptShape(reduce);
  size_t missing = kept.size() - std::min(kept.size(), shape.size());
  return kept.size() >= shape.size() &&
         ArrayRef(kept).drop_front(missing) == shape &&
         llvm::all_of(ArrayRef(kept).take_front(missing),
                      [](int64_t size) { return size == 1; });
}

static bool isKeptOfGroups(ReduceOp reduce, ArrayRef<int64_t> shape);

/// The first reduction, of those that the value follows from in its own shape,
/// whose kept shape is `shape`; null if there is none.
static ReduceOp reductionKeptAs(Value value, ArrayRef<int64_t> shape) {
  constexpr size_t mostOps = 64;
  llvm::SmallSetVector<Operation *, 16> ops;
  auto add = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    if (op && shapeOf(operand) == shapeOf(value))
      ops.insert(op);
  };
  add(value);
  for (size_t next = 0; next < ops.size() && next < mostOps; ++next) {
    if (auto reduce = dyn_cast<ReduceOp>(ops[next]))
      if (isKeptShape(reduce, shape) || isKeptOfGroups(reduce, shape))
        return reduce;
    if (isShapeless(ops[next]))
      llvm::for_each(ops[next]->getOperands(), add);
  }
  return {};
}

/// The dimensions behind those that the reduction would keep; none where the
/// shape is another.
static std::optional<int64_t> onesBehind(ReduceOp reduce,
                                         ArrayRef<int64_t> shape) {
  SmallVector<int64_t> kept = keptShape(reduce);
  if (reduce.getKeep() || reduce.getDims().empty() ||
      shape.size() <= kept.size() ||
      shape.take_front(kept.size()) != ArrayRef(kept) ||
      !llvm::all_of(shape.drop_front(kept.size()),
                    [](int64_t size) { return size == 1; }))
    return std::nullopt;
  return shape.size() - kept.size();
}

static SmallVector<int64_t> withOnes(ArrayRef<int64_t> shape, int64_t count) {
  SmallVector<int64_t> longer(shape);
  longer.append(count, 1);
  return longer;
}

/// Whether the shape is also given what the reduction reads, which groups of a
/// row have been reduced to: [n, 1, 1] of the sums of [n, 8], of [n, 8, 32].
static bool isKeptOfGroups(ReduceOp reduce, ArrayRef<int64_t> shape) {
  auto ones = onesBehind(reduce, shape);
  Value groups = reduce.getInput();
  return ones && reductionKeptAs(groups, withOnes(shapeOf(groups), *ones));
}

/// Makes the reduction keep its dimensions and have so many behind them, which
/// what it reads gets, too.
static void keepOfGroups(ReduceOp reduce, int64_t ones,
                         PatternRewriter &rewriter) {
  rewriter.setInsertionPoint(reduce);
  RankedTensorType type = reduce.getInput().getType();
  ReshapeGroups groups;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    groups.push_back({dim});
  for (int64_t dim = 0; dim < ones; ++dim)
    groups.back().push_back(type.getRank() + dim);
  Value input = tensor::ExpandShapeOp::create(
      rewriter, reduce.getLoc(), type.clone(withOnes(type.getShape(), ones)),
      reduce.getInput(), groups);
  auto kept = ReduceOp::create(rewriter, reduce.getLoc(), reduce.getKind(),
                               input, reduce.getDims(), /*keep=*/true);
  kept->setDiscardableAttrs(reduce->getDiscardableAttrDictionary());
  SmallVector<int64_t> gone(reduce.getDims());
  llvm::append_range(gone, llvm::seq(type.getRank(), type.getRank() + ones));
  rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
      reduce, reduce.getType(), kept.getResult(),
      groupsWithout(type.getRank() + ones, gone));
}

namespace {
/// expand(op(reduce(x))) -> op(expand(reduce(x))), and at last a reduction that
/// keeps its dimensions, where these are what the expansion makes. What else is
/// computed of an operand that such dimensions are given goes with it.
struct RaiseUnits : public OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    Value source = expand.getSrc();
    ArrayRef<int64_t> shape = expand.getResultType().getShape();
    if (shapeOf(source) == shape ||
        withoutOnes(shapeOf(source)) != withoutOnes(shape))
      return rewriter.notifyMatchFailure(expand, "it splits dimensions");
    bool isRaised = reductionKeptAs(source, shape) ||
                    (!source.hasOneUse() && !followsFromReduction(source) &&
                     isShapeless(source.getDefiningOp()));
    if (!isRaised)
      return rewriter.notifyMatchFailure(
          expand, "it makes no dimensions that a reduction has left out, and "
                  "nothing else reads its operand");
    if (auto reduce = source.getDefiningOp<ReduceOp>()) {
      if (auto ones = onesBehind(reduce, shape))
        keepOfGroups(reduce, *ones, rewriter);
      else
        keepDims(reduce, rewriter);
      return success();
    }
    Operation *op = source.getDefiningOp();
    ReshapeGroups groups = expand.getReassociationIndices();
    rewriter.setInsertionPoint(op);
    Operation *clone = expandOp(rewriter, op, expand.getResultType(), groups);
    rewriter.replaceOp(expand, clone->getResults());
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, op->getResult(0).getType(), clone->getResult(0), groups);
    return success();
  }
};

/// reduce(x) -> reduce(expand(x)) of all of x, where that is given dimensions
/// of size 1 for others: what rows are weighted by is summed in their shape.
struct ReduceExpanded : public OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp reduce,
                                PatternRewriter &rewriter) const override {
    Value input = reduce.getInput();
    int64_t rank = reduce.getInput().getType().getRank();
    if (reduce.getKeep() || rank != 1 || reduce.getDims().empty() ||
        isShapeless(input.getDefiningOp()) ||
        isa_and_nonnull<GatherOp>(input.getDefiningOp()))
      return rewriter.notifyMatchFailure(reduce, "not of all of a vector");
    for (Operation *user : input.getUsers()) {
      auto expand = dyn_cast<tensor::ExpandShapeOp>(user);
      if (!expand || isIdentity(expand) ||
          withoutOnes(shapeOf(input)) != withoutOnes(shapeOf(expand)))
        continue;
      RankedTensorType type = expand.getResultType();
      Value expanded = expandOperand(rewriter, reduce.getLoc(), input, type,
                                     expand.getReassociationIndices());
      auto sum = ReduceOp::create(
          rewriter, reduce.getLoc(), reduce.getType(), reduce.getKind(),
          expanded, llvm::to_vector(llvm::seq<int64_t>(type.getRank())),
          /*keep=*/false);
      sum->setDiscardableAttrs(reduce->getDiscardableAttrDictionary());
      rewriter.replaceOp(reduce, sum);
      return success();
    }
    return rewriter.notifyMatchFailure(reduce, "its operand gets no dimension");
  }
};

/// expand(gather(table, ids)) -> gather(table, expand(ids)) where ids get
/// dimensions of size 1 and something else reads what is gathered: weights of
/// classes are then summed in the shape in which losses are weighted.
struct RaiseUnitsOfGather : public OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    auto gather = expand.getSrc().getDefiningOp<GatherOp>();
    if (!gather || isIdentity(expand) || gather->hasOneUse())
      return rewriter.notifyMatchFailure(expand, "nothing else is gathered so");
    RankedTensorType type = expand.getResultType(),
                     ids = gather.getIds().getType();
    if (ids.getRank() == 0)
      return rewriter.notifyMatchFailure(expand, "an id has no dimensions");
    int64_t first = gather.getDim(), end = first + ids.getRank(), next = 0;
    SmallVector<int64_t> shape;
    ReshapeGroups groups = expand.getReassociationIndices(), own;
    for (auto [axis, group] : llvm::enumerate(groups)) {
      bool isOfIds = static_cast<int64_t>(axis) >= first &&
                     static_cast<int64_t>(axis) < end;
      size_t sizes = llvm::count_if(
          group, [&](int64_t dim) { return type.getDimSize(dim) != 1; });
      if (sizes > 1 || (!isOfIds && group.size() != 1))
        return rewriter.notifyMatchFailure(expand, "it splits dimensions");
      if (!isOfIds)
        continue;
      own.emplace_back();
      for (int64_t dim : group) {
        shape.push_back(type.getDimSize(dim));
        own.back().push_back(next++);
      }
    }
    rewriter.setInsertionPoint(gather);
    Value expanded = expandOperand(rewriter, gather.getLoc(), gather.getIds(),
                                   ids.clone(shape), own);
    Value gathered =
        GatherOp::create(rewriter, gather.getLoc(), type, gather.getTable(),
                         expanded, gather.getDim());
    rewriter.replaceOp(expand, gathered);
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        gather, gather.getType(), gathered, groups);
    return success();
  }
};

/// x - reduce(x) -> x - collapse(reduce(x) keep) for leading dimensions.
struct KeepLeading : public OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp reduce,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> dims = reduce.getDims();
    int64_t count = dims.size();
    ArrayRef<int64_t> shape = shapeOf(reduce.getInput());
    if (reduce.getKeep() || dims.empty() || dims.back() + 1 != count ||
        count == static_cast<int64_t>(shape.size()))
      return rewriter.notifyMatchFailure(reduce, "not of leading dimensions");
    bool meets = llvm::any_of(reduce->getUsers(), [&](Operation *user) {
      return isShapeless(user) && shapeOf(user->getResult(0)) == shape;
    });
    if (!meets)
      return rewriter.notifyMatchFailure(reduce, "nothing meets what it reads");
    keepDims(reduce, rewriter);
    return success();
  }
};

/// sum((x - reduce(x) keep)^2) keeps what the reduction before it keeps, and
/// sum(x) what another reduction of x keeps.
struct KeepAlike : public OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp reduce,
                                PatternRewriter &rewriter) const override {
    if (reduce.getKeep() || reduce.getDims().empty() ||
        !(followsFromAlike(reduce) || isBesideAlike(reduce)))
      return rewriter.notifyMatchFailure(reduce, "not of what is kept");
    keepDims(reduce, rewriter);
    return success();
  }

private:
  static bool isAlike(Operation *op, ReduceOp reduce) {
    auto other = dyn_cast<ReduceOp>(op);
    return other && other.getKeep() && other.getDims() == reduce.getDims();
  }

  static bool isBesideAlike(ReduceOp reduce) {
    return llvm::any_of(reduce.getInput().getUsers(),
                        [&](Operation *user) { return isAlike(user, reduce); });
  }

  /// Whether what is reduced is computed, element by element, from a reduction
  /// that keeps the same dimensions.
  static bool followsFromAlike(ReduceOp reduce) {
    constexpr size_t mostOps = 16;
    llvm::SmallSetVector<Operation *, 16> ops;
    SmallVector<int64_t> kept = keptShape(reduce);
    auto add = [&](Value operand) {
      if (Operation *op = operand.getDefiningOp())
        ops.insert(op);
    };
    add(reduce.getInput());
    for (size_t next = 0; next < ops.size() && next < mostOps; ++next) {
      if (isAlike(ops[next], reduce) &&
          shapeOf(ops[next]->getResult(0)) == ArrayRef(kept))
        return true;
      if (isShapeless(ops[next]))
        llvm::for_each(ops[next]->getOperands(), add);
    }
    return false;
  }
};

/// op(x, collapse(y)) -> op(x, y) where only leading dimensions of size 1 are
/// collapsed, which y is broadcast along as well.
struct DropLeading : public RewritePattern {
  explicit DropLeading(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isShapeless(op))
      return rewriter.notifyMatchFailure(op, "not a pointwise op");
    bool changed = false;
    for (OpOperand &operand : op->getOpOperands()) {
      auto collapse = operand.get().getDefiningOp<tensor::CollapseShapeOp>();
      if (!collapse || !isMadeHere(collapse.getSrc()))
        continue;
      ArrayRef<int64_t> from = shapeOf(collapse.getSrc());
      ArrayRef<int64_t> to = shapeOf(operand.get());
      size_t dropped = from.size() - to.size();
      bool isBroadcast = shapeOf(op->getResult(0)).size() >= from.size() &&
                         llvm::all_of(from.take_front(dropped),
                                      [](int64_t size) { return size == 1; }) &&
                         from.drop_front(dropped) == to;
      if (!isBroadcast)
        continue;
      rewriter.modifyOpInPlace(op, [&] { operand.set(collapse.getSrc()); });
      changed = true;
    }
    return success(changed);
  }
};
} // namespace

namespace {
/// reduce(reduce(x)) -> reduce(x), of columns: one kernel adds up all of their
/// places. The mean of sums is the mean of all, times the terms of a sum.
struct JoinReductions : public OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp outer,
                                PatternRewriter &rewriter) const override {
    auto inner = outer.getInput().getDefiningOp<ReduceOp>();
    if (!inner || !inner->hasOneUse() || inner.getKeep() != outer.getKeep())
      return rewriter.notifyMatchFailure(outer, "not of a reduction alone");
    bool isMeanOfSums = inner.getKind() == ReduceKind::sum &&
                        outer.getKind() == ReduceKind::mean &&
                        isa<FloatType>(getElementTypeOrSelf(outer.getType()));
    if (inner.getKind() != outer.getKind() && !isMeanOfSums)
      return rewriter.notifyMatchFailure(outer, "of another kind");
    if (outer.getKind() == ReduceKind::prod)
      return rewriter.notifyMatchFailure(
          outer, "a product may overflow in another order");
    ArrayRef<int64_t> shape = shapeOf(inner.getInput());
    SmallVector<int64_t> dims(inner.getDims()), left;
    double terms = 1;
    for (auto [dim, size] : llvm::enumerate(shape)) {
      bool isReduced = llvm::is_contained(inner.getDims(), dim);
      if (inner.getKeep() || !isReduced)
        left.push_back(static_cast<int64_t>(dim));
      if (isReduced && isMeanOfSums && ShapedType::isDynamic(size))
        return rewriter.notifyMatchFailure(outer, "of unknown sizes");
      terms *= isReduced ? static_cast<double>(size) : 1;
    }
    for (int64_t dim : outer.getDims())
      if (!llvm::is_contained(dims, left[dim]))
        dims.push_back(left[dim]);
    llvm::sort(dims);
    if (llvm::is_contained(dims, static_cast<int64_t>(shape.size()) - 1))
      return rewriter.notifyMatchFailure(outer, "reduces rows");
    Location loc = outer.getLoc();
    Value joined =
        ReduceOp::create(rewriter, loc, outer.getType(), outer.getKind(),
                         inner.getInput(), dims, outer.getKeep());
    if (isMeanOfSums) {
      auto number =
          RankedTensorType::get({}, getElementTypeOrSelf(outer.getType()));
      Value factor = ConstantOp::create(
          rewriter, loc,
          DenseElementsAttr::get(
              number, rewriter.getFloatAttr(number.getElementType(), terms)));
      joined = MulOp::create(rewriter, loc, outer.getType(), joined, factor);
    }
    rewriter.replaceOp(outer, joined);
    return success();
  }
};

struct KeepReducedDimsPass
    : public mlir::fuse::impl::FuseKeepReducedDimsBase<KeepReducedDimsPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateKeepReducedDimsPatterns(patterns);
    // Later some are split on purpose.
    patterns.add<JoinReductions>(&getContext());
    ReduceOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns,
                                                         &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

void mlir::fuse::populateKeepReducedDimsPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseUnits, RaiseUnitsOfGather, ReduceExpanded, KeepLeading,
               KeepAlike, DropLeading>(patterns.getContext());
}
