//===- ContractionSpace.h - The axes of a contraction -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_CONTRACTIONSPACE_H
#define FUSE_ANALYSIS_CONTRACTIONSPACE_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include <optional>

namespace mlir::fuse {

/// The axes of a kernel's contraction, by what they mean for its result.
struct ContractionSpace {
  ContractOp op;
  /// Letter of the result's last axis, and the operand that it lies on.
  char n;
  bool nIsOnRhs;
  /// A result axis that only the other operand has, by RowAxis; absent for a
  /// product with a vector.
  std::optional<char> m;
  /// Result axes that are neither, and the summed axes.
  SmallVector<char> outer, summed;
  /// Whether n, or the last summed axis, is contiguous in the operands.
  bool nIsContiguous, kIsContiguous;

  Extent extent(char axis, const DimClasses &dims) const;
};

/// Which of several axes that only the rows' operand has counts as theirs: the
/// longest, which fills tiles best, or the innermost, where the others join it
/// in a tile or are walked anyway.
enum class RowAxis { longest, innermost };

ContractionSpace contractionSpaceOf(ContractOp op,
                                    RowAxis rows = RowAxis::longest);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_CONTRACTIONSPACE_H
