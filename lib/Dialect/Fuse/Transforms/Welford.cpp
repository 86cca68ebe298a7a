//===- Welford.cpp - A mean and its deviations, in one pass or two --------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEFORMWELFORD
#define GEN_PASS_DEF_FUSESPLITWELFORD
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Whether values of the reduced shape follow from the mean, but for those that
/// the reduction of their squares needs alone.
static bool reachesShape(ReduceOp mean, ReduceOp squares) {
  Operation *square = squares.getInput().getDefiningOp();
  Operation *deviation = square->getOperand(0).getDefiningOp();
  if (!square->hasOneUse() ||
      !llvm::all_of(deviation->getUsers(),
                    [&](Operation *user) { return user == square; }))
    return true;
  llvm::SetVector<Value> found;
  found.insert(mean.getResult());
  found.insert(squares.getResult());
  for (size_t next = 0; next < found.size(); ++next) {
    if (found[next].getType() == mean.getInput().getType())
      return true;
    for (Operation *user : found[next].getUsers())
      if (user != deviation)
        found.insert(user->result_begin(), user->result_end());
  }
  return false;
}

/// Whether leading dimensions are reduced: blocks can share such columns, and
/// what follows is a kernel of its own where few of them would be busy.
static bool areColumns(ReduceOp op) {
  ArrayRef<int64_t> dims = op.getDims();
  return !dims.empty() &&
         dims.back() + 1 == static_cast<int64_t>(dims.size()) &&
         dims.back() + 1 < op.getInput().getType().getRank();
}

namespace {
/// sum((x - m)^2) or mean((x - m)^2) with m = mean(x) over the same dimensions.
struct MeanAndDeviations : public OpRewritePattern<ReduceOp> {
  MeanAndDeviations(MLIRContext *context, bool statisticsOnly)
      : OpRewritePattern(context), statisticsOnly(statisticsOnly) {}

  LogicalResult matchAndRewrite(ReduceOp squares,
                                PatternRewriter &rewriter) const override {
    ReduceOp mean = squares.getMeanOfDeviations();
    if (!mean)
      return rewriter.notifyMatchFailure(
          squares, "not of squared deviations from a mean over the same dims");
    if (statisticsOnly && !areColumns(mean) && reachesShape(mean, squares))
      return rewriter.notifyMatchFailure(squares, "others need deviations");
    rewriter.setInsertionPointAfter(mean);
    auto both =
        WelfordOp::create(rewriter, squares.getLoc(),
                          TypeRange{mean.getType(), squares.getType()},
                          squares.getKind(), mean.getInput(), mean.getDims());
    rewriter.replaceOp(mean, both.getMean());
    rewriter.replaceOp(squares, both.getDeviation());
    return success();
  }

private:
  bool statisticsOnly;
};

struct FormWelfordPass
    : public mlir::fuse::impl::FuseFormWelfordBase<FormWelfordPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<MeanAndDeviations>(&getContext(), statisticsOnly);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

/// Whether all reductions beside it are of the same shape and dimensions: what
/// is computed in the shape of one may else be taken for what another's rows
/// read.
static bool isOnlyShape(WelfordOp op) {
  auto shape = op.getInput().getType().getShape();
  Attribute dims = op.getDimsAttr();
  return llvm::all_of(*op->getBlock(), [&](Operation &other) {
    if (!isReduction(&other))
      return true;
    auto input = cast<RankedTensorType>(other.getOperand(0).getType());
    return input.getShape() == shape && other.getAttr("dims") == dims;
  });
}

/// The same as two reductions.
struct TwoReductions : public OpRewritePattern<WelfordOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WelfordOp op,
                                PatternRewriter &rewriter) const override {
    auto kernel = op->getParentOfType<KernelOp>();
    auto rows =
        kernel ? dyn_cast_or_null<RowsScheduleAttr>(kernel.getScheduleAttr())
               : RowsScheduleAttr();
    if (!rows || !isa<RegistersHoldAttr>(rows.getHold()) ||
        rows.blocksPerRow() > 1 || rows.getHold().getPreload() ||
        rows.getPersistent() > 0)
      return rewriter.notifyMatchFailure(op, "exchanges or memory bind");
    if (!isOnlyShape(op))
      return rewriter.notifyMatchFailure(op, "others share the launch");
    Location loc = op.getLoc();
    Value x = op.getInput();
    Type type = op.getMean().getType();
    Value mean = ReduceOp::create(rewriter, loc, type, ReduceKind::mean, x,
                                  op.getDims(), /*keep=*/true);
    Value deviation = SubOp::create(rewriter, loc, x, mean);
    Value square = MulOp::create(rewriter, loc, deviation, deviation);
    Value squares = ReduceOp::create(rewriter, loc, type, op.getKind(), square,
                                     op.getDims(), /*keep=*/true);
    rewriter.replaceOp(op, {mean, squares});
    return success();
  }
};

struct SplitWelfordPass
    : public mlir::fuse::impl::FuseSplitWelfordBase<SplitWelfordPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<TwoReductions>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
