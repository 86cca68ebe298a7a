//===- Combiners.h - Maxima and sums ----------------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_REFERENCE_COMBINERS_H
#define FUSE_LIB_REFERENCE_COMBINERS_H

#include "Bounded.h"

#include <algorithm>

namespace mlir::fuse::reference {

/// A sum of doubles and what it is off by, which is as good as one of twice the
/// bits: the reference adds up one term after the other, however many there are
/// (TwoSum; Knuth, The Art of Computer Programming 2, section 4.2.2).
class WideSum {
public:
  void add(double term) {
    double total = sum + term, taken = total - sum;
    rest += (sum - (total - taken)) + (term - taken);
    sum = total;
  }
  double get() const {
    double total = sum + rest;
    return std::isfinite(total) ? total : sum;
  }

private:
  double sum = 0.0, rest = 0.0;
};

/// The terms of a sum that are not finite. A NaN or an infinity is certain
/// whatever the errors of the finite terms are.
class SpecialTerms {
public:
  /// Takes `x` if it is not finite, or without a bound.
  bool take(Bounded x) {
    if (std::isfinite(x.value) && std::isfinite(x.error))
      return false;
    isEmpty = false;
    if (x.isOverflow())
      overflows += x.value;
    else if (x.isExact())
      sum += x.value;
    else
      isUnbounded = true;
    return true;
  }

  /// The sum with the `finite` terms, which are accumulated, and those of one
  /// sign only.
  Bounded addTo(Bounded finite, const TermMagnitudes &magnitudes) const {
    if (isEmpty)
      return finite;
    double total = sum + overflows;
    // A NaN absorbs what has no bound, an infinity does not.
    bool isCertain =
        std::isnan(sum) ||
        (!isUnbounded && std::isfinite(finite.error) &&
         std::isfinite(finite.value) && areOverflowsCertain(magnitudes));
    return {total + finite.value, isCertain ? 0.0 : kInfinity};
  }

private:
  /// An overflow may be finite in an fma with what has the other sign.
  bool areOverflowsCertain(const TermMagnitudes &magnitudes) const {
    double opposite =
        overflows > 0.0 ? magnitudes.negative : magnitudes.positive;
    return overflows == 0.0 ||
           (opposite == 0.0 && !std::isnan(sum + overflows));
  }

  /// What is certain, and products of finite factors.
  double sum = 0.0, overflows = 0.0;
  bool isEmpty = true, isUnbounded = false;
};

/// The maximum of a line, NaN if any element is.
class MaxFinder {
public:
  void visit(Bounded x) {
    isUnbounded |= x.isUnbounded();
    isNaN |= std::isnan(x.value) && x.isExact();
    value = larger(value, x.value);
    low = std::max(low, x.low());
    high = std::max(high, x.high());
  }
  Bounded get() const {
    if (isNaN)
      return {kNaN, 0.0};
    if (isUnbounded)
      return {value, kInfinity};
    if (std::isinf(value))
      return {value, high == value && low == value ? 0.0 : kInfinity};
    return {value, std::max(high - value, value - low)};
  }

private:
  double value = -kInfinity, low = -kInfinity, high = -kInfinity;
  bool isUnbounded = false, isNaN = false;
};

/// The sum of a line.
class Summer {
public:
  void visit(Bounded x) {
    ++terms;
    if (specials.take(x))
      return;
    value.add(x.value);
    error += x.isKnown() ? 0.0 : x.error;
    magnitudes.add(x);
  }
  /// Not yet rounded to a narrow type.
  Bounded get(const Arithmetic &arithmetic) const {
    return specials.addTo(accumulated(arithmetic), magnitudes);
  }
  /// The same for a mean, which a program may take as a mean of partial means:
  /// they may stay finite where their sum overflows, and are rounded where it
  /// is exact.
  Bounded getForMean(const Arithmetic &arithmetic) const {
    Summer ofMeans = *this;
    ofMeans.magnitudes.isExact &= magnitudes.sum() == 0.0;
    Bounded sum = ofMeans.accumulated(arithmetic);
    if (std::isinf(sum.value))
      sum.error = kInfinity;
    return specials.addTo(sum, magnitudes);
  }

private:
  Bounded accumulated(const Arithmetic &arithmetic) const {
    return arithmetic.accumulate({value.get(), error}, magnitudes, terms);
  }

  SpecialTerms specials;
  TermMagnitudes magnitudes;
  WideSum value;
  double error = 0.0;
  int64_t terms = 0;
};

/// A factor of which tensor cores may read TF32: its last bits are cut or
/// rounded, by less than the last of 10, and a subnormal number may become 0.
/// What TF32 has is read as it is.
inline Bounded mayCut(Bounded x) {
  constexpr int bits = 10;
  double size = x.magnitude();
  if (!std::isfinite(size) || size == 0.0)
    return x;
  double scaled = std::ldexp(size, bits - std::ilogb(size));
  if (size < 0x1p-126)
    x.error += size;
  else if (!x.isExact() || scaled != std::trunc(scaled))
    x.error += std::ldexp(size, -bits);
  return x;
}

/// A sum of products. The errors of the factors could all point the same way,
/// but then a block of a few matrix products in 16 bits would have no bound at
/// all. So they count as independent, apart from an error that shifts or scales
/// all the factors of one side alike (equal elements have equal errors):
///
///   |sum y dx| + |sum y sign(x) dx| + 2 sqrt(sum (y dx)^2), and so for dy.
///
/// The bounds that go in are largest errors, about 3.5 deviations of a rounding
/// error, so that 2 of them are 7. Where the sum of all is less, it counts.
class ProductSummer {
public:
  void visit(Bounded x, Bounded y) {
    ++terms;
    bool isFinite = std::isfinite(x.magnitude() * y.magnitude());
    if (!isFinite && takeSpecial(x, y))
      return;
    value.add(x.value * y.value);
    double exact = x.value * y.value;
    magnitudes.add({exact, x.magnitude() * y.magnitude() - std::fabs(exact)});
    if (x.isExact() && y.isExact())
      return;
    double byX = y.value * x.error, byY = x.value * y.error;
    product += x.error * y.error;
    linear += std::fabs(byX) + std::fabs(byY);
    squares += byX * byX + byY * byY;
    shiftX += byX;
    shiftY += byY;
    scaleX += std::copysign(x.error, x.value) * y.value;
    scaleY += std::copysign(y.error, y.value) * x.value;
  }

  /// The same for exact factors.
  void visit(double x, double y) {
    ++terms;
    if (!std::isfinite(x * y)) {
      takeSpecial({x, 0.0}, {y, 0.0});
      return;
    }
    value.add(x * y);
    magnitudes.add({x * y, 0.0});
  }

  /// Not yet rounded to a narrow type.
  Bounded get(const Arithmetic &arithmetic) const {
    double common = std::fabs(shiftX) + std::fabs(shiftY) + std::fabs(scaleX) +
                    std::fabs(scaleY);
    double error = std::min(linear, common + 2.0 * std::sqrt(squares));
    // The products are rounded, too: one rounding more than the sum has.
    return specials.addTo(arithmetic.accumulate({value.get(), error + product},
                                                magnitudes, terms + 1),
                          magnitudes);
  }

  /// The sum of the products' magnitudes, of those that are finite.
  double magnitude() const { return magnitudes.sum(); }

private:
  bool takeSpecial(Bounded x, Bounded y) {
    auto multiply = [](double a, double b) { return a * b; };
    Bounded product = mapMonotone(multiply, x, y);
    // A product that is part of an fma is not rounded: no overflow is certain.
    if (std::isfinite(x.value) && std::isfinite(y.value))
      product.error = kInfinity;
    return specials.take(product);
  }

  SpecialTerms specials;
  TermMagnitudes magnitudes;
  WideSum value;
  double linear = 0.0, squares = 0.0, product = 0.0;
  double shiftX = 0.0, shiftY = 0.0, scaleX = 0.0, scaleY = 0.0;
  int64_t terms = 0;
};

} // namespace mlir::fuse::reference

#endif // FUSE_LIB_REFERENCE_COMBINERS_H
