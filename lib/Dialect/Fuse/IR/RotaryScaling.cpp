//===- RotaryScaling.cpp - Rotary frequencies and their scaling -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formulas and their sources are in RotaryScaling.td. They are computed in long
// double: at position 2^20 an error of 2^-53 in a frequency would be one of
// 2^-33 in the angle, more than an f32 sine allows near its zeros.
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/IR/RotaryAngles.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

using EmitError = function_ref<InFlightDiagnostic()>;
using Frequencies = SmallVector<long double>;

static constexpr long double pi = 3.141592653589793238462643383279502884L;

long double mlir::fuse::rotaryFrequency(long double base, int64_t pair,
                                        int64_t dims) {
  // The exponent is rounded to long double; what that drops is put back to
  // first order, since a large base would magnify it.
  long double size = dims;
  long double exact = -2.0L * pair;
  long double exponent = exact / size;
  long double dropped = std::fma(-exponent, size, exact) / size;
  long double frequency = std::pow(base, exponent);
  return frequency + frequency * dropped * std::log(base);
}

static Frequencies unscaled(long double base, int64_t dims) {
  Frequencies frequencies;
  for (int64_t pair = 0; pair < dims / 2; ++pair)
    frequencies.push_back(rotaryFrequency(base, pair, dims));
  return frequencies;
}

SmallVector<long double> RotaryOp::getFrequencies(bool isLong) {
  double base = getBaseAttr().getValueAsDouble();
  if (RotaryScalingAttrInterface scaling = getScalingAttr())
    return scaling.getFrequencies(base, getRotaryDims(), isLong);
  return unscaled(base, getRotaryDims());
}

double RotaryOp::getMagnitude() {
  return getScalingAttr() ? getScalingAttr().getMagnitude() : 1.0;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static double valueOf(FloatAttr number) { return number.getValueAsDouble(); }

static double valueOr(FloatAttr number, double absent) {
  return number ? number.getValueAsDouble() : absent;
}

static bool isPositive(Attribute value) {
  auto number = dyn_cast<FloatAttr>(value);
  return number && number.getType().isF64() && number.getValue().isFinite() &&
         number.getValueAsDouble() > 0;
}

/// `number` may be null.
static LogicalResult verifyPositive(EmitError emitError, StringRef name,
                                    FloatAttr number) {
  if (!number || isPositive(number))
    return success();
  return emitError() << "expected " << name
                     << " to be a positive, finite f64, but got " << number
                     << "; write it as " << name << " = 8.0";
}

static LogicalResult verifyMaxPosition(EmitError emitError, int64_t positions,
                                       int64_t least) {
  if (positions >= least)
    return success();
  return emitError() << "expected original_max_position to be " << least
                     << " or more, but got " << positions
                     << "; give the length that the model was trained on";
}

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

LogicalResult RotaryLinearScalingAttr::verify(EmitError emitError,
                                              FloatAttr factor) {
  // 1. `factor` is positive and finite.
  return verifyPositive(emitError, "factor", factor);
}

Frequencies RotaryLinearScalingAttr::getFrequencies(double base, int64_t dims,
                                                    bool isLong) const {
  Frequencies frequencies = unscaled(base, dims);
  for (long double &frequency : frequencies)
    frequency /= valueOf(getFactor());
  return frequencies;
}

//===----------------------------------------------------------------------===//
// NTK-aware
//===----------------------------------------------------------------------===//

LogicalResult RotaryNtkScalingAttr::verify(EmitError emitError,
                                           FloatAttr factor) {
  // 1. `factor` is positive and finite.
  return verifyPositive(emitError, "factor", factor);
}

LogicalResult RotaryNtkScalingAttr::verifyFor(EmitError emitError, double base,
                                              int64_t dims) const {
  // 2. The op's R is above 2.
  if (dims > 2)
    return success();
  return emitError() << "expected more than 2 rotated features for rope_ntk, "
                        "but got "
                     << dims << "; use rope_linear";
}

Frequencies RotaryNtkScalingAttr::getFrequencies(double base, int64_t dims,
                                                 bool isLong) const {
  long double exponent = static_cast<long double>(dims) / (dims - 2);
  long double factor = valueOf(getFactor());
  return unscaled(base * std::pow(factor, exponent), dims);
}

//===----------------------------------------------------------------------===//
// Llama 3
//===----------------------------------------------------------------------===//

LogicalResult RotaryLlama3ScalingAttr::verify(EmitError emitError,
                                              FloatAttr factor,
                                              FloatAttr lowFactor,
                                              FloatAttr highFactor,
                                              int64_t maxPosition) {
  // 1. The three factors are positive and finite, and `low_freq_factor` is
  //    below `high_freq_factor`.
  if (failed(verifyPositive(emitError, "factor", factor)) ||
      failed(verifyPositive(emitError, "low_freq_factor", lowFactor)) ||
      failed(verifyPositive(emitError, "high_freq_factor", highFactor)))
    return failure();
  if (valueOf(lowFactor) >= valueOf(highFactor))
    return emitError() << "expected low_freq_factor below high_freq_factor, "
                          "but got "
                       << lowFactor << " and " << highFactor
                       << "; 1.0 and 4.0 are usual";
  // 2. `original_max_position` is positive.
  return verifyMaxPosition(emitError, maxPosition, 1);
}

Frequencies RotaryLlama3ScalingAttr::getFrequencies(double base, int64_t dims,
                                                    bool isLong) const {
  long double factor = valueOf(getFactor());
  long double low = valueOf(getLowFreqFactor());
  long double high = valueOf(getHighFreqFactor());
  Frequencies frequencies = unscaled(base, dims);
  for (long double &frequency : frequencies) {
    long double turns = getOriginalMaxPosition() * frequency / (2 * pi);
    long double kept = std::clamp((turns - low) / (high - low), 0.0L, 1.0L);
    frequency = (1 - kept) * frequency / factor + kept * frequency;
  }
  return frequencies;
}

//===----------------------------------------------------------------------===//
// YaRN
//===----------------------------------------------------------------------===//

static constexpr double usualBetaFast = 32, usualBetaSlow = 1;

LogicalResult RotaryYarnScalingAttr::verify(
    EmitError emitError, FloatAttr factor, int64_t maxPosition,
    FloatAttr betaFast, FloatAttr betaSlow, FloatAttr attentionFactor, bool) {
  // 1. `factor`, `beta_fast`, `beta_slow` and `attention_factor` are positive
  //    and finite, and `beta_fast` is at least `beta_slow`.
  if (failed(verifyPositive(emitError, "factor", factor)) ||
      failed(verifyPositive(emitError, "beta_fast", betaFast)) ||
      failed(verifyPositive(emitError, "beta_slow", betaSlow)) ||
      failed(verifyPositive(emitError, "attention_factor", attentionFactor)))
    return failure();
  double fast = valueOr(betaFast, usualBetaFast);
  double slow = valueOr(betaSlow, usualBetaSlow);
  if (fast < slow)
    return emitError() << "expected beta_fast to be at least beta_slow, but "
                          "got "
                       << fast << " and " << slow << "; 32.0 and 1.0 are usual";
  // 2. `original_max_position` is positive.
  return verifyMaxPosition(emitError, maxPosition, 1);
}

LogicalResult RotaryYarnScalingAttr::verifyFor(EmitError emitError, double base,
                                               int64_t dims) const {
  // 3. The op's base is above 1.
  if (base > 1)
    return success();
  return emitError() << "expected a base above 1 for rope_yarn, but got "
                     << base << "; 1.0e4 is usual";
}

double RotaryYarnScalingAttr::getMagnitude() const {
  double factor = valueOf(getFactor());
  return valueOr(getAttentionFactor(),
                 factor > 1 ? 0.1 * std::log(factor) + 1 : 1.0);
}

Frequencies RotaryYarnScalingAttr::getFrequencies(double base, int64_t dims,
                                                  bool isLong) const {
  auto pairThatTurns = [&](long double beta) {
    long double perTurn = getOriginalMaxPosition() / (2 * pi * beta);
    return dims * std::log(perTurn) /
           (2 * std::log(static_cast<long double>(base)));
  };
  long double low = pairThatTurns(valueOr(getBetaFast(), usualBetaFast));
  long double high = pairThatTurns(valueOr(getBetaSlow(), usualBetaSlow));
  if (getTruncate()) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0L);
  high = std::min(high, static_cast<long double>(dims - 1));
  if (low == high)
    high += 0.001L;

  long double factor = valueOf(getFactor());
  Frequencies frequencies = unscaled(base, dims);
  for (auto [pair, frequency] : llvm::enumerate(frequencies)) {
    long double ramp = std::clamp((pair - low) / (high - low), 0.0L, 1.0L);
    frequency = (1 - ramp) * frequency + ramp * frequency / factor;
  }
  return frequencies;
}

//===----------------------------------------------------------------------===//
// LongRoPE
//===----------------------------------------------------------------------===//

/// `factors` may be null.
static LogicalResult verifyFactors(EmitError emitError, StringRef name,
                                   ArrayAttr factors) {
  if (!factors || llvm::all_of(factors, isPositive))
    return success();
  return emitError() << "expected " << name
                     << " to hold positive, finite f64 numbers, but got "
                     << factors << "; write them as [1.0, 1.05]";
}

LogicalResult RotaryLongScalingAttr::verify(
    EmitError emitError, FloatAttr factor, int64_t maxPosition,
    ArrayAttr shortFactors, ArrayAttr longFactors, FloatAttr attentionFactor) {
  // 1. `factor`, `attention_factor` and the elements of the lists, which are
  //    f64, are positive and finite.
  if (failed(verifyPositive(emitError, "factor", factor)) ||
      failed(verifyPositive(emitError, "attention_factor", attentionFactor)) ||
      failed(verifyFactors(emitError, "short_factors", shortFactors)) ||
      failed(verifyFactors(emitError, "long_factors", longFactors)))
    return failure();
  // 2. `original_max_position` is above 1.
  if (failed(verifyMaxPosition(emitError, maxPosition, 2)))
    return failure();
  // 3. One list is given, or two.
  if (shortFactors || longFactors)
    return success();
  return emitError() << "expected short_factors, long_factors or both, but got "
                        "neither; give a list with a factor for each pair";
}

LogicalResult RotaryLongScalingAttr::verifyFor(EmitError emitError, double base,
                                               int64_t dims) const {
  // 4. The lists have R/2 elements, R being the op's.
  for (ArrayAttr factors : {getShortFactors(), getLongFactors()})
    if (factors && static_cast<int64_t>(factors.size()) != dims / 2)
      return emitError() << "expected rope_longrope with a factor for each of "
                         << dims / 2 << " pairs, but got " << factors.size()
                         << "; give as many, or other dims";
  return success();
}

std::optional<int64_t> RotaryLongScalingAttr::getLengthLimit() const {
  if (getShortFactors() && getLongFactors())
    return getOriginalMaxPosition();
  return std::nullopt;
}

double RotaryLongScalingAttr::getMagnitude() const {
  double factor = valueOf(getFactor());
  double usual =
      factor > 1
          ? std::sqrt(1 + std::log(factor) / std::log(getOriginalMaxPosition()))
          : 1.0;
  return valueOr(getAttentionFactor(), usual);
}

Frequencies RotaryLongScalingAttr::getFrequencies(double base, int64_t dims,
                                                  bool isLong) const {
  bool useLong = isLong || !getShortFactors();
  ArrayAttr factors =
      useLong && getLongFactors() ? getLongFactors() : getShortFactors();
  Frequencies frequencies = unscaled(base, dims);
  for (auto [frequency, factor] :
       llvm::zip_equal(frequencies, factors.getAsRange<FloatAttr>()))
    frequency /= valueOf(factor);
  return frequencies;
}
