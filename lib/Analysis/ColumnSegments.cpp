//===- ColumnSegments.cpp - Columns of several tensors --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ColumnSegments.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether the segment can have blocks of its own beside others.
static bool isAlone(const ReductionSegment &segment, const DimClasses &dims) {
  const ReductionSpace &space = segment.space;
  int64_t last = static_cast<int64_t>(space.domain.size()) - 1;
  if (space.levels.empty() || space.hasGroups() || !segment.across.empty() ||
      last < 1 || static_cast<int64_t>(space.reduced.size()) != last ||
      space.isReduced(last) || !space.domain[last].isStatic() ||
      space.domain[last].size < 2)
    return false;
  auto isOfColumns = [&](Value value) {
    return space.isReducedShape(dims.extents(value));
  };
  return llvm::none_of(segment.paths, isMove) &&
         llvm::all_of(segment.stored, isOfColumns) &&
         isOneWalk(segment.ops, segment.stored, space, dims);
}

/// Whether threads can follow what they leave of columns to where it is stored.
/// Nobody fills what is beside it.
static bool mayMove(const RowStore &store, const ReductionSpace &space,
                    const DimClasses &dims) {
  return store.path.empty() ||
         (space.isReducedShape(dims.extents(store.value)) &&
          llvm::none_of(store.path, [](const StoreStep &step) {
            return isa<PadOp>(step.op);
          }));
}

RowStores mlir::fuse::columnStoresOf(ArrayRef<Operation *> ops,
                                     ArrayRef<Value> results,
                                     const ReductionSpace &space,
                                     const DimClasses &dims) {
  RowStores found = rowStoresOf(ops, results);
  bool mayAll = llvm::all_of(found.stores, [&](const RowStore &store) {
    return mayMove(store, space, dims);
  });
  if (mayAll)
    return found;
  found = {};
  for (auto [number, result] : llvm::enumerate(results))
    found.stores.push_back({result, static_cast<unsigned>(number), {}});
  return found;
}

/// Sets what a segment of all ops stores, and takes what moves it out of its
/// ops.
static void storeColumns(ReductionSegment &segment, ArrayRef<Operation *> ops,
                         ArrayRef<Value> results, const DimClasses &dims) {
  RowStores found = columnStoresOf(ops, results, segment.space, dims);
  for (RowStore &store : found.stores) {
    segment.results.push_back(store.result);
    segment.stored.push_back(store.value);
    segment.paths.push_back(std::move(store.path));
  }
  llvm::copy_if(ops, std::back_inserter(segment.ops),
                [&](Operation *op) { return !found.placing.contains(op); });
}

/// Whether the segment reduces all of a tensor in one walk.
static bool isWhole(const ReductionSegment &segment, const DimClasses &dims) {
  const ReductionSpace &space = segment.space;
  if (space.levels.size() != 1 || space.hasGroups() ||
      !segment.across.empty() || space.domain.empty() ||
      space.reduced.size() != space.domain.size())
    return false;
  auto isNumber = [&](Value value) {
    return space.isReducedShape(dims.extents(value));
  };
  return llvm::none_of(segment.paths, isMove) &&
         llvm::all_of(segment.stored, isNumber) &&
         isOneWalk(segment.ops, segment.stored, space, dims);
}

static bool isDynamic(const ReductionSegment &segment) {
  return !staticProduct(segment.space.domain);
}

bool mlir::fuse::reduceWholes(ArrayRef<ReductionSegment> segments,
                              const DimClasses &dims) {
  return segments.size() > 1 && segments.size() <= kMostColumnSegments &&
         llvm::any_of(segments, isDynamic) &&
         llvm::all_of(segments, [&](const ReductionSegment &segment) {
           return isWhole(segment, dims);
         });
}

FailureOr<std::vector<ReductionSegment>>
mlir::fuse::columnSegmentsOf(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                             const DimClasses &dims, Reason &reason) {
  FailureOr<ReductionSpace> space = reductionSpaceOf(ops, dims, reason);
  if (succeeded(space)) {
    std::vector<ReductionSegment> one(1);
    one.front().space = std::move(*space);
    storeColumns(one.front(), ops, results, dims);
    return one;
  }
  Reason why;
  auto segments = reductionSegmentsOf(ops, results, dims, why);
  bool areAlone = succeeded(segments) &&
                  segments->size() <= kMostColumnSegments &&
                  llvm::all_of(*segments, [&](const ReductionSegment &segment) {
                    return isAlone(segment, dims);
                  });
  if (succeeded(segments) && reduceWholes(*segments, dims))
    areAlone = true;
  return areAlone ? std::move(segments)
                  : FailureOr<std::vector<ReductionSegment>>(failure());
}

FailureOr<std::vector<ReductionSegment>>
mlir::fuse::columnSegmentsOf(KernelOp kernel, const DimClasses &dims,
                             Reason &reason) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
  return columnSegmentsOf(ops, llvm::to_vector(kernel.getYield().getValues()),
                          dims, reason);
}

int64_t mlir::fuse::narrowestBytes(const ReductionSegment &segment,
                                   const DimClasses &dims) {
  int64_t narrowest = INT64_MAX;
  for (Operation *op : segment.ops)
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) &&
          !llvm::is_contained(segment.ops, operand.getDefiningOp()) &&
          dims.extents(operand) == segment.space.domain)
        narrowest =
            std::min(narrowest,
                     getElementBytes(getElementTypeOrSelf(operand.getType())));
  constexpr int64_t unread = 4;
  return narrowest == INT64_MAX ? unread : narrowest;
}

SmallVector<int64_t>
mlir::fuse::columnVectors(ArrayRef<ReductionSegment> segments, int64_t vector,
                          const DimClasses &dims) {
  if (segments.size() == 1)
    return {vector};
  // More elements cost registers.
  constexpr int64_t mostElements = 8;
  int64_t widest = 1;
  for (const ReductionSegment &segment : segments)
    widest = std::max(widest, narrowestBytes(segment, dims));
  return llvm::map_to_vector(segments, [&](const ReductionSegment &segment) {
    int64_t own = vector * widest / narrowestBytes(segment, dims);
    own = std::max(vector, std::min(own, mostElements));
    // Vectors of places that are neighbours leave edges.
    if (segment.space.reduced.size() == 1 && segment.space.domain.size() == 1)
      return own;
    const Extent &last = segment.space.domain.back();
    while (own > 1 && (!last.isStatic() || last.size % own != 0))
      own /= 2;
    return own;
  });
}

ReductionSpace mlir::fuse::joinedColumns(ArrayRef<ReductionSegment> segments) {
  ReductionSpace joined = segments.front().space;
  if (segments.size() == 1)
    return joined;
  if (joined.reduced.size() == joined.domain.size()) {
    for (const ReductionSegment &segment : segments)
      for (const Extent &extent : segment.space.domain)
        if (!extent.isStatic())
          joined.domain = {extent};
    joined.reduced = {0};
    return joined;
  }
  int64_t columns = 0;
  for (const ReductionSegment &segment : segments)
    columns += segment.space.domain.back().size;
  joined.domain.back() = Extent{columns};
  return joined;
}
