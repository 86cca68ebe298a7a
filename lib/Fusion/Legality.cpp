//===- Legality.cpp - What one kernel can run -----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Fusion/Legality.h"

#include "fuse/Analysis/KernelSpace.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether `extents` broadcasts to `target` (without changing it).
static bool broadcastsTo(ArrayRef<Extent> extents, ArrayRef<Extent> target) {
  if (extents.size() > target.size())
    return false;
  for (auto [extent, wanted] :
       llvm::zip(llvm::reverse(extents), llvm::reverse(target)))
    if (extent.size != 1 && extent != wanted)
      return false;
  return true;
}

namespace {
class Classifier {
public:
  Classifier(const GroupView &group, const DimClasses &dims,
             std::string &reason)
      : group(group), dims(dims), reason(reason) {}

  FailureOr<GroupKind> run();

private:
  FailureOr<GroupKind> refuse(const Twine &why) {
    reason = why.str();
    return failure();
  }
  FailureOr<GroupKind> asContraction(ContractOp contract);
  FailureOr<GroupKind> asRows();
  FailureOr<GroupKind> asColumns();
  /// The values computed from a reduction's result.
  llvm::DenseSet<Value> afterReductions();

  const GroupView &group;
  const DimClasses &dims;
  std::string &reason;
};
} // namespace

llvm::DenseSet<Value> Classifier::afterReductions() {
  llvm::DenseSet<Value> after;
  for (Operation *op : group.ops) {
    bool is = isa<ReduceOp, SoftmaxStatsOp>(op) ||
              llvm::any_of(op->getOperands(),
                           [&](Value v) { return after.contains(v); });
    if (is)
      after.insert(op->result_begin(), op->result_end());
  }
  return after;
}

FailureOr<GroupKind> Classifier::asContraction(ContractOp contract) {
  SmallVector<Extent> shape = dims.extents(contract.getResult());
  llvm::DenseSet<Value> inside;
  for (Operation *op : group.ops)
    inside.insert(op->result_begin(), op->result_end());
  for (Value operand : contract.getOperands())
    if (inside.contains(operand))
      return refuse("the contraction would compute its operand again for every "
                    "tile that reads it");
  for (Operation *op : group.ops) {
    if (op == contract)
      continue;
    if (isa<ReduceOp, SoftmaxStatsOp>(op))
      return refuse("a reduction needs whole rows, which the tiles of a "
                    "contraction do not hold");
    if (isa<ContractOp>(op))
      return refuse("one kernel runs one contraction");
    if (isa<RotaryOp>(op))
      return refuse("a rotary pair lies in two tiles of the contraction");
    if (!broadcastsTo(dims.extents(op->getResult(0)), shape))
      return refuse("its shape is not that of the contraction's result");
  }
  for (Value result : group.results)
    if (dims.extents(result) != shape)
      return refuse("a result does not have the contraction's shape");
  return GroupKind::Contraction;
}

FailureOr<GroupKind> Classifier::asRows() {
  FailureOr<RowSpace> space = rowSpaceOf(group.ops, dims, reason);
  if (failed(space))
    return failure();
  SmallVector<Extent> domain = space->domain();
  llvm::DenseSet<Value> after = afterReductions();
  for (Operation *op : group.ops) {
    for (Value result : op->getResults()) {
      SmallVector<Extent> extents = dims.extents(result);
      if (!isRowShape(extents, *space) && !broadcastsTo(extents, domain))
        return refuse("its shape is not that of the rows that are reduced");
    }
    // A value per row without its columns kept aligns with the columns when it
    // broadcasts: its index is another row's.
    if (op->getNumResults() != 1 ||
        isRowShape(dims.extents(op->getResult(0)), *space))
      continue;
    for (Value operand : op->getOperands()) {
      size_t rank = cast<RankedTensorType>(operand.getType()).getRank();
      if (after.contains(operand) && rank && rank != domain.size())
        return refuse("it needs reductions of other rows");
    }
  }
  for (Value result : group.results) {
    SmallVector<Extent> extents = dims.extents(result);
    if (extents != domain && !isRowShape(extents, *space))
      return refuse("a result has neither the shape of the rows that are "
                    "reduced nor one element a row");
  }
  return GroupKind::Rows;
}

FailureOr<GroupKind> Classifier::asColumns() {
  llvm::DenseSet<Value> after = afterReductions();
  ReduceOp first;
  for (Operation *op : group.ops) {
    auto reduce = dyn_cast<ReduceOp>(op);
    if (!reduce)
      continue;
    if (after.contains(reduce.getInput()))
      return refuse("a reduction over leading dimensions would be computed "
                    "again for each element that depends on it");
    if (first && (first.getDims() != reduce.getDims() ||
                  !dims.sameShape(first.getInput(), reduce.getInput())))
      return refuse("the reductions run over different dimensions");
    if (!first)
      first = reduce;
  }
  SmallVector<Extent> shape = dims.extents(first.getResult());
  for (Operation *op : group.ops) {
    if (isa<ReduceOp>(op) || !after.contains(op->getResult(0)))
      continue;
    if (dims.extents(op->getResult(0)) != shape)
      return refuse("a reduction over leading dimensions would be computed "
                    "again for each element that depends on it");
  }
  for (Value result : group.results)
    if (dims.extents(result) != shape)
      return refuse("a result has not the shape of the reduction's");
  return GroupKind::Columns;
}

FailureOr<GroupKind> Classifier::run() {
  bool reduces = false;
  for (Operation *op : group.ops) {
    if (auto contract = dyn_cast<ContractOp>(op))
      return asContraction(contract);
    reduces |= isa<ReduceOp, SoftmaxStatsOp>(op);
  }
  if (!reduces)
    return GroupKind::Pointwise;
  FailureOr<GroupKind> rows = asRows();
  if (succeeded(rows))
    return rows;
  bool overLast = llvm::any_of(group.ops, [](Operation *op) {
    if (isa<SoftmaxStatsOp>(op))
      return true;
    auto reduce = dyn_cast<ReduceOp>(op);
    auto type = reduce ? reduce.getInput().getType() : RankedTensorType();
    return reduce && llvm::is_contained(reduce.getDims(), type.getRank() - 1);
  });
  // One reduction alone must always have a kernel, whatever it runs over.
  if (overLast && group.ops.size() > 1)
    return failure();
  return asColumns();
}

FailureOr<GroupKind> mlir::fuse::classifyGroup(const GroupView &group,
                                               const DimClasses &dims,
                                               std::string &reason) {
  return Classifier(group, dims, reason).run();
}
