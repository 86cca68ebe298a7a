//===- RowShapes.cpp - Whether rows of several shapes suit ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowShapes.h"

#include "fuse/Analysis/OpCost.h"

using namespace mlir;
using namespace mlir::fuse;

/// Each shape has code and static shared memory of its own.
static constexpr size_t mostShapes = 4;
/// Of the lengths of rows that blocks of one size suit.
static constexpr int64_t mostRatio = 4;
/// A thread's widest access, in bytes.
static constexpr double accessBytes = 16;
/// What a block reads in the time of a launch.
static constexpr double bytesPerLaunch = 128 * 1024;

namespace {
struct RowShape {
  std::optional<int64_t> length;
  /// Elements of a vector that divides the rows; 0 if that is not known.
  int64_t vector = 0;
  double bytes = 0;
  bool wantsParts = false;
};
} // namespace

static RowShape shapeOf(const ReductionSegment &segment,
                        ArrayRef<Value> results, const DimClasses &dims,
                        const MachineRates &machine) {
  const ReductionSpace &space = segment.space;
  SmallVector<Value> written;
  for (unsigned result : segment.results)
    written.push_back(results[result]);
  double narrowest = accessBytes;
  auto visit = [&](Value value) {
    if (isa<RankedTensorType>(value.getType()) &&
        dims.extents(value) == space.domain)
      narrowest = std::min(narrowest, elementBytes(value));
  };
  llvm::for_each(written, visit);
  for (Operation *op : segment.ops)
    for (Value operand : op->getOperands())
      if (!llvm::is_contained(segment.ops, operand.getDefiningOp()))
        visit(operand);

  RowShape shape;
  shape.length = staticProduct(space.columns());
  if (const Extent &inner = space.columns().back(); inner.isStatic())
    for (shape.vector = accessBytes / narrowest;
         inner.size % shape.vector != 0;)
      shape.vector /= 2;
  shape.bytes = estimatedElements(space.columns()) * narrowest;
  double rows = estimatedElements(space.rows());
  shape.wantsParts = machine.sharesResults && rows < 2 * machine.processors &&
                     shape.bytes > bytesPerLaunch &&
                     isOneWalk(segment.ops, written, space, dims);
  return shape;
}

const char *mlir::fuse::whyNotOneLaunch(ArrayRef<ReductionSegment> segments,
                                        ArrayRef<Value> results,
                                        const DimClasses &dims,
                                        const MachineRates &machine) {
  bool areRows = llvm::all_of(segments, [](const ReductionSegment &segment) {
    return segment.space.overLastDims();
  });
  if (segments.size() == 1 || !areRows)
    return nullptr;
  if (segments.size() > mostShapes)
    return "a launch takes rows of four shapes at most";
  SmallVector<RowShape> shapes;
  for (const ReductionSegment &segment : segments)
    shapes.push_back(shapeOf(segment, results, dims, machine));
  const RowShape &first = shapes.front();
  int64_t shortest = INT64_MAX, longest = 0;
  for (const RowShape &shape : shapes) {
    if (shape.length.has_value() != first.length.has_value())
      return "rows of a known and of an unknown length want different blocks";
    if (shape.vector != first.vector)
      return "the rows of the two want vectors of different widths";
    if (shape.wantsParts)
      return "many blocks share each of a few long rows, and only in a launch "
             "of one shape";
    shortest = std::min(shortest, shape.length.value_or(1));
    longest = std::max(longest, shape.length.value_or(1));
  }
  if (longest > mostRatio * shortest)
    return "blocks that suit the long rows of one leave most threads idle in "
           "the short rows of the other";
  return nullptr;
}
