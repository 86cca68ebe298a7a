//===- KernelSpace.h - What a kernel iterates over --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts about the body of a kernel that schedulers decide by and that the
// lowering walks: its segments (results of one shape), its rows and columns
// (what is reduced), the axes of its contraction.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_KERNELSPACE_H
#define FUSE_ANALYSIS_KERNELSPACE_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include <optional>

namespace mlir::fuse {

/// Results of a kernel that have one shape.
struct Segment {
  SmallVector<Extent> extents;
  /// Numbers of the results, ascending.
  SmallVector<unsigned> results;
  /// Whether every value that the results depend on has the segment's shape or
  /// is one element: then only the flat position matters.
  bool flat = false;
  /// Rotated features R of the `half` rotary ops whose pairs one thread should
  /// walk together; absent where there are none or they differ.
  std::optional<int64_t> pairedDims;
};

/// The segments of a kernel, in the order of their first results.
SmallVector<Segment> segmentsOf(KernelOp kernel, const DimClasses &dims);

/// Rows and columns of a kernel whose reductions all run over the last
/// dimensions of one shape.
struct RowSpace {
  /// The shape that is reduced: rows, then columns.
  SmallVector<Extent> rows, columns;
  /// The ReduceOps and SoftmaxStatsOps, grouped by dependency: each group needs
  /// only those before it.
  SmallVector<SmallVector<Operation *>> levels;

  SmallVector<Extent> domain() const {
    SmallVector<Extent> all(rows);
    all.append(columns.begin(), columns.end());
    return all;
  }
};

/// The row space of the ops, or a reason why they have none.
FailureOr<RowSpace> rowSpaceOf(ArrayRef<Operation *> ops,
                               const DimClasses &dims, std::string &reason);

/// Whether a value of these extents is one number a row of the space: the row
/// shape, with or without its columns kept as size 1.
bool isRowShape(ArrayRef<Extent> extents, const RowSpace &space);

/// The axes of a kernel's contraction, by what they mean for its result.
struct ContractionSpace {
  ContractOp op;
  /// Letter of the result's last axis, and the operand that it lies on.
  char n;
  bool nIsOnRhs;
  /// The innermost result axis that only the other operand has; absent for a
  /// product with a vector.
  std::optional<char> m;
  /// Result axes that are neither, and the summed axes.
  SmallVector<char> outer, summed;
  /// Whether n, or the last summed axis, is contiguous in the operands.
  bool nIsContiguous, kIsContiguous;

  Extent extent(char axis, const DimClasses &dims) const;
};

ContractionSpace contractionSpaceOf(ContractOp op);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_KERNELSPACE_H
