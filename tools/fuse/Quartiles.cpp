//===- Quartiles.cpp - Many times in three numbers ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quartiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cmath>
#include <limits>

using namespace llvm;

namespace fuse::driver {

/// The value `part` of the way from the first to the last.
static double interpolate(ArrayRef<double> sorted, double part) {
  double position = part * (sorted.size() - 1);
  size_t below = position;
  size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}

Quartiles Quartiles::of(ArrayRef<double> seconds) {
  if (seconds.empty())
    return {};
  SmallVector<double> sorted(seconds);
  llvm::sort(sorted);
  return {interpolate(sorted, 0.25), interpolate(sorted, 0.5),
          interpolate(sorted, 0.75), unsigned(sorted.size())};
}

double Quartiles::uncertainty() const {
  if (runs < 3 || median <= 0)
    return std::numeric_limits<double>::infinity();
  return (q3 - q1) / 2 / std::sqrt(double(runs)) / median;
}

json::Object Quartiles::json() const {
  return json::Object{{"us", median * 1e6},
                      {"q1_us", q1 * 1e6},
                      {"q3_us", q3 * 1e6},
                      {"runs", runs}};
}

} // namespace fuse::driver
