//===- MathTrig.cpp - sin and cos -----------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An angle is reduced to a quadrant and a remainder r + low, |r| <= pi / 4.
// Small angles subtract k (pi / 2) in three parts (Cody and Waite); rare large
// ones multiply by enough bits of 1 / (2 pi), found by the exponent (Payne and
// Hanek), in the fixed-point turns of MathExpansion.h.
//
// The coefficients are from tools/accuracy/fit_math.py.
//
//===----------------------------------------------------------------------===//

#include "MathEmitter.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {

// (sin(r) - r) / r^3 in r^2: within 2^-32 and 2^-57 of sin(r) / r.
constexpr double kSinF32[] = {-0x1.555556p-3, 0x1.111166p-7, -0x1.a04a64p-13,
                              0x1.785bfcp-19};
constexpr double kSinF64[] = {-0x1.5555555555548p-3,  0x1.111111110f74fp-7,
                              -0x1.a01a019beea53p-13, 0x1.71de355a95e44p-19,
                              -0x1.ae5e4ff5d7264p-26, 0x1.5d8ca36ded477p-33};

// (cos(r) - 1 + r^2 / 2) / r^4 in r^2: within 2^-33 and 2^-64.
constexpr double kCosF32[] = {0x1.55554ap-5, -0x1.6c0c2ap-10, 0x1.99e8c8p-16};
constexpr double kCosF64[] = {0x1.555555555554bp-5,  -0x1.6c16c16c1502bp-10,
                              0x1.a01a019c91fc8p-16, -0x1.27e4f7f39861ep-22,
                              0x1.1ee9dcfb2576ep-29, -0x1.8fa6f70cbee39p-37};

// sin(2 pi t) = t (2 pi + t^2 S(t^2)) and cos(2 pi t) = 1 + t^2 C(t^2) for
// |t| <= 1/8: within 2^-30 and 2^-60.
constexpr double kSinTurnsF32[] = {-0x1.4abbcep+5, 0x1.466b82p+6,
                                   -0x1.32b458p+6, 0x1.465b16p+5};
constexpr double kSinTurnsF64[] = {-0x1.4abbce625be53p+5, 0x1.466bc6775ab5dp+6,
                                   -0x1.32d2cce636314p+6, 0x1.50783495089f3p+5,
                                   -0x1.e30760677c856p+3, 0x1.e8fd7035629fcp+1,
                                   -0x1.705ee84640fa2p-1};
constexpr double kCosTurnsF32[] = {-0x1.3bd3ccp+4, 0x1.03c1a2p+6,
                                   -0x1.559f32p+6, 0x1.c52aa6p+5, 0x1.f47a1p+5};
constexpr double kCosTurnsF64[] = {
    -0x1.3bd3cc9be45dep+4, 0x1.03c1f081b5a53p+6,  -0x1.55d3c7e3bf18bp+6,
    0x1.e1f50671a9b8cp+5,  -0x1.a6d1db32166eep+4, 0x1.f9b94b1b3706bp+2,
    -0x1.a77110f8f38a1p+0, -0x1.4bcb9cf542ca7p-1};

/// 2 pi and its parts.
constexpr double kTau = 0x1.921fb54442d18p+2;
constexpr double kTauLow = 0x1.1a62633145c07p-52;
constexpr double kTauF32 = 0x1.921fb6p+2;
constexpr double kTauLowF32 = -0x1.777a5cp-23;

/// 64-bit words of 1 / (2 pi) after a word of zeros; bit 63 of the second word
/// is worth 1/2.
constexpr uint64_t kInverseTau[] = {
    0x0000000000000000, 0x28be60db9391054a, 0x7f09d5f47d4d3770,
    0x36d8a5664f10e410, 0x7f9458eaf7aef158, 0x6dc91b8e909374b8,
    0x01924bba82746487, 0x3f877ac72c4a69cf, 0xba208d7d4baed121,
    0x3a671c09ad17df90, 0x4e64758e60d4ce7d, 0x272117e2ef7e4a0e,
    0xc7fe25fff7816603, 0xfbcbc462d6829b47, 0xdb4d9fb3c9f2c26d,
    0xd3d18fd9a797fa8b, 0x5d49eeb1faf97c5e, 0xcf41ce7de294a4ba,
    0x9afed7ec47e35742, 0x1580cc11bf1edaea, 0xfc33ef0826bd0d87};

/// x = quadrant * pi / 2 + r.high + r.low; of the quadrant, an integer of any
/// width, only the low two bits count.
struct Angle {
  Expr quadrant;
  HighLow r;
};

/// i64 arithmetic in the shape of the float type.
class Words {
public:
  explicit Words(MathEmitter &emitter)
      : e(emitter), type(e.withElement(e.getBuilder().getI64Type())) {}

  Expr constant(uint64_t value) {
    auto attr = e.getBuilder().getI64IntegerAttr(static_cast<int64_t>(value));
    if (auto vector = dyn_cast<VectorType>(type))
      return e.make<arith::ConstantOp>(
          DenseElementsAttr::get(vector, ArrayRef<Attribute>(attr)));
    return e.make<arith::ConstantOp>(attr);
  }
  Expr extend(Expr a) {
    return a.value.getType() == type ? a
                                     : e.make<arith::ExtUIOp>(type, a.value);
  }
  Expr isNonZero(Expr a) {
    return e.compare(arith::CmpIPredicate::ne, a, constant(0));
  }
  Expr isLess(Expr a, Expr b) {
    return e.compare(arith::CmpIPredicate::ult, a, b);
  }
  /// The high word of the 128-bit product.
  Expr multiplyHigh(Expr a, Expr b) {
    auto product = arith::MulUIExtendedOp::create(e.getBuilder(), e.getLoc(),
                                                  a.value, b.value);
    return e.wrap(product.getHigh());
  }

private:
  MathEmitter &e;
  Type type;
};

/// The `count` words of 1 / (2 pi) that start at bit `position` of kInverseTau,
/// a multiplexer tree over the words; positions go up to 64 * 2^levels - 1.
SmallVector<Expr> inverseTauAt(MathEmitter &e, Expr position, unsigned count,
                               unsigned levels) {
  Words w(e);
  SmallVector<Expr> words;
  for (unsigned i = 0, n = (1u << levels) + count; i < n; ++i)
    words.push_back(
        w.constant(i < std::size(kInverseTau) ? kInverseTau[i] : 0));
  for (unsigned level = levels; level-- > 0;) {
    unsigned step = 1u << level;
    Expr isSet = w.isNonZero(position & w.constant(uint64_t(64) << level));
    SmallVector<Expr> shifted;
    for (unsigned i = 0; i < step + count; ++i)
      shifted.push_back(e.select(isSet, words[i + step], words[i]));
    words = shifted;
  }
  Expr shift = position & w.constant(63);
  Expr opposite = w.constant(63) - shift;
  SmallVector<Expr> window;
  for (unsigned i = 0; i < count; ++i)
    window.push_back((words[i] << shift) |
                     ((words[i + 1] >> w.constant(1)) >> opposite));
  return window;
}

/// A 128-bit fraction of a turn; `low` is the less significant word.
struct Turns {
  Expr high, low;
};

/// The angle of `turns`; at most the low 64 bits of the remainder are dropped.
Angle angleOfTurns(MathEmitter &e, Turns turns) {
  Words w(e);
  Expr quadrant =
      (turns.high + w.constant(uint64_t(1) << 61)) >> w.constant(62);
  Expr rest = turns.high - (quadrant << w.constant(62));
  Expr high = e.toFloat(rest);
  double scale = std::ldexp(1.0, -64);
  if (!e.isDouble()) {
    // One float of the remainder is enough, a second one of its angle is not.
    HighLow r = e.exactProduct(high * e.f(scale), e.f(kTauF32));
    r.low = e.fma(high * e.f(scale), e.f(kTauLowF32), r.low);
    return {quadrant, r};
  }
  Expr residue =
      rest - e.make<arith::FPToSIOp>(rest.value.getType(), high.value);
  Expr fraction = e.make<arith::UIToFPOp>(e.getFloatType(), turns.low.value);
  Expr low = e.fma(fraction, e.f(scale), e.toFloat(residue));
  HighLow t = e.exactSumOrdered(high, low);
  t = {t.high * e.f(scale), t.low * e.f(scale)};
  return {quadrant, e.product(t, {e.f(kTau), e.f(kTauLow)})};
}

/// Payne and Hanek: for |x| above the limit of Cody and Waite. NaN for the
/// infinities.
Angle reduceLarge(Expr x) {
  MathEmitter &e = *x.emitter;
  Words w(e);
  unsigned mantissaBits = e.mantissaBits();
  Expr bits = w.extend(e.toBits(e.abs(x)));
  Expr exponent = bits >> w.constant(mantissaBits);
  uint64_t implicitOne = uint64_t(1) << mantissaBits;
  Expr m = (bits & w.constant(implicitOne - 1)) | w.constant(implicitOne);
  // x = m 2^k, and bit 64 + k of the table is the first below one turn.
  Expr position =
      exponent + w.constant(64 - e.exponentBias() - int64_t(mantissaBits));

  Turns turns;
  if (e.isDouble()) {
    SmallVector<Expr> c = inverseTauAt(e, position, 3, 5);
    turns.low = m * c[1];
    turns.high = m * c[0] + w.multiplyHigh(m, c[1]);
    Expr sum = turns.low + w.multiplyHigh(m, c[2]);
    Expr carry = e.make<arith::ExtUIOp>(sum.value.getType(),
                                        w.isLess(sum, turns.low).value);
    turns = {turns.high + carry, sum};
  } else {
    SmallVector<Expr> c = inverseTauAt(e, position, 2, 2);
    Expr upperHalf = c[1] >> w.constant(32);
    turns = {m * c[0] + ((m * upperHalf) >> w.constant(32)), w.constant(0)};
  }
  Angle angle = angleOfTurns(e, turns);
  // The angle of -|x|, and NaN where x is infinite.
  Expr isNegative = x < e.f(0.0);
  Expr nanIfInfinite = x - x;
  HighLow r = {angle.r.high + nanIfInfinite, angle.r.low};
  return {e.select(isNegative, w.constant(0) - angle.quadrant, angle.quadrant),
          {e.select(isNegative, -r.high, r.high),
           e.select(isNegative, -r.low, r.low)}};
}

/// Cody and Waite: k has so few bits that x - k p1 is exact.
Angle reduceSmall(Expr x) {
  MathEmitter &e = *x.emitter;
  bool isDouble = e.isDouble();
  Expr p1 = e.f(isDouble ? -0x1.921fb54442d18p+0 : -0x1.921fb6p+0);
  Expr p2 = e.f(isDouble ? -0x1.1a62633145c07p-54 : 0x1.777a5cp-25);
  Expr p3 = e.f(isDouble ? 0x1.f1976b7ed8fbcp-110 : 0x1.ee59dap-50);
  RoundedInt k = e.roundProduct(x, e.f(0.63661977236758134));
  Expr first = e.fma(k.number, p1, x);
  // These may cancel too, so that every error of theirs has to be kept.
  HighLow second = e.exactProduct(k.number, p2);
  HighLow r = e.exactSum(first, second.high);
  r.low = r.low + e.fma(k.number, p3, second.low);
  return {k.integer, r};
}

Angle reduceAngle(Expr x) {
  MathEmitter &e = *x.emitter;
  Angle small = reduceSmall(x);
  Expr limit = e.f(std::ldexp(1.0, e.isDouble() ? 20 : 16));
  SmallVector<Expr> parts = e.unlessRare(
      e.abs(x) > limit, {small.quadrant, small.r.high, small.r.low}, [&] {
        Angle large = reduceLarge(x);
        Expr quadrant = large.quadrant;
        if (!e.isDouble())
          quadrant = e.make<arith::TruncIOp>(e.getIntType(), quadrant.value);
        return SmallVector<Expr>{quadrant, large.r.high, large.r.low};
      });
  return {parts[0], {parts[1], parts[2]}};
}

Expr sinOfRemainder(HighLow r) {
  MathEmitter &e = *r.high.emitter;
  Expr z = r.high * r.high;
  Expr tail =
      e.isDouble() ? e.polynomial(z, kSinF64) : e.polynomial(z, kSinF32);
  Expr slope = e.fma(z, e.f(-0.5), e.f(1.0));
  return r.high + e.fma(r.high * z, tail, r.low * slope);
}

Expr cosOfRemainder(HighLow r) {
  MathEmitter &e = *r.high.emitter;
  Expr z = r.high * r.high;
  Expr tail =
      e.isDouble() ? e.polynomial(z, kCosF64) : e.polynomial(z, kCosF32);
  // 1 - z / 2 as a pair, so that only the last addition rounds.
  Expr one = e.f(1.0);
  Expr half = z * e.f(0.5);
  Expr high = one - half;
  Expr low = (one - high) - half;
  return high + (low + e.fma(z * z, tail, -(r.high * r.low)));
}

/// (sin, cos) of a quadrant plus a remainder with the given sin and cos.
std::pair<Expr, Expr> rotate(Expr quadrant, Expr sin, Expr cos) {
  MathEmitter &e = *sin.emitter;
  auto isSet = [&](Expr a, int64_t bit) {
    Type type = a.value.getType();
    auto constant = [&](int64_t value) {
      Type element = getElementTypeOrSelf(type);
      TypedAttr attr = e.getBuilder().getIntegerAttr(element, value);
      if (auto vector = dyn_cast<VectorType>(type))
        attr = DenseElementsAttr::get(vector, ArrayRef<Attribute>(attr));
      return e.make<arith::ConstantOp>(attr);
    };
    return e.compare(arith::CmpIPredicate::ne, a & constant(bit), constant(0));
  };
  Expr isOdd = isSet(quadrant, 1);
  Expr isLower = isSet(quadrant, 2);
  Expr sinOfSum = e.select(isOdd, cos, sin);
  Expr cosOfSum = e.select(isOdd, sin, cos);
  return {e.select(isLower, -sinOfSum, sinOfSum),
          e.select(isLower ^ isOdd, -cosOfSum, cosOfSum)};
}

std::pair<Value, Value> sinCosOfTurns(OpBuilder &builder, Location loc,
                                      Value turns, FloatType element) {
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(turns.getType()))
    type = VectorType::get(vector.getShape(), element);
  MathEmitter e(builder, loc, type, MathExpansionOptions());
  Words w(e);
  Expr whole = e.wrap(turns);
  Expr quadrant = (whole + w.constant(uint64_t(1) << 61)) >> w.constant(62);
  Expr rest = whole - (quadrant << w.constant(62));
  Expr t = e.toFloat(rest) * e.f(std::ldexp(1.0, -64));
  Expr z = t * t;

  bool isDouble = e.isDouble();
  Expr sinTail =
      isDouble ? e.polynomial(z, kSinTurnsF64) : e.polynomial(z, kSinTurnsF32);
  Expr cosTail =
      isDouble ? e.polynomial(z, kCosTurnsF64) : e.polynomial(z, kCosTurnsF32);
  // 2 pi as a pair: its rounding alone would cost half an ULP.
  Expr low = e.fma(z, sinTail, e.f(isDouble ? kTauLow : kTauLowF32));
  Expr sin = e.fma(t, e.f(isDouble ? kTau : kTauF32), t * low);
  Expr cos = e.fma(z, cosTail, e.f(1.0));
  auto [sinOfAngle, cosOfAngle] = rotate(quadrant, sin, cos);
  return {sinOfAngle.value, cosOfAngle.value};
}

} // namespace

Expr mlir::fuse::expandSin(Expr x) {
  MathEmitter &e = *x.emitter;
  Angle angle = reduceAngle(x);
  Expr sin =
      rotate(angle.quadrant, sinOfRemainder(angle.r), cosOfRemainder(angle.r))
          .first;
  // The reduction loses the sign of zero.
  return e.select(x == e.f(0.0), x, sin);
}

Expr mlir::fuse::expandCos(Expr x) {
  Angle angle = reduceAngle(x);
  return rotate(angle.quadrant, sinOfRemainder(angle.r),
                cosOfRemainder(angle.r))
      .second;
}

std::pair<Value, Value>
mlir::fuse::buildSinCosOfTurns(OpBuilder &builder, Location loc, Value turns) {
  return sinCosOfTurns(builder, loc, turns, builder.getF32Type());
}

std::pair<Value, Value> mlir::fuse::buildSinCosOfTurnsF64(OpBuilder &builder,
                                                          Location loc,
                                                          Value turns) {
  return sinCosOfTurns(builder, loc, turns, builder.getF64Type());
}

uint64_t mlir::fuse::turnsOfAngle(long double radians) {
  constexpr long double tau = 6.283185307179586476925286766559005768L;
  long double turns = radians / tau;
  // Rounding may give a whole turn, which is none.
  long double units =
      std::floor(std::ldexp(turns - std::floor(turns), 64) + 0.5L);
  return units < 0x1p64L ? static_cast<uint64_t>(units) : 0;
}
