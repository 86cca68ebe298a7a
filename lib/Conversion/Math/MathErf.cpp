//===- MathErf.cpp - tanh and erf -----------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both are odd and tend to 1: near zero an odd polynomial keeps the relative
// accuracy; further out the distance to 1 is an exponential that needs little.
//
// The coefficients are from tools/accuracy/fit_math.py.
//
//===----------------------------------------------------------------------===//

#include "MathEmitter.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

// (tanh(x) - x) / x^3 in x^2 on |x| <= 0.56: within 2^-29 and 2^-14 of tanh(x)
// / x.
constexpr double kTanhF32[] = {-0x1.555548p-2, 0x1.110c7p-3, -0x1.b90a7cp-5,
                               0x1.584296p-6, -0x1.958f42p-8};
constexpr double kTanhApprox[] = {-0x1.535964p-2, 0x1.cd5228p-4};

// erf(x) / x - 1 in x^2 on |x| <= 1: within 2^-29, 2^-56 and 2^-15.
constexpr double kErfF32[] = {0x1.06eba8p-3,  -0x1.81274p-2, 0x1.ce2d5p-4,
                              -0x1.b7fe8ep-6, 0x1.542deep-8, -0x1.a5099ep-11,
                              0x1.4c2f4cp-14};
constexpr double kErfF64[] = {
    0x1.06eba8214db69p-3,   -0x1.812746b037a02p-2,  0x1.ce2f21a043b39p-4,
    -0x1.b82ce312c904p-6,   0x1.565bcd17e78b1p-8,   -0x1.c02db5bf44215p-11,
    0x1.f9a35d6154cf9p-14,  -0x1.f4d6e39d4c49fp-17, 0x1.ba29d078221cbp-20,
    -0x1.622465af90574p-23, 0x1.11289c19070a9p-26,  -0x1.fbaaf1883688p-30,
    0x1.46d476713e659p-32,  -0x1.371953252d2fdp-35};
constexpr double kErfApprox[] = {0x1.06dcaep-3, -0x1.803206p-2, 0x1.ba43aap-4,
                                 -0x1.2e72f2p-6};

// log2(erfc(x)) in x - c from 1 to 2c - 1, where erf rounds to 1; c is 2.5 for
// f32 and 3.5 for f64. erfc is within 2^-29, 2^-58 and 2^-21, absolutely.
constexpr double kErfcF32[] = {-0x1.686954p+3, -0x1.ee3a3ap+2, -0x1.5c9a6p+0,
                               -0x1.fa177p-7,  0x1.d31a5p-9,   -0x1.c5fe8ep-13,
                               0x1.1a66acp-12};
constexpr double kErfcF64[] = {
    -0x1.45c254117598p+4,   -0x1.4f72d15a472c1p+3,  -0x1.650d03c0ee469p+0,
    -0x1.ee13f6c1138ebp-8,  0x1.4a6c5227ee174p-10,  -0x1.bda699a238f8cp-13,
    0x1.27303c32daee8p-15,  -0x1.7834eb0e5ca18p-18, 0x1.c34aa168bbbdp-21,
    -0x1.1699bbe216002p-23, 0x1.9d22e5bcef76bp-30,  -0x1.4eb0e05ad88bcp-28,
    0x1.95e451b6d354ap-29,  0x1.236b3bd1b61e7p-28,  0x1.526fc97941939p-29,
    0x1.e5b53522effa8p-31,  0x1.ae18f3e97d764p-33,  0x1.c2de74c3179cbp-36,
    0x1.a279bafe149dap-40};
constexpr double kErfcApprox[] = {-0x1.68646cp+3, -0x1.edee0ap+2,
                                  -0x1.59aabcp+0, -0x1.bc788p-9, 0x1.1cd164p-7};

/// tanh of a >= 0 in f32.
Expr tanhF32(Expr a) {
  MathEmitter &e = *a.emitter;
  Expr z = a * a;
  Expr tail = e.isApproximate() ? e.polynomial(z, kTanhApprox)
                                : e.polynomial(z, kTanhF32);
  Expr near = e.fma(a * z, tail, a);

  // 1 - 2 / (e^(2a) + 1); from a = 10 on this is 1.
  constexpr double twoLog2E = 2.8853900817779268;
  Expr denominator = exp2Bounded(e.atMost(a, 10.0) * e.f(twoLog2E)) + e.f(1.0);
  Expr reciprocal = e.hasHardwareMath() ? e.hardwareReciprocal(denominator)
                                        : e.f(1.0) / denominator;
  Expr far = e.fma(reciprocal, e.f(-2.0), e.f(1.0));
  return e.select(a < e.f(0.55), near, far);
}

/// tanh of a >= 0 in f64; from a = 22 on this is 1.
Expr tanhF64(Expr a) {
  MathEmitter &e = *a.emitter;
  Expr bounded = e.atMost(a, 22.0);
  Expr expM1 = expM1Unsigned(bounded + bounded);
  return expM1 / (expM1 + e.f(2.0));
}

struct ErfFormat {
  double centre;
  ArrayRef<double> near, far;
};

ErfFormat getErfFormat(const MathEmitter &e) {
  if (e.isDouble())
    return {3.5, kErfF64, kErfcF64};
  if (e.isApproximate())
    return {2.5, kErfApprox, kErfcApprox};
  return {2.5, kErfF32, kErfcF32};
}

} // namespace

Expr mlir::fuse::expandTanh(Expr x) {
  MathEmitter &e = *x.emitter;
  if (e.mayUseTanhApprox())
    return e.hardwareTanh(x);
  Expr a = e.abs(x);
  return e.copySign(e.isDouble() ? tanhF64(a) : tanhF32(a), x);
}

Expr mlir::fuse::expandErf(Expr x) {
  MathEmitter &e = *x.emitter;
  ErfFormat format = getErfFormat(e);
  Expr a = e.abs(x);
  Expr near = e.fma(a, e.polynomial(a * a, format.near), a);
  Expr t = e.atMost(a, 2 * format.centre - 1) - e.f(format.centre);
  Expr far = e.f(1.0) - exp2Bounded(e.polynomial(t, format.far));
  return e.copySign(e.select(a < e.f(1.0), near, far), x);
}
