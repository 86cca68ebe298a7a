//===- ContractionSegments.h - Contractions whose results meet --*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may have several contractions. Those whose results meet in an op
// need each other at the same points, the others do not. In
//
//   %g = contract %x, %a    %u = contract %x, %b    %v = contract %x, %c
//   %y = mul silu(%g), %u
//
// %g and %u are one segment, with %y; %v is another.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_CONTRACTIONSEGMENTS_H
#define FUSE_ANALYSIS_CONTRACTIONSEGMENTS_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include <vector>

namespace mlir::fuse {

struct ContractionSegment {
  /// In program order.
  SmallVector<ContractOp, 2> contractions;
  /// What follows from these, with themselves, in program order.
  SmallVector<Operation *> ops;
  /// Numbers of the results that follow from them, ascending.
  SmallVector<unsigned> results;
};

/// The segments of ops in program order, in the order of their first
/// contractions. Ops and results that follow from no contraction are in none.
std::vector<ContractionSegment> contractionSegmentsOf(ArrayRef<Operation *> ops,
                                                      ArrayRef<Value> results);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_CONTRACTIONSEGMENTS_H
