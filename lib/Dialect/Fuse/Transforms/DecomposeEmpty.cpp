//===- DecomposeEmpty.cpp - Values without elements -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value without elements reads nothing. Left in the program it would still
// tie its operands' kernels to those of its users, at no index that they have.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

static bool hasNoElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 0 &&
         type.getElementType().isIntOrFloat();
}

namespace {
struct ReplaceByConstant : public RewritePattern {
  explicit ReplaceByConstant(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<FuseDialect>(op->getDialect()) || !isPure(op) ||
        op->getNumOperands() == 0 || op->getNumResults() == 0 ||
        !llvm::all_of(op->getResults(), hasNoElements))
      return rewriter.notifyMatchFailure(op, "it has elements or no operands");
    SmallVector<Value> constants;
    for (Type type : op->getResultTypes()) {
      auto tensor = cast<RankedTensorType>(type);
      Attribute zero = rewriter.getZeroAttr(tensor.getElementType());
      constants.push_back(ConstantOp::create(
          rewriter, op->getLoc(), DenseElementsAttr::get(tensor, zero)));
    }
    rewriter.replaceOp(op, constants);
    return success();
  }
};
} // namespace

void mlir::fuse::populateDecomposeEmptyPatterns(RewritePatternSet &patterns) {
  patterns.add<ReplaceByConstant>(patterns.getContext());
}
