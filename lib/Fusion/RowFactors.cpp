//===- RowFactors.cpp - Factors of a contraction's operand ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowFactors.h"

#include "fuse/Dialect/Fuse/IR/Shapes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::fuse;
using llvm::SmallBitVector;

using Shape = SmallVector<int64_t>;

/// What is further away from a contraction is not looked for.
static constexpr size_t mostSteps = 32;

namespace {
class WayFinder {
public:
  WayFinder(ContractOp contract, bool normsOnly)
      : contract(contract), normsOnly(normsOnly) {}

  std::optional<Way> find(unsigned operand);

private:
  bool follow(Value value, const SmallBitVector &summed);
  bool followInto(Operation *op, unsigned next, bool isTaken,
                  const SmallBitVector &summed);
  bool areFactorsFree(Way &way);

  ContractOp contract;
  bool normsOnly;
  SmallVector<Step> steps;
  /// From which no way leads to a factor.
  llvm::DenseSet<Value> fruitless;
};
} // namespace

bool mlir::fuse::isView(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, TransposeOp>(op);
}

static unsigned bitsOf(Value value) {
  return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
}

/// Whether products of such numbers, in any order, overflow where those of f32
/// do.
static bool hasRangeOfF32(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isF32() || element.isBF16();
}

/// Whether products of `value` may be taken in another order, for a contraction
/// of elements like those of `operand`.
static bool mayReorder(Value value, Value operand) {
  return hasRangeOfF32(operand) ? hasRangeOfF32(value)
                                : getElementTypeOrSelf(value).isF64() &&
                                      getElementTypeOrSelf(operand).isF64();
}

/// Whether the cast rounds no sooner than where its value is stored.
static bool roundsLate(CastOp cast) {
  return cast->hasAttr(kImplicitAttr) ||
         bitsOf(cast.getResult()) >= bitsOf(cast.getInput());
}

/// Whether `factor`, which broadcasts to `rank` dimensions, has one value for
/// all places of the summed ones.
static bool isConstantAlong(Value factor, int64_t rank,
                            const SmallBitVector &summed) {
  int64_t missing = rank - shapeOf(factor).size();
  for (auto [dim, size] : llvm::enumerate(shapeOf(factor)))
    if (size != 1 && summed.test(dim + missing))
      return false;
  return true;
}

/// Which dimensions of a view's operand are summed; nothing if a dimension is
/// so in part.
static std::optional<SmallBitVector> summedBelow(Operation *view,
                                                 const SmallBitVector &summed) {
  SmallBitVector below(shapeOf(view->getOperand(0)).size());
  if (auto transpose = dyn_cast<TransposeOp>(view)) {
    for (auto [dim, from] : llvm::enumerate(transpose.getPermutation()))
      below[from] = summed[dim];
    return below;
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(view)) {
    for (auto [dim, group] :
         llvm::enumerate(collapse.getReassociationIndices()))
      for (int64_t from : group)
        below[from] = summed[dim];
    return below;
  }
  auto expand = cast<tensor::ExpandShapeOp>(view);
  for (auto [from, group] : llvm::enumerate(expand.getReassociationIndices())) {
    auto isSummed = [&](int64_t dim) { return summed.test(dim); };
    below[from] = llvm::any_of(group, isSummed);
    if (below[from] && !llvm::all_of(group, isSummed))
      return std::nullopt;
  }
  return below;
}

std::optional<Shape> mlir::fuse::shapeAbove(ArrayRef<int64_t> shape,
                                            Operation *view) {
  ArrayRef<int64_t> below = shapeOf(view->getOperand(0)),
                    above = shapeOf(view->getResult(0));
  // A scalar is the same everywhere.
  if (shape.empty())
    return Shape();
  if (shape.size() != below.size())
    return std::nullopt;
  Shape result(above.size(), 1);
  if (auto transpose = dyn_cast<TransposeOp>(view)) {
    for (auto [dim, from] : llvm::enumerate(transpose.getPermutation()))
      result[dim] = shape[from];
    return result;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view)) {
    for (auto [from, group] : llvm::enumerate(expand.getReassociationIndices()))
      for (int64_t dim : group)
        result[dim] = shape[from] == 1 ? 1 : above[dim];
    return result;
  }
  auto collapse = cast<tensor::CollapseShapeOp>(view);
  for (auto [dim, group] :
       llvm::enumerate(collapse.getReassociationIndices())) {
    if (llvm::all_of(group, [&](int64_t from) { return shape[from] == 1; }))
      continue;
    if (llvm::any_of(group,
                     [&](int64_t from) { return shape[from] != below[from]; }))
      return std::nullopt;
    result[dim] = above[dim];
  }
  return result;
}

/// Whether the factor is what a norm multiplies with, perhaps as a view.
static bool isReciprocalRoot(Value factor) {
  Operation *op = factor.getDefiningOp();
  while (op && (isView(op) || isa<CastOp, BroadcastOp>(op)))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_present<RsqrtOp>(op);
}

bool WayFinder::followInto(Operation *op, unsigned next, bool isTaken,
                           const SmallBitVector &summed) {
  steps.push_back({op, next, isTaken});
  size_t depth = steps.size();
  bool leads = steps.size() < mostSteps && follow(op->getOperand(next), summed);
  if (!leads)
    steps.resize(isTaken ? depth : depth - 1);
  return leads || isTaken;
}

/// Whether a way from `value` leads to a factor; `steps` then has it.
bool WayFinder::follow(Value value, const SmallBitVector &summed) {
  Operation *op = value.getDefiningOp();
  if (!op || fruitless.contains(value))
    return false;
  auto fits = [&](unsigned next) {
    return mayReorder(op->getOperand(next), contract.getLhs()) &&
           shapeOf(op->getOperand(next)) == shapeOf(value);
  };
  auto isFactor = [&](unsigned number) {
    Value factor = op->getOperand(number);
    return mayReorder(factor, contract.getLhs()) &&
           (!normsOnly || isReciprocalRoot(factor)) &&
           isConstantAlong(factor, shapeOf(value).size(), summed);
  };
  bool leads = false;
  if (isView(op)) {
    if (std::optional<SmallBitVector> below = summedBelow(op, summed))
      leads = mayReorder(value, contract.getLhs()) &&
              followInto(op, 0, /*isTaken=*/false, *below);
  } else if (auto cast = dyn_cast<CastOp>(op)) {
    leads = roundsLate(cast) && fits(0) && followInto(op, 0, false, summed);
  } else if (isa<MulOp, DivOp>(op)) {
    bool areBoth = isa<MulOp>(op);
    leads = (fits(0) && isFactor(1) && followInto(op, 0, true, summed)) ||
            (areBoth && fits(1) && isFactor(0) &&
             followInto(op, 1, true, summed)) ||
            (fits(0) && followInto(op, 0, false, summed)) ||
            (areBoth && fits(1) && followInto(op, 1, false, summed));
  }
  if (!leads)
    fruitless.insert(value);
  return leads;
}

/// The shape in which a factor reaches the contraction; nothing if it cannot.
static std::optional<Shape> shapeAtOperand(const Way &way, size_t number) {
  std::optional<Shape> shape(shapeOf(factorOf(way.steps[number])));
  for (const Step &step : llvm::reverse(ArrayRef(way.steps).take_front(number)))
    if (shape && isView(step.op))
      shape = shapeAbove(*shape, step.op);
  return shape;
}

/// Whether the operand's summed sizes are known, and none is 0: the sum of no
/// products is 0, whatever their factors are.
static bool sumsProducts(ContractOp contract, Way &way) {
  ArrayRef<int64_t> shape = shapeOf(contract->getOperand(way.operand));
  for (auto [axis, size] : llvm::zip_equal(way.axes(), shape))
    if (!contract.getResultAxes().contains(axis) &&
        (size == 0 || ShapedType::isDynamic(size)))
      return false;
  return true;
}

/// Whether all factors can go up to the operand and into the result.
bool WayFinder::areFactorsFree(Way &way) {
  StringRef result = contract.getResultAxes();
  for (auto [number, step] : llvm::enumerate(way.steps)) {
    if (!step.isTaken)
      continue;
    std::optional<Shape> shape = shapeAtOperand(way, number);
    if (!shape)
      return false;
    StringRef letters = way.axes().take_back(shape->size());
    for (auto [letter, size] : llvm::zip_equal(letters, *shape)) {
      size_t axis = result.find(letter);
      if (size == 1)
        continue;
      // Where sizes are equal but not known to be, the result's type would
      // change.
      if (axis == StringRef::npos ||
          broadcastSizes(size, shapeOf(contract.getResult())[axis]) !=
              shapeOf(contract.getResult())[axis])
        return false;
    }
  }
  return true;
}

std::optional<Way> WayFinder::find(unsigned operand) {
  Way way{contract, operand, {}};
  SmallBitVector summed;
  for (char axis : way.axes())
    summed.push_back(!contract.getResultAxes().contains(axis));
  steps.clear();
  fruitless.clear();
  Value value = contract->getOperand(operand);
  if (!mayReorder(value, value) || !sumsProducts(contract, way) ||
      !follow(value, summed))
    return std::nullopt;
  way.steps = steps;
  return areFactorsFree(way) ? std::optional(way) : std::nullopt;
}

std::optional<Way> mlir::fuse::findWay(ContractOp contract, unsigned operand,
                                       bool normsOnly) {
  return WayFinder(contract, normsOnly).find(operand);
}
