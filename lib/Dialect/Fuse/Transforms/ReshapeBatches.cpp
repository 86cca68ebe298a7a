//===- ReshapeBatches.cpp - Reshapes of contractions' batches -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction has any number of batches: axes that both operands and the
// result have. Where a reshape splits or joins such axes only, as [16, q, k] is
// seen as [2, 8, q, k] to add a mask of each sequence, the contraction has the
// split axes itself, and its operands are reshaped instead.
//
//===----------------------------------------------------------------------===//

#include "ReshapeBatches.h"
#include "ReshapeOperands.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// The axes of a contraction that are split, with the letters and sizes of
/// their parts.
class SplitBatches {
public:
  explicit SplitBatches(ContractOp contract) : contract(contract) {}

  /// Of a value with these axes; false if an axis is no batch, letters run out,
  /// or nothing is split.
  bool find(StringRef axes, RankedTensorType expanded,
            const ReshapeGroups &groups);
  std::string axes(StringRef before) const;
  RankedTensorType type(RankedTensorType before, StringRef axes) const;
  ReshapeGroups groups(StringRef axes) const;
  /// The contraction of such operands.
  Value contracted(OpBuilder &builder, Value lhs, Value rhs);
  Value expanded(OpBuilder &builder, Value operand, StringRef axes);

private:
  bool isBatch(char axis) {
    return contract.getLhsAxes().contains(axis) &&
           contract.getRhsAxes().contains(axis) &&
           contract.getResultAxes().contains(axis);
  }

  struct Parts {
    std::string letters;
    SmallVector<int64_t> sizes;
  };
  ContractOp contract;
  llvm::SmallMapVector<char, Parts, 2> parts;
};
} // namespace

bool SplitBatches::find(StringRef axes, RankedTensorType expanded,
                        const ReshapeGroups &groups) {
  std::string used = (contract.getLhsAxes() + contract.getRhsAxes()).str();
  for (auto [axis, group] : llvm::zip_equal(axes, groups)) {
    if (group.size() == 1)
      continue;
    if (!isBatch(axis))
      return false;
    Parts &own = parts[axis];
    for (int64_t dim : group) {
      char letter = 'a';
      while (letter <= 'z' && StringRef(used).contains(letter))
        ++letter;
      if (letter > 'z')
        return false;
      used.push_back(letter);
      own.letters.push_back(letter);
      own.sizes.push_back(expanded.getDimSize(dim));
    }
  }
  return !parts.empty() && haveKnownSizes(expanded, groups);
}

std::string SplitBatches::axes(StringRef before) const {
  std::string after;
  for (char axis : before)
    if (const auto *split = parts.find(axis); split != parts.end())
      after += split->second.letters;
    else
      after.push_back(axis);
  return after;
}

RankedTensorType SplitBatches::type(RankedTensorType before,
                                    StringRef axes) const {
  SmallVector<int64_t> shape;
  for (auto [axis, size] : llvm::zip_equal(axes, before.getShape()))
    if (const auto *split = parts.find(axis); split != parts.end())
      llvm::append_range(shape, split->second.sizes);
    else
      shape.push_back(size);
  return before.clone(shape);
}

ReshapeGroups SplitBatches::groups(StringRef axes) const {
  ReshapeGroups groups;
  int64_t next = 0;
  for (char axis : axes) {
    groups.emplace_back();
    const auto *split = parts.find(axis);
    size_t count = split == parts.end() ? 1 : split->second.letters.size();
    for (size_t i = 0; i < count; ++i)
      groups.back().push_back(next++);
  }
  return groups;
}

Value SplitBatches::expanded(OpBuilder &builder, Value operand,
                             StringRef axes) {
  auto before = cast<RankedTensorType>(operand.getType());
  return expandOperand(builder, contract.getLoc(), operand, type(before, axes),
                       groups(axes));
}

Value SplitBatches::contracted(OpBuilder &builder, Value lhs, Value rhs) {
  StringRef result = contract.getResultAxes();
  std::string spec = axes(contract.getLhsAxes()) + "," +
                     axes(contract.getRhsAxes()) + "->" + axes(result);
  auto split = ContractOp::create(
      builder, contract.getLoc(), type(contract.getType(), result),
      builder.getStringAttr(spec), lhs, rhs, contract.getPrecisionAttr());
  split->setDiscardableAttrs(contract->getDiscardableAttrDictionary());
  return split;
}

namespace {
/// expand(contract(x, y)) -> contract(expand(x), expand(y)).
struct RaiseExpandOfBatches : public OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    auto contract = expand.getSrc().getDefiningOp<ContractOp>();
    if (!contract || !contract->hasOneUse())
      return rewriter.notifyMatchFailure(expand, "not of a contraction alone");
    SplitBatches batches(contract);
    if (!batches.find(contract.getResultAxes(), expand.getResultType(),
                      expand.getReassociationIndices()))
      return rewriter.notifyMatchFailure(expand, "splits no batches alone");
    rewriter.setInsertionPoint(contract);
    Value lhs =
        batches.expanded(rewriter, contract.getLhs(), contract.getLhsAxes());
    Value rhs =
        batches.expanded(rewriter, contract.getRhs(), contract.getRhsAxes());
    rewriter.replaceOp(expand, batches.contracted(rewriter, lhs, rhs));
    return success();
  }
};

/// contract(collapse(x), y) -> collapse(contract(x, expand(y))).
struct SinkCollapseOfBatches : public OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp contract,
                                PatternRewriter &rewriter) const override {
    for (unsigned number : {0, 1}) {
      auto collapse =
          contract.getOperand(number).getDefiningOp<tensor::CollapseShapeOp>();
      if (!collapse || !isMadeHere(collapse.getSrc()))
        continue;
      StringRef own =
          number == 0 ? contract.getLhsAxes() : contract.getRhsAxes();
      StringRef other =
          number == 0 ? contract.getRhsAxes() : contract.getLhsAxes();
      SplitBatches batches(contract);
      if (!batches.find(own, collapse.getSrcType(),
                        collapse.getReassociationIndices()))
        continue;
      Value expanded =
          batches.expanded(rewriter, contract.getOperand(1 - number), other);
      Value whole = collapse.getSrc();
      Value result = number == 0
                         ? batches.contracted(rewriter, whole, expanded)
                         : batches.contracted(rewriter, expanded, whole);
      rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
          contract, contract.getType(), result,
          batches.groups(contract.getResultAxes()));
      return success();
    }
    return rewriter.notifyMatchFailure(contract,
                                       "no operand joins batches alone");
  }
};
} // namespace

void mlir::fuse::populateReshapeBatchesPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseExpandOfBatches, SinkCollapseOfBatches>(
      patterns.getContext());
}
