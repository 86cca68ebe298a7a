//===- ScoreMasks.cpp - Which scores a mask hides -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ScoreMasks.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

void AffinePlace::add(const AffinePlace &other, int64_t factor) {
  keys += factor * other.keys;
  queries += factor * other.queries;
  constant += factor * other.constant;
  for (Term term : other.terms) {
    term.factor *= factor;
    terms.push_back(term);
  }
}

bool ScoreCondition::boundsKeys() const {
  return (kind == NotPositive && place.keys != 0) ||
         llvm::any_of(parts, [](const ScoreCondition &part) {
           return part.boundsKeys();
         });
}

namespace {
/// Follows the operands of a kernel's masks.
class MaskFinder {
public:
  MaskFinder(const StreamedSpace &space, const DimClasses &dims)
      : space(space), dims(dims),
        shape(dims.extents(ContractOp(space.scores).getResult())) {
    StringRef axes = ContractOp(space.scores).getResultAxes();
    queryAxis = axes.find(space.m);
    keyAxis = axes.find(space.n);
  }

  void visit(Value value, bool hides);

  SmallVector<ScoreMask> masks;

private:
  unsigned axisOf(Value value, unsigned dim) const {
    return dim + shape.size() -
           cast<RankedTensorType>(value.getType()).getRank();
  }
  bool repeats(Value value, unsigned axis) const;
  std::optional<AffinePlace> affineOf(Value value) const;
  std::optional<AffinePlace> affineOfIota(IotaOp op) const;
  ScoreCondition conditionOf(Value value, bool wanted) const;
  /// In integers, rounded down.
  struct Quotient {
    AffinePlace place;
    int64_t divisor;
  };
  std::optional<Quotient> quotientOf(Value value) const;
  ScoreCondition atMost(Value lhs, Value rhs, bool isStrict) const;
  ScoreCondition conditionOf(CompareOp op, bool wanted) const;
  ScoreCondition join(ScoreCondition::Kind kind, Operation *op,
                      bool wanted) const;

  const StreamedSpace &space;
  const DimClasses &dims;
  SmallVector<Extent> shape;
  unsigned queryAxis, keyAxis;
  llvm::DenseSet<Value> seen;
};
} // namespace

/// Whether the value is the same all along an axis of the scores, also where it
/// has that axis and is computed from what has not.
bool MaskFinder::repeats(Value value, unsigned axis) const {
  SmallVector<Extent> extents = dims.extents(value);
  unsigned missing = shape.size() - extents.size();
  if (axis < missing || extents[axis - missing].size == 1)
    return true;
  Operation *op = value.getDefiningOp();
  if (auto iota = dyn_cast_or_null<IotaOp>(op))
    return axisOf(value, iota.getDim()) != axis;
  return op && op->hasTrait<mlir::fuse::OpTrait::Pointwise>() &&
         !isa<RandomOp>(op) && op->getNumOperands() > 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return repeats(operand, axis); });
}

/// Larger ones may wrap around when they are added.
static bool isSmall(int64_t number) {
  constexpr int64_t most = int64_t(1) << 30;
  return number > -most && number < most;
}

static std::optional<int64_t> integerOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) ||
      number.getSignificantBits() > 31 || !isSmall(number.getSExtValue()))
    return std::nullopt;
  return number.getSExtValue();
}

std::optional<AffinePlace> MaskFinder::affineOfIota(IotaOp op) const {
  AffinePlace place;
  unsigned axis = axisOf(op.getResult(), op.getDim());
  Extent extent = dims.extent(op.getResult(), op.getDim());
  if (op.getFromEnd())
    place.terms.push_back({-1, extent});
  if (extent.size == 1)
    return place;
  if (axis == keyAxis)
    place.keys = 1;
  else if (axis == queryAxis)
    place.queries = 1;
  else
    place.terms.push_back({1, std::nullopt, axis});
  return place;
}

std::optional<AffinePlace> MaskFinder::affineOf(Value value) const {
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(value));
  if (!element || element.getWidth() < 32)
    return std::nullopt;
  if (std::optional<int64_t> number = integerOf(value)) {
    AffinePlace place;
    place.constant = *number;
    return place;
  }
  Operation *op = value.getDefiningOp();
  if (auto iota = dyn_cast_or_null<IotaOp>(op))
    return affineOfIota(iota);
  if (isa_and_nonnull<BroadcastOp>(op))
    return affineOf(op->getOperand(0));
  if (auto cast = dyn_cast_or_null<CastOp>(op)) {
    auto from = dyn_cast<IntegerType>(getElementTypeOrSelf(cast.getInput()));
    if (from && from.getWidth() <= element.getWidth())
      return affineOf(cast.getInput());
  }
  if (isa_and_nonnull<AddOp, SubOp>(op)) {
    auto first = affineOf(op->getOperand(0)),
         second = affineOf(op->getOperand(1));
    if (first && second) {
      first->add(*second, isa<SubOp>(op) ? -1 : 1);
      return first;
    }
  }
  if (isa_and_nonnull<MulOp>(op))
    for (unsigned number : {0, 1}) {
      auto factor = integerOf(op->getOperand(number));
      auto other = affineOf(op->getOperand(1 - number));
      AffinePlace product;
      if (factor && other) {
        product.add(*other, *factor);
        return product;
      }
    }
  bool ofRows = !repeats(value, queryAxis);
  if (!repeats(value, keyAxis) || (ofRows && element.getWidth() != 32))
    return std::nullopt;
  AffinePlace place;
  place.terms.push_back({1, std::nullopt, std::nullopt, value, ofRows});
  return place;
}

/// A place that is not negative, divided by a positive number.
std::optional<MaskFinder::Quotient> MaskFinder::quotientOf(Value value) const {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  auto op = value.getDefiningOp<DivOp>();
  std::optional<int64_t> divisor;
  std::optional<AffinePlace> place;
  if (op && isa<IntegerType>(getElementTypeOrSelf(value))) {
    divisor = integerOf(op.getRhs());
    place = affineOf(op.getLhs());
  }
  bool isNotNegative = place && place->terms.empty() && place->constant >= 0 &&
                       place->keys >= 0 && place->queries >= 0;
  if (!isNotNegative || !divisor || *divisor < 1)
    return std::nullopt;
  return Quotient{*place, *divisor};
}

/// That lhs <= rhs, or with `isStrict` lhs < rhs, as a value that is not
/// positive: a <= b is a - b <= 0, a < b is a - b + 1 <= 0. For integers and a
/// quotient rounded down, a / c <= b is a <= c b + c - 1, and b <= a / c is c b
/// <= a.
ScoreCondition MaskFinder::atMost(Value lhs, Value rhs, bool isStrict) const {
  std::optional<AffinePlace> a = affineOf(lhs), b = affineOf(rhs);
  AffinePlace place;
  if (a && b) {
    place.add(*a, 1);
    place.add(*b, -1);
    place.constant += isStrict;
  } else if (auto quotient = quotientOf(lhs); quotient && b) {
    int64_t divisor = quotient->divisor;
    place.add(quotient->place, 1);
    place.add(*b, -divisor);
    place.constant += isStrict ? 1 : 1 - divisor;
  } else if (auto quotient = quotientOf(rhs); quotient && a) {
    place.add(*a, quotient->divisor);
    place.add(quotient->place, -1);
    place.constant += isStrict ? quotient->divisor : 0;
  } else {
    return {};
  }
  ScoreCondition condition;
  // Others would need a division.
  if (std::abs(place.keys) > 1)
    return condition;
  condition.kind = ScoreCondition::NotPositive;
  condition.place = std::move(place);
  return condition;
}

ScoreCondition MaskFinder::conditionOf(CompareOp op, bool wanted) const {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  ComparePredicate predicate = op.getPredicate();
  switch (predicate) {
  case ComparePredicate::le:
  case ComparePredicate::gt:
    return (predicate == ComparePredicate::le) == wanted
               ? atMost(lhs, rhs, /*isStrict=*/false)
               : atMost(rhs, lhs, /*isStrict=*/true);
  case ComparePredicate::lt:
  case ComparePredicate::ge:
    return (predicate == ComparePredicate::lt) == wanted
               ? atMost(lhs, rhs, /*isStrict=*/true)
               : atMost(rhs, lhs, /*isStrict=*/false);
  case ComparePredicate::eq:
  case ComparePredicate::ne: {
    if ((predicate == ComparePredicate::eq) != wanted)
      return {};
    ScoreCondition both;
    both.kind = ScoreCondition::Both;
    both.parts = {atMost(lhs, rhs, /*isStrict=*/false),
                  atMost(rhs, lhs, /*isStrict=*/false)};
    return both;
  }
  }
  llvm_unreachable("every predicate is handled");
}

/// By De Morgan where it is not wanted.
ScoreCondition MaskFinder::join(ScoreCondition::Kind kind, Operation *op,
                                bool wanted) const {
  ScoreCondition condition;
  bool isBoth = (kind == ScoreCondition::Both) == wanted;
  condition.kind = isBoth ? ScoreCondition::Both : ScoreCondition::Either;
  for (Value operand : op->getOperands())
    condition.parts.push_back(conditionOf(operand, wanted));
  return condition;
}

ScoreCondition MaskFinder::conditionOf(Value value, bool wanted) const {
  ScoreCondition condition;
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number))) {
    condition.kind = number.isZero() == wanted ? ScoreCondition::Never
                                               : ScoreCondition::Always;
    return condition;
  }
  Operation *op = value.getDefiningOp();
  if (auto compare = dyn_cast_or_null<CompareOp>(op))
    return conditionOf(compare, wanted);
  if (isa_and_nonnull<NotOp>(op))
    return conditionOf(op->getOperand(0), !wanted);
  if (isa_and_nonnull<BroadcastOp>(op))
    return conditionOf(op->getOperand(0), wanted);
  if (isa_and_nonnull<AndOp>(op))
    return join(ScoreCondition::Both, op, wanted);
  if (isa_and_nonnull<OrOp>(op))
    return join(ScoreCondition::Either, op, wanted);
  return condition;
}

/// `hides`: whether the softmax is -inf where the value is, or a weight 0.
void MaskFinder::visit(Value value, bool hides) {
  Operation *op = value.getDefiningOp();
  if (!op || !space.front.contains(op) || isa<ContractOp>(op) ||
      !seen.insert(value).second)
    return;
  if (auto select = dyn_cast<SelectOp>(op)) {
    for (bool wanted : {true, false}) {
      Value other = wanted ? select.getFalseValue() : select.getTrueValue();
      APFloat number(0.0f);
      if (!matchPattern(other, m_ConstantFloat(&number)))
        continue;
      ScoreCondition condition = conditionOf(select.getCondition(), wanted);
      bool isHidden = hides && (space.isPlain() ? number.isZero()
                                                : number.isInfinity() &&
                                                      number.isNegative());
      if (condition.boundsKeys())
        masks.push_back(
            {select.getCondition(), wanted, std::move(condition), isHidden});
      visit(wanted ? select.getTrueValue() : select.getFalseValue(), hides);
      return;
    }
    return;
  }
  // What is added does not undo -inf, what is multiplied not 0.
  bool isKept = space.isPlain() ? isa<MulOp>(op) : isa<AddOp>(op);
  if (isKept || isa<CastOp>(op)) {
    for (Value operand : op->getOperands())
      visit(operand, hides);
    return;
  }
  if (isa<MulOp>(op))
    for (unsigned number : {0, 1}) {
      APFloat factor(0.0f);
      if (matchPattern(op->getOperand(number), m_ConstantFloat(&factor)) &&
          factor.isFiniteNonZero() && !factor.isNegative())
        return visit(op->getOperand(1 - number), hides);
    }
  for (Value operand : op->getOperands())
    visit(operand, /*hides=*/false);
}

SmallVector<ScoreMask> mlir::fuse::scoreMasksOf(const StreamedSpace &space,
                                                const DimClasses &dims) {
  MaskFinder finder(space, dims);
  finder.visit(space.logits, /*hides=*/true);
  return std::move(finder.masks);
}

bool mlir::fuse::hidesTiles(ArrayRef<ScoreMask> masks) {
  return llvm::any_of(masks, [](const ScoreMask &mask) { return mask.hides; });
}
