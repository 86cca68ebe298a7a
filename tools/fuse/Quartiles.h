//===- Quartiles.h - Many times in three numbers ----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_QUARTILES_H
#define FUSE_TOOLS_FUSE_QUARTILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

namespace fuse::driver {

/// Of measured seconds.
struct Quartiles {
  double q1 = 0;
  double median = 0;
  double q3 = 0;
  unsigned runs = 0;

  /// Interpolates between neighbours, as NumPy's percentile does. Of no
  /// samples all is 0.
  static Quartiles of(llvm::ArrayRef<double> seconds);

  /// How far the median may be off: half of the distance of the quartiles over
  /// the root of the runs, as a part of the median. Infinite below 3 runs.
  double uncertainty() const;

  /// {"us": 12.3, "q1_us": 12.1, "q3_us": 12.4, "runs": 40}
  llvm::json::Object json() const;
};

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_QUARTILES_H
