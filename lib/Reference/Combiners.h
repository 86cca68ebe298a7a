//===- Combiners.h - Maximum and sum of a line ------------------*- C++ -*-===//
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

/// The maximum of a line, NaN if any element is.
class MaxFinder {
public:
  void visit(Bounded x) {
    isUnbounded |= x.isUnbounded();
    isNaN |= std::isnan(x.value);
    value = std::max(value, x.value);
    low = std::max(low, x.low());
    high = std::max(high, x.high());
  }
  Bounded get() const {
    if (isUnbounded || isNaN)
      return {isNaN ? kNaN : value, isUnbounded ? kInfinity : 0.0};
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
    value += x.value;
    error += x.error;
    magnitude += x.magnitude();
    ++terms;
  }
  /// Not yet rounded to a narrow type.
  Bounded get(const Arithmetic &arithmetic) const {
    return arithmetic.accumulate({value, error}, magnitude, terms);
  }

private:
  double value = 0.0, error = 0.0, magnitude = 0.0;
  int64_t terms = 0;
};

} // namespace mlir::fuse::reference

#endif // FUSE_LIB_REFERENCE_COMBINERS_H
