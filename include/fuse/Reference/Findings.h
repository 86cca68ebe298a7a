//===- Findings.h - What the oracle tells of an op --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_REFERENCE_FINDINGS_H
#define FUSE_REFERENCE_FINDINGS_H

#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace mlir::fuse::reference {

/// Elements of an op's result of which there is more to say than a number and a
/// bound.
struct Finding {
  enum class Kind {
    /// They have no bound, although the elements of the operands have one.
    boundLost,
    /// They follow from squares that the type cannot hold, or holds as 0: they
    /// are what IEEE 754 makes of these, not what the formula means.
    outOfRange,
  };
  Kind kind;
  /// "'fuse.div' at FILE:LINE:COLUMN".
  std::string op;
  /// How many elements, or rows where the op works on rows, and the first one.
  int64_t count = 0;
  llvm::SmallVector<int64_t> first;
  /// "elements" or "rows".
  const char *unit = "elements";

  /// "'fuse.div' at FILE:LINE:COLUMN loses the bound of 2 elements, the first
  /// at [0, 3]".
  std::string str() const;
};

using Findings = std::vector<Finding>;

} // namespace mlir::fuse::reference

#endif // FUSE_REFERENCE_FINDINGS_H
