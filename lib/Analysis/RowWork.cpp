//===- RowWork.cpp - What walks over a row do again -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/RowWork.h"

#include "fuse/Analysis/OpCost.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Counts what each walk computes that one before it has computed.
class WalkCounter {
public:
  WalkCounter(const ReductionSegment &segment, const DimClasses &dims);

  /// A walk that needs these values.
  void walk(ArrayRef<Value> needed);

  RowWork work;

private:
  bool isOfRow(Value value);
  void count(Value value);

  const ReductionSegment &segment;
  const DimClasses &dims;
  /// Exponentials of softmaxes: no walk has to compute them again.
  llvm::DenseSet<Operation *> kept;
  llvm::DenseSet<Value> before;
  /// What is known of values, which every level of reductions asks again.
  DenseMap<Value, bool> ofRow;
};
} // namespace

WalkCounter::WalkCounter(const ReductionSegment &segment,
                         const DimClasses &dims)
    : segment(segment), dims(dims) {
  for (ArrayRef<Operation *> level : segment.space.levels) {
    unsigned bounded = 0;
    for (Operation *op : level) {
      auto sum = dyn_cast<ReduceOp>(op);
      if (!sum || !sum.getMaximumOfExponents())
        continue;
      kept.insert(sum.getInput().getDefiningOp());
      ++bounded;
    }
    work.levels += bounded < level.size();
  }
  work.exponentials = kept.size();
}

/// Whether there is one for each element of the row, or one that all rows
/// share; neither reductions' results nor what follows from these alone.
bool WalkCounter::isOfRow(Value value) {
  auto [known, isNew] = ofRow.try_emplace(value, false);
  if (isNew) {
    auto extents = dims.extents(value);
    known->second = !extents.empty() && !segment.space.isReducedShape(extents);
  }
  return known->second;
}

void WalkCounter::count(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    work.repeated += segment.space.isSharedByRows(dims.extents(value));
    return;
  }
  if (isa<CastOp>(op) || kept.contains(op))
    return;
  work.repeated += instructionsOf(op);
  work.repeatsSpecial |= isSpecialFunction(op);
}

void WalkCounter::walk(ArrayRef<Value> needed) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> left(needed);
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (!isOfRow(value) || !seen.insert(value).second)
      continue;
    if (before.contains(value))
      count(value);
    // An offset has no place in the row.
    if (Operation *op = value.getDefiningOp())
      llvm::copy_if(op->getOperands(), std::back_inserter(left),
                    [](Value operand) {
                      return isa<RankedTensorType>(operand.getType());
                    });
  }
  before.insert_range(seen);
}

RowWork mlir::fuse::rowWorkOf(const ReductionSegment &segment,
                              const DimClasses &dims) {
  WalkCounter counter(segment, dims);
  for (ArrayRef<Operation *> level : segment.space.levels) {
    SmallVector<Value> needed;
    for (Operation *op : level)
      llvm::append_range(needed, op->getOperands());
    counter.walk(needed);
  }
  counter.walk(segment.stored);
  return counter.work;
}
