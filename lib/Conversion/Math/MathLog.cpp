//===- MathLog.cpp - log, log2 and log1p ----------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and log(1 + f) = f +
// tail. In f32 the tail is -f^2/2 + f^3 P(f). In f64, with s = f / (2 + f),
// log(1 + f) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + s^2 A(s^2)), as in fdlibm.
//
// The coefficients are from tools/accuracy/fit_math.py.
//
//===----------------------------------------------------------------------===//

#include "MathEmitter.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {

// f32: (log(1 + f) - f + f^2/2) / f^3, within 2^-30 of log(1 + f) / f.
constexpr double kLogF32[] = {0x1.555546p-2,  -0x1p-2,        0x1.99a546p-3,
                              -0x1.555f16p-3, 0x1.232fe8p-3,  -0x1.fbc1e6p-4,
                              0x1.e6f4eep-4,  -0x1.e04a3ap-4, 0x1.16babcp-4};

// f64: 2 (atanh(s) / s - 1) / s^2 in s^2, within 2^-65 of atanh(s) / s.
constexpr double kAtanhF64[] = {0x1.5555555555555p-1, 0x1.9999999999d0bp-2,
                                0x1.249249243a17bp-2, 0x1.c71c724aadfa4p-3,
                                0x1.745ce200e71a2p-3, 0x1.3b201b6b39f7fp-3,
                                0x1.0f680444993e4p-3, 0x1.0f0774c971d5ap-3};

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kLog2E = 0x1.71547652b82fep+0;

/// log(1 + f) - f.
Expr logTail(Expr f) {
  MathEmitter &e = *f.emitter;
  Expr square = f * f;
  if (!e.isDouble())
    return square * e.fma(f, e.polynomial(f, kLogF32), e.f(-0.5));
  Expr s = f / (f + e.f(2.0));
  Expr z = s * s;
  Expr half = e.f(0.5) * square;
  return s * e.fma(z, e.polynomial(z, kAtanhF64), half) - half;
}

/// k ln(2) + log(1 + f).
Expr combineLog(Expr k, Expr f) {
  MathEmitter &e = *f.emitter;
  double high = e.isDouble() ? kLn2 : 0x1.62e430p-1;
  double low = e.isDouble() ? 0x1.abc9e3b39803fp-56 : -0x1.05c610p-29;
  Expr small = f + e.fma(k, e.f(low), logTail(f));
  return e.fma(k, e.f(high), small);
}

/// k + log2(1 + f).
Expr combineLog2(Expr k, Expr f) {
  MathEmitter &e = *f.emitter;
  double high = e.isDouble() ? kLog2E : 0x1.715476p+0;
  double low = e.isDouble() ? 0x1.777d0ffda0d24p-56 : 0x1.4ae0c0p-26;
  Expr tail = e.fma(f, e.f(low), logTail(f) * e.f(high));
  return k + e.fma(f, e.f(high), tail);
}

/// `result` for positive finite x, and the log of every other x. Comparing bits
/// and a product with infinity take few of the operations that GPUs run at half
/// the rate of additions.
Expr withLogSpecials(Expr x, Expr result) {
  MathEmitter &e = *x.emitter;
  Expr infinity = e.infinity();
  // NaN where x is negative or a NaN, else infinity.
  Expr unbounded = e.fma(x, infinity, infinity);
  Expr special = e.select(x == e.f(0.0), -infinity, unbounded);
  Expr one = e.i(1);
  Expr isUsual = e.compare(arith::CmpIPredicate::ult, e.toBits(x) - one,
                           e.toBits(infinity) - one);
  return e.select(isUsual, result, special);
}

/// The k of a normal x = m 2^k with m in [sqrt(1/2), sqrt(2)): its bits in the
/// exponent's field, and as a number.
struct Exponent {
  Expr bits, number;
};
Exponent exponentOf(Expr x) {
  MathEmitter &e = *x.emitter;
  Expr offset = e.toBits(x) - e.toBits(e.f(0.70710678118654752));
  return {offset & e.i(-(int64_t(1) << e.mantissaBits())),
          e.smallToFloat(e.shiftRightSigned(offset, e.mantissaBits()))};
}

/// x 2^-k exactly, where neither is below the normal numbers or k is 0.
Expr divideByPower(Expr x, const Exponent &exponent) {
  MathEmitter &e = *x.emitter;
  return e.fromBits(e.toBits(x) - exponent.bits);
}

/// For 16-bit results on CUDA: lg2.approx has an absolute error of 2^-22, which
/// is relative enough away from 1; a Taylor polynomial serves near it.
Expr logByHardware(Expr x, double perLog2, double perLog) {
  MathEmitter &e = *x.emitter;
  Expr f = x - e.f(1.0);
  Expr tail = e.polynomial(f, {-0.5, 1.0 / 3, -0.25, 0.2});
  Expr near = e.fma(f * f, tail, f) * e.f(perLog);
  Expr far = e.hardwareLog2(x) * e.f(perLog2);
  return e.select(e.abs(f) < e.f(0.125), near, far);
}

} // namespace

Decomposed mlir::fuse::decompose(Expr x) {
  MathEmitter &e = *x.emitter;
  double smallestNormal = std::ldexp(1.0, 1 - e.exponentBias());
  double scaleExponent = e.mantissaBits() + 1;
  // As signed integers the bits of negative numbers are less, too, and of no
  // matter here.
  Expr isDenormal = e.compare(arith::CmpIPredicate::slt, e.toBits(x),
                              e.toBits(e.f(smallestNormal)));
  Expr scaled =
      e.select(isDenormal, x * e.f(std::ldexp(1.0, scaleExponent)), x);
  Exponent exponent = exponentOf(scaled);
  Expr correction = e.select(isDenormal, e.f(-scaleExponent), e.f(0.0));
  return {divideByPower(scaled, exponent), exponent.number + correction};
}

Expr mlir::fuse::expandLog(Expr x) {
  MathEmitter &e = *x.emitter;
  if (e.hasHardwareMath() && e.isApproximate())
    return logByHardware(x, kLn2, 1.0);
  Decomposed d = decompose(x);
  return withLogSpecials(x, combineLog(d.exponent, d.mantissa - e.f(1.0)));
}

Expr mlir::fuse::expandLog2(Expr x) {
  MathEmitter &e = *x.emitter;
  if (e.hasHardwareMath() && e.isApproximate())
    return logByHardware(x, 1.0, kLog2E);
  Decomposed d = decompose(x);
  return withLogSpecials(x, combineLog2(d.exponent, d.mantissa - e.f(1.0)));
}

Expr mlir::fuse::expandLog1p(Expr x) {
  MathEmitter &e = *x.emitter;
  // Of 1 + x only the exponent k is used: what its rounding loses of x would be
  // the result where x is small. (1 + x) 2^-k - 1 = x 2^-k + (2^-k - 1), where
  // four times the power is normal for every k.
  Expr sum = x + e.f(1.0);
  Exponent exponent = exponentOf(sum);
  Expr powerTimesFour = divideByPower(e.f(4.0), exponent);
  Expr f =
      divideByPower(x, exponent) + e.fma(powerTimesFour, e.f(0.25), e.f(-1.0));
  Expr result = withLogSpecials(sum, combineLog(exponent.number, f));
  return e.copySign(result, x);
}
