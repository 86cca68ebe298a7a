//===- EvaluateNorm.cpp - Norms over the last dimension -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combiners.h"
#include "Findings.h"
#include "Operations.h"

using namespace mlir::fuse;
using namespace mlir::fuse::reference;

static Bounded divideByCount(const Arithmetic &arithmetic, Bounded sum,
                             int64_t count) {
  // The mean of nothing.
  if (count == 0)
    return {kNaN, 0.0};
  Bounded factor = arithmetic.constant(1.0 / count);
  return arithmetic.mul(sum, factor);
}

/// `get(j)` gives the j-th of `count` elements.
template <typename Get>
static Bounded getMean(const Arithmetic &arithmetic, int64_t count, Get get) {
  Summer sum;
  for (int64_t j = 0; j < count; ++j)
    sum.visit(get(j));
  return divideByCount(arithmetic, sum.getForMean(arithmetic), count);
}

/// 1 / sqrt(mean(x^2) + eps).
template <typename Get>
static Bounded getScale(const Arithmetic &arithmetic, int64_t count, double eps,
                        Get get) {
  Bounded mean = getMean(arithmetic, count, [&](int64_t j) {
    Bounded x = get(j);
    return arithmetic.mul(x, x);
  });
  return arithmetic.rsqrt(arithmetic.add(mean, arithmetic.constant(eps)));
}

/// The size of the last dimension, which the weight and the bias share.
static llvm::Expected<int64_t> getFeatures(mlir::Operation *op,
                                           Operands operands) {
  int64_t features = operands[0]->shape.back();
  for (const Value *operand : operands.drop_front())
    if (auto error = checkSize(op, "the features of the input and a weight",
                               features, operand->shape[0]))
      return std::move(error);
  return features;
}

/// Calls `visit(base)` for each row of `features` elements.
static void forEachRow(const Value &input, int64_t features,
                       llvm::function_ref<void(int64_t)> visit) {
  int64_t last = input.shape.size() - 1;
  LineSpace(input.shape, {last}).forEachLine([&](int64_t, int64_t base) {
    if (features > 0)
      visit(base);
  });
}

llvm::Expected<Value>
mlir::fuse::reference::evaluateRmsNorm(RmsNormOp op, Operands operands) {
  auto features = getFeatures(op, operands);
  if (!features)
    return features.takeError();
  const Value &input = *operands[0];
  DType dtype = input.dtype, wide = isNarrow(dtype) ? DType::F32 : dtype;
  Arithmetic arithmetic(wide);
  double eps = op.getEps().convertToDouble();
  Reader read(input), weight(*operands.back());
  Value result = Value::zeros(dtype, input.shape);
  forEachRow(input, *features, [&](int64_t base) {
    Bounded scale = getScale(arithmetic, *features, eps,
                             [&](int64_t j) { return read[base + j]; });
    for (int64_t j = 0; j < *features; ++j) {
      Bounded y = arithmetic.mul(read[base + j], scale);
      if (op.getWeight())
        y = arithmetic.mul(y, weight[j]);
      store(result, base + j, mayRound(wide, dtype, y));
    }
  });
  return result;
}

llvm::Expected<Value>
mlir::fuse::reference::evaluateLayerNorm(LayerNormOp op, Operands operands) {
  auto features = getFeatures(op, operands);
  if (!features)
    return features.takeError();
  const Value &input = *operands[0];
  DType dtype = input.dtype, wide = isNarrow(dtype) ? DType::F32 : dtype;
  Arithmetic arithmetic(wide);
  double eps = op.getEps().convertToDouble();
  Reader read(input), bias(*operands.back());
  Reader weight(*operands[op.getWeight() ? 1 : 0]);
  Value result = Value::zeros(dtype, input.shape);
  forEachRow(input, *features, [&](int64_t base) {
    Bounded mean = getMean(arithmetic, *features,
                           [&](int64_t j) { return read[base + j]; });
    auto centred = [&](int64_t j) {
      return arithmetic.sub(read[base + j], mean);
    };
    Bounded scale = getScale(arithmetic, *features, eps, centred);
    for (int64_t j = 0; j < *features; ++j) {
      Bounded normal = arithmetic.mul(centred(j), scale);
      Bounded y = op.getWeight() ? arithmetic.mul(normal, weight[j]) : normal;
      if (op.getBias())
        y = arithmetic.add(y, bias[j]);
      store(result, base + j, mayRound(wide, dtype, y));
    }
  });
  return result;
}

//===----------------------------------------------------------------------===//
// The range of the squares
//===----------------------------------------------------------------------===//

/// Whether squares of finite numbers overflow when they are added up, or vanish
/// beside an `eps` that vanishes, too. Computed in logarithms: a square of an
/// f64 may be beyond f64.
static bool isOutOfRange(llvm::ArrayRef<double> terms, double eps, DType wide) {
  double largest = 0.0, sum = 0.0;
  for (double term : terms)
    largest = std::max(largest, std::fabs(term));
  if (largest == 0.0 || !std::isfinite(largest))
    return false;
  for (double term : terms)
    sum += (term / largest) * (term / largest);
  double squares = 2.0 * std::log2(largest) + std::log2(sum);
  if (squares >= std::log2(getMaxFinite(wide)))
    return true;
  double leastNormal = wide == DType::F64 ? 0x1p-1022 : 0x1p-126;
  return eps < leastNormal && squares < std::log2(leastNormal);
}

/// `mean` of a row is taken from its elements before they are squared.
static void findRows(mlir::Operation *op, const Value &input, double eps,
                     llvm::function_ref<double(llvm::ArrayRef<double>)> mean,
                     Findings &findings) {
  DType wide = isNarrow(input.dtype) ? DType::F32 : input.dtype;
  int64_t features = input.shape.back(), row = 0;
  llvm::SmallVector<int64_t> numbers;
  forEachRow(input, features, [&](int64_t base) {
    llvm::SmallVector<double> terms(input.data.begin() + base,
                                    input.data.begin() + base + features);
    double shift = mean(terms);
    for (double &term : terms)
      term -= shift;
    bool isFinite = std::isfinite(roundTo(wide, shift));
    if (!isFinite || isOutOfRange(terms, eps, wide))
      numbers.push_back(row);
    ++row;
  });
  addRowsOutOfRange(op, input.shape, numbers, findings);
}

void mlir::fuse::reference::findRowsOutOfRange(RmsNormOp op, const Value &input,
                                               Findings &findings) {
  findRows(
      op, input, op.getEps().convertToDouble(),
      [](llvm::ArrayRef<double>) { return 0.0; }, findings);
}

void mlir::fuse::reference::findRowsOutOfRange(LayerNormOp op,
                                               const Value &input,
                                               Findings &findings) {
  DType wide = isNarrow(input.dtype) ? DType::F32 : input.dtype;
  auto mean = [wide](llvm::ArrayRef<double> row) {
    double sum = 0.0;
    for (double each : row) {
      // An element that is no finite number is the result's own affair.
      if (!std::isfinite(each))
        return 0.0;
      sum += each;
    }
    return std::isfinite(roundTo(wide, sum)) ? sum / row.size() : kInfinity;
  };
  findRows(op, input, op.getEps().convertToDouble(), mean, findings);
}

std::pair<Value, Value>
mlir::fuse::reference::evaluateWelford(WelfordOp op, const Value &input) {
  LineSpace lines(input.shape, op.getDims());
  DType dtype = input.dtype, wide = isNarrow(dtype) ? DType::F32 : dtype;
  Arithmetic arithmetic = Arithmetic::inside(dtype);
  Value means = Value::zeros(dtype, lines.keptShape);
  Value deviations = Value::zeros(dtype, lines.keptShape);
  Reader read(input);
  lines.forEachLine([&](int64_t number, int64_t base) {
    Summer sum, squares;
    int64_t count = 0;
    lines.forEachElement(base, [&](int64_t offset) {
      sum.visit(read[offset]);
      ++count;
    });
    Bounded mean = divideByCount(arithmetic, sum.getForMean(arithmetic), count);
    lines.forEachElement(base, [&](int64_t offset) {
      Bounded deviation = arithmetic.sub(read[offset], mean);
      squares.visit(arithmetic.mul(deviation, deviation));
    });
    bool isMean = op.getKind() == ReduceKind::mean;
    Bounded total =
        isMean
            ? divideByCount(arithmetic, squares.getForMean(arithmetic), count)
            : squares.get(arithmetic);
    store(means, number, mayRound(wide, dtype, mean));
    store(deviations, number, mayRound(wide, dtype, total));
  });
  return {std::move(means), std::move(deviations)};
}
