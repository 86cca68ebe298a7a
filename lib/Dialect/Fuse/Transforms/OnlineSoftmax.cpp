//===- OnlineSoftmax.cpp - Maximum and sum of exp in one pass -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formula is Milakov and Gimelshein's, arXiv:1805.02867.
//
// Where the maximum m is infinite, exp(x - m) is NaN for an x that is m, and so
// is the sum; fuse.softmax_stats gives the sum of exp(x) there, as a program
// that guards its maximum does. One that does not adds m - m.
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEONLINESOFTMAX
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Threads of a block, and the elements that each has, from which on these and
/// the exponentials take so many registers that fewer blocks run beside it.
static constexpr int64_t largeBlock = 512, manyElements = 24;

/// Whether the exponentials of narrow elements, of which vectors have more than
/// four, take twice the registers of these, and too many.
static bool crowdRegisters(RowsScheduleAttr rows, ReduceOp max) {
  int64_t length = 1;
  for (int64_t dim : max.getDims()) {
    int64_t size = max.getInput().getType().getDimSize(dim);
    if (ShapedType::isDynamic(size))
      return false;
    length *= size;
  }
  return rows.getThreads() >= largeBlock && rows.getVector() > 4 &&
         length >= manyElements * rows.threadsPerRow();
}

/// Whether a CPU's thread reduces groups of its row, which it has near: another
/// walk over these costs less than exponentials.
static bool isOfGroups(RowsScheduleAttr rows, ReduceOp max) {
  int64_t rank = max.getInput().getType().getRank();
  return rows.getThreads() == 1 &&
         llvm::any_of(*max->getBlock(), [&](Operation &op) {
           return isReduction(&op) && !reducedDims(&op).empty() &&
                  tensorType(op.getOperand(0)).getRank() == rank &&
                  reducedDims(&op).front() < max.getDims().front();
         });
}

/// Whether a walk more costs reads of memory, not of registers, or threads wait
/// for each other once more in a call that moves few bytes, which takes longer
/// than to compute exponentials again: the blocks of a cluster, and large ones.
static bool isWorthExponentials(Attribute schedule, ReduceOp max) {
  if (auto rows = dyn_cast_or_null<RowsScheduleAttr>(schedule))
    return (!isa<RegistersHoldAttr>(rows.getHold()) &&
            !isOfGroups(rows, max)) ||
           (rows.getHold().getPreload() &&
            (rows.blocksPerRow() > 1 || crowdRegisters(rows, max)));
  auto columns = dyn_cast_or_null<ColumnsScheduleAttr>(schedule);
  return columns && isa<LoopHoldAttr>(columns.getHold());
}

/// The sum, but NaN where the maximum is infinite.
static Value emitNaNWhereInfinite(OpBuilder &builder, SoftmaxStatsOp stats) {
  Value max = stats.getMax();
  Value zero = SubOp::create(builder, stats.getLoc(), max, max);
  return AddOp::create(builder, stats.getLoc(), stats.getSum(), zero);
}

namespace {
/// sum(exp(x - m)) with m = max(x) over the same dimensions.
struct OnlineSum : public OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp sum,
                                PatternRewriter &rewriter) const override {
    auto kernel = sum->getParentOfType<KernelOp>();
    if (!kernel || !kernel.getScheduleAttr())
      return rewriter.notifyMatchFailure(sum, "not in a scheduled kernel");
    ReduceOp max = sum.getMaximumOfExponents();
    if (!max)
      return rewriter.notifyMatchFailure(
          sum, "not a sum of exp(x - max(x)) over the same dims");
    auto exp = sum.getInput().getDefiningOp<ExpOp>();
    if (!exp->hasOneUse() &&
        !isWorthExponentials(kernel.getScheduleAttr(), max))
      return rewriter.notifyMatchFailure(
          sum, "the exponentials stay in registers for other uses");
    bool isGuarded =
        exp.getInput().getDefiningOp<SubOp>().getRhs() != max.getResult();
    rewriter.setInsertionPointAfter(max);
    auto stats = SoftmaxStatsOp::create(rewriter, sum.getLoc(),
                                        TypeRange{max.getType(), sum.getType()},
                                        max.getInput(), max.getDims());
    if (Attribute accuracy = exp->getAttr(kAccuracyAttr))
      stats->setAttr(kAccuracyAttr, accuracy);
    Value total = stats.getSum();
    if (!isGuarded)
      total = emitNaNWhereInfinite(rewriter, stats);
    rewriter.replaceOp(max, stats.getMax());
    rewriter.replaceOp(sum, total);
    return success();
  }
};

struct OnlineSoftmaxPass
    : public mlir::fuse::impl::FuseOnlineSoftmaxBase<OnlineSoftmaxPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<OnlineSum>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
