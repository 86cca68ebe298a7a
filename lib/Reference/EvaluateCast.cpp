//===- EvaluateCast.cpp - Changes of the element type ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::fuse;
using namespace mlir::fuse::reference;

/// Whether every number of `from` is one of `to`.
static bool holds(DType to, DType from) {
  return to == from || to == DType::F64 || isSaturating(from) ||
         (to == DType::F32 && isNarrow(from));
}

/// To an 8-bit float: rounding and saturating are monotone. A program that goes
/// from f64 by way of f32 rounds twice.
static Bounded saturateCast(DType from, DType to, Bounded x) {
  double max = getMaxFinite(to);
  auto round = [&](double value) {
    return std::isnan(value) ? value
                             : std::clamp(roundTo(to, value), -max, max);
  };
  Bounded result = mapMonotone(round, x);
  if (from == DType::F64 && x.isExact())
    result = include(result, round(roundTo(DType::F32, x.value)));
  return result;
}

Bounded mlir::fuse::reference::roundCast(DType from, DType to, Bounded x) {
  if (isSaturating(to))
    return saturateCast(from, to, x);
  bool isFinite = std::isfinite(x.value) && std::isfinite(x.error);
  if (x.isOverflow())
    return x;
  if (!isFinite)
    return {x.value, x.isExact() ? 0.0 : kInfinity};
  // An exact number rounds to one number only, unless a program that goes from
  // f64 to 16 bits by way of f32 rounds twice.
  bool twice = from == DType::F64 && isNarrow(to);
  if (x.isExact() && !twice)
    return {roundTo(to, x.value), 0.0};
  Bounded result = x;
  if (!holds(to, from) || isNarrow(to))
    result.error += (isNarrow(to) ? 1.0 : 0.5) * getUlp(to, x.magnitude());
  if (std::fabs(x.value) - result.error >= getOverflowThreshold(to))
    return {std::copysign(kInfinity, x.value), 0.0};
  if (!isNarrow(to) && result.magnitude() > getMaxFinite(to))
    result.error = kInfinity;
  return result;
}

Bounded mlir::fuse::reference::mayRound(DType from, DType to, Bounded x) {
  bool isNumber = x.isExact() && roundTo(to, x.value) == x.value;
  if (x.isOverflow())
    return x;
  if (!isNarrow(to) || isNumber || !std::isfinite(x.value))
    return roundCast(from, to, x);
  Bounded result = {x.value, x.error + getUlp(to, x.magnitude())};
  if (result.magnitude() > getMaxFinite(to))
    result.error = kInfinity;
  return result;
}

/// Towards zero, saturating, NaN to 0.
static int64_t saturate(DType to, double value) {
  if (std::isnan(value))
    return 0;
  int64_t max = getMaxInteger(to), min = getMinInteger(to);
  // The largest i64 rounds up in f64.
  if (value >= static_cast<double>(max))
    return max;
  return value < static_cast<double>(min) ? min : static_cast<int64_t>(value);
}

static void castFloat(const Value &input, Value &result) {
  Reader read(input);
  DType to = result.dtype;
  auto truncate = [&](double value) -> double { return saturate(to, value); };
  auto cast = [&](int64_t i) {
    Bounded x = read[i];
    if (isFloat(to))
      return store(result, i, roundCast(input.dtype, to, x));
    if (to == DType::I1) {
      result.ints[i] = x.value != 0.0;
      result.error[i] = !x.isKnown() && x.mayBeZero();
      return;
    }
    result.ints[i] = saturate(to, x.value);
    result.error[i] = mapMonotone(truncate, x).error;
  };
  forEachPoint({result.size()}, {}, 1 << 12,
               [&](int64_t i, llvm::ArrayRef<int64_t>) { cast(i); });
}

static Bounded roundInteger(DType to, int64_t value, double error) {
  constexpr int64_t exactlyInF64 = int64_t(1) << 53;
  bool isExact = error == 0.0 && std::abs(value) <= exactlyInF64;
  double number = static_cast<double>(value);
  if (isExact)
    return {roundTo(to, number), 0.0};
  return roundCast(DType::F64, to, {number, error + getUlp(to, number)});
}

static void castInteger(const Value &input, Value &result) {
  DType to = result.dtype;
  for (int64_t i = 0, size = result.size(); i < size; ++i) {
    int64_t value = input.ints[i];
    double error = input.getError(i);
    if (isFloat(to)) {
      store(result, i, roundInteger(to, value, error));
      continue;
    }
    if (to == DType::I1) {
      result.ints[i] = value != 0;
      result.error[i] = error > 0.0 && std::fabs(value) <= error;
      continue;
    }
    auto number = static_cast<double>(value);
    bool fits = number - error >= static_cast<double>(getMinInteger(to)) &&
                number + error < static_cast<double>(getMaxInteger(to));
    result.ints[i] = wrap(to, value);
    result.error[i] = error > 0.0 && !fits ? kInfinity : error;
  }
}

Value mlir::fuse::reference::evaluateCast(CastOp op, const Value &input) {
  Value result = Value::zeros(getResultDType(op), input.shape);
  if (isFloat(input.dtype))
    castFloat(input, result);
  else
    castInteger(input, result);
  return result;
}
