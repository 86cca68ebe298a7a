//===- MmaSpace.cpp - Contractions that tensor cores can run --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/MmaSpace.h"

#include "fuse/Analysis/Strides.h"

using namespace mlir;
using namespace mlir::fuse;

/// Of the strides of a tensor map.
static constexpr int64_t strideBits = 128;
static constexpr size_t mostDims = 5;

/// Whether rows of so many elements are multiples of 16 bytes.
static bool isWhole(KernelOp kernel, const DimClasses &dims,
                    const Extent &inner, int64_t bits, bool divisible) {
  int64_t unit = strideBits / bits;
  if (inner.isStatic())
    return inner.size % unit == 0;
  auto known = divisible ? elementBitsAlong(kernel, dims, inner) : std::nullopt;
  return known && strideBits / known->first % unit == 0;
}

bool mlir::fuse::fitsTensorMap(KernelOp kernel, const DimClasses &dims,
                               Value tensor, TensorFacts facts) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  StrideKind kind = strideKind(tensor);
  if (!facts.aligned || bits < 8 || type.getRank() == 0)
    return false;
  if (kind == StrideKind::aligned_rows)
    return true;
  return kind == StrideKind::dense &&
         isWhole(kernel, dims, dims.extent(tensor, type.getRank() - 1), bits,
                 facts.divisible);
}

/// The operand for the rows or the columns, whose own axis is `own`.
static FailureOr<MmaOperand> operandOf(KernelOp kernel, const DimClasses &dims,
                                       const ContractionSpace &space,
                                       Value tensor, StringRef axes, char own,
                                       TensorFacts facts, std::string &reason) {
  char k = space.summed.front();
  MmaOperand operand;
  operand.tensor = dyn_cast<BlockArgument>(tensor);
  if (!operand.tensor) {
    reason = "an operand is computed in the kernel";
    return failure();
  }
  if (axes.back() != k && axes.back() != own) {
    reason = "neighbours in memory of an operand follow an outer axis";
    return failure();
  }
  if (!fitsTensorMap(kernel, dims, tensor, facts)) {
    reason = "the rows of an operand do not start at multiples of 16 bytes, as "
             "far as is known";
    return failure();
  }
  for (auto [number, axis] : llvm::enumerate(axes)) {
    Extent extent = dims.extent(tensor, number);
    bool isOuter = axis != k && axis != own;
    if (!isOuter && extent != space.extent(axis, dims)) {
      reason = "an operand repeats along an axis of the product";
      return failure();
    }
    if (isOuter && extent.size == 1)
      continue;
    operand.dims.push_back(number);
    operand.axes.push_back(axis);
  }
  // The innermost, the other axis of the product, and then what stays.
  std::reverse(operand.dims.begin(), operand.dims.end());
  std::reverse(operand.axes.begin(), operand.axes.end());
  char other = operand.axes.front() == k ? own : k;
  size_t at = llvm::find(operand.axes, other) - operand.axes.begin();
  std::rotate(operand.axes.begin() + 1, operand.axes.begin() + at,
              operand.axes.begin() + at + 1);
  std::rotate(operand.dims.begin() + 1, operand.dims.begin() + at,
              operand.dims.begin() + at + 1);
  if (operand.dims.size() <= mostDims)
    return operand;
  reason = "an operand has more dimensions than a tensor map";
  return failure();
}

FailureOr<MmaSpace> mlir::fuse::mmaSpaceOf(KernelOp kernel,
                                           const DimClasses &dims,
                                           TensorFacts facts,
                                           std::string &reason) {
  auto contractions = kernel.getBody().getOps<ContractOp>();
  auto refuse = [&](StringRef why) {
    reason = why.str();
    return failure();
  };
  if (contractions.empty())
    return refuse("there is no contraction");
  if (std::next(contractions.begin()) != contractions.end())
    return refuse("there are several contractions");
  ContractOp op = *contractions.begin();
  Type element = op.getType().getElementType();
  if (!element.isF16() && !element.isBF16())
    return refuse("its elements are neither f16 nor bf16");
  ContractionSpace space = contractionSpaceOf(op);
  if (space.summed.size() != 1)
    return refuse("it sums over several axes");
  StringRef lhs = op.getLhsAxes(), rhs = op.getRhsAxes();
  StringRef rowAxes = space.nIsOnRhs ? lhs : rhs;
  if (!space.m || rowAxes.contains(space.n))
    return refuse("it is no product of two matrices");
  for (Value value : kernel.getYield().getValues())
    if (dims.extents(value) != dims.extents(op.getResult()))
      return refuse("a result does not have the contraction's shape");

  MmaSpace result{op,          *space.m, space.n, space.summed.front(),
                  space.outer, {},       {}};
  auto rows =
      operandOf(kernel, dims, space, space.nIsOnRhs ? op.getLhs() : op.getRhs(),
                rowAxes, result.m, facts, reason);
  if (failed(rows))
    return failure();
  auto columns =
      operandOf(kernel, dims, space, space.nIsOnRhs ? op.getRhs() : op.getLhs(),
                space.nIsOnRhs ? rhs : lhs, result.n, facts, reason);
  if (failed(columns))
    return failure();
  result.rows = *rows;
  result.columns = *columns;
  return result;
}
