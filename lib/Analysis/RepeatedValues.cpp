//===- RepeatedValues.cpp - What every walk must find alike ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/RepeatedValues.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

using OpSet = llvm::SetVector<Operation *>;

/// Calls `visit` for each two values of which one may be an extreme of the
/// other: those that are compared, and those of exp(x - y).
static void
forEachComparison(KernelOp kernel,
                  llvm::function_ref<void(Value value, Value extreme)> visit) {
  for (auto compare : kernel.getBody().getOps<CompareOp>()) {
    visit(compare.getLhs(), compare.getRhs());
    visit(compare.getRhs(), compare.getLhs());
  }
  for (auto exp : kernel.getBody().getOps<ExpOp>())
    if (auto difference = exp.getInput().getDefiningOp<SubOp>())
      visit(difference.getLhs(), difference.getRhs());
}

/// The reduction whose maximum or minimum `value` is, or null.
static Operation *extremeReduction(Value value) {
  if (auto stats = value.getDefiningOp<SoftmaxStatsOp>())
    return value == stats.getMax() ? stats : nullptr;
  auto reduce = value.getDefiningOp<ReduceOp>();
  bool isExtreme = reduce && (reduce.getKind() == ReduceKind::max ||
                              reduce.getKind() == ReduceKind::min);
  return isExtreme ? reduce : nullptr;
}

/// Adds the ops of a kernel that compute `value`, up to reductions.
static void addComputation(Value value, OpSet &ops) {
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (op && ops.insert(op) && !isReduction(op))
      llvm::append_range(pending, op->getOperands());
  }
}

llvm::DenseSet<Operation *> mlir::fuse::repeatedOps(KernelOp kernel) {
  OpSet ops;
  forEachComparison(kernel, [&](Value value, Value extreme) {
    Operation *reduction = extremeReduction(extreme);
    if (reduction && reduction->getOperand(0) == value)
      addComputation(value, ops);
  });
  for (Operation &op : kernel.getBody().getOps())
    if (op.hasAttr(kRepeatedAttr))
      ops.insert(&op);
  ops.remove_if(isReduction);
  return {ops.begin(), ops.end()};
}

//===----------------------------------------------------------------------===//
// Across kernels
//===----------------------------------------------------------------------===//

/// The reductions, of whichever kernels, that `value` is an extreme of. They
/// may stand one behind another, each reducing what the last one left.
static OpSet extremesBehind(Value value) {
  OpSet found;
  SmallVector<Value> pending{value};
  llvm::DenseSet<Value> seen;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (isa<KernelOp>(parent))
        pending.push_back(parent->getOperand(argument.getArgNumber()));
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      Operation *yield = kernel.getBody().front().getTerminator();
      pending.push_back(
          yield->getOperand(cast<OpResult>(next).getResultNumber()));
    } else if (Operation *reduction = extremeReduction(next)) {
      found.insert(reduction);
      pending.push_back(reduction->getOperand(0));
    } else if (op->hasTrait<mlir::fuse::OpTrait::Movement>() ||
               isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, CastOp>(
                   op)) {
      llvm::append_range(pending, op->getOperands());
    }
  }
  return found;
}

/// What is compared with an extreme of another kernel, and what that is an
/// extreme of.
static OpSet opsRepeatedAcrossKernels(func::FuncOp function) {
  OpSet ops;
  for (auto kernel : function.getOps<KernelOp>())
    forEachComparison(kernel, [&](Value value, Value extreme) {
      OpSet extremes = extremesBehind(extreme);
      if (llvm::all_of(extremes, [&](Operation *reduction) {
            return reduction->getParentOp() == kernel &&
                   reduction->getOperand(0) == value;
          }))
        return;
      addComputation(value, ops);
      for (Operation *reduction : extremes)
        addComputation(reduction->getOperand(0), ops);
    });
  return ops;
}

/// Rounds what `op` computes in f32 as memory does.
static void roundResults(Operation *op) {
  if (auto cast = dyn_cast<CastOp>(op)) {
    cast->removeAttr(kImplicitAttr);
    return;
  }
  if (!op->hasTrait<mlir::fuse::OpTrait::Pointwise>() && !isReduction(op) &&
      !isa<RotaryOp, ContractOp>(op))
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    Type element = getElementTypeOrSelf(result.getType());
    if (!element.isF16() && !element.isBF16())
      continue;
    auto rounded =
        CastOp::create(builder, op->getLoc(), result.getType(), result);
    result.replaceAllUsesExcept(rounded, rounded);
  }
}

void mlir::fuse::fixRepeatedValues(func::FuncOp function) {
  auto mark = UnitAttr::get(function.getContext());
  for (Operation *op : opsRepeatedAcrossKernels(function)) {
    op->setAttr(kRepeatedAttr, mark);
    roundResults(op);
  }
}
