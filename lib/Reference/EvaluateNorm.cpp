//===- EvaluateNorm.cpp - Norms over the last dimension -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combiners.h"
#include "Operations.h"

using namespace mlir::fuse;
using namespace mlir::fuse::reference;

static Bounded divideByCount(const Arithmetic &arithmetic, Bounded sum,
                             int64_t count) {
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
