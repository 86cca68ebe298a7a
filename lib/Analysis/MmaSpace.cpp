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

SmallVector<Extent> MmaSpace::extents(char axis, const DimClasses &dims) const {
  ContractionSpace space = contractionSpaceOf(op);
  if (axis != m)
    return {space.extent(axis, dims)};
  return llvm::map_to_vector(
      rowAxes, [&](char letter) { return space.extent(letter, dims); });
}

bool MmaSpace::isMultiple(char axis, int64_t number,
                          const DimClasses &dims) const {
  std::optional<int64_t> size = staticProduct(extents(axis, dims));
  return size && *size % number == 0;
}

/// The axes of the result up to `m` that follow each other in the operand, too,
/// which is dense, and that the other operand lacks.
static SmallVector<char> joinedAxes(const ContractionSpace &space, char m,
                                    StringRef rowAxes, StringRef columnAxes,
                                    Value rows) {
  ContractOp op = space.op;
  StringRef result = op.getResultAxes();
  SmallVector<char> joined = {m};
  size_t inResult = result.find(m), inRows = rowAxes.find(m);
  while (inResult > 0 && inRows > 0 &&
         result[inResult - 1] == rowAxes[inRows - 1] &&
         !columnAxes.contains(result[inResult - 1]) &&
         strideKind(rows) == StrideKind::dense) {
    --inResult, --inRows;
    joined.push_back(result[inResult]);
  }
  std::reverse(joined.begin(), joined.end());
  return joined;
}

namespace {
/// Finds the operand for the rows or the columns.
class OperandFinder {
public:
  OperandFinder(KernelOp kernel, const DimClasses &dims, TensorFacts facts,
                std::string &reason)
      : kernel(kernel), dims(dims), facts(facts), reason(reason) {}

  /// `own` are its axes, the last of which has the others joined to it.
  FailureOr<MmaOperand> find(const ContractionSpace &space, Value tensor,
                             StringRef axes, ArrayRef<char> own);

private:
  LogicalResult refuse(StringRef why) {
    reason = why.str();
    return failure();
  }

  KernelOp kernel;
  const DimClasses &dims;
  TensorFacts facts;
  std::string &reason;
};
} // namespace

/// The innermost dimension comes first, then the other one of the product.
static void orderDims(MmaOperand &operand, char own, char k) {
  std::reverse(operand.dims.begin(), operand.dims.end());
  std::reverse(operand.axes.begin(), operand.axes.end());
  char other = operand.isAlongK(k) ? own : k;
  size_t at = llvm::find(operand.axes, other) - operand.axes.begin();
  std::rotate(operand.axes.begin() + 1, operand.axes.begin() + at,
              operand.axes.begin() + at + 1);
  std::rotate(operand.dims.begin() + 1, operand.dims.begin() + at,
              operand.dims.begin() + at + 1);
}

FailureOr<MmaOperand> OperandFinder::find(const ContractionSpace &space,
                                          Value tensor, StringRef axes,
                                          ArrayRef<char> own) {
  char k = space.summed.front();
  MmaOperand operand;
  operand.tensor = dyn_cast<BlockArgument>(tensor);
  if (!operand.tensor)
    return refuse("an operand is computed in the kernel");
  if (axes.back() != k && axes.back() != own.back())
    return refuse("neighbours in memory of an operand follow an outer axis");
  if (!fitsTensorMap(kernel, dims, tensor, facts))
    return refuse("the rows of an operand do not start at multiples of 16 "
                  "bytes, as far as is known");
  for (auto [number, axis] : llvm::enumerate(axes)) {
    Extent extent = dims.extent(tensor, number);
    bool isOwn = llvm::is_contained(own, axis);
    if ((isOwn || axis == k) && extent != space.extent(axis, dims))
      return refuse("an operand repeats along an axis of the product");
    if (!isOwn && axis != k && extent.size == 1)
      continue;
    if (isOwn && axis != own.front()) {
      operand.dims.back().push_back(number);
      operand.axes.back() = axis;
      continue;
    }
    operand.dims.push_back({static_cast<unsigned>(number)});
    operand.axes.push_back(axis);
  }
  orderDims(operand, own.back(), k);
  if (operand.dims.size() <= mostDims)
    return operand;
  return refuse("an operand has more dimensions than a tensor map");
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
  bool nIsOnRhs = space.nIsOnRhs;
  StringRef rowAxes = nIsOnRhs ? op.getLhsAxes() : op.getRhsAxes();
  StringRef columnAxes = nIsOnRhs ? op.getRhsAxes() : op.getLhsAxes();
  Value rows = nIsOnRhs ? op.getLhs() : op.getRhs();
  Value columns = nIsOnRhs ? op.getRhs() : op.getLhs();
  if (!space.m || rowAxes.contains(space.n))
    return refuse("it is no product of two matrices");
  for (Value value : kernel.getYield().getValues())
    if (dims.extents(value) != dims.extents(op.getResult()))
      return refuse("a result does not have the contraction's shape");

  MmaSpace result{op, *space.m, space.n, space.summed.front(), {}, {}, {}, {}};
  result.rowAxes = joinedAxes(space, result.m, rowAxes, columnAxes, rows);
  for (char axis : space.outer)
    if (!llvm::is_contained(result.rowAxes, axis))
      result.outer.push_back(axis);
  OperandFinder finder(kernel, dims, facts, reason);
  auto ofRows = finder.find(space, rows, rowAxes, result.rowAxes);
  if (failed(ofRows))
    return failure();
  auto ofColumns = finder.find(space, columns, columnAxes, {result.n});
  if (failed(ofColumns))
    return failure();
  result.rows = *ofRows;
  result.columns = *ofColumns;
  return result;
}
