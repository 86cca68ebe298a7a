//===- Legality.cpp - What one kernel can run -----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Fusion/Legality.h"

#include "NeededPlaces.h"

#include "fuse/Analysis/AxisClasses.h"
#include "fuse/Analysis/ColumnSegments.h"
#include "fuse/Analysis/ContractionFlow.h"
#include "fuse/Analysis/ContractionSegments.h"
#include "fuse/Analysis/ElementSegments.h"
#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/OrderedSpace.h"
#include "fuse/Analysis/ReductionSegments.h"
#include "fuse/Analysis/StreamedSpace.h"
#include "fuse/Analysis/TransposeSpace.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

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
             const GPUTarget *tensorCores, Reason &reason)
      : group(group), dims(dims), tensorCores(tensorCores), reason(reason) {}

  FailureOr<GroupKind> run();

private:
  FailureOr<GroupKind> refuse(Reason why) {
    reason = std::move(why);
    return failure();
  }
  FailureOr<GroupKind> asContractions();
  FailureOr<GroupKind> asContraction(ArrayRef<ContractOp> contracts);
  Reason checkPartsOf(ContractOp contract);
  bool areMmaProducts(ArrayRef<ContractOp> contracts) const;
  FailureOr<GroupKind> refuseChained(ArrayRef<ContractOp> contracts);
  FailureOr<GroupKind> asTiles(ArrayRef<ContractOp> contracts);
  FailureOr<GroupKind> asReductions();
  bool isStreamed(Reason &why);
  FailureOr<GroupKind> asOrdered();

  const GroupView &group;
  const DimClasses &dims;
  const GPUTarget *tensorCores;
  Reason &reason;
};

/// Checks that ops with reductions are one walk over one space: every value
/// that is needed at the walk's own points has axes of the space, and nothing
/// that follows from a reduction is needed elsewhere.
class ReductionCheck {
public:
  ReductionCheck(const GroupView &group, const DimClasses &dims,
                 const ReductionSpace &space)
      : group(group), dims(dims), space(space), axes(group.ops, dims),
        places(group, /*rows=*/space.overLastDims()) {}

  /// Nothing if the group passes, else why not.
  Reason run();

private:
  Reason checkAxes();
  Reason checkPlaces();
  Reason checkResults();
  Reason whyDisplaced(Value value) const;
  bool movesWithin(Operation *op) const;

  const GroupView &group;
  const DimClasses &dims;
  const ReductionSpace &space;
  AxisClasses axes;
  NeededPlaces places;
  /// The axes of the domain.
  SmallVector<int> domain;
};
} // namespace

/// Ties the reductions' operands, and what else has their shape, to each other,
/// and checks that the axes of the domain stay distinct.
Reason ReductionCheck::checkAxes() {
  Value first;
  for (ArrayRef<Operation *> level : space.levels)
    for (Operation *op : level)
      if (dims.extents(op->getOperand(0)) == space.domain)
        first = op->getOperand(0);
  for (ArrayRef<Operation *> level : space.levels)
    for (Operation *op : level)
      axes.uniteFirst(first, op->getOperand(0));
  for (Operation *op : group.ops)
    for (Value result : op->getResults())
      if (places.aligned.contains(result) &&
          dims.extents(result) == space.domain)
        axes.uniteFirst(first, result);
  domain = axes.axes(first);
  llvm::SmallDenseSet<int> seen;
  for (int axis : domain)
    if (axis >= 0 && !seen.insert(axis).second)
      return ReasonKind::exchangedDims;
  return {};
}

/// Whether an op that moves elements leaves each where it is reduced.
bool ReductionCheck::movesWithin(Operation *op) const {
  auto isReduced = [&](int64_t dim) { return space.isReduced(dim); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](ReverseOp reverse) {
        return llvm::all_of(reverse.getDims(), isReduced);
      })
      .Case([&](TakeAlongOp take) { return isReduced(take.getDim()); })
      .Case([&](SliceOp slice) {
        SmallVector<Extent> from = dims.extents(slice.getInput()),
                            to = dims.extents(slice.getResult());
        for (auto [dim, extents] : llvm::enumerate(llvm::zip(from, to)))
          if (std::get<0>(extents) != std::get<1>(extents) && !isReduced(dim))
            return false;
        return from == space.domain;
      })
      .Default(false);
}

/// Why places that a reduction's value is not computed at need it: the first op
/// that takes it there.
Reason ReductionCheck::whyDisplaced(Value value) const {
  for (Operation *op : value.getUsers()) {
    if (!llvm::is_contained(group.ops, op))
      continue;
    bool stays =
        op->hasTrait<mlir::fuse::OpTrait::Pointwise>() || isReduction(op);
    if (stays && places.displaced.contains(op->getResult(0)))
      return whyDisplaced(op->getResult(0));
    if (isa<PadOp>(op))
      return ReasonKind::paddedNoRow;
    if (!stays)
      return Reason(movesWithin(op) ? ReasonKind::otherPlaces
                                    : ReasonKind::otherRows,
                    op->getName().getStringRef(),
                    space.overLastDims() ? "rows" : "columns");
  }
  return ReasonKind::differentShapes;
}

Reason ReductionCheck::checkPlaces() {
  for (Operation *op : group.ops) {
    for (Value result : op->getResults()) {
      if (places.after.contains(result) && places.displaced.contains(result))
        return whyDisplaced(result);
      bool isPart = !places.aligned.contains(result);
      // What no reduction is needed for is computed anew at any places.
      bool isOfRow =
          places.inRow.contains(result) && places.after.contains(result);
      if (isPart && !isOfRow)
        continue;
      // A part of a row has another last dimension.
      SmallVector<int> own = axes.axes(result);
      isPart |= space.isPartShape(dims.extents(result));
      isPart &= !own.empty();
      for (int axis : ArrayRef(own).drop_back(isPart))
        if (axis >= 0 && !llvm::is_contained(domain, axis))
          return ReasonKind::notRowShape;
    }
    // The partner of a rotary pair is another place of the last dimension.
    if (isa<RotaryOp>(op) && places.after.contains(op->getOperand(0)) &&
        !space.isReduced(space.domain.size() - 1))
      return ReasonKind::rotaryColumns;
  }
  return {};
}

Reason ReductionCheck::checkResults() {
  for (Value result : group.results) {
    SmallVector<Extent> extents = dims.extents(result);
    if (extents != space.domain && !space.isReducedShape(extents) &&
        !space.isGroupShape(extents) && !space.isPartShape(extents))
      return ReasonKind::resultNotRow;
  }
  return {};
}

Reason ReductionCheck::run() {
  if (space.levels.empty())
    return {};
  if (Reason why = checkAxes())
    return why;
  if (Reason why = checkPlaces())
    return why;
  return checkResults();
}

/// Whether `value` is an input of the group, or one whose elements are only
/// moved or cast: a view, which costs a contraction nothing to read often.
static bool isMovedInput(Value value, const GroupView &group) {
  Operation *op = value.getDefiningOp();
  if (!op || !llvm::is_contained(group.ops, op))
    return true;
  bool isView = op->hasTrait<mlir::fuse::OpTrait::Movement>() ||
                isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, CastOp>(op);
  return isView && llvm::all_of(op->getOperands(), [&](Value operand) {
           return isMovedInput(operand, group);
         });
}

/// Whether `value` can be computed at any place from the group's inputs by
/// arithmetic, as packing an operand does.
static bool isArithmetic(Value value, const GroupView &group) {
  Operation *op = value.getDefiningOp();
  if (!op || !llvm::is_contained(group.ops, op))
    return true;
  bool isOne =
      op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
      op->hasTrait<mlir::fuse::OpTrait::Movement>() ||
      isa<CastOp, ConstantOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          op);
  return isOne && llvm::all_of(op->getOperands(), [&](Value operand) {
           return isArithmetic(operand, group);
         });
}

/// Whether reductions of a contraction's group can be had in parts: along the
/// last axis of its result, in one walk.
Reason Classifier::checkPartsOf(ContractOp contract) {
  SmallVector<Extent> shape = dims.extents(contract.getResult());
  auto last = static_cast<int64_t>(shape.size()) - 1;
  Reason why;
  FailureOr<ReductionSpace> space = reductionSpaceOf(group.ops, dims, why);
  if (failed(space) || last < 0 || space->domain != shape ||
      ArrayRef(space->reduced) != ArrayRef(last))
    return ReasonKind::reductionNotAlongColumns;
  if (!isOneWalk(group.ops, group.results, *space, dims))
    return ReasonKind::mmaFollowsReduction;
  return {};
}

/// A scatter writes memory in place, so it can only be what leaves a kernel,
/// and what it writes into must be there before.
static Reason checkScatters(const GroupView &group) {
  for (Operation *op : group.ops) {
    auto scatter = dyn_cast<ScatterOp>(op);
    if (!scatter)
      continue;
    for (Operation *user : scatter->getUsers())
      if (llvm::is_contained(group.ops, user))
        return ReasonKind::scatterNotInRegisters;
    Operation *into = scatter.getInto().getDefiningOp();
    if (into && llvm::is_contained(group.ops, into))
      return ReasonKind::scatterNeedsMemory;
    // A reshape of it, wherever it stands, is the same memory.
    Value memory = behindReshapes(scatter.getInto());
    for (Operation *op : group.ops)
      for (OpOperand &read : op->getOpOperands())
        if (read != scatter.getIntoMutable() &&
            behindReshapes(read.get()) == memory)
          return ReasonKind::scatterRead;
  }
  return {};
}

bool Classifier::areMmaProducts(ArrayRef<ContractOp> contracts) const {
  Reason why;
  TensorFacts facts{/*aligned=*/true, /*divisible=*/true};
  return tensorCores && llvm::all_of(contracts, [&](ContractOp contract) {
           unsigned bits = contract.getLhs().getType().getElementTypeBitWidth();
           return tensorCores->multiplies(bits) &&
                  isMmaProduct(contract, dims, facts, why);
         });
}

/// Attention is one kernel of chained contractions: what stands in the way of
/// more is then that it would compute an operand.
FailureOr<GroupKind> Classifier::refuseChained(ArrayRef<ContractOp> contracts) {
  llvm::DenseSet<Value> following;
  for (Operation *op : group.ops)
    if (isa<ContractOp>(op) || computesWith(op, following))
      following.insert_range(op->getResults());
  bool computes = llvm::any_of(contracts, [&](ContractOp contract) {
    return llvm::any_of(contract.getOperands(), [&](Value operand) {
      return !following.contains(operand) &&
             llvm::is_contained(group.ops, operand.getDefiningOp());
    });
  });
  return refuse(tensorCores && computes ? ReasonKind::operandComputed
                                        : ReasonKind::chainedContractions);
}

/// On tensor cores: what is computed where the tiles' sums are.
FailureOr<GroupKind> Classifier::asTiles(ArrayRef<ContractOp> contracts) {
  if (contracts.size() > 1 && areChained(group.ops))
    return refuseChained(contracts);
  for (ContractOp contract : contracts)
    for (Value operand : contract.getOperands())
      if (llvm::is_contained(group.ops, operand.getDefiningOp()))
        return refuse(ReasonKind::operandComputed);
  SmallVector<BlockSum, 1> blocks;
  if (tensorCores->hasWgmma)
    blocks = blockSumsOf(group.ops, group.results, dims);
  if (group.tilesReduce && blocks.empty() &&
      llvm::any_of(group.ops, isReduction))
    if (Reason why = checkPartsOf(contracts.front()))
      return refuse(why);
  if (failed(contractionFlowOf(contracts, group.ops, group.results, dims,
                               reason, group.tilesReduce, blocks)))
    return failure();
  return GroupKind::Contraction;
}

/// Of contractions whose results meet.
FailureOr<GroupKind> Classifier::asContraction(ArrayRef<ContractOp> contracts) {
  if (areMmaProducts(contracts))
    return asTiles(contracts);
  if (llvm::any_of(group.ops, llvm::IsaPred<ScatterOp>))
    return refuse(ReasonKind::scatterBesideTiles);
  ContractOp first = contracts.front();
  SmallVector<Extent> shape = dims.extents(first.getResult());
  NeededPlaces places(group);
  llvm::DenseSet<Value> reduced;
  if (group.tilesReduce && llvm::any_of(group.ops, isReduction)) {
    if (Reason why = checkPartsOf(first))
      return refuse(why);
    reduced = valuesFromReductions(group.ops);
  }
  if (contracts.size() > 1 && areChained(group.ops))
    return refuseChained(contracts);
  for (ContractOp contract : contracts) {
    if (dims.extents(contract.getResult()) != shape)
      return refuse(ReasonKind::contractionShapes);
    for (Value operand : contract.getOperands())
      if (!isMovedInput(operand, group) &&
          !(group.packsOperands && isArithmetic(operand, group)))
        return refuse(ReasonKind::operandRecomputed);
  }
  for (Operation *op : group.ops) {
    if (llvm::is_contained(contracts, op) || reduced.contains(op->getResult(0)))
      continue;
    if (isReduction(op) || isRowOrder(op))
      return refuse(ReasonKind::reductionNeedsRows);
    Value result = op->getResult(0);
    bool follows = places.after.contains(result);
    if (follows && isa<RotaryOp>(op))
      return refuse(ReasonKind::rotaryTwoTiles);
    if (follows && places.displaced.contains(result))
      return refuse(ReasonKind::otherTiles);
    if (places.aligned.contains(result) &&
        !broadcastsTo(dims.extents(result), shape))
      return refuse(ReasonKind::notContractionShape);
  }
  for (ContractOp contract : contracts)
    if (places.displaced.contains(contract.getResult()))
      return refuse(ReasonKind::otherTiles);
  for (Value result : group.results)
    if (dims.extents(result) != shape && !reduced.contains(result))
      return refuse(ReasonKind::resultNotContractionShape);
  return GroupKind::Contraction;
}

/// Each segment by itself, with what it needs that follows from no contraction.
/// A result that follows from none is checked with the first of its shape.
FailureOr<GroupKind> Classifier::asContractions() {
  auto segments = contractionSegmentsOf(group.ops, group.results);
  DenseMap<Operation *, const ContractionSegment *> owners;
  for (const ContractionSegment &segment : segments)
    for (Operation *op : segment.ops)
      owners[op] = &segment;
  auto ownerOf = [&](Value result) {
    if (const ContractionSegment *owner = owners.lookup(result.getDefiningOp()))
      return owner;
    for (const ContractionSegment &segment : segments)
      if (dims.sameShape(result,
                         ContractOp(segment.contractions.front()).getResult()))
        return &segment;
    return &std::as_const(segments).front();
  };
  for (const ContractionSegment &segment : segments) {
    auto ops = llvm::filter_to_vector(group.ops, [&](Operation *op) {
      const ContractionSegment *owner = owners.lookup(op);
      return !owner || owner == &segment;
    });
    auto results = llvm::filter_to_vector(group.results, [&](Value result) {
      return ownerOf(result) == &segment;
    });
    GroupView view{ops, results, group.tilesReduce, group.packsOperands};
    if (failed(Classifier(view, dims, tensorCores, reason)
                   .asContraction(segment.contractions)))
      return failure();
  }
  return GroupKind::Contraction;
}

/// Each reduction that joins a kernel is checked beside all others, which would
/// take time in the square of a long chain, and walks over rows in such numbers
/// gain nothing from one launch.
static constexpr int64_t mostReductions = 64, mostInChain = 24;

/// Reductions of the longest chain in which each needs the one before it.
static int64_t longestChain(ArrayRef<Operation *> ops) {
  DenseMap<Value, int64_t> lengths;
  int64_t longest = 0;
  for (Operation *op : ops) {
    int64_t length = isReduction(op);
    for (Value operand : op->getOperands())
      length = std::max(length, lengths.lookup(operand) + isReduction(op));
    for (Value result : op->getResults())
      lengths[result] = length;
    longest = std::max(longest, length);
  }
  return longest;
}

/// A scatter takes whole rows, which stay whole where they go, or what rows
/// leave behind a path, vector by vector.
static Reason checkScatter(Value result, const StorePath &path,
                           const ReductionSegment &segment) {
  auto scatter = result.getDefiningOp<ScatterOp>();
  if (!scatter)
    return {};
  bool isPadded = llvm::any_of(
      path, [](const StoreStep &step) { return isa<PadOp>(step.op); });
  int64_t end = scatter.getDim() + scatter.getIds().getType().getRank();
  bool areWhole = path.empty() && end <= segment.space.reduced.front();
  return areWhole || (!path.empty() && !isPadded)
             ? Reason()
             : ReasonKind::scatterPartOfRows;
}

/// What is beside a row that is padded is written by its threads, along one
/// dimension.
static Reason checkPaths(const ReductionSegment &segment,
                         const DimClasses &dims) {
  for (auto [value, path] : llvm::zip(segment.stored, segment.paths)) {
    bool pads = llvm::any_of(
        path, [](const StoreStep &step) { return isa<PadOp>(step.op); });
    bool isFirst = pads && isa<PadOp>(path.front().op);
    if (pads && (!isFirst || segment.space.columns().size() != 1 ||
                 dims.extents(value).size() != segment.space.domain.size()))
      return ReasonKind::paddedNoRow;
  }
  return {};
}

/// Whether a value is stored elsewhere than where rows compute it, or beside
/// them.
static bool leavesRows(const ReductionSegment &segment) {
  return segment.space.levels.empty() || llvm::any_of(segment.paths, isMove);
}

/// Rows and columns may be of several shapes, in blocks of their own.
FailureOr<GroupKind> Classifier::asReductions() {
  if (llvm::count_if(group.ops, isReduction) > mostReductions)
    return refuse(Reason(ReasonKind::tooManyReductions, mostReductions));
  if (longestChain(group.ops) > mostInChain)
    return refuse(Reason(ReasonKind::tooManyReductions,
                         std::to_string(mostInChain) + " chained"));
  KnownSegments own(group.ops, group.results, dims);
  const FailureOr<std::vector<ReductionSegment>> &segments =
      (group.segments ? *group.segments : own).get(reason);
  if (failed(segments))
    return failure();
  bool areRows = llvm::all_of(*segments, [](const ReductionSegment &segment) {
    return segment.space.overLastDims();
  });
  if (!areRows && llvm::any_of(group.ops, llvm::IsaPred<ScatterOp>))
    return refuse(ReasonKind::scatterBesideColumns);
  if (!areRows) {
    auto columns = columnSegmentsOf(group.ops, group.results, dims, reason);
    bool areFollowed =
        succeeded(columns) && llvm::any_of(columns->front().paths, isMove);
    if (!areFollowed && llvm::any_of(*segments, leavesRows))
      return refuse(ReasonKind::columnsMoved);
    if (failed(columns))
      return failure();
    for (const ReductionSegment &segment : *columns) {
      GroupView view{segment.ops, segment.stored};
      if (Reason why = ReductionCheck(view, dims, segment.space).run())
        return refuse(why);
    }
    return GroupKind::Columns;
  }
  for (const ReductionSegment &segment : *segments) {
    SmallVector<Value> results(segment.stored);
    for (auto [result, path] : llvm::zip_equal(segment.results, segment.paths))
      if (Reason why = checkScatter(group.results[result], path, segment))
        return refuse(why);
    if (Reason why = checkPaths(segment, dims))
      return refuse(why);
    // Taken in where the row is.
    llvm::append_range(results, segment.across.inputs());
    GroupView view{segment.ops, results};
    if (Reason why = ReductionCheck(view, dims, segment.space).run())
      return refuse(why);
  }
  return GroupKind::Rows;
}

/// Whether a kernel could stream the rows if it did not gather such pages.
static bool isOfPages(const Reason &why) {
  return why && why.kind() >= ReasonKind::pagesComputed &&
         why.kind() <= ReasonKind::pagesFeatures;
}

/// Of two contractions, the one behind the other; else why not.
bool Classifier::isStreamed(Reason &why) {
  if ((!tensorCores && !group.packsOperands) || !areChained(group.ops))
    return false;
  llvm::SmallPtrSet<Operation *, 32> inside(group.ops.begin(), group.ops.end());
  SmallVector<Value> inputs;
  for (Operation *op : group.ops)
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) &&
          !inside.contains(operand.getDefiningOp()))
        inputs.push_back(operand);
  MmaGroup edges{group.ops, inputs, group.results};
  if (group.packsOperands)
    return succeeded(panelStreamedSpaceOf(edges, dims, why));
  TensorFacts facts{/*aligned=*/true, /*divisible=*/true};
  return succeeded(streamedSpaceOf(edges, dims, facts, why));
}

/// Rows that are walked from one end to the other.
FailureOr<GroupKind> Classifier::asOrdered() {
  if (failed(orderedSpaceOf(group.ops, group.results, dims, reason)))
    return failure();
  return GroupKind::Ordered;
}

/// Whether all threads walk one space, that of the results.
static bool walksOneShape(const GroupView &group, const DimClasses &dims) {
  return llvm::none_of(group.ops, llvm::IsaPred<ScatterOp>) &&
         llvm::all_of(group.results, [&](Value result) {
           return dims.sameShape(result, group.results.front());
         });
}

FailureOr<GroupKind> Classifier::run() {
  bool reduces = false, orders = false;
  for (Operation *op : group.ops) {
    if (isa<ContractOp>(op)) {
      if (Reason why = checkScatters(group))
        return refuse(why);
      Reason why;
      if (isStreamed(why))
        return GroupKind::Streamed;
      bool isTrue = isOfPages(why) || why.is(ReasonKind::streamedCostlyKeys) ||
                    why.is(ReasonKind::streamedParts);
      return isTrue ? refuse(why) : asContractions();
    }
    reduces |= isReduction(op);
    orders |= isRowOrder(op);
  }
  if (Reason why = checkScatters(group))
    return refuse(why);
  // Tiles can be turned where there is nothing but tiles of one shape.
  if ((reduces || orders || !walksOneShape(group, dims)) &&
      readsAcross(group.ops, group.results, dims))
    return refuse(ReasonKind::transposedNeighbours);
  if (orders)
    return asOrdered();
  return reduces ? asReductions() : GroupKind::Pointwise;
}

FailureOr<GroupKind> mlir::fuse::classifyGroup(const GroupView &group,
                                               const DimClasses &dims,
                                               const GPUTarget *tensorCores,
                                               Reason &reason) {
  return Classifier(group, dims, tensorCores, reason).run();
}
