//===- Softmax.h - The exponentials of a line -------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_REFERENCE_SOFTMAX_H
#define FUSE_LIB_REFERENCE_SOFTMAX_H

#include "Combiners.h"

namespace mlir::fuse::reference {

/// The numbers exp(x - max) of a line, which softmax, its relatives and
/// attention are made of. The maximum counts as exact: it is a shift that
/// cancels. Where the elements are uncertain, their quotients are still between
/// 0 and 1, but where they are so uncertain that the exponentials have no
/// bound: a program that computes an element for the maximum, and again for its
/// exponential, may round it otherwise, and one of 1e30 then lies far above the
/// maximum.
class SoftmaxLine {
public:
  SoftmaxLine(const Arithmetic &arithmetic, const MaxFinder &maximum)
      : arithmetic(arithmetic), max(maximum.get()),
        isProper(!max.isUnbounded() && std::isfinite(max.value)) {
    if (!max.isUnbounded())
      max.error = 0.0;
  }

  Bounded shifted(Bounded x) const { return arithmetic.sub(x, max); }
  Bounded exponential(Bounded x) const { return arithmetic.exp(shifted(x)); }
  Bounded getMax() const { return max; }

  /// An exponential of the line divided by their sum.
  Bounded normalize(Bounded exponential, Bounded sum) const {
    Bounded weight = arithmetic.quotient(exponential, sum);
    if (isProper && !weight.isUnbounded())
      weight.error = std::min(weight.error, 1.0);
    return weight;
  }

private:
  const Arithmetic &arithmetic;
  Bounded max;
  /// The weights of the line are numbers.
  bool isProper;
};

} // namespace mlir::fuse::reference

#endif // FUSE_LIB_REFERENCE_SOFTMAX_H
