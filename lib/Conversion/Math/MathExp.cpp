//===- MathExp.cpp - exp, exp2 and expm1 ----------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exp(x) = 2^k e^r with k = round(x log2(e)) and r = x - k ln(2) in two steps
// (Cody and Waite), e^r = 1 + r + r^2 Q(r). CUDA's f32 exp takes 2^r from
// ex2.approx instead, with r in units of log2.
//
// The coefficients are from tools/accuracy/fit_math.py.
//
//===----------------------------------------------------------------------===//

#include "MathEmitter.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

// (e^r - 1 - r) / r^2 on |r| <= ln(2) / 2: relative to e^r - 1 within 2^-26,
// 2^-55 and, for 16-bit results, 2^-15.
constexpr double kExpF32[] = {0x1p-1, 0x1.5554acp-3, 0x1.5554fp-5,
                              0x1.122a4ap-7, 0x1.6d43aep-10};
constexpr double kExpF64[] = {0x1.0000000000005p-1,  0x1.5555555555559p-3,
                              0x1.55555555520a3p-5,  0x1.111111110f632p-7,
                              0x1.6c16c17f57106p-10, 0x1.a01a01b01addbp-13,
                              0x1.a019a610b0653p-16, 0x1.71ddf7c1f2481p-19,
                              0x1.28a33094a31e6p-22, 0x1.af5fce03c0cfap-26};
constexpr double kExpApprox[] = {0x1.fffe58p-2, 0x1.570d82p-3, 0x1.570d2p-5};

// (2^r - 1) / r on |r| <= 1/2: within 2^-28, 2^-57 and 2^-18 of 2^r.
constexpr double kExp2F32[] = {0x1.62e43p-1,  0x1.ebfbep-3,   0x1.c6af7p-5,
                               0x1.3b2a48p-7, 0x1.5f0f3ep-10, 0x1.4424e2p-13};
constexpr double kExp2F64[] = {
    0x1.62e42fefa39efp-1,  0x1.ebfbdff82c5a6p-3,  0x1.c6b08d704a183p-5,
    0x1.3b2ab6fb9fcfp-7,   0x1.5d87fe7888bf7p-10, 0x1.4309130fa5bfcp-13,
    0x1.ffcbfcdb55465p-17, 0x1.62bfc5a83e494p-20, 0x1.b5242367d976dp-24,
    0x1.e61e9f18c1823p-28, 0x1.eafc65ccd1cbfp-32};
constexpr double kExp2Approx[] = {0x1.62e0bcp-1, 0x1.ebf9a4p-3, 0x1.ca2064p-5,
                                  0x1.3cf1f4p-7};

constexpr double kLog2E = 0x1.71547652b82fep+0;

/// The constants that depend on the format. Beyond `most` the result
/// overflows; below `least` it rounds to zero.
struct ExpFormat {
  double most, least;
  double most2, least2;
  /// At and below this, expm1 is -1.
  double leastM1;
  double ln2High, ln2Low;
  ArrayRef<double> exp, exp2;
};

ExpFormat getExpFormat(const MathEmitter &e) {
  if (e.isDouble())
    return {710.0,
            -746.0,
            1025.0,
            -1076.0,
            -64.0,
            0x1.62e42fefa39efp-1,
            0x1.abc9e3b39803fp-56,
            kExpF64,
            kExp2F64};
  ArrayRef<double> exp = e.isApproximate() ? ArrayRef<double>(kExpApprox)
                                           : ArrayRef<double>(kExpF32);
  ArrayRef<double> exp2 = e.isApproximate() ? ArrayRef<double>(kExp2Approx)
                                            : ArrayRef<double>(kExp2F32);
  return {89.0,          -104.5,          129.0, -151.0, -32.0,
          0x1.62e430p-1, -0x1.05c610p-29, exp,   exp2};
}

/// x = k ln(2) + r with |r| <= ln(2) / 2, and e^r - 1.
struct ReducedExp {
  Expr k, expM1;
};

ReducedExp reduceExp(Expr x, const ExpFormat &format) {
  MathEmitter &e = *x.emitter;
  RoundedInt k = e.roundProduct(x, e.f(kLog2E));
  Expr r = e.fma(k.number, e.f(-format.ln2High), x);
  r = e.fma(k.number, e.f(-format.ln2Low), r);
  return {k.integer, e.fma(r * r, e.polynomial(r, format.exp), r)};
}

/// exp in f32 by ex2.approx on the reduced argument. k is clamped to normal
/// scales and ex2.approx takes what is left, so that overflow and denormals
/// come out of the last multiplication, rounded once.
Expr expByHardware(Expr x) {
  MathEmitter &e = *x.emitter;
  Expr bounded = e.atLeast(e.atMost(x, 88.0), -87.0);
  // Rounding by addition, with the bias of the exponent in the low bits.
  Expr magic = e.f(0x1.8p23 + 127);
  Expr shifted = e.fma(bounded, e.f(kLog2E), magic);
  Expr scale = e.fromBits(e.toBits(shifted) << e.i(23));
  constexpr double log2EHigh = 0x1.715476p+0, log2ELow = 0x1.4ae0cp-26;
  Expr r = e.fma(x, e.f(log2EHigh), magic - shifted);
  r = e.fma(x, e.f(log2ELow), r);
  return e.hardwareExp2Flushed(r) * scale;
}

/// exp(x) = 2^t e^r for x <= 0 without the parts of an exponent: t is x log2(e)
/// rounded, and r = x - t ln(2) is what the rounding took. The bound keeps -inf
/// from making r NaN.
Expr expOfNonpositive(Expr x) {
  MathEmitter &e = *x.emitter;
  Expr bounded = e.atLeast(x, -200.0);
  Expr t = bounded * e.f(kLog2E);
  Expr r = e.fma(t, e.f(-0x1.62e430p-1), bounded);
  Expr power = e.hardwareExp2Flushed(t);
  return e.fma(power, r, power);
}

/// The same where 16 bits are left of the result: 2^64 times as much has no
/// denormals, which only the last multiplication gives. The argument, 64 and
/// more, is rounded by 2^-18.
Expr narrowExpOfNonpositive(Expr x) {
  MathEmitter &e = *x.emitter;
  Expr scaled = e.hardwareExp2Flushed(e.fma(x, e.f(kLog2E), e.f(64.0)));
  return scaled * e.f(0x1p-64);
}

} // namespace

Expr mlir::fuse::expandExp(Expr x) {
  MathEmitter &e = *x.emitter;
  if (e.mayFlushDenormals())
    return e.hardwareExp2Flushed(x * e.f(kLog2E));
  if (e.hasHardwareMath() && e.isNonpositive())
    return e.isApproximate() ? narrowExpOfNonpositive(x) : expOfNonpositive(x);
  if (e.hasHardwareMath())
    return e.isApproximate() ? e.hardwareExp2(x * e.f(kLog2E))
                             : expByHardware(x);
  ExpFormat format = getExpFormat(e);
  Expr below = e.isNonpositive() ? x : e.atMost(x, format.most);
  ReducedExp reduced = reduceExp(e.atLeast(below, format.least), format);
  return e.scaleByPowerOfTwo(reduced.expM1 + e.f(1.0), reduced.k);
}

Expr mlir::fuse::exp2M1Reduced(Expr r) {
  MathEmitter &e = *r.emitter;
  return r * e.polynomial(r, getExpFormat(e).exp2);
}

Expr mlir::fuse::expandExp2(Expr x) {
  MathEmitter &e = *x.emitter;
  if (e.hasHardwareMath())
    return e.hardwareExp2(x);
  ExpFormat format = getExpFormat(e);
  Expr bounded = e.atLeast(e.atMost(x, format.most2), format.least2);
  RoundedInt k = e.roundProduct(bounded, e.f(1.0));
  Expr r = bounded - k.number;
  Expr power = e.fma(r, e.polynomial(r, format.exp2), e.f(1.0));
  return e.scaleByPowerOfTwo(power, k.integer);
}

Expr mlir::fuse::exp2Bounded(Expr t) {
  MathEmitter &e = *t.emitter;
  if (e.hasHardwareMath())
    return e.hardwareExp2(t);
  RoundedInt k = e.roundProduct(t, e.f(1.0));
  Expr r = t - k.number;
  Expr power = e.fma(r, e.polynomial(r, getExpFormat(e).exp2), e.f(1.0));
  return power * e.powerOfTwo(k.integer);
}

Expr mlir::fuse::expM1Unsigned(Expr x) {
  MathEmitter &e = *x.emitter;
  ExpFormat format = getExpFormat(e);
  Expr bounded = e.atLeast(e.atMost(x, format.most), format.leastM1);
  ReducedExp reduced = reduceExp(bounded, format);
  // Half the result, because 2^k alone would overflow before it does.
  Expr scale = e.powerOfTwo(reduced.k - e.i(1));
  Expr half = e.fma(reduced.expM1, scale, scale - e.f(0.5));
  return half + half;
}

Expr mlir::fuse::expandExpM1(Expr x) {
  return x.emitter->copySign(expM1Unsigned(x), x);
}
