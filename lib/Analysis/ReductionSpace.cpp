//===- ReductionSpace.cpp - What reductions walk and reduce ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ReductionSpace.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

unsigned mlir::fuse::numStateComponents(Operation *op) {
  // Deviations are combined by the numbers of elements.
  return op->getNumResults() + isa<WelfordOp>(op);
}

bool ReductionSpace::overLastDims() const {
  for (int64_t axis = reduced.front(), rank = domain.size(); axis < rank;
       ++axis)
    if (!isReduced(axis) && domain[axis].size != 1)
      return false;
  return true;
}

SmallVector<Extent> ReductionSpace::keptExtents() const {
  SmallVector<Extent> kept;
  for (auto [axis, extent] : llvm::enumerate(domain))
    if (!isReduced(axis))
      kept.push_back(extent);
  return kept;
}

SmallVector<Extent> ReductionSpace::reducedExtents() const {
  SmallVector<Extent> extents;
  for (int64_t axis : reduced)
    extents.push_back(domain[axis]);
  return extents;
}

bool ReductionSpace::isReducedShape(ArrayRef<Extent> extents) const {
  if (extents == ArrayRef(keptExtents()))
    return true;
  if (extents.size() != domain.size())
    return false;
  for (auto [axis, extent] : llvm::enumerate(domain))
    if (extents[axis] != (isReduced(axis) ? Extent{1} : extent))
      return false;
  return true;
}

bool ReductionSpace::isGroupShape(ArrayRef<Extent> extents) const {
  if (!hasGroups())
    return false;
  ArrayRef<Extent> kept = ArrayRef(domain).drop_back(inner.size());
  return extents.take_front(kept.size()) == kept &&
         (extents.size() == kept.size() || extents.size() == domain.size()) &&
         llvm::all_of(extents.drop_front(kept.size()),
                      [](const Extent &e) { return e.size == 1; });
}

std::optional<RowGroups> mlir::fuse::rowGroupsOf(const ReductionSpace &space) {
  constexpr int64_t warp = 32, mostThreads = 1024, mostVectors = 16;
  if (!space.hasGroups() || !space.overLastDims())
    return std::nullopt;
  ArrayRef<Extent> columns = space.columns();
  std::optional<int64_t> length = staticProduct(columns);
  std::optional<int64_t> elements =
      staticProduct(ArrayRef(space.domain).take_back(space.inner.size()));
  if (!length || !elements || *elements == 0)
    return std::nullopt;
  for (int64_t vector = 8; vector > 0; vector /= 2) {
    int64_t threads = *elements / vector, vectors = *length / vector;
    if (columns.back().size % vector != 0 || threads > warp ||
        !llvm::isPowerOf2_64(threads))
      continue;
    // All threads have as many vectors.
    int64_t rowThreads = std::min(mostThreads, vectors & -vectors);
    while (rowThreads > warp && vectors / rowThreads < 4)
      rowThreads /= 2;
    if (rowThreads < warp || vectors / rowThreads > mostVectors)
      continue;
    return RowGroups{*elements, vector, threads, rowThreads};
  }
  return std::nullopt;
}

bool ReductionSpace::isSharedByRows(ArrayRef<Extent> extents) const {
  SmallVector<Extent> columns = reducedExtents();
  if (extents.size() < columns.size())
    return false;
  ArrayRef<Extent> outer = extents.drop_back(columns.size());
  return extents.take_back(columns.size()) == ArrayRef(columns) &&
         llvm::all_of(outer, [](const Extent &e) { return e.size == 1; });
}

/// Whether `dims` are those of groups, or of rows whose groups are what has
/// been taken for rows.
static bool takeGroups(ReductionSpace &space, ArrayRef<int64_t> dims) {
  if (dims == ArrayRef(space.inner))
    return true;
  ArrayRef<int64_t> rows = space.reduced, groups = dims;
  if (rows.size() < groups.size())
    std::swap(rows, groups);
  auto rank = static_cast<int64_t>(space.domain.size());
  bool areLast = rows.size() > groups.size() && !groups.empty() &&
                 llvm::equal(rows, llvm::seq<int64_t>(rows.front(), rank)) &&
                 rows.take_back(groups.size()) == groups;
  if (!areLast || space.hasGroups())
    return false;
  SmallVector<int64_t> inner(groups), reduced(rows);
  space.inner.assign(inner.begin(), inner.end());
  space.reduced = std::move(reduced);
  return true;
}

FailureOr<ReductionSpace>
mlir::fuse::reductionSpaceOf(ArrayRef<Operation *> ops, const DimClasses &dims,
                             Reason &reason) {
  ReductionSpace space;
  DenseMap<Value, unsigned> level;
  for (Operation *op : ops) {
    unsigned needed = 0;
    for (Value operand : op->getOperands())
      needed = std::max(needed, level.lookup(operand));
    bool reduces = isReduction(op);
    for (Value result : op->getResults())
      level[result] = needed + reduces;
    if (!reduces)
      continue;

    SmallVector<Extent> domain = dims.extents(op->getOperand(0));
    if (space.levels.empty()) {
      space.domain = domain;
      space.reduced.assign(reducedDims(op).begin(), reducedDims(op).end());
    } else if (domain != space.domain) {
      reason = ReasonKind::differentShapes;
      return failure();
    } else if (reducedDims(op) != ArrayRef(space.reduced) &&
               !takeGroups(space, reducedDims(op))) {
      reason = ReasonKind::differentDims;
      return failure();
    }
    if (space.levels.size() <= needed)
      space.levels.resize(needed + 1);
    space.levels[needed].push_back(op);
  }
  if (space.levels.empty()) {
    reason = ReasonKind::nothingReduced;
    return failure();
  }
  if (space.reduced.empty()) {
    reason = ReasonKind::noReducedDims;
    return failure();
  }
  return space;
}

FailureOr<ReductionSpace> mlir::fuse::reductionSpaceOf(KernelOp kernel,
                                                       const DimClasses &dims,
                                                       Reason &reason) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front())
    ops.push_back(&op);
  return reductionSpaceOf(ops, dims, reason);
}

bool mlir::fuse::readsAny(Operation *op, const llvm::DenseSet<Value> &values) {
  return llvm::any_of(op->getOperands(),
                      [&](Value value) { return values.contains(value); });
}

llvm::DenseSet<Value>
mlir::fuse::valuesFromReductions(ArrayRef<Operation *> ops) {
  llvm::DenseSet<Value> values;
  for (Operation *op : ops)
    if (isReduction(op) || readsAny(op, values))
      values.insert(op->result_begin(), op->result_end());
  return values;
}

bool mlir::fuse::isOneWalk(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                           const ReductionSpace &space,
                           const DimClasses &dims) {
  llvm::DenseSet<Value> reduced = valuesFromReductions(ops);
  // Ops that move elements, or turn pairs of them, want other places' too.
  for (Operation *op : ops)
    if (readsAny(op, reduced) && !isa<CastOp>(op) &&
        !op->hasTrait<mlir::fuse::OpTrait::Pointwise>())
      return false;
  return space.levels.size() == 1 && llvm::all_of(results, [&](Value value) {
           SmallVector<Extent> extents = dims.extents(value);
           return space.isReducedShape(extents) ||
                  (extents == space.domain && !reduced.contains(value));
         });
}

bool mlir::fuse::isOneWalk(KernelOp kernel, const ReductionSpace &space,
                           const DimClasses &dims) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
  return isOneWalk(ops, llvm::to_vector(kernel.getYield().getValues()), space,
                   dims);
}

bool mlir::fuse::foldsRows(KernelOp kernel, const ReductionSpace &space,
                           const DimClasses &dims) {
  SmallVector<Extent> kept = space.keptExtents();
  if (kept.size() != 1 || !kept.front().isStatic() || kept.front().size == 0 ||
      space.isReduced(space.domain.size() - 1) ||
      !isOneWalk(kernel, space, dims))
    return false;
  auto isOfPlaces = [](Operation &op) {
    return isReduction(&op) || isa<ConstantOp>(op) ||
           (op.hasTrait<mlir::fuse::OpTrait::Pointwise>() &&
            !isa<IotaOp, RandomOp>(op));
  };
  return llvm::all_of(kernel.getBody().front().without_terminator(),
                      isOfPlaces) &&
         llvm::all_of(kernel.getYield().getValues(), [&](Value value) {
           return space.isReducedShape(dims.extents(value));
         });
}
