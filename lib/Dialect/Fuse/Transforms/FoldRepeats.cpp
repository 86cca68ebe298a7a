//===- FoldRepeats.cpp - Operands of contractions that repeat -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Heads of keys are often repeated for the query heads that share them:
//
//   [2, ?, 8, 1, 64] -> broadcast [2, ?, 8, 4, 64] -> collapse [2, ?, 32, 64]
//
// A contraction repeats a size of 1 by itself. So what is collapsed becomes
// axes of the contraction, and the repetition goes: the keys stay as they are.
//
//===----------------------------------------------------------------------===//

#include "ReshapeOperands.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEFOLDREPEATS
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// One operand of a contraction, and the other.
struct Side {
  Side(ContractOp op, bool isLhs)
      : isLhs(isLhs), value(isLhs ? op.getLhs() : op.getRhs()),
        other(isLhs ? op.getRhs() : op.getLhs()),
        axes(isLhs ? op.getLhsAxes() : op.getRhsAxes()),
        otherAxes(isLhs ? op.getRhsAxes() : op.getLhsAxes()),
        result(op.getResultAxes()), precision(op.getPrecisionAttr()) {}

  ContractOp create(OpBuilder &builder, Location loc, Type type) const {
    std::string spec = (isLhs ? axes : otherAxes) + "," +
                       (isLhs ? otherAxes : axes) + "->" + result;
    return ContractOp::create(builder, loc, type, builder.getStringAttr(spec),
                              isLhs ? value : other, isLhs ? other : value,
                              precision);
  }
  /// Whether the other operand and the result have the axis, in its full size.
  bool repeatsFreely(char axis) const {
    size_t at = otherAxes.find(axis);
    return at != std::string::npos && tensorType(other).getDimSize(at) != 1 &&
           result.find(axis) != std::string::npos;
  }

  bool isLhs;
  Value value, other;
  std::string axes, otherAxes, result;
  ContractPrecisionAttr precision;
};

/// contract(broadcast(x), y) -> contract(x, y).
struct FoldBroadcast : public OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    for (bool isLhs : {true, false})
      if (std::optional<Side> folded = fold(Side(op, isLhs))) {
        rewriter.replaceOp(op,
                           folded->create(rewriter, op.getLoc(), op.getType()));
        return success();
      }
    return rewriter.notifyMatchFailure(op, "no operand repeats freely");
  }

private:
  static std::optional<Side> fold(Side side) {
    auto broadcast = side.value.getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return std::nullopt;
    RankedTensorType from = tensorType(broadcast.getInput());
    RankedTensorType to = broadcast.getType();
    int64_t missing = to.getRank() - from.getRank();
    for (int64_t dim = 0; dim < to.getRank(); ++dim) {
      bool repeats = dim < missing || (from.getDimSize(dim - missing) == 1 &&
                                       to.getDimSize(dim) != 1);
      if (repeats && !side.repeatsFreely(side.axes[dim]))
        return std::nullopt;
    }
    side.value = broadcast.getInput();
    side.axes = side.axes.substr(missing);
    return side;
  }
};

/// contract(collapse(broadcast(x)), y) -> collapse(contract(broadcast(x),
/// expand(y))) where an axis repeats that is collapsed.
struct SplitRepeatedAxes : public OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    for (bool isLhs : {true, false})
      if (succeeded(split(op, Side(op, isLhs), rewriter)))
        return success();
    return rewriter.notifyMatchFailure(op, "no operand repeats within an axis");
  }

private:
  /// An axis of the contraction as several.
  struct Parts {
    std::string letters;
    SmallVector<int64_t> sizes;
  };
  using Split = llvm::SmallDenseMap<char, Parts>;

  /// The parts of each axis that the operand's collapse joins; nothing if none
  /// of them repeats, or one cannot be split.
  static std::optional<Split> splitOf(const Side &side) {
    auto collapse = side.value.getDefiningOp<tensor::CollapseShapeOp>();
    auto broadcast =
        collapse ? collapse.getSrc().getDefiningOp<BroadcastOp>() : nullptr;
    if (!broadcast)
      return std::nullopt;
    RankedTensorType from = tensorType(broadcast.getInput());
    RankedTensorType to = broadcast.getType();
    int64_t missing = to.getRank() - from.getRank();
    std::string used = side.axes + side.otherAxes + side.result;
    Split split;
    bool repeats = false;
    for (auto [axis, group] :
         llvm::zip_equal(side.axes, collapse.getReassociationIndices())) {
      if (group.size() == 1)
        continue;
      if (side.result.find(axis) == std::string::npos)
        return std::nullopt;
      Parts &parts = split[axis];
      for (int64_t dim : group) {
        char letter = parts.letters.empty() ? axis : freeLetter(used);
        if (!letter)
          return std::nullopt;
        parts.letters += letter;
        parts.sizes.push_back(to.getDimSize(dim));
        repeats |= dim < missing || (from.getDimSize(dim - missing) == 1 &&
                                     to.getDimSize(dim) != 1);
      }
    }
    return repeats ? std::optional(std::move(split)) : std::nullopt;
  }

  static char freeLetter(std::string &used) {
    for (char letter = 'a'; letter <= 'z'; ++letter)
      for (char one : {letter, llvm::toUpper(letter)})
        if (used.find(one) == std::string::npos) {
          used += one;
          return one;
        }
    return 0;
  }

  /// A shape whose axes are split, and the groups of dimensions that they
  /// become.
  static std::pair<RankedTensorType, ReshapeGroups>
  expanded(RankedTensorType type, StringRef axes, const Split &split) {
    SmallVector<int64_t> shape;
    ReshapeGroups groups;
    for (auto [dim, axis] : llvm::enumerate(axes)) {
      auto parts = split.find(axis);
      SmallVector<int64_t> sizes = {type.getDimSize(dim)};
      if (parts != split.end())
        sizes = parts->second.sizes;
      groups.emplace_back();
      for (int64_t size : sizes) {
        groups.back().push_back(static_cast<int64_t>(shape.size()));
        shape.push_back(size);
      }
    }
    return {type.clone(shape), groups};
  }

  static std::string lettersOf(StringRef axes, const Split &split) {
    std::string letters;
    for (char axis : axes) {
      auto parts = split.find(axis);
      letters +=
          parts == split.end() ? std::string(1, axis) : parts->second.letters;
    }
    return letters;
  }

  static LogicalResult split(ContractOp op, Side side,
                             PatternRewriter &rewriter) {
    std::optional<Split> split = splitOf(side);
    if (!split)
      return failure();
    auto [otherType, otherGroups] =
        expanded(tensorType(side.other), side.otherAxes, *split);
    auto [type, groups] = expanded(op.getType(), side.result, *split);
    if (!haveKnownSizes(otherType, otherGroups) ||
        !haveKnownSizes(type, groups))
      return failure();
    side.other = expandOperand(rewriter, op.getLoc(), side.other, otherType,
                               otherGroups);
    side.value = side.value.getDefiningOp()->getOperand(0);
    side.axes = lettersOf(side.axes, *split);
    side.otherAxes = lettersOf(side.otherAxes, *split);
    side.result = lettersOf(side.result, *split);
    Value whole = side.create(rewriter, op.getLoc(), type);
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, op.getType(),
                                                         whole, groups);
    return success();
  }
};

struct FoldRepeatsPass
    : public mlir::fuse::impl::FuseFoldRepeatsBase<FoldRepeatsPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldBroadcast, SplitRepeatedAxes>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
