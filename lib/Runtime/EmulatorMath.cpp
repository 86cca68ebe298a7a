//===- EmulatorMath.cpp - Instructions of one thread ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The GPU's approximations are modelled as what they approximate: computed in
// f64 and rounded once, which is within 0.5001 ULP of f32. The hardware may be
// off by as much as docs/math.md says.
//
//===----------------------------------------------------------------------===//

#include "EmulatorShims.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>

using namespace llvm;
using namespace fuse::runtime;

/// Denormals become zero, as in .ftz.
static float flush(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

static float exp2Shim(float x) { return float(std::exp2(double(x))); }
static float exp2FlushShim(float x) { return flush(exp2Shim(flush(x))); }
static float log2Shim(float x) { return float(std::log2(double(x))); }
static float log2FlushShim(float x) { return log2Shim(flush(x)); }
static float rsqrtShim(float x) { return float(1 / std::sqrt(double(x))); }
static float rsqrtFlushShim(float x) { return rsqrtShim(flush(x)); }
static float rcpFlushShim(float x) { return flush(1 / flush(x)); }
static float divideShim(float x, float y) { return x / y; }
/// The smaller magnitude, with the product of the signs; NaN stays.
static float smallerWithSignsShim(float x, float y) {
  if (std::isnan(x) || std::isnan(y))
    return std::numeric_limits<float>::quiet_NaN();
  float magnitude = std::fmin(std::fabs(x), std::fabs(y));
  return std::signbit(x) != std::signbit(y) ? -magnitude : magnitude;
}
static float tanhShim(float x) { return float(std::tanh(double(x))); }

static uint64_t convert(APFloat value, const fltSemantics &semantics) {
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

static uint16_t halfShim(double x) {
  return convert(APFloat(x), APFloat::IEEEhalf());
}
static uint16_t bfloatShim(double x) {
  return convert(APFloat(x), APFloat::BFloat());
}

//===----------------------------------------------------------------------===//
// 8-bit floats
//===----------------------------------------------------------------------===//

/// cvt.rn.satfinite: what is too large becomes the largest number.
static uint8_t saturate(float x, const fltSemantics &semantics) {
  APFloat largest = APFloat::getLargest(semantics);
  bool losesInfo;
  APFloat limit = largest;
  limit.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  if (std::isnan(x))
    return 0x7f;
  if (std::fabs(x) > limit.convertToFloat())
    x = std::copysign(limit.convertToFloat(), x);
  return convert(APFloat(x), semantics);
}

/// Two floats to two bytes; the first argument is the upper one.
template <const fltSemantics &(*semantics)()>
static uint16_t narrowPairShim(float high, float low) {
  return uint16_t(saturate(high, semantics()) << 8 |
                  saturate(low, semantics()));
}

/// Two bytes to two halves, exactly.
template <const fltSemantics &(*semantics)()>
static uint32_t widenPairShim(uint16_t pair) {
  auto widen = [](uint8_t byte) {
    return uint32_t(
        convert(APFloat(semantics(), APInt(8, byte)), APFloat::IEEEhalf()));
  };
  return widen(pair >> 8) << 16 | widen(pair & 0xff);
}

/// The bytes of both that the digits of the selector count; the highest bit of
/// a digit would spread a sign.
static uint32_t permuteShim(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t digit = selector >> (4 * i) & 0xf;
    auto byte = static_cast<uint8_t>(bytes >> (8 * (digit & 7)));
    if (digit & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= uint32_t(byte) << (8 * i);
  }
  return result;
}

template <typename Function> static void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

void fuse::runtime::addMathShims(SmallVectorImpl<EmulatorShim> &shims) {
  auto add = [&](StringLiteral name, auto *function) {
    shims.push_back({name, addressOf(function), /*takesSite=*/false});
  };
  add("llvm.nvvm.ex2.approx.f32", exp2Shim);
  add("llvm.nvvm.ex2.approx.ftz.f32", exp2FlushShim);
  add("llvm.nvvm.lg2.approx.f", log2Shim);
  add("llvm.nvvm.lg2.approx.ftz.f", log2FlushShim);
  add("llvm.nvvm.rsqrt.approx.f", rsqrtShim);
  add("llvm.nvvm.rsqrt.approx.ftz.f", rsqrtFlushShim);
  add("llvm.nvvm.rcp.approx.ftz.f", rcpFlushShim);
  add("llvm.nvvm.div.full", divideShim);
  add("llvm.nvvm.fmin.nan.xorsign.abs.f", smallerWithSignsShim);
  add("llvm.nvvm.prmt", permuteShim);
  // With afn, tanh.approx.
  add("llvm.tanh.f32", tanhShim);
  // Truncations that hosts have no instruction for.
  add("fuse.half.of.double", halfShim);
  add("fuse.bfloat.of.double", bfloatShim);

  add("llvm.nvvm.ff.to.e4m3x2.rn", narrowPairShim<APFloat::Float8E4M3FN>);
  add("llvm.nvvm.ff.to.e5m2x2.rn", narrowPairShim<APFloat::Float8E5M2>);
  add("llvm.nvvm.e4m3x2.to.f16x2.rn", widenPairShim<APFloat::Float8E4M3FN>);
  add("llvm.nvvm.e5m2x2.to.f16x2.rn", widenPairShim<APFloat::Float8E5M2>);
}
