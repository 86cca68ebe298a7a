//===- ShareExponentials.cpp - Exponentials of a softmax and a logsumexp --===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention that is trained returns the logarithm of the sum beside the
// product. Written as a softmax and a logsumexp, it has two sums of
// exponentials that differ only where the maximum is infinite. One of them is
// enough, and without the other the scores are needed in one place.
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESHAREEXPONENTIALS
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// A sum of exponentials below a maximum.
struct Sum {
  ReduceOp op, max;

  ExpOp exponentials() { return op.getInput().getDefiningOp<ExpOp>(); }
  SubOp difference() {
    return exponentials().getInput().getDefiningOp<SubOp>();
  }
  /// Whether an infinite maximum counts as 0.
  bool isGuarded() { return difference().getRhs() != max.getResult(); }
  bool isOfSameRows(Sum &other) {
    return max.getInput() == other.max.getInput() &&
           op.getDims() == other.op.getDims() &&
           op.getType() == other.op.getType();
  }
};

struct ShareExponentials
    : public mlir::fuse::impl::FuseShareExponentialsBase<ShareExponentials> {
  using Base::Base;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      SmallVector<Sum> plain, guarded;
      for (ReduceOp op : block.getOps<ReduceOp>())
        if (ReduceOp max = op.getMaximumOfExponents()) {
          Sum sum{op, max};
          (sum.isGuarded() ? guarded : plain).push_back(sum);
        }
      for (Sum &sum : guarded)
        for (Sum &other : plain)
          if (sum.isOfSameRows(other)) {
            replace(sum, other);
            break;
          }
    }
  }

private:
  /// What `plain` is computed by reads the rows and their maximum only, so that
  /// it may stand before `guarded`.
  static void replace(Sum guarded, Sum plain) {
    Operation *chain[] = {plain.max, plain.difference(), plain.exponentials(),
                          plain.op};
    for (Operation *op : chain)
      if (guarded.op->isBeforeInBlock(op))
        op->moveBefore(guarded.op);
    auto guard = guarded.difference().getRhs().getDefiningOp<SelectOp>();
    ImplicitLocOpBuilder builder(guarded.op.getLoc(), guarded.op);
    Value atEnds = ExpOp::create(builder, guarded.max.getResult());
    Value sum = SelectOp::create(builder, guard.getCondition(), atEnds,
                                 plain.op.getResult());
    guarded.op.replaceAllUsesWith(sum);
    guarded.op.erase();
  }
};
} // namespace
