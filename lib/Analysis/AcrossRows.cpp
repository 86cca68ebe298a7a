//===- AcrossRows.cpp - Reductions over what rows are reduced to ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ReductionSegments.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class AcrossRowsFinder {
public:
  AcrossRowsFinder(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                   const DimClasses &dims)
      : ops(ops), results(results), dims(dims) {}

  AcrossRows run();

private:
  bool findRows();
  bool isOfRows(Operation *op) const;
  bool isAcross(Operation *op) const;
  bool isBesideRows(Value value) const;
  void add(Operation *op);
  bool addFollower(Operation *op);

  ArrayRef<Operation *> ops;
  ArrayRef<Value> results;
  const DimClasses &dims;
  /// The space of the first reduction of rows.
  ReductionSpace rows;
  AcrossRows found;
  /// What follows from reductions of rows.
  llvm::DenseSet<Value> ofRows;
  /// The number of the space that a value follows from.
  DenseMap<Value, unsigned> follows;
  /// Whether a reduction over all rows reads what they are reduced from or to.
  /// Others that are as long may be so by chance.
  bool readsRows = false;
};
} // namespace

/// Rows are what leaves several elements.
bool AcrossRowsFinder::findRows() {
  Reason reason;
  for (Operation *op : ops) {
    if (!isReduction(op))
      continue;
    FailureOr<ReductionSpace> space = reductionSpaceOf({op}, dims, reason);
    if (failed(space) || !space->overLastDims() ||
        staticProduct(space->rows()) == 1)
      continue;
    rows = std::move(*space);
    return true;
  }
  return false;
}

/// Whether the op reduces rows, or follows from what does. Reductions of other
/// shapes have walks of their own.
bool AcrossRowsFinder::isOfRows(Operation *op) const {
  if (readsAny(op, ofRows))
    return true;
  return isReduction(op) && reducedDims(op) == ArrayRef(rows.reduced) &&
         ArrayRef<Extent>(dims.extents(op->getOperand(0))) ==
             ArrayRef(rows.domain);
}

/// Either over all rows of the shape itself, or over what rows have one of:
/// beside those also of what reads no row, such as a count of labels, as each
/// row has its part.
bool AcrossRowsFinder::isAcross(Operation *op) const {
  if (!isReduction(op))
    return false;
  ArrayRef<int64_t> reduced = reducedDims(op);
  SmallVector<Extent> domain = dims.extents(op->getOperand(0));
  auto leading = llvm::seq<int64_t>(rows.reduced.front());
  if (domain == rows.domain)
    return llvm::equal(reduced, leading);
  // A maximum and a sum below it were two walks when kernels were formed.
  bool hasOwnWalk = llvm::any_of(ops, [&](Operation *other) {
    return isa<SoftmaxStatsOp>(other) &&
           dims.extents(other->getOperand(0)) == domain;
  });
  if (!rows.isReducedShape(domain) || hasOwnWalk)
    return false;
  for (auto [axis, extent] : llvm::enumerate(domain))
    if (extent.size != 1 &&
        !llvm::is_contained(reduced, static_cast<int64_t>(axis)))
      return false;
  return true;
}

/// Whether an op of rows reads the value, or what it is computed from: it then
/// has an element for each row by more than chance.
bool AcrossRowsFinder::isBesideRows(Value value) const {
  SmallVector<Value> work = {value};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!rows.isReducedShape(dims.extents(next)) || !seen.insert(next).second)
      continue;
    // With as many rows as columns, weights have an element for each as well.
    bool mayBeWeights = rows.isSharedByRows(dims.extents(next));
    for (Operation *user : next.getUsers())
      if (llvm::is_contained(ops, user) && readsAny(user, ofRows) &&
          !(mayBeWeights && dims.extents(user->getResult(0)) == rows.domain))
        return true;
    Operation *op = next.getDefiningOp();
    if (op && llvm::is_contained(ops, op))
      llvm::append_range(work, op->getOperands());
  }
  return false;
}

void AcrossRowsFinder::add(Operation *op) {
  SmallVector<Extent> domain = dims.extents(op->getOperand(0));
  ArrayRef<int64_t> reduced = reducedDims(op);
  auto *space = llvm::find_if(found.spaces, [&](const ReductionSpace &other) {
    return other.domain == domain && ArrayRef(other.reduced) == reduced;
  });
  if (space == found.spaces.end()) {
    found.spaces.push_back({domain, SmallVector<int64_t>(reduced), {{}}});
    space = std::prev(found.spaces.end());
  }
  space->levels.front().push_back(op);
  for (Value result : op->getResults())
    follows[result] = space - found.spaces.begin();
}

/// What is computed element by element from reductions of one space, and from
/// nothing that a row has one of.
bool AcrossRowsFinder::addFollower(Operation *op) {
  if (op->getNumResults() != 1 || isa<IotaOp, RandomOp>(op) ||
      !op->hasTrait<mlir::fuse::OpTrait::Pointwise>())
    return false;
  std::optional<unsigned> number;
  for (Value operand : op->getOperands()) {
    auto from = follows.find(operand);
    if (from == follows.end()) {
      if (ofRows.contains(operand))
        return false;
      continue;
    }
    if (number && *number != from->second)
      return false;
    number = from->second;
  }
  Value result = op->getResult(0);
  follows[result] = *number;
  return found.spaces[*number].isReducedShape(dims.extents(result));
}

AcrossRows AcrossRowsFinder::run() {
  if (!findRows())
    return {};
  llvm::DenseSet<Value> late;
  for (Operation *op : ops) {
    if (readsAny(op, late)) {
      if (!addFollower(op))
        return {};
    } else if (isAcross(op)) {
      readsRows |= readsAny(op, ofRows) ||
                   dims.extents(op->getOperand(0)) == rows.domain;
      add(op);
    } else {
      if (isOfRows(op))
        ofRows.insert(op->result_begin(), op->result_end());
      continue;
    }
    found.ops.push_back(op);
    late.insert(op->result_begin(), op->result_end());
  }
  if (!readsRows && llvm::none_of(found.inputs(), [&](Value input) {
        return isBesideRows(input);
      }))
    return {};
  for (auto [number, result] : llvm::enumerate(results))
    if (late.contains(result)) {
      found.results.push_back(number);
      found.resultSpaces.push_back(follows.lookup(result));
    }
  return found;
}

SmallVector<Value> AcrossRows::inputs() const {
  SmallVector<Value> values;
  for (const ReductionSpace &space : spaces)
    for (Operation *op : space.levels.front())
      values.push_back(op->getOperand(0));
  return values;
}

AcrossRows mlir::fuse::acrossRowsOf(ArrayRef<Operation *> ops,
                                    ArrayRef<Value> results,
                                    const DimClasses &dims) {
  return AcrossRowsFinder(ops, results, dims).run();
}

bool ReductionSegment::reducesToColumns() const {
  return llvm::any_of(across.spaces, [&](const ReductionSpace &other) {
    return AcrossRows::keepsColumns(other, space);
  });
}
