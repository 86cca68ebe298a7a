//===- EvaluateAttention.cpp - Scaled dot-product attention ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "Softmax.h"

#include "llvm/Support/Parallel.h"

using namespace mlir::fuse;
using namespace mlir::fuse::reference;

namespace {

/// A tensor of rank 4 as [batch, head, token, feature].
class Heads {
public:
  Heads(const Value &value, AttentionOp op)
      : read(value), strides(getStrides(value.shape)),
        headAxis(op.getOrder() == HeadOrder::tokens_heads ? 2 : 1),
        isTF32(op.getPrecision() == ContractPrecision::tf32),
        shape(value.shape) {}

  int64_t offset(int64_t batch, int64_t head, int64_t token) const {
    return batch * strides[0] + head * strides[headAxis] +
           token * strides[3 - headAxis];
  }
  /// As a factor.
  Bounded at(int64_t row, int64_t feature) const {
    Bounded element = read[row + feature];
    return isTF32 ? mayCut(element) : element;
  }
  int64_t batches() const { return shape[0]; }
  int64_t heads() const { return shape[headAxis]; }
  int64_t tokens() const { return shape[3 - headAxis]; }
  int64_t features() const { return shape[3]; }

private:
  Reader read;
  Sizes strides;
  int64_t headAxis;
  bool isTF32;
  Sizes shape;
};

class Attention {
public:
  Attention(AttentionOp op, Operands operands)
      : op(op), query(*operands[0], op), key(*operands[1], op),
        value(*operands[2], op), dtype(operands[0]->dtype),
        wide(isNarrow(dtype) ? DType::F32 : dtype), outer(wide),
        inner(Arithmetic::inside(dtype)), isCausal(op.getCausal()),
        scale(op.getScale() ? op.getScale()->convertToDouble()
                            : 1.0 / std::sqrt(double(query.features()))),
        result(Value::zeros(dtype, shapeOf(*operands[0], *operands[2]))),
        written(getStrides(result.shape)) {}

  llvm::Expected<Value> run() {
    if (auto error = checkSizes())
      return std::move(error);
    int64_t queries = query.tokens();
    int64_t rows = query.batches() * query.heads() * queries;
    llvm::parallelFor(0, rows, [&](size_t row) {
      int64_t head = row / queries;
      computeRow(head / query.heads(), head % query.heads(), row % queries);
    });
    return std::move(result);
  }

private:
  /// The heads of the result are as long as the value's.
  static Sizes shapeOf(const Value &query, const Value &value) {
    Sizes shape = query.shape;
    shape.back() = value.shape.back();
    return shape;
  }

  llvm::Error checkSizes() const {
    auto check = [&](llvm::StringRef what, int64_t expected, int64_t size) {
      return checkSize(op, what, expected, size);
    };
    return llvm::joinErrors(
        check("the batches of query and key", query.batches(), key.batches()),
        llvm::joinErrors(check("the batches of key and value", key.batches(),
                               value.batches()),
                         check("the tokens of key and value", key.tokens(),
                               value.tokens())));
  }

  /// scale q k, which the program may round to the element type in between.
  Bounded getScore(int64_t queryRow, int64_t keyRow) const {
    ProductSummer sum;
    for (int64_t d = 0; d < query.features(); ++d)
      sum.visit(query.at(queryRow, d), key.at(keyRow, d));
    Bounded product = mayRound(wide, dtype, sum.get(outer));
    return outer.mul(product, outer.constant(scale));
  }

  /// The weights of the keys for one query, and the sum of exponentials that
  /// they were divided by.
  struct Weights {
    std::vector<Bounded> ofKeys;
    Bounded total;
  };
  Weights getWeights(int64_t batch, int64_t head, int64_t token) const {
    int64_t keyHead = head / (query.heads() / key.heads());
    int64_t queryRow = query.offset(batch, head, token);
    int64_t last =
        isCausal ? token + key.tokens() - query.tokens() : key.tokens() - 1;
    std::vector<Bounded> weights(key.tokens(), {-kInfinity, 0.0});
    MaxFinder max;
    for (int64_t m = 0; m < key.tokens(); ++m) {
      if (m <= last)
        weights[m] = getScore(queryRow, key.offset(batch, keyHead, m));
      max.visit(weights[m]);
    }
    SoftmaxLine line(inner, max);
    Summer sum;
    for (Bounded &weight : weights) {
      weight = line.exponential(weight);
      sum.visit(weight);
    }
    Bounded total = sum.get(inner);
    for (Bounded &weight : weights)
      weight = mayRound(wide, dtype, line.normalize(weight, total));
    return {std::move(weights), total};
  }

  /// A program may divide after the second product, whose sums then are larger
  /// by the sum of the exponentials.
  Bounded mayDivideLater(const ProductSummer &sum, Bounded total) const {
    Bounded quotient = sum.get(outer);
    double most = kMostAboveMaximum * total.high() * sum.magnitude();
    if (!(most <= getMaxFinite(wide)) && std::isfinite(quotient.value))
      quotient.error = kInfinity;
    return quotient;
  }

  void computeRow(int64_t batch, int64_t head, int64_t token) {
    int64_t keyHead = head / (query.heads() / key.heads());
    auto [weights, total] = getWeights(batch, head, token);
    if (op.getPrecision() == ContractPrecision::tf32)
      llvm::transform(weights, weights.begin(), mayCut);
    std::vector<ProductSummer> sums(value.features());
    for (int64_t m = 0; m < key.tokens(); ++m) {
      int64_t row = value.offset(batch, keyHead, m);
      for (int64_t d = 0; d < value.features(); ++d)
        sums[d].visit(weights[m], value.at(row, d));
    }
    int64_t headAxis = op.getOrder() == HeadOrder::tokens_heads ? 2 : 1;
    int64_t row = batch * written[0] + head * written[headAxis] +
                  token * written[3 - headAxis];
    for (int64_t d = 0; d < value.features(); ++d)
      store(result, row + d,
            mayRound(wide, dtype, mayDivideLater(sums[d], total)));
  }

  AttentionOp op;
  Heads query, key, value;
  DType dtype, wide;
  /// Of sums and products, and of the softmax.
  Arithmetic outer, inner;
  bool isCausal;
  double scale;
  Value result;
  Sizes written;
};

} // namespace

llvm::Expected<Value>
mlir::fuse::reference::evaluateAttention(AttentionOp op, Operands operands) {
  return Attention(op, operands).run();
}
