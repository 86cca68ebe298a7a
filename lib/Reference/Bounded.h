//===- Bounded.h - A number with an error bound -----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The running error analysis. A bound passes through a function by evaluating
// it at the ends of the interval, which needs no derivative and sees poles,
// overflow and jumps: where the ends are not of one kind (finite, the same
// infinity, NaN), nothing can be said and the bound is infinite. Then the
// rounding of the operation itself is added.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_REFERENCE_BOUNDED_H
#define FUSE_LIB_REFERENCE_BOUNDED_H

#include "fuse/Reference/Value.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mlir::fuse::reference {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The error of an infinity that a product or a sum of finite numbers was
/// rounded to, and of a zero that may have either sign.
inline constexpr double kOverflowError =
    std::numeric_limits<double>::denorm_min();
inline constexpr double kZeroError = kOverflowError;

/// A correct program's number is within `error` of `value`. An `error` of
/// infinity allows everything, also NaN; an infinite or NaN `value` with an
/// `error` of 0 is certain. So is an overflow, but an addition may take it as
/// part of an fma, which does not round the product, or as part of a longer
/// sum, which the other terms make finite again.
struct Bounded {
  double value = 0.0;
  double error = 0.0;

  double low() const { return value - error; }
  double high() const { return value + error; }
  double magnitude() const { return std::fabs(value) + error; }
  bool isExact() const { return error == 0.0; }
  /// Exact, but for the rounding of an overflow or the sign of a zero.
  bool isKnown() const {
    return isExact() || isOverflow() || (value == 0.0 && error == kZeroError);
  }
  bool isUnbounded() const { return error == kInfinity; }
  bool isOverflow() const {
    return std::isinf(value) && error == kOverflowError;
  }
  bool mayBeZero() const { return isUnbounded() || std::fabs(value) <= error; }
};

/// The larger of two numbers, of zeros the positive one.
inline double larger(double a, double b) {
  return a == b && std::signbit(a) ? b : std::max(a, b);
}

/// `x`, widened until the number `other` is among what it allows. A zero of
/// either sign is none that one could divide by and be certain.
inline Bounded include(Bounded x, double other) {
  if (x.value == 0.0 && other == 0.0 &&
      std::signbit(x.value) != std::signbit(other))
    return {x.value, std::max(x.error, kZeroError)};
  bool sameKind =
      other == x.value || (std::isnan(other) && std::isnan(x.value));
  if (sameKind)
    return x;
  double distance = std::fabs(other - x.value);
  if (std::isnan(distance))
    distance = kInfinity;
  return {x.value, std::max(x.error, distance)};
}

/// f(x) for a monotone f.
template <typename Function> Bounded mapMonotone(Function f, Bounded x) {
  Bounded y = {f(x.value), 0.0};
  if (x.isExact())
    return y;
  if (x.isUnbounded())
    return {y.value, kInfinity};
  return include(include(y, f(x.low())), f(x.high()));
}

/// f(x, y) for an f that is monotone in each argument over the intervals.
template <typename Function>
Bounded mapMonotone(Function f, Bounded x, Bounded y) {
  Bounded z = {f(x.value, y.value), 0.0};
  if (x.isExact() && y.isExact())
    return z;
  auto isNaN = [](Bounded a) { return std::isnan(a.value) && a.isExact(); };
  if (std::isnan(z.value) && (isNaN(x) || isNaN(y)))
    return z;
  if (x.isUnbounded() || y.isUnbounded())
    return {z.value, kInfinity};
  z = include(include(z, f(x.low(), y.low())), f(x.low(), y.high()));
  return include(include(z, f(x.high(), y.low())), f(x.high(), y.high()));
}

/// The largest magnitudes that the terms of a sum may have, added up by sign.
struct TermMagnitudes {
  double positive = 0.0, negative = 0.0;
  /// Whether all terms are certain and no sum of them needs more bits than f32
  /// has: all are multiples of a power of two, and add up to at most 2^24 of
  /// it.
  bool isExact = true;
  double mostExact = std::numeric_limits<double>::infinity();

  void add(Bounded term);
  double sum() const { return positive + negative; }
  double lesser() const { return std::min(positive, negative); }
  /// Whether no order of summation rounds.
  bool areAddedExactly(DType dtype) const;
};

/// Rounded arithmetic of a float type. Narrow types are computed in f32, and
/// each result may be rounded to the type or good to one ULP of it only.
class Arithmetic {
public:
  explicit Arithmetic(DType dtype) : Arithmetic(dtype, dtype) {}
  /// The functions (not sums and products) need only be good to `accuracy`.
  Arithmetic(DType dtype, DType accuracy);

  bool isF64() const { return wide == DType::F64; }

  /// A composite's arithmetic on elements of `dtype`: f32 for a narrow type,
  /// with functions good to that type.
  static Arithmetic inside(DType dtype) {
    return Arithmetic(isNarrow(dtype) ? DType::F32 : dtype, dtype);
  }

  /// A number that the type may not hold.
  Bounded constant(double value) const { return round({value, 0.0}, 0.5); }

  Bounded add(Bounded x, Bounded y) const;
  Bounded sub(Bounded x, Bounded y) const;
  Bounded mul(Bounded x, Bounded y) const;
  Bounded div(Bounded x, Bounded y) const;
  /// The same inside a composite, where it may be a product with a reciprocal.
  Bounded quotient(Bounded x, Bounded y) const;
  Bounded pow(Bounded x, Bounded y) const;
  /// Exact where x and y are.
  static Bounded fmod(Bounded x, Bounded y);
  Bounded remainder(Bounded x, Bounded y) const;
  static Bounded min(Bounded x, Bounded y);
  static Bounded max(Bounded x, Bounded y);

  static Bounded neg(Bounded x) { return {-x.value, x.error}; }
  static Bounded abs(Bounded x) { return {std::fabs(x.value), x.error}; }
  static Bounded sign(Bounded x);
  static Bounded floor(Bounded x);
  static Bounded ceil(Bounded x);
  static Bounded roundEven(Bounded x);
  static Bounded trunc(Bounded x);
  Bounded exp(Bounded x) const;
  Bounded exp2(Bounded x) const;
  Bounded expm1(Bounded x) const;
  Bounded log(Bounded x) const;
  Bounded log2(Bounded x) const;
  Bounded log1p(Bounded x) const;
  Bounded sqrt(Bounded x) const;
  Bounded rsqrt(Bounded x) const;
  Bounded recip(Bounded x) const;
  Bounded sin(Bounded x) const;
  Bounded cos(Bounded x) const;
  Bounded tanh(Bounded x) const;
  Bounded erf(Bounded x) const;
  Bounded sigmoid(Bounded x) const;

  /// Adds the error of an operation good to `ulps`, and turns what surely
  /// overflows into an infinity. 0.5 stands for correct rounding, which leaves
  /// exact numbers of the type exact.
  Bounded round(Bounded x, double ulps) const;

  /// A sum of `terms` finite numbers, accumulated in f32 or wider, in blocks of
  /// a few hundred terms and these in blocks or trees (docs/numerics.md, Sums):
  /// `sum.error` is what comes from the errors of the terms. The result is not
  /// yet rounded to a narrow type.
  Bounded accumulate(Bounded sum, const TermMagnitudes &magnitudes,
                     int64_t terms) const;

private:
  Bounded roundProduct(Bounded product, Bounded x, Bounded y,
                       double ulps) const;
  bool dependsOnRounding(Bounded product, Bounded addend) const;

  DType dtype, accuracy;
  DType wide;
  double unit;
  double maxFinite, threshold;
};

} // namespace mlir::fuse::reference

#endif // FUSE_LIB_REFERENCE_BOUNDED_H
