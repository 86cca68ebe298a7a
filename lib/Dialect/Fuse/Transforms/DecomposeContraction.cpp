//===- DecomposeContraction.cpp - Matmul and attention --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both become `fuse.contract` with an axis named by a letter. For matmul these
// are m, k and n, and other letters for the leading dimensions. For attention:
//
//   b batch   l query tokens   m key tokens   d features
//   h key heads   g query heads that share a key head
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::fuse;

static Value emitContract(ImplicitLocOpBuilder &builder, StringRef lhsAxes,
                          StringRef rhsAxes, StringRef resultAxes, Value lhs,
                          Value rhs, Type result,
                          ContractPrecisionAttr precision) {
  std::string spec = (lhsAxes + "," + rhsAxes + "->" + resultAxes).str();
  return ContractOp::create(builder, result, builder.getStringAttr(spec), lhs,
                            rhs, precision);
}

namespace {

struct DecomposeMatmul : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    constexpr StringLiteral batchLetters = "abcdefghijlopqrstuvwxyz";
    auto leadingRank = [](Value value) {
      return cast<RankedTensorType>(value.getType()).getRank() - 2;
    };
    size_t lhsRank = leadingRank(op.getLhs());
    size_t rhsRank = leadingRank(op.getRhs());
    size_t rank = std::max(lhsRank, rhsRank);
    if (rank > batchLetters.size())
      return rewriter.notifyMatchFailure(op, "more axes than letters");

    // Leading dimensions align at the last one.
    StringRef batch = batchLetters.take_front(rank);
    std::string lhsAxes =
        (batch.take_back(lhsRank) + (op.getTransposeLhs() ? "km" : "mk")).str();
    std::string rhsAxes =
        (batch.take_back(rhsRank) + (op.getTransposeRhs() ? "nk" : "kn")).str();
    std::string resultAxes = (batch + "mn").str();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emitContract(builder, lhsAxes, rhsAxes, resultAxes,
                                        op.getLhs(), op.getRhs(), op.getType(),
                                        op.getPrecisionAttr()));
    return success();
  }
};

/// The steps of one attention op.
class AttentionExpander {
public:
  AttentionExpander(AttentionOp op, ImplicitLocOpBuilder &builder)
      : op(op), builder(builder), queryType(op.getQuery().getType()),
        keyType(op.getKey().getType()),
        headAxis(op.getOrder() == HeadOrder::tokens_heads ? 2 : 1),
        groups(queryType.getDimSize(headAxis) / keyType.getDimSize(headAxis)) {
    bool tokensFirst = headAxis == 2;
    queryAxes = tokensFirst ? "blhgd" : "bhgld";
    keyAxes = tokensFirst ? "bmhd" : "bhmd";
    scoreAxes = "bhglm";
    if (groups == 1) {
      llvm::erase(queryAxes, 'g');
      llvm::erase(scoreAxes, 'g');
    }
  }

  Value expand() {
    Value query = splitHeads(op.getQuery());
    Value scores =
        emitContract(builder, queryAxes, keyAxes, scoreAxes, query, op.getKey(),
                     getScoreType(), op.getPrecisionAttr());
    scores = scale(emitWiden(builder, scores));
    if (op.getCausal())
      scores = mask(scores);
    auto type = cast<RankedTensorType>(scores.getType());
    Value weights = SoftmaxOp::create(builder, type, scores,
                                      ArrayRef<int64_t>{type.getRank() - 1});
    weights = emitCast(builder, weights, queryType.getElementType());
    Value result = emitContract(
        builder, scoreAxes, keyAxes, queryAxes, weights, op.getValue(),
        withHeadsOfValue(cast<RankedTensorType>(query.getType())),
        op.getPrecisionAttr());
    return mergeHeads(result);
  }

private:
  /// The pair of axes [h, g] that a query's head axis is split into.
  SmallVector<ReassociationIndices> getHeadSplit() const {
    SmallVector<ReassociationIndices> split;
    int64_t next = 0;
    for (int64_t axis : llvm::seq<int64_t>(queryType.getRank())) {
      split.push_back({next++});
      if (axis == headAxis)
        split.back().push_back(next++);
    }
    return split;
  }

  /// Query head h * groups + g becomes [h, g].
  Value splitHeads(Value query) {
    if (groups == 1)
      return query;
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, builder.getLoc(), query);
    sizes[headAxis] = builder.getIndexAttr(keyType.getDimSize(headAxis));
    sizes.insert(sizes.begin() + headAxis + 1, builder.getIndexAttr(groups));
    SmallVector<int64_t> shape(queryType.getShape());
    shape[headAxis] = keyType.getDimSize(headAxis);
    shape.insert(shape.begin() + headAxis + 1, groups);
    return tensor::ExpandShapeOp::create(builder, queryType.clone(shape), query,
                                         getHeadSplit(), sizes);
  }

  Value mergeHeads(Value result) {
    if (groups == 1)
      return result;
    return tensor::CollapseShapeOp::create(builder, withHeadsOfValue(queryType),
                                           result, getHeadSplit());
  }

  RankedTensorType withHeadsOfValue(RankedTensorType type) {
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = op.getValue().getType().getShape().back();
    return type.clone(shape);
  }

  RankedTensorType getScoreType() const {
    int64_t tokenAxis = 3 - headAxis;
    int64_t batch = queryType.getDimSize(0);
    SmallVector<int64_t> shape = {
        ShapedType::isDynamic(batch) ? keyType.getDimSize(0) : batch,
        keyType.getDimSize(headAxis)};
    if (groups != 1)
      shape.push_back(groups);
    shape.push_back(queryType.getDimSize(tokenAxis));
    shape.push_back(keyType.getDimSize(tokenAxis));
    return queryType.clone(shape);
  }

  Value scale(Value scores) {
    double factor = op.getScale()
                        ? op.getScale()->convertToDouble()
                        : 1.0 / std::sqrt(double(queryType.getDimSize(3)));
    Value scalar = emitScalar(builder, getElementTypeOrSelf(scores), factor);
    return MulOp::create(builder, scores, scalar);
  }

  /// -inf where the key is after the query, both counted from the last token:
  /// the query at l sees the keys up to l + (keys - queries), whatever the two
  /// lengths are.
  Value mask(Value scores) {
    auto type = cast<RankedTensorType>(scores.getType());
    int64_t last = type.getRank() - 1;
    auto indexType = cast<RankedTensorType>(type.clone(builder.getI32Type()));
    auto emitIndex = [&](int64_t axis) -> Value {
      return IotaOp::create(builder, indexType, axis, /*from_end=*/true,
                            type.hasStaticShape() ? Value() : scores);
    };
    Value query = emitIndex(last - 1);
    Value key = emitIndex(last);
    Value visible =
        CompareOp::create(builder, ComparePredicate::le, key, query);
    Value hidden = emitScalar(builder, type.getElementType(),
                              -std::numeric_limits<double>::infinity());
    return SelectOp::create(builder, visible, scores, hidden);
  }

  AttentionOp op;
  ImplicitLocOpBuilder &builder;
  RankedTensorType queryType;
  RankedTensorType keyType;
  int64_t headAxis;
  int64_t groups;
  std::string queryAxes, keyAxes, scoreAxes;
};

struct DecomposeAttention : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, AttentionExpander(op, builder).expand());
    return success();
  }
};

} // namespace

void mlir::fuse::populateDecomposeContractionPatterns(
    RewritePatternSet &patterns) {
  patterns.add<DecomposeMatmul, DecomposeAttention>(patterns.getContext());
}
