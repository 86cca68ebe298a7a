//===- Legality.cpp - What one kernel can run -----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Fusion/Legality.h"

#include "fuse/Analysis/AxisClasses.h"
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

static bool isReduction(Operation *op) {
  return isa<ReduceOp, SoftmaxStatsOp>(op);
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
  FailureOr<GroupKind> asReductions();

  const GroupView &group;
  const DimClasses &dims;
  std::string &reason;
};

/// Checks that a group with reductions is one walk over one space: every value
/// that is needed at the walk's own points has axes of the space, and nothing
/// that follows from a reduction is needed elsewhere.
class ReductionCheck {
public:
  ReductionCheck(const GroupView &group, const DimClasses &dims,
                 const ReductionSpace &space)
      : group(group), dims(dims), space(space), axes(group.ops, dims) {}

  /// Null if the group passes, else why not.
  const char *run();

private:
  void followOperands();
  void followReductions();
  const char *checkAxes();
  const char *checkPlaces();
  const char *checkResults();

  const GroupView &group;
  const DimClasses &dims;
  const ReductionSpace &space;
  AxisClasses axes;
  /// The axes of the domain.
  SmallVector<int> domain;
  /// Values that a walk needs at its own points, at others, and those that
  /// follow from a reduction.
  llvm::DenseSet<Value> aligned, displaced, after;
};
} // namespace

/// From the results backwards: what is needed where.
void ReductionCheck::followOperands() {
  aligned.insert(group.results.begin(), group.results.end());
  for (Operation *op : llvm::reverse(group.ops)) {
    bool isAligned = llvm::any_of(op->getResults(),
                                  [&](Value v) { return aligned.contains(v); });
    bool isDisplaced = llvm::any_of(
        op->getResults(), [&](Value v) { return displaced.contains(v); });
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      bool follows = op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
                     isReduction(op) || (isa<RotaryOp>(op) && number == 0);
      if (isAligned && follows)
        aligned.insert(operand);
      if (isDisplaced || !follows)
        displaced.insert(operand);
    }
  }
}

void ReductionCheck::followReductions() {
  for (Operation *op : group.ops) {
    bool follows = isReduction(op) ||
                   llvm::any_of(op->getOperands(),
                                [&](Value v) { return after.contains(v); });
    if (follows)
      after.insert(op->result_begin(), op->result_end());
  }
}

/// Ties the reductions' operands to each other, and checks that the axes of the
/// domain stay distinct.
const char *ReductionCheck::checkAxes() {
  Value first = space.levels.front().front()->getOperand(0);
  for (ArrayRef<Operation *> level : space.levels)
    for (Operation *op : level)
      axes.uniteSameRank(first, op->getOperand(0));
  domain = axes.axes(first);
  llvm::SmallDenseSet<int> seen;
  for (int axis : domain)
    if (axis >= 0 && !seen.insert(axis).second)
      return "it needs reductions of other rows";
  return nullptr;
}

const char *ReductionCheck::checkPlaces() {
  for (Operation *op : group.ops) {
    for (Value result : op->getResults()) {
      if (after.contains(result) && displaced.contains(result))
        return "it needs reductions of other rows";
      if (!aligned.contains(result))
        continue;
      for (int axis : axes.axes(result))
        if (axis >= 0 && !llvm::is_contained(domain, axis))
          return "its shape is not that of the rows that are reduced";
    }
    // The partner of a rotary pair is another place of the last dimension.
    if (isa<RotaryOp>(op) && after.contains(op->getOperand(0)) &&
        !space.isReduced(space.domain.size() - 1))
      return "a rotary pair needs reductions of other columns";
  }
  return nullptr;
}

const char *ReductionCheck::checkResults() {
  for (Value result : group.results) {
    SmallVector<Extent> extents = dims.extents(result);
    if (extents != space.domain && !space.isReducedShape(extents))
      return "a result has neither the shape of the rows that are reduced nor "
             "one element a row";
  }
  return nullptr;
}

const char *ReductionCheck::run() {
  followOperands();
  followReductions();
  if (const char *why = checkAxes())
    return why;
  if (const char *why = checkPlaces())
    return why;
  return checkResults();
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

FailureOr<GroupKind> Classifier::asReductions() {
  FailureOr<ReductionSpace> space = reductionSpaceOf(group.ops, dims, reason);
  if (failed(space))
    return failure();
  if (const char *why = ReductionCheck(group, dims, *space).run())
    return refuse(why);
  return space->overLastDims() ? GroupKind::Rows : GroupKind::Columns;
}

FailureOr<GroupKind> Classifier::run() {
  bool reduces = false;
  for (Operation *op : group.ops) {
    if (auto contract = dyn_cast<ContractOp>(op))
      return asContraction(contract);
    reduces |= isReduction(op);
  }
  if (!reduces)
    return GroupKind::Pointwise;
  return asReductions();
}

FailureOr<GroupKind> mlir::fuse::classifyGroup(const GroupView &group,
                                               const DimClasses &dims,
                                               std::string &reason) {
  return Classifier(group, dims, reason).run();
}
