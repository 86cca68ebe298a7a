//===- RotaryFrequencies.cpp - The oracle's rotary frequencies ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RotaryFrequencies.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::reference;

using Real = long double;

static constexpr Real kTau = 6.283185307179586476925286766559005768L;

static Real numberOr(FloatAttr number, Real absent) {
  return number ? static_cast<Real>(number.getValueAsDouble()) : absent;
}

/// base^(2i/R): the positions in which the pair turns by one radian.
static Real positionsPerRadian(Real base, int64_t pair, int64_t dims) {
  return std::pow(base, static_cast<Real>(2 * pair) / dims);
}

/// Meta's llama-models: by wave length, as the code there does it.
static Real scaleLlama3(RotaryLlama3ScalingAttr scaling, Real frequency) {
  Real factor = numberOr(scaling.getFactor(), 1);
  Real low = numberOr(scaling.getLowFreqFactor(), 1);
  Real high = numberOr(scaling.getHighFreqFactor(), 1);
  Real context = scaling.getOriginalMaxPosition();
  Real wavelength = kTau / frequency;
  if (wavelength < context / high)
    return frequency;
  if (wavelength > context / low)
    return frequency / factor;
  Real smooth = (context / wavelength - low) / (high - low);
  return (1 - smooth) * frequency / factor + smooth * frequency;
}

/// YaRN's mask: 1 where a pair keeps its frequency, 0 where it is interpolated.
static Real yarnMask(RotaryYarnScalingAttr scaling, Real base, int64_t pair,
                     int64_t dims) {
  // The pair that turns `rotations` times over the original context.
  auto correctionDim = [&](Real rotations) {
    Real context = scaling.getOriginalMaxPosition();
    return dims * std::log(context / (rotations * kTau)) / (2 * std::log(base));
  };
  Real low = correctionDim(numberOr(scaling.getBetaFast(), 32));
  Real high = correctionDim(numberOr(scaling.getBetaSlow(), 1));
  if (scaling.getTruncate()) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::fmax(low, 0);
  high = std::fmin(high, dims - 1);
  if (low == high)
    high += 0.001L;
  Real ramp = (pair - low) / (high - low);
  return 1 - std::fmin(std::fmax(ramp, 0), 1);
}

static Real longFactor(RotaryLongScalingAttr scaling, int64_t pair,
                       int64_t length) {
  ArrayAttr factors = scaling.getShortFactors();
  bool isLong = length > scaling.getOriginalMaxPosition();
  if (!factors || (scaling.getLongFactors() && isLong))
    factors = scaling.getLongFactors();
  return cast<FloatAttr>(factors[pair]).getValueAsDouble();
}

static Real frequencyOf(RotaryOp op, int64_t pair, int64_t length) {
  Real base = op.getBase()->convertToDouble();
  int64_t dims = op.getRotaryDims();
  Real plain = 1 / positionsPerRadian(base, pair, dims);
  Attribute scaling = op.getScalingAttr();
  if (!scaling)
    return plain;
  return llvm::TypeSwitch<Attribute, Real>(scaling)
      .Case<RotaryLinearScalingAttr>(
          [&](auto linear) { return plain / numberOr(linear.getFactor(), 1); })
      .Case<RotaryNtkScalingAttr>([&](auto ntk) {
        Real power = static_cast<Real>(dims) / (dims - 2);
        Real wider = base * std::pow(numberOr(ntk.getFactor(), 1), power);
        return 1 / positionsPerRadian(wider, pair, dims);
      })
      .Case<RotaryLlama3ScalingAttr>(
          [&](auto llama) { return scaleLlama3(llama, plain); })
      .Case<RotaryYarnScalingAttr>([&](auto yarn) {
        Real mask = yarnMask(yarn, base, pair, dims);
        Real interpolated = plain / numberOr(yarn.getFactor(), 1);
        return interpolated * (1 - mask) + plain * mask;
      })
      .Case<RotaryLongScalingAttr>(
          [&](auto scale) { return plain / longFactor(scale, pair, length); })
      .Default([](Attribute) -> Real {
        llvm_unreachable("every scaling has a formula");
      });
}

llvm::SmallVector<long double>
mlir::fuse::reference::computeFrequencies(RotaryOp op, int64_t length) {
  llvm::SmallVector<long double> frequencies;
  for (int64_t pair = 0; pair < op.getRotaryDims() / 2; ++pair)
    frequencies.push_back(frequencyOf(op, pair, length));
  return frequencies;
}

double mlir::fuse::reference::computeMagnitude(RotaryOp op) {
  Attribute scaling = op.getScalingAttr();
  if (auto yarn = dyn_cast_or_null<RotaryYarnScalingAttr>(scaling)) {
    Real factor = numberOr(yarn.getFactor(), 1);
    Real usual = factor <= 1 ? 1 : 0.1L * std::log(factor) + 1;
    return numberOr(yarn.getAttentionFactor(), usual);
  }
  if (auto scale = dyn_cast_or_null<RotaryLongScalingAttr>(scaling)) {
    Real factor = numberOr(scale.getFactor(), 1);
    Real context = scale.getOriginalMaxPosition();
    Real usual =
        factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(context));
    return numberOr(scale.getAttentionFactor(), usual);
  }
  return 1;
}
