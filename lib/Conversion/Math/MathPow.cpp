//===- MathPow.cpp - pow --------------------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// |x|^y = 2^(y log2|x|). The exponent may reach 1024, so log2|x| is carried as
// a sum of two floats: with m the mantissa and s = (m - 1) / (m + 1),
// log(m) = 2 atanh(s) = 2 s + s^3 (2/3 + s^2 A(s^2)), where all but A has twice
// the precision.
//
// The coefficients are from tools/accuracy/fit_math.py.
//
//===----------------------------------------------------------------------===//

#include "MathEmitter.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

// A: (2 atanh(s) / s - 2 - 2 s^2 / 3) / s^4 in s^2, within 2^-35 (f32) and
// 2^-75 (f64) of atanh(s) / s.
constexpr double kAtanhF32[] = {0x1.999a02p-2, 0x1.2451d2p-2, 0x1.dfbdbp-3};
constexpr double kAtanhF64[] = {
    0x1.999999999999ap-2, 0x1.2492492492387p-2, 0x1.c71c71c73f7ecp-3,
    0x1.745d173213bfcp-3, 0x1.3b13b7e2b8d29p-3, 0x1.110faa0125bbdp-3,
    0x1.e240d0d502386p-4, 0x1.a794d7b212a3fp-4, 0x1.d9cdafc2b2cdap-4};

HighLow constantPair(MathEmitter &e, double high64, double low64, double high32,
                     double low32) {
  if (e.isDouble())
    return {e.f(high64), e.f(low64)};
  return {e.f(high32), e.f(low32)};
}

/// (m - 1) / (m + 1) for m in [sqrt(1/2), sqrt(2)).
HighLow ratio(Expr m) {
  MathEmitter &e = *m.emitter;
  Expr one = e.f(1.0);
  Expr numerator = m - one;
  HighLow denominator = e.exactSum(m, one);
  Expr high = numerator / denominator.high;
  Expr rest = e.fma(-high, denominator.high, numerator);
  rest = e.fma(-high, denominator.low, rest);
  return {high, rest / denominator.high};
}

HighLow logOfMantissa(Expr m) {
  MathEmitter &e = *m.emitter;
  HighLow s = ratio(m);
  HighLow z = e.product(s, s);
  Expr tail = z.high * (e.isDouble() ? e.polynomial(z.high, kAtanhF64)
                                     : e.polynomial(z.high, kAtanhF32));
  HighLow twoThirds =
      constantPair(e, 0x1.5555555555555p-1, 0x1.5555555555555p-55,
                   0x1.555556p-1, -0x1.555556p-26);
  HighLow sum = e.exactSumOrdered(twoThirds.high, tail);
  sum.low = sum.low + twoThirds.low;
  HighLow cubic = e.product(e.product(s, z), sum);
  HighLow twice = {s.high + s.high, s.low + s.low};
  HighLow log = e.exactSumOrdered(twice.high, cubic.high);
  log.low = log.low + (twice.low + cubic.low);
  return e.exactSumOrdered(log.high, log.low);
}

/// log2(a) for every a >= 0, infinities included.
HighLow log2Pair(Expr a) {
  MathEmitter &e = *a.emitter;
  Decomposed d = decompose(a);
  HighLow log2E = constantPair(e, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56,
                               0x1.715476p+0, 0x1.4ae0c0p-26);
  HighLow fraction = e.product(logOfMantissa(d.mantissa), log2E);
  HighLow sum = e.exactSumOrdered(d.exponent, fraction.high);
  HighLow log2 = e.exactSumOrdered(sum.high, sum.low + fraction.low);
  Expr zero = e.f(0.0);
  Expr isZero = a == zero;
  Expr isSpecial = isZero | (a == e.infinity());
  Expr special = e.select(isZero, -e.infinity(), e.infinity());
  return {e.select(isSpecial, special, log2.high),
          e.select(isSpecial, zero, log2.low)};
}

/// 2^(y log2) with y finite or not.
Expr powerOfLog(Expr y, HighLow log2) {
  MathEmitter &e = *y.emitter;
  double most = e.isDouble() ? 1100.0 : 160.0;
  Expr high = y * log2.high;
  Expr low = e.fma(y, log2.high, -high) + y * log2.low;
  // Far out only the sign of the exponent matters, and `low` may be NaN there.
  Expr isFar = (high > e.f(most)) | (high < e.f(-most));
  Expr bounded = e.atLeast(e.atMost(high, most), -most);
  low = e.select(isFar, e.f(0.0), low);
  RoundedInt k = e.roundProduct(bounded, e.f(1.0));
  Expr r = (bounded - k.number) + low;
  return e.scaleByPowerOfTwo(exp2M1Reduced(r) + e.f(1.0), k.integer);
}

} // namespace

Expr mlir::fuse::expandPow(Expr x, Expr y) {
  MathEmitter &e = *x.emitter;
  Expr zero = e.f(0.0), one = e.f(1.0);
  Expr a = e.abs(x);
  Expr power = powerOfLog(y, log2Pair(a));

  // |x| == 1 raised to an infinity, which is 0 * infinity above.
  power = e.select((a == one) & (e.abs(y) == e.infinity()), one, power);

  // A negative base, -0 included: odd y flips the sign.
  Expr half = y * e.f(0.5);
  Expr isInteger = e.floor(y) == y;
  Expr isOdd = isInteger & (e.floor(half) != half);
  power = e.select(isOdd, e.copySign(power, x), power);
  Expr isUndefined = (x < zero) & (x != -e.infinity()) & (e.floor(y) != y);
  power = e.select(isUndefined, e.nan(), power);

  power = e.select(e.compare(arith::CmpFPredicate::UNO, x, y), x + y, power);
  return e.select((x == one) | (y == zero), one, power);
}
