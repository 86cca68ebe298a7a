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
// Blocks can share a column that one walk reduces, and leave their parts to a
// second launch. So both become one before kernels are formed, and two again
// where registers turn out to hold the column and its exponentials.
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
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
static bool crowdRegisters(RowsScheduleAttr rows, Operation *op) {
  int64_t length = 1;
  for (int64_t dim : reducedDims(op)) {
    int64_t size = tensorType(op->getOperand(0)).getDimSize(dim);
    if (ShapedType::isDynamic(size))
      return false;
    length *= size;
  }
  return rows.getThreads() >= largeBlock && rows.getVector() > 4 &&
         length >= manyElements * rows.threadsPerRow();
}

/// Whether a CPU's thread reduces groups of its row, which it has near: another
/// walk over these costs less than exponentials.
static bool isOfGroups(RowsScheduleAttr rows, Operation *reduction) {
  int64_t rank = tensorType(reduction->getOperand(0)).getRank();
  return rows.getThreads() == 1 &&
         llvm::any_of(*reduction->getBlock(), [&](Operation &op) {
           return isReduction(&op) && !reducedDims(&op).empty() &&
                  tensorType(op.getOperand(0)).getRank() == rank &&
                  reducedDims(&op).front() < reducedDims(reduction).front();
         });
}

/// Whether a walk more costs reads of memory, not of registers, or threads wait
/// for each other once more in a call that moves few bytes, which takes longer
/// than to compute exponentials again: the blocks of a cluster, and large ones.
static bool isWorthExponentials(Attribute schedule, Operation *reduction) {
  if (auto rows = dyn_cast_or_null<RowsScheduleAttr>(schedule))
    return (!isa<RegistersHoldAttr>(rows.getHold()) &&
            !isOfGroups(rows, reduction)) ||
           (rows.getHold().getPreload() &&
            (rows.blocksPerRow() > 1 || crowdRegisters(rows, reduction)));
  auto columns = dyn_cast_or_null<ColumnsScheduleAttr>(schedule);
  return columns && isa<LoopHoldAttr>(columns.getHold());
}

/// The sum, but NaN where the maximum is infinite.
static Value emitNaNWhereInfinite(OpBuilder &builder, SoftmaxStatsOp stats) {
  Value max = stats.getMax();
  Value zero = SubOp::create(builder, stats.getLoc(), max, max);
  return AddOp::create(builder, stats.getLoc(), stats.getSum(), zero);
}

/// Whether the elements of what is reduced lie rows apart.
static bool areColumns(ReduceOp op) {
  ArrayRef<int64_t> shape = op.getInput().getType().getShape();
  auto last = static_cast<int64_t>(shape.size()) - 1;
  while (last >= 0 && shape[last] == 1)
    --last;
  return !op.getDims().empty() && op.getDims().back() < last;
}

/// The sum plus m - m, if nothing else reads the sum.
static AddOp sumWithNaN(SoftmaxStatsOp stats) {
  if (!stats.getSum().hasOneUse())
    return {};
  auto add = dyn_cast<AddOp>(*stats.getSum().user_begin());
  auto zero = add ? add.getRhs().getDefiningOp<SubOp>() : SubOp();
  bool isZero = zero && zero.getLhs() == stats.getMax() &&
                zero.getRhs() == stats.getMax();
  return isZero ? add : AddOp();
}

/// All exp(x - m), as the sum has them.
static SmallVector<ExpOp> exponentialsOf(SoftmaxStatsOp stats) {
  SmallVector<ExpOp> found;
  for (Operation *user : stats.getMax().getUsers()) {
    auto sub = dyn_cast<SubOp>(user);
    if (!sub || sub.getLhs() != stats.getInput() ||
        sub.getRhs() != stats.getMax())
      continue;
    for (Operation *reader : sub->getUsers())
      if (auto exp = dyn_cast<ExpOp>(reader);
          exp && exp->getAttr(kAccuracyAttr) == stats->getAttr(kAccuracyAttr))
        found.push_back(exp);
  }
  return found;
}

/// The same as two reductions, where registers hold the exponentials that
/// others need of a maximum that is not guarded.
static void splitHeld(SoftmaxStatsOp stats) {
  auto kernel = stats->getParentOfType<KernelOp>();
  AddOp total = sumWithNaN(stats);
  SmallVector<ExpOp> exponentials = exponentialsOf(stats);
  if (!kernel || !kernel.getScheduleAttr() || !total || exponentials.empty() ||
      isWorthExponentials(kernel.getScheduleAttr(), stats))
    return;
  ImplicitLocOpBuilder builder(stats.getLoc(), stats);
  Value x = stats.getInput();
  Value max = ReduceOp::create(builder, ReduceKind::max, x, stats.getDims(),
                               /*keep=*/true);
  auto exp = ExpOp::create(builder, SubOp::create(builder, x, max));
  if (Attribute accuracy = stats->getAttr(kAccuracyAttr))
    exp->setAttr(kAccuracyAttr, accuracy);
  Value sum = ReduceOp::create(builder, ReduceKind::sum, exp, stats.getDims(),
                               /*keep=*/true);
  for (ExpOp each : exponentials)
    each.replaceAllUsesWith(exp.getResult());
  total.replaceAllUsesWith(sum);
  stats.replaceAllUsesWith(ValueRange{max, sum});
}

namespace {
/// sum(exp(x - m)) with m = max(x) over the same dimensions.
struct OnlineSum : public OpRewritePattern<ReduceOp> {
  OnlineSum(MLIRContext *context, bool columnsOnly)
      : OpRewritePattern(context), columnsOnly(columnsOnly) {}

  LogicalResult matchAndRewrite(ReduceOp sum,
                                PatternRewriter &rewriter) const override {
    auto kernel = sum->getParentOfType<KernelOp>();
    if (!columnsOnly && (!kernel || !kernel.getScheduleAttr()))
      return rewriter.notifyMatchFailure(sum, "not in a scheduled kernel");
    ReduceOp max = sum.getMaximumOfExponents();
    if (!max)
      return rewriter.notifyMatchFailure(
          sum, "not a sum of exp(x - max(x)) over the same dims");
    if (columnsOnly && !areColumns(max))
      return rewriter.notifyMatchFailure(sum, "of rows");
    auto exp = sum.getInput().getDefiningOp<ExpOp>();
    if (!columnsOnly && !exp->hasOneUse() &&
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

private:
  bool columnsOnly;
};

struct OnlineSoftmaxPass
    : public mlir::fuse::impl::FuseOnlineSoftmaxBase<OnlineSoftmaxPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!columnsOnly)
      getOperation().walk(splitHeld);
    RewritePatternSet patterns(&getContext());
    patterns.add<OnlineSum>(&getContext(), columnsOnly);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
