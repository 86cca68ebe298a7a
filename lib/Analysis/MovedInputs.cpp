//===- MovedInputs.cpp - Inputs read at other places of a row -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/MovedInputs.h"

#include "fuse/Analysis/MmaSpace.h"
#include "fuse/Analysis/RowStores.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t accessBits = 128;

static int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

bool mlir::fuse::isRunOfIds(Value ids, const DimClasses &dims) {
  // Narrower numbers may wrap inside of a table.
  Type element = getElementTypeOrSelf(ids.getType());
  if (!element.isInteger(32) && !element.isInteger(64))
    return false;
  Operation *op = ids.getDefiningOp();
  if (auto iota = dyn_cast_or_null<IotaOp>(op))
    return !iota.getFromEnd() &&
           static_cast<int64_t>(iota.getDim()) + 1 == rankOf(ids);
  auto isSame = [&](Value value) {
    SmallVector<Extent> extents = dims.extents(value);
    return extents.empty() || extents.back().size == 1;
  };
  if (isa_and_nonnull<SubOp>(op))
    return isRunOfIds(op->getOperand(0), dims) && isSame(op->getOperand(1));
  if (!isa_and_nonnull<AddOp>(op))
    return false;
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  return (isRunOfIds(lhs, dims) && isSame(rhs)) ||
         (isSame(lhs) && isRunOfIds(rhs, dims));
}

/// Whether so many elements are whole accesses.
static bool areWhole(int64_t elements, Value value) {
  int64_t bits = std::max<unsigned>(
      8, getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth());
  return elements * bits % accessBits == 0;
}

/// Whether the op moves elements along the last dimension by other steps.
static bool shifts(Operation *op, const DimClasses &dims) {
  Value result = op->getResult(0);
  int64_t last = rankOf(result) - 1;
  if (last < 0)
    return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](SliceOp slice) {
        return slice.getSteps().back() != 1 ||
               !areWhole(slice.getOffsets().back(), result);
      })
      .Case([&](PadOp pad) {
        Extent inner = dims.extent(pad.getInput(), last);
        bool isPadded = pad.getLow().back() != 0 || pad.getHigh().back() != 0;
        return isPadded && (!areWhole(pad.getLow().back(), result) ||
                            !inner.isStatic() || !areWhole(inner.size, result));
      })
      .Case([&](ConcatOp concat) {
        return static_cast<int64_t>(concat.getDim()) == last &&
               llvm::any_of(concat.getInputs().drop_back(), [&](Value input) {
                 Extent inner = dims.extent(input, last);
                 return !inner.isStatic() || !areWhole(inner.size, result);
               });
      })
      .Case([&](ReverseOp reverse) {
        return llvm::is_contained(reverse.getDims(), last);
      })
      .Default(false);
}

/// The ids by which the op takes elements along the last dimension; null for
/// other ops.
static Value idsOf(Operation *op) {
  if (auto take = dyn_cast<TakeAlongOp>(op))
    return static_cast<int64_t>(take.getDim()) + 1 == rankOf(take.getTable())
               ? take.getIds()
               : Value();
  if (auto gather = dyn_cast<GatherOp>(op))
    return static_cast<int64_t>(gather.getDim()) + 1 ==
                   rankOf(gather.getTable())
               ? gather.getIds()
               : Value();
  return {};
}

/// Adds the inputs from whose elements that of `value` is computed, one by one.
static void addInputs(Value value, llvm::SmallDenseSet<unsigned> &inputs) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t next = 0; next < values.size(); ++next) {
    if (auto input = dyn_cast<BlockArgument>(values[next]))
      inputs.insert(input.getArgNumber());
    else if (Operation *op = values[next].getDefiningOp();
             op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
             op->hasTrait<mlir::fuse::OpTrait::Movement>() ||
             isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          values.insert(operand);
  }
}

BlockArgument mlir::fuse::inputWithRowsOf(Value value, const DimClasses &dims) {
  auto lastOf = [&](Value tensor) {
    SmallVector<Extent> extents = dims.extents(tensor);
    return extents.empty() ? Extent{1} : extents.back();
  };
  Value from = value;
  while (Operation *op = from.getDefiningOp()) {
    if (!isa<SliceOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) ||
        lastOf(op->getOperand(0)) != lastOf(from))
      return {};
    from = op->getOperand(0);
  }
  return from == value ? BlockArgument() : dyn_cast<BlockArgument>(from);
}

SmallVector<Value> mlir::fuse::movedRowsOf(ArrayRef<Operation *> ops,
                                           ArrayRef<Extent> domain,
                                           const DimClasses &dims) {
  auto isMoved = [&](Value value) {
    return isa<RankedTensorType>(value.getType()) &&
           ArrayRef<Extent>(dims.extents(value)) == domain &&
           inputWithRowsOf(value, dims);
  };
  SmallVector<Value> found;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (isMoved(operand) && !llvm::any_of(op->getResults(), isMoved) &&
          !llvm::is_contained(found, operand))
        found.push_back(operand);
  return found;
}

MovedInputs mlir::fuse::movedInputsOf(KernelOp kernel, const DimClasses &dims) {
  MovedInputs moved;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (Value ids = idsOf(&op))
      addInputs(op.getOperand(0),
                isRunOfIds(ids, dims) ? moved.shifted : moved.taken);
    else if (op.getNumResults() == 1 &&
             isa<RankedTensorType>(op.getResult(0).getType()) &&
             shifts(&op, dims))
      for (Value operand : op.getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          addInputs(operand, moved.shifted);
  }
  KernelAsGroup group(kernel);
  for (const RowStore &store : rowStoresOf(group.ops, group.results).stores)
    if (llvm::any_of(store.path, [&](const StoreStep &step) {
          return shifts(step.op, dims);
        }))
      moved.shiftedResults.insert(store.result);
  return moved;
}
