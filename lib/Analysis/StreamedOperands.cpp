//===- StreamedOperands.cpp - What streamed rows are computed by ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/ReductionSpace.h"
#include "fuse/Analysis/StreamedSpace.h"
#include "fuse/Dialect/Fuse/IR/Exponentials.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

/// Ops that compute an operand, keys or values for every tile of queries.
static constexpr unsigned mostOfKeys = 8;

bool mlir::fuse::areWideRows(int64_t depth, int64_t columns) {
  return std::max(depth, columns) > mostNarrowDepth;
}

bool mlir::fuse::computesWith(Operation *op,
                              const llvm::DenseSet<Value> &values) {
  return !isa<IotaOp>(op) && readsAny(op, values);
}

bool mlir::fuse::isSameMoved(Value a, Value b) {
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  if (a == b || !first || !second)
    return a == b;
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(first) &&
         first->getName() == second->getName() &&
         first->getAttrDictionary() == second->getAttrDictionary() &&
         a.getType() == b.getType() &&
         isSameMoved(first->getOperand(0), second->getOperand(0));
}

bool mlir::fuse::areChained(ArrayRef<Operation *> ops) {
  llvm::DenseSet<Value> following;
  for (Operation *op : ops) {
    bool follows = computesWith(op, following);
    if (follows && isa<ContractOp>(op))
      return true;
    if (follows || isa<ContractOp>(op))
      following.insert_range(op->getResults());
  }
  return false;
}

/// The narrow numbers of what widens, and a rotation, are what it is for.
static bool isReason(Operation *op) {
  return isa<RotaryOp>(op) ||
         (isa<CastOp>(op) && getElementTypeOrSelf(op->getOperand(0).getType())
                                     .getIntOrFloatBitWidth() == 8);
}

SmallVector<Operation *>
mlir::fuse::operandOps(Value operand,
                       llvm::function_ref<bool(Operation *)> isInside) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<Operation *> ops;
  SmallVector<Value> work = {operand};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || isa<ConstantOp>(op) || !isInside(op) || !seen.insert(op).second)
      continue;
    if (!isa<CastOp, MulOp, AddOp, SubOp, BroadcastOp, TransposeOp, GatherOp,
             RotaryOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      return {};
    ops.push_back(op);
    llvm::append_range(work, op->getOperands());
  }
  bool isWorthIt = llvm::any_of(ops, isReason) && ops.size() <= mostOfKeys;
  return isWorthIt ? ops : SmallVector<Operation *>();
}

bool mlir::fuse::isCostlyOperand(
    Value operand, llvm::function_ref<bool(Operation *)> isInside) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<Value> work = {operand};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !isInside(op) || !seen.insert(op).second)
      continue;
    auto rotary = dyn_cast<RotaryOp>(op);
    if (isSpecialFunction(op) || isa<DivOp, RandomOp>(op) ||
        (rotary && !rotary.getCosTable()))
      return true;
    llvm::append_range(work, op->getOperands());
  }
  return seen.size() > mostOfKeys;
}

OperandWork mlir::fuse::operandWork(Value operand, ArrayRef<Operation *> ops) {
  // To widen an element, and to store it in shared memory.
  constexpr double base = 4;
  OperandWork work{base, elementBytes(operand)};
  double most = 0;
  for (Operation *op : ops) {
    if (isa<RotaryOp>(op))
      work.instructions += instructionsOf(op);
    for (Value input : op->getOperands())
      if (!llvm::is_contained(ops, input.getDefiningOp()) &&
          estimatedElements(input) > most) {
        most = estimatedElements(input);
        work.bytes = elementBytes(input);
      }
  }
  return work;
}

static ReduceOp maximumBelowCeiling(ExpOp exp, ArrayRef<int64_t> dims) {
  auto difference = exp.getInput().getDefiningOp<SubOp>();
  auto ceiling =
      difference ? difference.getRhs().getDefiningOp<MaxOp>() : MaxOp();
  if (!ceiling)
    return {};
  for (Value operand : ceiling->getOperands())
    if (auto max = operand.getDefiningOp<ReduceOp>();
        max && max.getKind() == ReduceKind::max && max.getKeep() &&
        max.getInput() == difference.getLhs() && max.getDims() == dims)
      return max;
  return {};
}

ReduceOp mlir::fuse::maximumOf(ExpOp exp, ArrayRef<int64_t> dims) {
  ReduceOp max = maximumBelow(exp, dims);
  return max ? max : maximumBelowCeiling(exp, dims);
}

ExpOp mlir::fuse::exponentialsBehind(Value value, ArrayRef<int64_t> dims) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (auto exp = dyn_cast<ExpOp>(op); exp && maximumOf(exp, dims))
      return exp;
    if (isa<CastOp, MulOp, SelectOp>(op))
      llvm::append_range(work, op->getOperands());
  }
  return {};
}

/// Without a rounding to fewer bits than f32 has.
static Value unrounded(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  if (!cast)
    return value;
  Type before = getElementTypeOrSelf(cast.getInput());
  bool isWide = getElementTypeOrSelf(value).isF64();
  return isa<FloatType>(before) && before.isF64() == isWide ? cast.getInput()
                                                            : value;
}

Value StreamedSpace::unroundedWeights() const { return unrounded(weights); }

Value StreamedSpace::summed() const {
  return unrounded(ReduceOp(sum).getInput());
}
