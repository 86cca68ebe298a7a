//===- ReductionPatterns.cpp - How to make a program smaller --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionPatterns.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Reducer/Tester.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Replaces an op by an operand if the program stays interesting. The pattern
/// asks by itself, op by op: the reducer would ask once for all ops.
class ReplaceByOperand : public RewritePattern {
public:
  ReplaceByOperand(MLIRContext *context, const Tester &tester)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        tester(tester) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_present<FuseDialect>(op->getDialect()) ||
        op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "not an op with one result");
    for (OpOperand &operand : op->getOpOperands()) {
      if (operand.get().getType() != op->getResult(0).getType() ||
          !isInterestingWithout(op, operand.getOperandNumber()))
        continue;
      rewriter.replaceOp(op, operand.get());
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand can take its place");
  }

private:
  /// Whether the program is interesting with operand `number` in place of `op`.
  bool isInterestingWithout(Operation *op, unsigned number) const {
    IRMapping mapping;
    auto program = op->getParentOfType<ModuleOp>();
    OwningOpRef<ModuleOp> candidate(cast<ModuleOp>(program->clone(mapping)));
    Operation *copy = mapping.lookup(op);
    copy->getResult(0).replaceAllUsesWith(copy->getOperand(number));
    copy->erase();
    return tester.isInteresting(*candidate).first ==
           Tester::Interestingness::True;
  }

  const Tester &tester;
};

class FuseReduction : public DialectReductionPatternInterface {
public:
  explicit FuseReduction(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &) const override {}

  void populateReductionPatternsWithTester(RewritePatternSet &patterns,
                                           Tester &tester) const override {
    patterns.add<ReplaceByOperand>(patterns.getContext(), tester);
  }
};
} // namespace

void mlir::fuse::registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, FuseDialect *dialect) {
    dialect->addInterfaces<FuseReduction>();
  });
}
