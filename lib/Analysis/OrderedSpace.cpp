//===- OrderedSpace.cpp - Kernels with scans and selections ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/OrderedSpace.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

SmallVector<Extent> OrderedSpace::kept() const {
  SmallVector<Extent> extents(domain);
  extents.erase(extents.begin() + dim);
  return extents;
}

std::optional<ArrayRef<Extent>>
OrderedSpace::inRow(ArrayRef<Extent> extents) const {
  size_t rank = domain.size() - 1;
  if (!areRows() || extents.size() < rank ||
      extents.take_front(rank) != ArrayRef(domain).drop_back())
    return std::nullopt;
  return extents.drop_front(rank);
}

bool OrderedSpace::isWhole(ArrayRef<Extent> extents) const {
  if (extents == ArrayRef(domain))
    return true;
  std::optional<ArrayRef<Extent>> own = inRow(extents);
  std::optional<int64_t> count = own ? staticProduct(*own) : std::nullopt;
  return count && length().isStatic() && *count == length().size;
}

namespace {
/// Finds the space op by op. A value that follows from a scan, a selection or a
/// reduction belongs to its row: it is needed where the row is walked, or is
/// one of the few numbers that are left of the row.
class SpaceFinder {
public:
  SpaceFinder(ArrayRef<Operation *> ops, ArrayRef<Value> results,
              const DimClasses &dims, Reason &reason)
      : ops(ops), results(results), dims(dims), reason(reason) {}

  FailureOr<OrderedSpace> run();

private:
  LogicalResult refuse(Reason why) {
    reason = std::move(why);
    return failure();
  }
  LogicalResult visit(Operation *op);
  LogicalResult visitReduction(Operation *op);
  LogicalResult visitFollowing(Operation *op);
  LogicalResult addResult(Value result);
  void chooseDomain();
  bool keepsRows(Operation *op) const;
  bool isOfRows(ArrayRef<Extent> extents) const;
  bool areFew(ArrayRef<Extent> extents) const;
  bool isShortReduction(Operation *op) const;
  bool isShortSelection(Operation *op) const;
  bool isOneARow(ArrayRef<Extent> extents) const;
  LogicalResult visitOrdered(Operation *op);
  LogicalResult visitShortReduction(Operation *op);
  unsigned levelBefore(Operation *op) const;
  void addToWalk(Operation *op);

  ArrayRef<Operation *> ops;
  ArrayRef<Value> results;
  const DimClasses &dims;
  Reason &reason;
  OrderedSpace space;
  /// The number of walks that have to be over for a value that follows from
  /// one, or from a scan.
  DenseMap<Value, unsigned> levels;
  /// What follows from a scan with no walk between: known at a walk's own
  /// points only.
  llvm::DenseSet<Value> scanned;
};
} // namespace

unsigned SpaceFinder::levelBefore(Operation *op) const {
  unsigned level = 0;
  for (Value operand : op->getOperands())
    level = std::max(level, levels.lookup(operand));
  return level;
}

void SpaceFinder::addToWalk(Operation *op) {
  unsigned level = levelBefore(op);
  if (space.walks.size() <= level)
    space.walks.resize(level + 1);
  space.walks[level].push_back(op);
  for (Value result : op->getResults())
    levels[result] = level + 1;
}

/// Whether a value has the rows of the domain and any number of elements of
/// each.
bool SpaceFinder::isOfRows(ArrayRef<Extent> extents) const {
  return extents.size() == space.domain.size() &&
         extents.take_front(space.dim) ==
             ArrayRef(space.domain).take_front(space.dim) &&
         extents.drop_front(space.dim + 1) ==
             ArrayRef(space.domain).drop_front(space.dim + 1);
}

bool SpaceFinder::isOneARow(ArrayRef<Extent> extents) const {
  return extents == ArrayRef(space.kept()) ||
         (isOfRows(extents) && extents[space.dim].size == 1);
}

/// Whether a tensor has few elements of a row.
bool SpaceFinder::areFew(ArrayRef<Extent> extents) const {
  std::optional<ArrayRef<Extent>> own = space.inRow(extents);
  std::optional<int64_t> count = own ? staticProduct(*own) : std::nullopt;
  return count && *count <= OrderedSpace::fewElements;
}

/// Whether a thread can reduce what each result of the op needs.
bool SpaceFinder::isShortReduction(Operation *op) const {
  Value input = op->getOperand(0);
  SmallVector<Extent> extents = dims.extents(input);
  if (!isa<ReduceOp, SoftmaxStatsOp, WelfordOp>(op) ||
      scanned.contains(input) || !space.inRow(extents))
    return false;
  int64_t count = 1;
  for (int64_t axis : reducedDims(op)) {
    if (axis + 1 < static_cast<int64_t>(space.domain.size()) ||
        !extents[axis].isStatic())
      return false;
    count *= extents[axis].size;
  }
  return count <= OrderedSpace::fewElements;
}

bool SpaceFinder::isShortSelection(Operation *op) const {
  Value input = op->getOperand(0);
  const Extent &length = dims.extents(input).back();
  return isa<TopKOp>(op) && !scanned.contains(input) && length.isStatic() &&
         length.size <= OrderedSpace::fewElements &&
         areFew(dims.extents(op->getResult(0)));
}

LogicalResult SpaceFinder::visitShortReduction(Operation *op) {
  // Every thread reduces for itself what a row has one of, or more of than
  // there is room for.
  bool isFew = areFew(dims.extents(op->getResult(0)));
  bool follows = levels.contains(op->getOperand(0));
  if (isFew && (!follows || !isOneARow(dims.extents(op->getResult(0))))) {
    addToWalk(op);
    space.inGroups.insert(op);
    return success();
  }
  if (!follows)
    return refuse(ReasonKind::differentShapes);
  unsigned level = levelBefore(op);
  for (Value result : op->getResults())
    levels[result] = level;
  return success();
}

LogicalResult SpaceFinder::visitReduction(Operation *op) {
  SmallVector<Extent> extents = dims.extents(op->getOperand(0));
  ArrayRef<int64_t> reduced = reducedDims(op);
  bool isAlongRow = reduced == ArrayRef(space.dim);
  // Of a row in several dimensions all are reduced.
  bool isOfAll = space.areRows() && !reduced.empty() &&
                 reduced.front() == space.dim &&
                 reduced.size() + space.dim == extents.size();
  if (isAlongRow ? extents == space.domain
                 : isOfAll && space.isWhole(extents) &&
                       !scanned.contains(op->getOperand(0))) {
    addToWalk(op);
    return success();
  }
  if (isShortReduction(op))
    return visitShortReduction(op);
  if (!isAlongRow && extents.size() == space.domain.size())
    return refuse(ReasonKind::orderedOtherDims);
  return refuse(ReasonKind::differentShapes);
}

/// Whether an op that moves elements keeps each in its row.
bool SpaceFinder::keepsRows(Operation *op) const {
  if (!space.inRow(dims.extents(op->getResult(0))))
    return false;
  int64_t rank = static_cast<int64_t>(space.domain.size()) - 1;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<SliceOp>([&](SliceOp slice) {
        return llvm::all_of(slice.getOffsets().take_front(rank),
                            [](int64_t offset) { return offset == 0; }) &&
               llvm::all_of(slice.getSteps().take_front(rank),
                            [](int64_t step) { return step == 1; });
      })
      .Case<ReverseOp>([&](ReverseOp reverse) {
        return llvm::all_of(reverse.getDims(),
                            [&](int64_t axis) { return axis >= rank; });
      })
      .Case<TakeAlongOp>([&](TakeAlongOp take) {
        // A row's one element is known at its first place, not at ids.
        return static_cast<int64_t>(take.getDim()) >= rank &&
               !isOneARow(dims.extents(take->getOperand(0)));
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto reshape) {
        SmallVector<ReassociationIndices> groups =
            reshape.getReassociationIndices();
        return static_cast<int64_t>(groups.size()) >= rank &&
               llvm::all_of(
                   ArrayRef(groups).take_front(rank),
                   [](ArrayRef<int64_t> group) { return group.size() == 1; });
      })
      .Default(false);
}

/// What follows from a walk or a scan.
LogicalResult SpaceFinder::visitFollowing(Operation *op) {
  Value result = op->getResult(0);
  SmallVector<Extent> extents = dims.extents(result);
  bool isPointwise = op->hasTrait<mlir::fuse::OpTrait::Pointwise>();
  if (!isPointwise && !keepsRows(op))
    return refuse(isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, PadOp,
                      ConcatOp, TakeAlongOp>(op)
                      ? ReasonKind::orderedMoved
                      : ReasonKind::orderedOtherRows);
  bool isScanned = false;
  for (Value operand : op->getOperands()) {
    if (!levels.contains(operand))
      continue;
    isScanned |= scanned.contains(operand);
    // Shapes align at the last dimension: with another rank a row's number
    // would meet a column.
    if (isPointwise && dims.extents(operand).size() != extents.size())
      return refuse(ReasonKind::orderedOtherRows);
  }
  // Of a row of one element a longer one asks for more.
  if (isScanned && (!isPointwise || extents != space.domain))
    return refuse(ReasonKind::scanOtherPlaces);
  bool isWalked = space.areRows() ? space.inRow(extents).has_value()
                                  : extents == space.domain;
  if (!isWalked && !isOneARow(extents))
    return refuse(ReasonKind::notOrderedShape);
  levels[result] = levelBefore(op);
  if (isScanned)
    scanned.insert(result);
  return success();
}

/// The dimension that a scan or a selection walks.
static int64_t orderedDim(Operation *op) {
  if (auto scan = dyn_cast<ScanOp>(op))
    return scan.getAxis();
  return tensorType(op->getOperand(0)).getRank() - 1;
}

/// What is walked as a whole: of rows with the fewest dimensions before them
/// the longest.
void SpaceFinder::chooseDomain() {
  Operation *widest = nullptr;
  auto isWider = [&](Operation *op) {
    SmallVector<Extent> own = dims.extents(op->getOperand(0));
    SmallVector<Extent> other = dims.extents(widest->getOperand(0));
    if (own.size() != other.size())
      return own.size() < other.size();
    return other.back().isStatic() &&
           (!own.back().isStatic() || own.back().size > other.back().size);
  };
  for (Operation *op : llvm::make_filter_range(ops, isRowOrder)) {
    bool areColumns =
        orderedDim(op) + 1 != tensorType(op->getOperand(0)).getRank();
    if (!widest || areColumns || isWider(op))
      widest = op;
    if (areColumns)
      break;
  }
  space.domain = dims.extents(widest->getOperand(0));
  space.dim = orderedDim(widest);
}

LogicalResult SpaceFinder::visitOrdered(Operation *op) {
  if (dims.extents(op->getOperand(0)) != space.domain && isShortSelection(op)) {
    addToWalk(op);
    space.inGroups.insert(op);
    return success();
  }
  if (dims.extents(op->getOperand(0)) != space.domain)
    return refuse(ReasonKind::orderedOtherShape);
  if (orderedDim(op) != space.dim)
    return refuse(ReasonKind::orderedAcross);
  auto scan = dyn_cast<ScanOp>(op);
  if (!scan) {
    addToWalk(op);
    return success();
  }
  if (!space.scans.empty() && space.reverse != scan.getReverse())
    return refuse(ReasonKind::oppositeScans);
  space.reverse = scan.getReverse();
  space.scans.push_back(scan);
  levels[scan.getResult()] = levelBefore(op);
  scanned.insert(scan.getResult());
  return success();
}

LogicalResult SpaceFinder::visit(Operation *op) {
  // The sizes of reshapes.
  if (!isa<RankedTensorType>(op->getResult(0).getType()))
    return success();
  if (isa<ScatterOp, ContractOp>(op))
    return refuse(ReasonKind::notOrdered);
  if (isReduction(op))
    return visitReduction(op);
  if (isRowOrder(op))
    return visitOrdered(op);
  bool follows = llvm::any_of(op->getOperands(),
                              [&](Value v) { return levels.contains(v); });
  return follows ? visitFollowing(op) : success();
}

LogicalResult SpaceFinder::addResult(Value result) {
  using Kind = OrderedSpace::ResultKind;
  SmallVector<Extent> extents = dims.extents(result);
  if (extents == space.domain ||
      (space.isWhole(extents) && !isOneARow(extents)))
    space.results.push_back(Kind::full);
  else if (isOneARow(extents))
    space.results.push_back(Kind::row);
  else if (areFew(extents))
    space.results.push_back(Kind::selected);
  else
    return refuse(ReasonKind::resultNotOrdered);
  return success();
}

FailureOr<OrderedSpace> SpaceFinder::run() {
  assert(llvm::any_of(ops, isRowOrder) && "nothing is ordered");
  chooseDomain();
  for (Operation *op : ops)
    if (failed(visit(op)))
      return failure();
  for (Value result : results)
    if (failed(addResult(result)))
      return failure();
  return std::move(space);
}

FailureOr<OrderedSpace> mlir::fuse::orderedSpaceOf(ArrayRef<Operation *> ops,
                                                   ArrayRef<Value> results,
                                                   const DimClasses &dims,
                                                   Reason &reason) {
  return SpaceFinder(ops, results, dims, reason).run();
}

FailureOr<OrderedSpace> mlir::fuse::orderedSpaceOf(KernelOp kernel,
                                                   const DimClasses &dims,
                                                   Reason &reason) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
  return orderedSpaceOf(ops, llvm::to_vector(kernel.getYield().getValues()),
                        dims, reason);
}

SmallVector<SmallVector<Value>>
mlir::fuse::walkedValues(const OrderedSpace &space, ArrayRef<Value> results) {
  SmallVector<SmallVector<Value>> values;
  for (ArrayRef<Operation *> ops : space.walks)
    values.push_back(llvm::map_to_vector(
        ops, [](Operation *op) { return op->getOperand(0); }));
  values.emplace_back();
  for (auto [value, kind] : llvm::zip_equal(results, space.results))
    if (kind == OrderedSpace::ResultKind::full)
      values.back().push_back(value);
  return values;
}

SmallVector<ScanOp>
mlir::fuse::scansBehind(const OrderedSpace &space, ArrayRef<Value> values,
                        const llvm::DenseSet<Value> &known) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> work(values);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (known.contains(value) || !seen.insert(value).second)
      continue;
    if (Operation *op = value.getDefiningOp())
      work.append(op->operand_begin(), op->operand_end());
  }
  SmallVector<ScanOp> needed;
  for (ScanOp scan : space.scans)
    if (seen.contains(scan.getResult()))
      needed.push_back(scan);
  return needed;
}
