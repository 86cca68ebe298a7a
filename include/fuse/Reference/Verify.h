//===- Verify.h - A result against the oracle -------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_REFERENCE_VERIFY_H
#define FUSE_REFERENCE_VERIFY_H

#include "fuse/Reference/Value.h"

#include <string>

namespace mlir::fuse::reference {

struct Report {
  /// Elements compared.
  int64_t elements = 0;
  /// Elements outside their bound.
  int64_t mismatches = 0;
  /// Elements that the oracle can say nothing about; they count as equal.
  int64_t unbounded = 0;
  /// The largest |actual - expected| where both are finite.
  double maxAbsError = 0.0;
  /// The largest error in units of its bound; infinite after a mismatch that
  /// has no finite ratio (NaN, infinity, or a bound of 0).
  double maxBoundRatio = 0.0;
  /// The element with the largest ratio; -1 when all are equal.
  int64_t worstIndex = -1;
  /// "expected X +- B, but got Y at [i, j]"; empty when all elements match.
  std::string firstMismatch;

  bool ok() const { return mismatches == 0; }
};

/// Compares the elements of a row-major buffer of the expected value's type and
/// shape with it. NaN matches only NaN, an infinity only the same infinity;
/// where the bound reaches past the largest finite value, the infinity of that
/// sign matches, too. The two zeros match each other.
Report compare(const Value &expected, const void *actual);

} // namespace mlir::fuse::reference

#endif // FUSE_REFERENCE_VERIFY_H
