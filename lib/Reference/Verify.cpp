//===- Verify.cpp - A result against the oracle ---------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Reference/Verify.h"

#include "IndexSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace mlir::fuse::reference;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// How far an element is from the expected one, in units of its bound: more
/// than 1 is a mismatch.
static double getBoundRatio(DType dtype, double expected, double bound,
                            double actual) {
  if (std::isnan(expected) || std::isnan(actual))
    return std::isnan(expected) && std::isnan(actual) ? 0.0 : kInfinity;
  if (std::isinf(expected))
    return actual == expected ? 0.0 : kInfinity;
  double magnitude = std::fabs(expected);
  if (std::isinf(actual)) {
    double farthest = bound + (actual > 0.0 ? expected : -expected);
    return !isSaturating(dtype) && farthest > getMaxFinite(dtype) ? 0.0
                                                                  : kInfinity;
  }
  // Here only an infinity would be right.
  if (magnitude - bound >= getOverflowThreshold(dtype))
    return kInfinity;
  double distance = std::fabs(actual - expected);
  if (distance == 0.0)
    return 0.0;
  return bound > 0.0 ? distance / bound : kInfinity;
}

static std::string describe(const Value &expected, int64_t index,
                            double expectedElement, double actualElement) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "expected " << llvm::format("%.17g", expectedElement) << " +- "
     << llvm::format("%.3g", expected.getError(index)) << ", but got "
     << llvm::format("%.17g", actualElement) << " at [";
  llvm::interleaveComma(getPosition(expected.shape, index), os);
  os << "]";
  return text;
}

Report mlir::fuse::reference::compare(const Value &expected,
                                      const void *actual) {
  Value got = fromBuffer(expected.dtype, expected.shape, actual);
  bool isFloats = isFloat(expected.dtype);
  Report report;
  report.elements = expected.size();
  for (int64_t i : llvm::seq<int64_t>(report.elements)) {
    double bound = expected.getError(i);
    if (std::isinf(bound)) {
      ++report.unbounded;
      continue;
    }
    double x, y, ratio;
    if (isFloats) {
      x = expected.data[i], y = got.data[i];
      ratio = getBoundRatio(expected.dtype, x, bound, y);
    } else {
      // The difference of two i64 may need 65 bits; equality must be exact.
      x = expected.ints[i], y = got.ints[i];
      double distance = std::fabs(y - x);
      bool equal = expected.ints[i] == got.ints[i];
      ratio = equal ? 0.0 : bound > 0.0 ? distance / bound : kInfinity;
    }
    double distance = std::fabs(y - x);
    if (std::isfinite(distance))
      report.maxAbsError = std::max(report.maxAbsError, distance);
    if (ratio > report.maxBoundRatio) {
      report.maxBoundRatio = ratio;
      report.worstIndex = i;
    }
    if (ratio > 1.0 && report.mismatches++ == 0)
      report.firstMismatch = describe(expected, i, x, y);
  }
  return report;
}
