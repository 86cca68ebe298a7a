//===- RowParts.cpp - Reductions of rows in parts -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/RowParts.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

/// The elements along the last dimension, if the op reduces these and no
/// others, and they are known.
static std::optional<int64_t> reducedRow(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce)
    return std::nullopt;
  auto type = cast<RankedTensorType>(reduce.getInput().getType());
  int64_t last = type.getRank() - 1;
  if (reduce.getDims() != ArrayRef(last) || type.isDynamicDim(last))
    return std::nullopt;
  return type.getDimSize(last);
}

bool mlir::fuse::combinesRowParts(Operation *op) {
  std::optional<int64_t> parts = reducedRow(op);
  return parts && *parts <= mostRowParts &&
         isa<BlockArgument>(op->getOperand(0));
}

std::optional<int64_t> mlir::fuse::reducedRunOf(Operation *op) {
  std::optional<int64_t> columns = reducedRow(op);
  if (!columns || cast<ReduceOp>(op).getKeep())
    return std::nullopt;
  auto runs = op->getOperand(0).getDefiningOp<tensor::ExpandShapeOp>();
  if (!runs)
    return std::nullopt;
  // Only the last dimension is split, in two.
  SmallVector<ReassociationIndices> groups = runs.getReassociationIndices();
  for (const ReassociationIndices &group : groups)
    if (group.size() != (&group == &groups.back() ? 2u : 1u))
      return std::nullopt;
  return columns;
}
