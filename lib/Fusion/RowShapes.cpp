//===- RowShapes.cpp - Whether rows of several shapes suit ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowShapes.h"

#include "fuse/Analysis/ColumnSegments.h"
#include "fuse/Analysis/OpCost.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// Each shape has code and static shared memory of its own: little of both
/// where rows are read once and nothing of their length is written.
static constexpr size_t mostShapes = 4, mostReadOnce = 64;
/// Of the lengths of rows that blocks of one size suit.
static constexpr int64_t mostRatio = 4;
/// The same of rows that are only computed beside others: their threads, of
/// whatever number, need not wait for each other.
static constexpr int64_t mostComputedRatio = 32;
/// A thread's widest access, in bytes; and the most elements of a vector,
/// unless all are bytes.
static constexpr double accessBytes = 16;
static constexpr int64_t mostElements = 8;
/// Bytes of the sums of all columns for which the threads of a block have room
/// in their registers.
static constexpr int64_t mostSummedBytes = 64 << 10;
/// Bytes of the narrowest vectors that are worth it.
static constexpr double fewestSummedBytes = 8;
/// Rows, as a multiple of the multiprocessors, from which on the sums that
/// blocks have kept are fewer than what they have read.
static constexpr double fewestSummedRows = 4;

namespace {
struct RowShape {
  std::optional<int64_t> length;
  /// Elements of the vectors that the schedulers are going to take: the widest
  /// where rows leave edges, else one that divides the rows, or multiples of 16
  /// bytes where their length is unknown.
  int64_t vector = 1;
  bool wantsParts = false;
  /// Whether rows are reduced, and not only computed beside those that are.
  bool isReduced = true;
  /// Whether any vectors do: nothing has the shape of the rows in memory, as
  /// where zeros fill them up.
  bool takesAnyVector = false;
};
} // namespace

/// The bytes of the narrowest and the widest element of the tensors of the
/// segment's shape that cross the kernel's edge.
static std::pair<double, double> elementBytes(const ReductionSegment &segment,
                                              ArrayRef<Value> written,
                                              const DimClasses &dims) {
  double narrowest = accessBytes, widest = 1;
  auto visit = [&](Value value) {
    if (!isa<RankedTensorType>(value.getType()) ||
        dims.extents(value) != segment.space.domain)
      return;
    narrowest = std::min(narrowest, elementBytes(value));
    widest = std::max(widest, elementBytes(value));
  };
  llvm::for_each(written, visit);
  for (Operation *op : segment.ops)
    for (Value operand : op->getOperands())
      if (!llvm::is_contained(segment.ops, operand.getDefiningOp()))
        visit(operand);
  return {std::min(narrowest, widest), widest};
}

/// Whether a tensor of the segment's shape crosses the kernel's edge.
static bool hasTensors(const ReductionSegment &segment, ArrayRef<Value> written,
                       const DimClasses &dims) {
  auto isOfRows = [&](Value value) {
    return isa<RankedTensorType>(value.getType()) &&
           dims.extents(value) == segment.space.domain;
  };
  return llvm::any_of(written, isOfRows) ||
         llvm::any_of(segment.ops, [&](Operation *op) {
           return llvm::any_of(op->getOperands(), [&](Value operand) {
             return isOfRows(operand) &&
                    !llvm::is_contained(segment.ops, operand.getDefiningOp());
           });
         });
}

/// Whether the dimensions of the rows become one, as -fuse-collapse-dims makes
/// them where nothing has a part of them or asks where it is.
static bool areColumnsOne(const ReductionSegment &segment,
                          const DimClasses &dims) {
  const ReductionSpace &space = segment.space;
  auto hasAllOrNone = [&](Value value) {
    if (!isa<RankedTensorType>(value.getType()))
      return true;
    SmallVector<Extent> extents = dims.extents(value);
    return extents == space.domain || space.isReducedShape(extents) ||
           staticProduct(extents) == 1;
  };
  return !space.hasGroups() && segment.across.empty() &&
         llvm::all_of(segment.ops, [&](Operation *op) {
           return (isReduction(op) ||
                   op->hasTrait<mlir::fuse::OpTrait::Pointwise>()) &&
                  !isa<IotaOp>(op) &&
                  llvm::all_of(op->getOperands(), hasAllOrNone) &&
                  llvm::all_of(op->getResults(), hasAllOrNone);
         });
}

/// The segment's space as schedulers are going to see it.
static ReductionSegment withOneColumn(const ReductionSegment &segment,
                                      const DimClasses &dims) {
  ReductionSegment walked = segment;
  auto domain = llvm::to_vector(segment.space.rows());
  std::optional<int64_t> length = staticProduct(segment.space.columns());
  if (!length || segment.space.columns().size() == 1 ||
      !areColumnsOne(segment, dims))
    return walked;
  walked.space.reduced = {static_cast<int64_t>(domain.size())};
  domain.push_back({*length});
  walked.space.domain = std::move(domain);
  return walked;
}

static RowShape shapeOf(const ReductionSegment &segment, const DimClasses &dims,
                        const MachineRates &machine) {
  const ReductionSpace &space = segment.space;
  ArrayRef<Value> written = segment.stored;
  auto [narrowest, widest] = elementBytes(segment, written, dims);

  RowShape shape;
  shape.takesAnyVector =
      widest == 1 && narrowest == 1 && !hasTensors(segment, written, dims);
  shape.isReduced = !space.levels.empty();
  shape.length = staticProduct(space.columns());
  ReductionSegment walked = withOneColumn(segment, dims);
  Extent inner = walked.space.columns().back();
  if (shape.length || space.columns().size() == 1)
    shape.vector = accessBytes / (inner.isStatic() ? narrowest : widest);
  if (widest > 1)
    shape.vector = std::min(shape.vector, mostElements);
  int64_t most = shape.vector;
  while (inner.isStatic() && inner.size % shape.vector != 0)
    shape.vector /= 2;
  if (leavesEdges(walked, shape.vector, most))
    shape.vector = most;
  double rows = estimatedElements(space.rows());
  double bytes = estimatedElements(space.columns()) * narrowest;
  shape.wantsParts = shape.isReduced && machine.sharesResults &&
                     rows < 2 * machine.processors && bytes > kBytesPerLaunch &&
                     isOneWalk(segment.ops, written, space, dims);
  return shape;
}

/// Of the sums over all rows that are kept of each column.
static int64_t sumBytes(const ReductionSegment &segment) {
  int64_t bytes = 0;
  for (const ReductionSpace &space : segment.across.spaces)
    if (AcrossRows::keepsColumns(space, segment.space))
      for (Operation *op : space.levels.front())
        bytes += std::max(4.0, std::ceil(elementBytes(op->getOperand(0))));
  return bytes;
}

/// Whether each row is needed twice and leaves a multiprocessor no room for a
/// second one: clusters hold such rows.
static bool wantsClusters(const ReductionSegment &segment,
                          const DimClasses &dims, const MachineRates &machine) {
  const ReductionSpace &space = segment.space;
  llvm::SmallDenseSet<Value> read;
  double bytes = 0;
  for (Operation *op : segment.ops)
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) &&
          !llvm::is_contained(segment.ops, operand.getDefiningOp()) &&
          dims.extents(operand) == space.domain && read.insert(operand).second)
        bytes += elementBytes(operand);
  std::optional<int64_t> columns = staticProduct(space.columns());
  return columns && *columns * bytes > machine.clusterRowBytes &&
         !isReadOnce(segment, dims);
}

/// Why blocks should not keep sums over all rows until their last one.
static Reason whyNotAcross(const ReductionSegment &segment,
                           const DimClasses &dims,
                           const MachineRates &machine) {
  if (!machine.sharesResults)
    return ReasonKind::acrossNeedsGpu;
  if (!segment.reducesToColumns())
    return wantsClusters(segment, dims, machine) ? ReasonKind::acrossClusters
                                                 : Reason();
  const ReductionSpace &space = segment.space;
  std::optional<int64_t> columns = staticProduct(space.columns());
  if (!columns || *columns * sumBytes(segment) > mostSummedBytes)
    return ReasonKind::acrossRegisters;
  ArrayRef<Value> written = segment.stored;
  double narrowest = elementBytes(segment, written, dims).first;
  RowShape shape = shapeOf(segment, dims, machine);
  if (shape.vector * narrowest < fewestSummedBytes ||
      space.columns().back().size % shape.vector != 0)
    return ReasonKind::acrossNarrow;
  if (estimatedElements(space.rows()) < fewestSummedRows * machine.processors)
    return ReasonKind::acrossFewRows;
  return {};
}

/// Whether threads can share rows with groups, or whether a CPU's has vectors
/// of each group. The groups of an only row are rows when its dims have gone.
static bool haveGroupsThreads(const ReductionSegment &segment,
                              const DimClasses &dims,
                              const MachineRates &machine) {
  if (machine.sharesResults)
    return rowGroupsOf(segment.space).has_value();
  return segment.space.domain.back().isStatic() &&
         staticProduct(segment.space.rows()) != 1 &&
         shapeOf(segment, dims, machine).vector > 1;
}

/// Whether a result is one number of an only row with groups. When the row's
/// dims have gone, groups are rows and the number is reduced over all of them.
static bool hasNumberOfOnlyRow(const ReductionSegment &segment,
                               const DimClasses &dims) {
  return staticProduct(segment.space.rows()) == 1 &&
         llvm::any_of(segment.stored, [&](Value value) {
           return staticProduct(dims.extents(value)) == 1;
         });
}

/// The tensors in memory that have as many elements as the segment's rows.
static llvm::SmallDenseSet<Value> tensorsOf(const ReductionSegment &segment,
                                            const DimClasses &dims) {
  auto isReshape = [](Operation *op) {
    return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
  };
  double elements = estimatedElements(segment.space.domain);
  llvm::SmallDenseSet<Value> tensors;
  for (Operation *op : segment.ops)
    for (Value operand : op->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()) ||
          estimatedElements(dims.extents(operand)) != elements)
        continue;
      while (isReshape(operand.getDefiningOp()))
        operand = operand.getDefiningOp()->getOperand(0);
      if (!llvm::is_contained(segment.ops, operand.getDefiningOp()))
        tensors.insert(operand);
    }
  return tensors;
}

/// Why two walks over one tensor are not one, whatever its type and its sizes.
static Reason whyWalkedTwice(const ReductionSegment &a,
                             const ReductionSegment &b,
                             const DimClasses &dims) {
  llvm::SmallDenseSet<Value> own = tensorsOf(a, dims);
  if (llvm::none_of(tensorsOf(b, dims),
                    [&](Value tensor) { return own.contains(tensor); }))
    return {};
  return a.space.domain == b.space.domain ? ReasonKind::differentDims
                                          : ReasonKind::differentShapes;
}

Reason mlir::fuse::whyNotOneLaunch(ArrayRef<ReductionSegment> segments,
                                   const DimClasses &dims,
                                   const MachineRates &machine) {
  bool areRows = llvm::all_of(segments, [](const ReductionSegment &segment) {
    return segment.space.overLastDims();
  });
  // Columns of each type have vectors of their own, and so have whole tensors.
  if (!areRows || (machine.sharesResults && reduceWholes(segments, dims)))
    return {};
  for (const ReductionSegment &segment : segments) {
    if (!segment.space.hasGroups())
      continue;
    if (segments.size() > 1 || !segment.across.empty())
      return ReasonKind::groupsBeside;
    if (hasNumberOfOnlyRow(segment, dims))
      return ReasonKind::differentDims;
    if (!haveGroupsThreads(segment, dims, machine))
      return ReasonKind::groupsUnshared;
  }
  if (segments.size() == 1)
    return segments.front().across.empty()
               ? Reason()
               : whyNotAcross(segments.front(), dims, machine);
  bool areReadOnce =
      llvm::all_of(segments, [&](const ReductionSegment &segment) {
        return segment.space.levels.size() == 1 && isReadOnce(segment, dims);
      });
  size_t most = areReadOnce ? mostReadOnce : mostShapes;
  if (segments.size() > most)
    return Reason(ReasonKind::tooManyShapes, most);
  SmallVector<RowShape> shapes;
  for (const ReductionSegment &segment : segments)
    shapes.push_back(shapeOf(segment, dims, machine));
  auto *vectored = llvm::find_if(
      shapes, [](const RowShape &shape) { return !shape.takesAnyVector; });
  const RowShape &first = vectored == shapes.end() ? shapes.front() : *vectored;
  const ReductionSegment &ofFirst =
      segments[vectored == shapes.end() ? 0 : vectored - shapes.begin()];
  int64_t shortest = INT64_MAX, longest = 0;
  for (auto [segment, shape] : llvm::zip_equal(segments, shapes)) {
    bool isOther = shape.length.has_value() != first.length.has_value();
    if (isOther || (shape.vector != first.vector && !shape.takesAnyVector)) {
      if (Reason why = whyWalkedTwice(ofFirst, segment, dims))
        return why;
      if (isOther)
        return ReasonKind::knownAndUnknownLength;
      return Reason(ReasonKind::differentVectors, first.vector, shape.vector);
    }
    if (shape.wantsParts)
      return ReasonKind::sharedLongRows;
    if (shape.isReduced)
      shortest = std::min(shortest, shape.length.value_or(1));
    int64_t length = shape.length.value_or(1);
    longest = std::max(longest, shape.isReduced
                                    ? length
                                    : length * mostRatio / mostComputedRatio);
  }
  if (longest > mostRatio * shortest)
    return Reason(ReasonKind::longBesideShort, longest, shortest);
  return {};
}
