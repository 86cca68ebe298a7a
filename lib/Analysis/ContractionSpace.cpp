//===- ContractionSpace.cpp - The axes of a contraction -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ContractionSpace.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// The axis of a tile's rows: of those that only `mSide` has the longest, and
/// of equal ones the innermost. An unknown size counts as a long one.
static std::optional<char> rowAxisOf(ContractOp op, StringRef mSide,
                                     StringRef nSide, RowAxis wanted) {
  std::optional<char> rows;
  uint64_t longest = 0;
  StringRef axes = op.getResultAxes();
  for (int64_t number = static_cast<int64_t>(axes.size()) - 2; number >= 0;
       --number) {
    char axis = axes[number];
    // As an unsigned number what is dynamic is longest.
    uint64_t size = op.getType().getDimSize(number);
    if (!mSide.contains(axis) || nSide.contains(axis) ||
        (rows && size <= longest))
      continue;
    rows = axis;
    longest = size;
    if (wanted == RowAxis::innermost)
      break;
  }
  return rows;
}

ContractionSpace mlir::fuse::contractionSpaceOf(ContractOp op, RowAxis rows) {
  StringRef lhs = op.getLhsAxes(), rhs = op.getRhsAxes();
  StringRef result = op.getResultAxes();
  ContractionSpace space;
  space.op = op;
  space.n = result.empty() ? '\0' : result.back();
  space.nIsOnRhs = rhs.contains(space.n);
  StringRef nSide = space.nIsOnRhs ? rhs : lhs;
  StringRef mSide = space.nIsOnRhs ? lhs : rhs;
  space.m = rowAxisOf(op, mSide, nSide, rows);
  for (char axis : result.drop_back(!result.empty()))
    if (axis != space.m)
      space.outer.push_back(axis);
  for (char axis : op.getContractedAxes())
    space.summed.push_back(axis);
  space.nIsContiguous =
      nSide.ends_with(StringRef(&space.n, 1)) && !mSide.contains(space.n);
  char k = space.summed.back();
  space.kIsContiguous = lhs.back() == k && rhs.back() == k;
  return space;
}

Extent ContractionSpace::extent(char axis, const DimClasses &dims) const {
  ContractOp contract = op;
  std::pair<StringRef, Value> tensors[] = {
      {contract.getResultAxes(), contract.getResult()},
      {contract.getLhsAxes(), contract.getLhs()},
      {contract.getRhsAxes(), contract.getRhs()}};
  Extent found{1};
  for (auto [axes, tensor] : tensors)
    if (size_t at = axes.find(axis); at != StringRef::npos) {
      found = dims.extent(tensor, at);
      // An operand's size 1 repeats.
      if (found.size != 1)
        return found;
    }
  return found;
}
