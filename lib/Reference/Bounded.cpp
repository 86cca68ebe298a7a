//===- Bounded.cpp - A number with an error bound -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bounded.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <numeric>

using namespace mlir::fuse::reference;

/// What each operation is good to, in ULP of f32 and f64: docs/math.md has the
/// bounds of the expansions, on the CPU and on CUDA; the larger one counts.
namespace ulps {
static constexpr double correct = 0.5;
static constexpr double recip = 1.0;
static constexpr double quotient = 2.0;
static constexpr double sqrt = 1.0;
static constexpr double exp = 3.0;
static constexpr double logarithm = 2.0;
static constexpr double rsqrt = 2.0;
static constexpr double circular = 2.0;
static constexpr double tanh = 4.0;
static constexpr double erf = 4.0;
static constexpr double sigmoid = 4.0;
static constexpr double pow = 4.0;
} // namespace ulps

/// The oracle's own numbers are f64: with a program in f64 both err.
static constexpr double kOracleUlps = 1.0;

/// Of the accuracy's ULP, what a function computed in f32 may be off
/// (docs/math.md, `afn`).
static constexpr double kApproximationUlps = 0.25;

/// Bits of the significand.
static constexpr int kDoubleBits = 53, kFloatBits = 24;
/// The last bit of f32's smallest number is 2 to this power.
static constexpr int kLastFloatPlace = -149;

Arithmetic::Arithmetic(DType dtype, DType accuracy)
    : dtype(dtype), accuracy(accuracy),
      wide(isNarrow(dtype) ? DType::F32 : dtype), unit(0.5 * getUlp(wide, 1.0)),
      maxFinite(getMaxFinite(wide)), threshold(getOverflowThreshold(wide)) {}

Bounded Arithmetic::round(Bounded x, double ulps) const {
  if (x.isOverflow())
    return x;
  if (!std::isfinite(x.value) || !std::isfinite(x.error))
    return {x.value, x.isExact() ? 0.0 : kInfinity};
  // A zero that is certain is that of a sum, or of a function's zero, and such
  // a function's may have either sign.
  if (x.value == 0.0 && x.isKnown())
    return {x.value, ulps <= ulps::correct ? x.error : kZeroError};
  bool staysExact = ulps <= ulps::correct && x.isKnown() && dtype != DType::F64;
  if (staysExact && roundTo(dtype, x.value) == x.value)
    return x;

  double magnitude = x.magnitude();
  double local = ulps * getUlp(wide, magnitude);
  if (dtype == DType::F64)
    local += kOracleUlps * getUlp(wide, magnitude);
  if (isNarrow(dtype))
    local += getUlp(dtype, magnitude);
  else if (accuracy != dtype && ulps > ulps::correct)
    local += kApproximationUlps * getUlp(accuracy, 1.0) * magnitude;
  Bounded result = {x.value, x.error + local};
  if (std::fabs(x.value) - result.error >= threshold)
    return {std::copysign(kInfinity, x.value), 0.0};
  if (result.magnitude() > maxFinite)
    result.error = kInfinity;
  return result;
}

void TermMagnitudes::add(Bounded term) {
  positive += std::max(term.high(), 0.0);
  negative += std::max(-term.low(), 0.0);
  if (!term.isKnown()) {
    isExact = false;
  } else if (term.value != 0.0 && isExact) {
    // The place of the last bit that is set.
    int exponent;
    double fraction = std::fabs(std::frexp(term.value, &exponent));
    auto bits = static_cast<uint64_t>(std::ldexp(fraction, kDoubleBits));
    int lastPlace = exponent - kDoubleBits + llvm::countr_zero(bits);
    mostExact = std::min(mostExact, std::ldexp(1.0, lastPlace + kFloatBits));
    // A product may have bits that no f32 has.
    isExact = lastPlace >= kLastFloatPlace && sum() <= mostExact;
  }
}

bool TermMagnitudes::areAddedExactly(DType dtype) const {
  if (!isExact || sum() == 0.0)
    return isExact;
  // The oracle's own products of f64 are rounded.
  return dtype != DType::F64 && sum() <= getMaxFinite(DType::F32);
}

/// How many roundings, in units of the sum of magnitudes, the sum of so many
/// terms may have: those of a block of up to 256 terms, of which half count
/// where the terms are of one size, and some for each level above.
static double roundingsOfSum(double terms) {
  constexpr double ofBlock = 128.0, ofLevel = 4.0;
  return std::min(terms, ofBlock + ofLevel * std::log2(std::max(terms, 1.0)));
}

Bounded Arithmetic::accumulate(Bounded sum, const TermMagnitudes &magnitudes,
                               int64_t terms) const {
  // In f64 the oracle's own sum overflows, perhaps in another order only.
  if (!std::isfinite(sum.value) || !std::isfinite(sum.error))
    return {sum.value, kInfinity};
  if (sum.isExact() && magnitudes.areAddedExactly(dtype))
    return sum;
  double roundings = roundingsOfSum(terms);
  if (dtype == DType::F64)
    roundings *= 2.0;
  sum.error += roundings * (unit * magnitudes.sum() + getUlp(wide, 0.0));
  if (magnitudes.sum() <= maxFinite)
    return sum;
  // A partial sum may overflow. If those of one sign do not, what overflows is
  // the result; otherwise it may be the difference of two infinities.
  bool oneSign = magnitudes.lesser() <= maxFinite;
  if (oneSign && std::fabs(sum.value) - sum.error >= threshold)
    return {std::copysign(kInfinity, sum.value), kOverflowError};
  return {sum.value, kInfinity};
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

/// Whether it is a number in a program that does not round it.
static bool isFiniteBeforeRounding(Bounded x) {
  return std::isfinite(x.value) || x.isOverflow();
}

/// An infinity is certain unless numbers overflowed to it.
static Bounded markOverflow(Bounded x, bool mayOverflow) {
  bool overflows = mayOverflow && std::isinf(x.value) && x.isExact();
  return {x.value, overflows ? kOverflowError : x.error};
}

/// Whether the product may be finite when the addend comes to it unrounded. One
/// below half a unit in the last place of the largest number changes nothing.
bool Arithmetic::dependsOnRounding(Bounded product, Bounded addend) const {
  if (!product.isOverflow())
    return false;
  double alongProduct = product.value > 0.0 ? addend.low() : -addend.high();
  return alongProduct < -0.5 * getUlp(wide, maxFinite);
}

Bounded Arithmetic::roundProduct(Bounded product, Bounded x, Bounded y,
                                 double ulps) const {
  // What underflows in f64 is no zero where it is added before it is rounded.
  bool underflows = product.value == 0.0 && x.value != 0.0 && y.value != 0.0 &&
                    std::isfinite(x.value) && std::isfinite(y.value);
  if (underflows)
    product.error = std::max(product.error, getUlp(wide, 0.0));
  bool mayOverflow =
      (isFiniteBeforeRounding(x) && std::isfinite(y.value) && y.value != 0.0) ||
      (std::isfinite(x.value) && y.isOverflow());
  return markOverflow(round(product, ulps), mayOverflow);
}

Bounded Arithmetic::add(Bounded x, Bounded y) const {
  auto f = [](double a, double b) { return a + b; };
  if (dependsOnRounding(x, y) || dependsOnRounding(y, x))
    return {f(x.value, y.value), kInfinity};
  return markOverflow(round(mapMonotone(f, x, y), ulps::correct),
                      isFiniteBeforeRounding(x) && isFiniteBeforeRounding(y));
}

Bounded Arithmetic::sub(Bounded x, Bounded y) const { return add(x, neg(y)); }

/// A zero, and not one that only an error allows.
static bool isCertainZero(Bounded x) { return x.value == 0.0 && x.isKnown(); }

Bounded Arithmetic::mul(Bounded x, Bounded y) const {
  if ((isCertainZero(x) && y.magnitude() < kInfinity) ||
      (isCertainZero(y) && x.magnitude() < kInfinity))
    return {x.value * y.value, x.isExact() && y.isExact() ? 0.0 : kZeroError};
  auto f = [](double a, double b) { return a * b; };
  return roundProduct(mapMonotone(f, x, y), x, y, ulps::correct);
}

static Bounded divide(Bounded x, Bounded y) {
  if (isCertainZero(x) && isCertainZero(y))
    return {kNaN, 0.0};
  Bounded quotient =
      mapMonotone([](double a, double b) { return a / b; }, x, y);
  if (!y.isExact() && y.mayBeZero())
    quotient.error = kInfinity;
  return quotient;
}

Bounded Arithmetic::div(Bounded x, Bounded y) const {
  return roundProduct(divide(x, y), x, y, ulps::correct);
}

Bounded Arithmetic::quotient(Bounded x, Bounded y) const {
  return roundProduct(divide(x, y), x, y,
                      wide == DType::F64 ? ulps::correct : ulps::quotient);
}

Bounded Arithmetic::pow(Bounded x, Bounded y) const {
  auto f = [](double a, double b) { return std::pow(a, b); };
  Bounded power = mapMonotone(f, x, y);
  // Across zero a power is not monotone, and below zero only integers have one.
  if (x.low() <= 0.0 && x.high() >= 0.0 && !x.isExact())
    power =
        power.isUnbounded() ? power : include(power, std::pow(0.0, y.value));
  if (x.low() <= 0.0 && !y.isKnown())
    power.error = kInfinity;
  // 1 to the power of what is no number is 1, and so is that to the power of 0.
  auto mayBe = [](Bounded z, double number) {
    return !z.isExact() && z.low() <= number && number <= z.high();
  };
  if ((std::isnan(y.value) && mayBe(x, 1.0)) ||
      (std::isnan(x.value) && mayBe(y, 0.0)))
    power.error = kInfinity;
  return round(power, ulps::pow);
}

/// The quotient that fmod takes from `x`, an integer.
static double quotientOfFmod(double x, double y) {
  return std::round((x - std::fmod(x, y)) / y);
}

Bounded Arithmetic::fmod(Bounded x, Bounded y) {
  auto isNaN = [](Bounded z) { return std::isnan(z.value) && z.isExact(); };
  Bounded rest = {std::fmod(x.value, y.value), 0.0};
  if ((x.isExact() && y.isExact()) || isNaN(x) || isNaN(y))
    return rest;
  if (x.isUnbounded() || y.isUnbounded() || y.mayBeZero() ||
      !std::isfinite(x.value))
    return {rest.value, kInfinity};
  // Where the quotient is certain, the rest is linear in both.
  double quotient = quotientOfFmod(x.value, y.value);
  bool isCertain = true;
  for (double a : {x.low(), x.high()})
    for (double b : {y.low(), y.high()})
      isCertain &= quotientOfFmod(a, b) == quotient;
  // All that it can be has less than the divisor's magnitude.
  rest.error = std::fabs(rest.value) + y.magnitude();
  if (isCertain)
    rest.error = std::min(
        rest.error,
        x.error + (quotient == 0.0 ? 0.0 : std::fabs(quotient) * y.error));
  return rest;
}

Bounded Arithmetic::remainder(Bounded x, Bounded y) const {
  Bounded rest = fmod(x, y);
  if (!(std::isfinite(rest.value) && std::isfinite(rest.error)))
    return rest;
  bool isLeft = rest.value != 0.0 && (rest.value < 0.0) != (y.value < 0.0);
  Bounded result = isLeft ? add(rest, y) : rest;
  bool isCertain = rest.isExact() || rest.low() > 0.0 || rest.high() < 0.0;
  if (!isCertain)
    result.error = std::fabs(result.value) + y.magnitude();
  return result;
}

Bounded Arithmetic::min(Bounded x, Bounded y) {
  auto f = [](double a, double b) {
    if (std::isnan(a) || std::isnan(b))
      return kNaN;
    return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
  };
  return mapMonotone(f, x, y);
}

Bounded Arithmetic::max(Bounded x, Bounded y) {
  auto f = [](double a, double b) {
    if (std::isnan(a) || std::isnan(b))
      return kNaN;
    return larger(a, b);
  };
  return mapMonotone(f, x, y);
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

Bounded Arithmetic::sign(Bounded x) {
  auto f = [](double a) { return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a; };
  return mapMonotone(f, x);
}

Bounded Arithmetic::floor(Bounded x) {
  return mapMonotone([](double a) { return std::floor(a); }, x);
}

Bounded Arithmetic::ceil(Bounded x) {
  return mapMonotone([](double a) { return std::ceil(a); }, x);
}

Bounded Arithmetic::roundEven(Bounded x) {
  return mapMonotone([](double a) { return std::nearbyint(a); }, x);
}

Bounded Arithmetic::trunc(Bounded x) {
  return mapMonotone([](double a) { return std::trunc(a); }, x);
}

/// One below the smallest normal f32 may count as 0, as it does where the
/// exponentials of attention are computed for many lanes at a time.
static Bounded mayVanish(Bounded x) {
  constexpr double smallest = std::numeric_limits<float>::min();
  if (std::fabs(x.value) < smallest)
    x.error = std::max(x.error, std::fabs(x.value));
  return x;
}

Bounded Arithmetic::exp(Bounded x) const {
  auto f = [](double a) { return std::exp(a); };
  double y = f(x.value);
  // exp(e) - 1 <= e + e^2 for e <= 1; one exp instead of three.
  bool isClose = x.error <= 0.5 && std::isfinite(y);
  Bounded result = round(isClose ? Bounded{y, y * (x.error + x.error * x.error)}
                                 : mapMonotone(f, x),
                         ulps::exp);
  return isF64() ? result : mayVanish(result);
}

Bounded Arithmetic::exp2(Bounded x) const {
  return round(mapMonotone([](double a) { return std::exp2(a); }, x),
               ulps::exp);
}

Bounded Arithmetic::expm1(Bounded x) const {
  return round(mapMonotone([](double a) { return std::expm1(a); }, x),
               ulps::exp);
}

Bounded Arithmetic::log(Bounded x) const {
  return round(mapMonotone([](double a) { return std::log(a); }, x),
               ulps::logarithm);
}

Bounded Arithmetic::log2(Bounded x) const {
  return round(mapMonotone([](double a) { return std::log2(a); }, x),
               ulps::logarithm);
}

Bounded Arithmetic::log1p(Bounded x) const {
  return round(mapMonotone([](double a) { return std::log1p(a); }, x),
               ulps::logarithm);
}

Bounded Arithmetic::sqrt(Bounded x) const {
  return round(mapMonotone([](double a) { return std::sqrt(a); }, x),
               ulps::sqrt);
}

Bounded Arithmetic::rsqrt(Bounded x) const {
  return round(mapMonotone([](double a) { return 1.0 / std::sqrt(a); }, x),
               ulps::rsqrt);
}

Bounded Arithmetic::recip(Bounded x) const {
  Bounded y = mapMonotone([](double a) { return 1.0 / a; }, x);
  if (!x.isExact() && x.mayBeZero())
    y.error = kInfinity;
  return round(y, ulps::recip);
}

/// Both circular functions have a slope of at most 1 and a range of 2.
static Bounded mapCircular(double value, Bounded x) {
  if (x.isKnown())
    return {value, 0.0};
  return {value, x.isUnbounded() ? kInfinity : std::min(x.error, 2.0)};
}

Bounded Arithmetic::sin(Bounded x) const {
  return round(mapCircular(std::sin(x.value), x), ulps::circular);
}

Bounded Arithmetic::cos(Bounded x) const {
  return round(mapCircular(std::cos(x.value), x), ulps::circular);
}

Bounded Arithmetic::tanh(Bounded x) const {
  return round(mapMonotone([](double a) { return std::tanh(a); }, x),
               ulps::tanh);
}

Bounded Arithmetic::erf(Bounded x) const {
  return round(mapMonotone([](double a) { return std::erf(a); }, x), ulps::erf);
}

Bounded Arithmetic::sigmoid(Bounded x) const {
  auto f = [](double a) { return 1.0 / (1.0 + std::exp(-a)); };
  Bounded y = round(mapMonotone(f, x), ulps::sigmoid);
  // exp(-x) overflows before 1 / exp(-x) underflows. A NaN stays one for sure.
  if (!std::isnan(y.value))
    y.error += wide == DType::F64 ? 0x1p-1022 : 0x1p-126;
  return y;
}
