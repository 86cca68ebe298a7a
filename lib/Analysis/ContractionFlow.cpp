//===- ContractionFlow.cpp - Where a contraction's elements go ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ContractionFlow.h"

#include "fuse/Analysis/ContractionSpace.h"
#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/RowParts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

/// Columns of a block that a thread has a pair of: one thread has both elements
/// of pairs that lie a multiple of them apart.
static constexpr int64_t blockColumns = 8;
/// Columns that are written together.
static constexpr int64_t groupColumns = 64;

namespace {
class FlowFinder {
public:
  FlowFinder(ArrayRef<ContractOp> contractions, const DimClasses &dims,
             Reason &reason, bool tilesReduce, ArrayRef<BlockSum> blocks)
      : contractions(contractions), dims(dims), reason(reason),
        tilesReduce(tilesReduce), blocks(blocks),
        first(blocks.empty() ? contractions.front()->getResult(0)
                             : ReduceOp(blocks.front().sum)->getResult(0)) {}

  FailureOr<ContractionFlow> run(ArrayRef<Operation *> ops,
                                 ArrayRef<Value> results);

private:
  LogicalResult refuse(Reason why) {
    reason = std::move(why);
    return failure();
  }
  bool follows(Value value) const { return flow.values.contains(value); }
  LogicalResult visit(Operation *op);
  LogicalResult start(Operation *op);
  bool isOfRuns(Operation *op) const;
  LogicalResult visitPointwise(Operation *op);
  LogicalResult visitRotary(RotaryOp op);
  LogicalResult visitScatter(ScatterOp op);
  LogicalResult move(Operation *op, MovedElements moved);
  LogicalResult visitExpand(tensor::ExpandShapeOp op);
  LogicalResult visitCollapse(tensor::CollapseShapeOp op);
  LogicalResult visitTranspose(TransposeOp op);
  LogicalResult visitSlice(SliceOp op);
  LogicalResult addResult(Value result);
  LogicalResult checkColumns();
  LogicalResult checkNeighbours();

  ArrayRef<ContractOp> contractions;
  const DimClasses &dims;
  Reason &reason;
  bool tilesReduce;
  ArrayRef<BlockSum> blocks;
  /// The first of what the flow starts from.
  Value first;
  /// What follows from reductions.
  llvm::DenseSet<Value> reduced;
  ContractionFlow flow;
};
} // namespace

static bool isSameMove(Operation *a, Operation *b) {
  return a->getName() == b->getName() &&
         a->getAttrDictionary() == b->getAttrDictionary() &&
         a->getResultTypes() == b->getResultTypes();
}

/// Whether the elements of both values were moved alike. Reshapes are copied
/// for each of their users.
static bool areAlike(const MovedElements &a, const MovedElements &b) {
  return a.moves.size() == b.moves.size() &&
         llvm::all_of(llvm::zip(a.moves, b.moves), [](auto moves) {
           return isSameMove(std::get<0>(moves), std::get<1>(moves));
         });
}

LogicalResult FlowFinder::visitPointwise(Operation *op) {
  Value result = op->getResult(0);
  const MovedElements *first = nullptr;
  for (Value operand : op->getOperands()) {
    if (!follows(operand))
      continue;
    if (!dims.sameShape(operand, result))
      return refuse(ReasonKind::notContractionShape);
    const MovedElements &moved = flow.of(operand);
    if (first && !areAlike(*first, moved))
      return refuse(ReasonKind::otherTiles);
    first = &moved;
  }
  MovedElements moved = *first;
  flow.values.insert({result, std::move(moved)});
  return success();
}

/// Pairs of neighbours are a thread's own; others are if they lie whole blocks
/// of columns apart, and the tile holds whole heads.
LogicalResult FlowFinder::visitRotary(RotaryOp op) {
  for (Value operand : op->getOperands().drop_front())
    if (follows(operand))
      return refuse(ReasonKind::otherTiles);
  MovedElements moved = flow.of(op.getInput());
  if (moved.columnSteps.back() != 1)
    return refuse(ReasonKind::rotaryTwoRows);
  if (op.getLayout() == RotaryLayout::half) {
    int64_t head = op.getHeadDim();
    if (head % blockColumns || op.getRotaryDims() / 2 % blockColumns)
      return refuse(ReasonKind::rotaryTwoThreads);
    flow.wholeColumns = std::lcm(flow.wholeColumns, head);
  }
  flow.values.insert({op.getResult(), std::move(moved)});
  flow.needsTiles = true;
  return success();
}

LogicalResult FlowFinder::visitScatter(ScatterOp op) {
  if (follows(op.getIds()) || follows(op.getInto()))
    return refuse(ReasonKind::otherTiles);
  flow.needsTiles = true;
  return success();
}

LogicalResult FlowFinder::move(Operation *op, MovedElements moved) {
  moved.moves.push_back(op);
  flow.values.insert({op->getResult(0), std::move(moved)});
  return success();
}

LogicalResult FlowFinder::visitExpand(tensor::ExpandShapeOp op) {
  MovedElements moved = flow.of(op.getSrc());
  SmallVector<int64_t, 4> source = std::move(moved.columnSteps);
  SmallVector<Extent> extents = dims.extents(op.getResult());
  moved.columnSteps.assign(extents.size(), 0);
  for (auto [axis, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t step = source[axis];
    for (int64_t dim : llvm::reverse(group)) {
      moved.columnSteps[dim] = step;
      if (step <= 0)
        continue;
      if (!extents[dim].isStatic() && dim != group.front())
        return refuse(ReasonKind::unknownParts);
      if (extents[dim].isStatic())
        step *= extents[dim].size;
    }
  }
  return move(op, std::move(moved));
}

LogicalResult FlowFinder::visitCollapse(tensor::CollapseShapeOp op) {
  MovedElements moved = flow.of(op.getSrc());
  SmallVector<int64_t, 4> source = std::move(moved.columnSteps);
  SmallVector<Extent> extents = dims.extents(op.getSrc());
  moved.columnSteps.clear();
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    // The last dimension that has a size gives the step; those before go on
    // where it ends, or there are also rows.
    constexpr int64_t unknown = INT64_MIN;
    int64_t step = 0, next = 0;
    bool isFirst = true;
    for (int64_t dim : llvm::reverse(group)) {
      if (extents[dim].size == 1)
        continue;
      if (isFirst)
        step = next = source[dim];
      else if (source[dim] != next)
        step = MovedElements::kMixed;
      isFirst = false;
      next = extents[dim].isStatic() ? next * extents[dim].size : unknown;
    }
    moved.columnSteps.push_back(step);
  }
  return move(op, std::move(moved));
}

LogicalResult FlowFinder::visitTranspose(TransposeOp op) {
  MovedElements moved = flow.of(op.getInput());
  SmallVector<int64_t, 4> source = std::move(moved.columnSteps);
  moved.columnSteps.clear();
  for (int64_t axis : op.getPermutation())
    moved.columnSteps.push_back(source[axis]);
  return move(op, std::move(moved));
}

/// A slice of columns that follow each other, which whole groups of a tile are
/// in or not.
LogicalResult FlowFinder::visitSlice(SliceOp op) {
  MovedElements moved = flow.of(op.getInput());
  SmallVector<Extent> from = dims.extents(op.getInput());
  SmallVector<Extent> to = dims.extents(op.getResult());
  std::optional<int64_t> all = moved.columns;
  if (!all)
    all = staticProduct(dims.extents(first).back());
  for (auto [axis, offset] : llvm::enumerate(op.getOffsets())) {
    if (from[axis] == to[axis])
      continue;
    int64_t step = moved.columnSteps[axis];
    bool isRun = step > 0 && op.getSteps()[axis] == 1 &&
                 from[axis].isStatic() && to[axis].isStatic() &&
                 all == step * from[axis].size;
    if (!isRun)
      return refuse(ReasonKind::partOfResult);
    moved.firstColumn += offset * step;
    moved.columns = all = to[axis].size * step;
  }
  return move(op, std::move(moved));
}

/// Whether the op reduces runs of columns as they are in the contraction.
bool FlowFinder::isOfRuns(Operation *op) const {
  return reducedRunOf(op) && flow.of(op->getOperand(0)).moves.size() == 1;
}

/// What has the sums: a contraction, or what adds up its blocks.
LogicalResult FlowFinder::start(Operation *op) {
  Value sums = op->getResult(0);
  if (llvm::any_of(op->getOperands(), [&](Value v) { return follows(v); }))
    return refuse(ReasonKind::chainedContractions);
  if (!dims.sameShape(sums, first))
    return refuse(ReasonKind::contractionShapes);
  MovedElements moved;
  moved.columnSteps.assign(dims.extents(sums).size(), 0);
  if (!moved.columnSteps.empty())
    moved.columnSteps.back() = 1;
  flow.values.insert({sums, std::move(moved)});
  return success();
}

LogicalResult FlowFinder::visit(Operation *op) {
  auto isBetween = [&](const BlockSum &its) {
    return llvm::is_contained(its.ops, op);
  };
  if (llvm::any_of(blocks, isBetween))
    return success();
  auto own = dyn_cast<ContractOp>(op);
  if ((own && llvm::is_contained(contractions, own)) ||
      llvm::any_of(blocks, [&](const BlockSum &its) { return its.isSum(op); }))
    return start(op);
  if (isRowOrder(op))
    return refuse(ReasonKind::orderNeedsRows);
  // It is computed where its result is needed, like what follows from none.
  if (combinesRowParts(op))
    return success();
  if (isReduction(op) && tilesReduce) {
    Value input = op->getOperand(0);
    if (follows(input) && !flow.of(input).moves.empty() && !isOfRuns(op))
      return refuse(ReasonKind::reductionNotAlongColumns);
    reduced.insert_range(op->getResults());
    return success();
  }
  if (isReduction(op))
    return refuse(ReasonKind::reductionNeedsRows);
  if (llvm::any_of(op->getOperands(),
                   [&](Value v) { return reduced.contains(v); })) {
    reduced.insert_range(op->getResults());
    return success();
  }
  assert(!own && "segments have all of their contractions");
  bool isTensor =
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  if (!isTensor ||
      llvm::none_of(op->getOperands(), [&](Value v) { return follows(v); }))
    return success();
  if (op->hasTrait<mlir::fuse::OpTrait::Pointwise>())
    return visitPointwise(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](RotaryOp rotary) { return visitRotary(rotary); })
      .Case([&](ScatterOp scatter) { return visitScatter(scatter); })
      .Case([&](tensor::ExpandShapeOp expand) { return visitExpand(expand); })
      .Case([&](tensor::CollapseShapeOp collapse) {
        return visitCollapse(collapse);
      })
      .Case([&](TransposeOp transpose) { return visitTranspose(transpose); })
      .Case([&](SliceOp slice) { return visitSlice(slice); })
      .Default([&](Operation *) { return refuse(ReasonKind::otherTiles); });
}

/// What does not follow from the contraction is computed at the same points, if
/// it has as many.
LogicalResult FlowFinder::addResult(Value result) {
  Value stored = storedValue(result);
  if (!follows(stored)) {
    if (!dims.sameShape(stored, first))
      return refuse(ReasonKind::resultNotContractionShape);
    MovedElements moved = flow.of(first);
    flow.values.insert({stored, std::move(moved)});
  }
  flow.needsTiles |= !flow.of(stored).moves.empty();
  return success();
}

/// Vectors of two columns stay whole.
LogicalResult FlowFinder::checkNeighbours() {
  bool areOdd = false;
  for (auto &[value, moved] : flow.values) {
    if (moved.columnSteps.empty() || moved.columnSteps.back() != 1)
      return refuse(ReasonKind::neighboursApart);
    Extent inner = dims.extents(value).back();
    areOdd |= inner.isStatic() && inner.size % 2 != 0;
  }
  if (areOdd && flow.turnsNeighbours())
    return refuse(ReasonKind::rotaryTwoVectors);
  return success();
}

LogicalResult FlowFinder::checkColumns() {
  bool slices = false;
  for (auto &[value, moved] : flow.values)
    slices |= moved.columns.has_value();
  int64_t whole = flow.wholeColumns;
  if (slices)
    whole = std::lcm(whole, groupColumns);
  Extent columns = dims.extents(first).back();
  if (whole > mostTileColumns ||
      (columns.isStatic() && columns.size % flow.wholeColumns != 0))
    return refuse(whole == flow.wholeColumns
                      ? Reason(ReasonKind::rotaryTwoTiles)
                      : Reason(ReasonKind::noTileForGroups, whole));
  for (auto &[value, moved] : flow.values)
    if (moved.columns &&
        (moved.firstColumn % whole != 0 || *moved.columns % whole != 0))
      return refuse(Reason(ReasonKind::sliceInside, whole));
  flow.wholeColumns = whole;
  return success();
}

FailureOr<ContractionFlow> FlowFinder::run(ArrayRef<Operation *> ops,
                                           ArrayRef<Value> results) {
  for (Operation *op : ops)
    if (failed(visit(op)))
      return failure();
  for (Value result : results)
    if (!reduced.contains(result) && failed(addResult(result)))
      return failure();
  if (failed(checkNeighbours()) || failed(checkColumns()))
    return failure();
  return std::move(flow);
}

FailureOr<ContractionFlow> mlir::fuse::contractionFlowOf(
    ArrayRef<ContractOp> contractions, ArrayRef<Operation *> ops,
    ArrayRef<Value> results, const DimClasses &dims, Reason &reason,
    bool tilesReduce, ArrayRef<BlockSum> blocks) {
  return FlowFinder(contractions, dims, reason, tilesReduce, blocks)
      .run(ops, results);
}

FailureOr<ContractionFlow> mlir::fuse::contractionFlowOf(KernelOp kernel,
                                                         ContractOp contract,
                                                         const DimClasses &dims,
                                                         Reason &reason) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
  return contractionFlowOf(contract, ops,
                           llvm::to_vector(kernel.getYield().getValues()), dims,
                           reason);
}

/// What follows from the contraction, but for the reduction and what follows
/// from that.
static SmallVector<Operation *> opsUpTo(ReduceOp sum, ContractOp contract,
                                        ArrayRef<Operation *> ops) {
  SmallVector<Operation *> found;
  llvm::DenseSet<Value> following;
  for (Operation *op : ops) {
    bool follows = llvm::any_of(op->getOperands(),
                                [&](Value v) { return following.contains(v); });
    if (op != contract.getOperation() && (!follows || op == sum))
      continue;
    found.push_back(op);
    following.insert_range(op->getResults());
  }
  return found;
}

/// The letter of the axis that is summed, if in both operands it is the one
/// before that of the products, of which there are as many as a step takes.
static std::optional<char> axisOfBlocks(ContractOp contract, ReduceOp sum,
                                        const DimClasses &dims) {
  constexpr int64_t places = MmaScheduleAttr::kRowBytes;
  ContractionSpace space = contractionSpaceOf(contract);
  if (sum.getKind() != ReduceKind::sum || sum.getKeep() ||
      sum.getDims().size() != 1 || space.summed.size() != 1 ||
      space.extent(space.summed.front(), dims).size != places)
    return std::nullopt;
  char axis = contract.getResultAxes()[sum.getDims().front()];
  char summed = space.summed.front();
  auto isBefore = [&](StringRef axes) {
    return axes.size() > 2 && axes.back() == summed &&
           axes[axes.size() - 2] == axis;
  };
  bool isInBoth =
      isBefore(contract.getLhsAxes()) && isBefore(contract.getRhsAxes());
  return isInBoth ? std::optional(axis) : std::nullopt;
}

/// How many columns dimensions have that columns are split into.
static int64_t splitColumns(const ContractionFlow &flow,
                            const DimClasses &dims) {
  int64_t columns = 1;
  for (auto &[value, moved] : flow.values) {
    if (moved.moves.empty() || !isa<tensor::ExpandShapeOp>(moved.moves.back()))
      continue;
    Extent inner = dims.extents(value).back();
    if (inner.isStatic() && inner.size > 0 &&
        std::lcm(columns, inner.size) <= mostTileColumns)
      columns = std::lcm(columns, inner.size);
  }
  return columns;
}

/// The only contraction that what is summed follows from.
static ContractOp productBehind(ReduceOp sum, ArrayRef<Operation *> ops) {
  llvm::SetVector<Operation *> behind;
  behind.insert(sum);
  ContractOp found;
  for (size_t next = 0; next < behind.size(); ++next)
    for (Value operand : behind[next]->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (!op || !llvm::is_contained(ops, op) || !behind.insert(op))
        continue;
      auto contract = dyn_cast<ContractOp>(op);
      if ((contract && found) || isReduction(op))
        return {};
      if (contract)
        found = contract;
    }
  return found;
}

/// The sum of blocks that a reduction is.
static std::optional<BlockSum> blockSumOf(ReduceOp sum,
                                          ArrayRef<Operation *> ops,
                                          ArrayRef<Value> results,
                                          const DimClasses &dims) {
  ContractOp contract = productBehind(sum, ops);
  if (!contract || !getElementTypeOrSelf(contract.getType()).isF32() ||
      !getElementTypeOrSelf(sum->getResult(0).getType()).isF32() ||
      contract.getLhs().getType().getElementTypeBitWidth() != 8 ||
      !dims.sameShape(sum->getOperand(0), contract.getResult()))
    return std::nullopt;
  std::optional<char> axis = axisOfBlocks(contract, sum, dims);
  if (!axis)
    return std::nullopt;
  BlockSum found{contract, sum, *axis, {}, opsUpTo(sum, contract, ops)};
  if (llvm::any_of(results, [&](Value result) {
        return llvm::is_contained(found.ops, result.getDefiningOp());
      }))
    return std::nullopt;
  Value summed = sum->getOperand(0);
  Reason reason;
  FailureOr<ContractionFlow> flow =
      contractionFlowOf(contract, found.ops, summed, dims, reason);
  if (failed(flow) || !flow->values.contains(summed) ||
      !isInOrder(summed, *flow))
    return std::nullopt;
  found.flow = std::move(*flow);
  found.wholeColumns = splitColumns(found.flow, dims);
  return found;
}

SmallVector<BlockSum, 1> mlir::fuse::blockSumsOf(ArrayRef<Operation *> ops,
                                                 ArrayRef<Value> results,
                                                 const DimClasses &dims) {
  SmallVector<BlockSum, 1> found;
  for (Operation *op : ops) {
    if (!isReduction(op))
      continue;
    auto sum = dyn_cast<ReduceOp>(op);
    std::optional<BlockSum> blocks;
    if (sum)
      blocks = blockSumOf(sum, ops, results, dims);
    if (!blocks)
      return {};
    found.push_back(std::move(*blocks));
  }
  // Each contraction has one.
  SmallVector<BlockSum, 1> ordered;
  for (Operation *op : ops) {
    if (!isa<ContractOp>(op))
      continue;
    auto *its = llvm::find_if(found, [&](BlockSum &blocks) {
      return blocks.contract.getOperation() == op;
    });
    if (its == found.end())
      return {};
    ordered.push_back(*its);
  }
  return ordered.size() == found.size() ? ordered : SmallVector<BlockSum, 1>();
}

bool ContractionFlow::isSliced() const {
  return llvm::any_of(values, [](const auto &entry) {
    return entry.second.columns.has_value();
  });
}

bool ContractionFlow::fitsVectors(int64_t lanes) const {
  return llvm::all_of(values, [&](const auto &entry) {
    Value value = entry.first;
    auto rotary = value.getDefiningOp<RotaryOp>();
    if (!rotary)
      return true;
    int64_t rotated = rotary.getRotaryDims();
    bool isHalf = rotary.getLayout() == RotaryLayout::half;
    return rotary.getHeadDim() % lanes == 0 && rotated % lanes == 0 &&
           (!isHalf || rotated / 2 % lanes == 0);
  });
}

bool ContractionFlow::turnsNeighbours() const {
  return llvm::any_of(values, [](const auto &entry) {
    Value value = entry.first;
    auto rotary = value.getDefiningOp<RotaryOp>();
    return rotary && rotary.getLayout() == RotaryLayout::interleaved;
  });
}

int64_t ContractionFlow::pairColumns() const {
  int64_t columns = wholeColumns;
  for (auto &[value, moved] : values) {
    auto rotary = value.getDefiningOp<RotaryOp>();
    if (rotary && rotary.getLayout() == RotaryLayout::half)
      columns = std::gcd(
          columns, std::gcd(rotary.getRotaryDims() / 2, rotary.getHeadDim()));
  }
  return columns;
}

bool mlir::fuse::isInOrder(Value result, const ContractionFlow &flow) {
  return !result.getDefiningOp<ScatterOp>() &&
         llvm::all_of(flow.of(result).moves, [](Operation *moved) {
           return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(moved);
         });
}
