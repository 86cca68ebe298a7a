//===- Softmax.h - The exponentials of a line -------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_REFERENCE_SOFTMAX_H
#define FUSE_LIB_REFERENCE_SOFTMAX_H

#include "Combiners.h"

#include <limits>

namespace mlir::fuse::reference {

/// How much larger the exponentials of attention may be than exp(x - max)
/// before its sums are divided: kernels let the maximum that they subtract fall
/// behind the largest score by so much.
inline constexpr double kMostAboveMaximum = 256.0;

/// The numbers exp(x - max) of a line, which softmax, its relatives and
/// attention are made of. The maximum counts as exact: it is a shift that
/// cancels. Where the elements are so uncertain that nothing can be said of the
/// exponentials, their quotients are still between 0 and 1: a program that
/// computes an element for the maximum and again for its exponential rounds it
/// alike.
class SoftmaxLine {
public:
  SoftmaxLine(const Arithmetic &arithmetic, const MaxFinder &maximum)
      : arithmetic(arithmetic), max(maximum.get()),
        isProper(!max.isUnbounded() && std::isfinite(max.value)),
        least(max.low()) {
    if (!max.isUnbounded())
      max.error = 0.0;
  }

  Bounded shifted(Bounded x) const { return arithmetic.sub(x, max); }
  Bounded exponential(Bounded x) const {
    Bounded found = arithmetic.exp(shifted(x));
    if (!isProper || found.value != 0.0 || !std::isfinite(x.value))
      return found;
    // Where the maximum may be less, what is far below it may be near.
    Bounded most = arithmetic.exp({x.high() - least, 0.0});
    if (most.value > 0.0)
      found.error = std::max(found.error, std::min(1.0, most.high()));
    return found;
  }
  Bounded getMax() const { return max; }

  /// An exponential of the line divided by their sum.
  Bounded normalize(Bounded exponential, Bounded sum) const {
    Bounded weight = arithmetic.quotient(exponential, sum);
    if (!isProper)
      return weight;
    // What a mask hides is 0, whatever the sum is.
    if (exponential.value == 0.0 && exponential.isKnown())
      return exponential;
    // The value of a sum without a bound lacks the terms that have none.
    if (weight.isUnbounded())
      return {0.5, 1.0};
    weight.error = std::min(weight.error, 1.0);
    return weight;
  }

private:
  const Arithmetic &arithmetic;
  Bounded max;
  /// The weights of the line are numbers.
  bool isProper;
  /// What the maximum is at least.
  double least;
};

} // namespace mlir::fuse::reference

#endif // FUSE_LIB_REFERENCE_SOFTMAX_H
