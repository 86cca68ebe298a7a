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
/// cancels.
class SoftmaxLine {
public:
  SoftmaxLine(const Arithmetic &arithmetic, const MaxFinder &maximum)
      : arithmetic(arithmetic), max(maximum.get()) {
    if (!max.isUnbounded())
      max.error = 0.0;
  }

  Bounded shifted(Bounded x) const { return arithmetic.sub(x, max); }
  Bounded exponential(Bounded x) const { return arithmetic.exp(shifted(x)); }
  Bounded getMax() const { return max; }

private:
  const Arithmetic &arithmetic;
  Bounded max;
};

} // namespace mlir::fuse::reference

#endif // FUSE_LIB_REFERENCE_SOFTMAX_H
