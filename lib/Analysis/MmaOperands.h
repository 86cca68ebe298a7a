//===- MmaOperands.h - Operands that copies by tensor map read --*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_ANALYSIS_MMAOPERANDS_H
#define FUSE_LIB_ANALYSIS_MMAOPERANDS_H

#include "fuse/Analysis/MmaSpace.h"

namespace mlir::fuse {

/// The operands of a contraction for the rows and the columns of its result.
struct ContractionSides {
  explicit ContractionSides(const ContractionSpace &space) {
    ContractOp op = space.op;
    rows = space.nIsOnRhs ? op.getLhs() : op.getRhs();
    columns = space.nIsOnRhs ? op.getRhs() : op.getLhs();
    rowAxes = space.nIsOnRhs ? op.getLhsAxes() : op.getRhsAxes();
    columnAxes = space.nIsOnRhs ? op.getRhsAxes() : op.getLhsAxes();
  }

  Value rows, columns;
  StringRef rowAxes, columnAxes;
};

/// Finds how copies read operands, or why they cannot.
class MmaOperandFinder {
public:
  MmaOperandFinder(const MmaGroup &group, const DimClasses &dims,
                   TensorFacts facts, Reason &reason)
      : group(group), dims(dims), facts(facts), reason(reason),
        edge(group.inputs) {
    llvm::append_range(edge, group.results);
  }

  /// `own` are the axes of the rows or the columns, the last of which has the
  /// others joined to it.
  FailureOr<MmaOperand> find(const ContractionSpace &space, Value tensor,
                             StringRef axes, ArrayRef<char> own);

private:
  LogicalResult refuse(Reason why) {
    reason = std::move(why);
    return failure();
  }

  const MmaGroup &group;
  const DimClasses &dims;
  TensorFacts facts;
  Reason &reason;
  SmallVector<Value> edge;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_ANALYSIS_MMAOPERANDS_H
