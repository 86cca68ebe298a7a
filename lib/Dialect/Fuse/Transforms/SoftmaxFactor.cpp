//===- SoftmaxFactor.cpp - A factor of rows out of exponentials -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftmaxFactor.h"

#include "Decompose.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <limits>
#include <set>

using namespace mlir;
using namespace mlir::fuse;

bool mlir::fuse::isOfRows(Value value, Value full) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getRank() == cast<RankedTensorType>(full.getType()).getRank() &&
         type.getRank() > 0 && type.getShape().back() == 1;
}

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat());
}

static bool isOne(Value value) { return matchPattern(value, m_OneFloat()); }

static bool isMinusInfinity(Value value) {
  return matchPattern(value, m_NegInfFloat());
}

/// The number of the operand that the op hides or adds something to.
static std::optional<unsigned> shiftedOperand(Operation *op, unsigned number) {
  if (isa_and_nonnull<AddOp>(op))
    return number;
  auto select = dyn_cast_or_null<SelectOp>(op);
  if (select && isMinusInfinity(select.getFalseValue()))
    return 1;
  if (select && isMinusInfinity(select.getTrueValue()))
    return 2;
  return std::nullopt;
}

SoftmaxFactor::SoftmaxFactor(ExpOp exp)
    : exp(exp), logits(exp.getInput()),
      last(cast<RankedTensorType>(logits.getType()).getRank() - 1) {
  if (last < 0 || findBase(logits))
    return;
  logits = exp.getInput();
  around.clear();
}

/// The exponent as a difference, where what is subtracted is one number a row;
/// also behind masks and what is added.
bool SoftmaxFactor::findBase(Value value) {
  constexpr size_t mostAround = 8;
  Operation *op = value.getDefiningOp();
  if (!op || value.getType() != exp.getInput().getType() ||
      around.size() > mostAround)
    return false;
  if (auto difference = dyn_cast<SubOp>(op)) {
    if (isOfRows(difference.getRhs(), value) &&
        difference.getLhs().getType() == value.getType()) {
      logits = difference.getLhs();
      base = difference.getRhs();
      return true;
    }
  }
  for (unsigned number : {0, 1}) {
    std::optional<unsigned> shifted = shiftedOperand(op, number);
    if (!shifted)
      return false;
    around.push_back({op, *shifted});
    if (findBase(op->getOperand(*shifted)))
      return true;
    around.pop_back();
    if (isa<SelectOp>(op))
      return false;
  }
  return false;
}

/// The exponent as if nothing was subtracted.
Value SoftmaxFactor::emitLogits(OpBuilder &builder) {
  Value value = logits;
  for (auto [op, number] : llvm::reverse(around)) {
    IRMapping mapping;
    mapping.map(op->getOperand(number), value);
    value = builder.clone(*op, mapping)->getResult(0);
  }
  return value;
}

//===----------------------------------------------------------------------===//
// What reads the exponentials
//===----------------------------------------------------------------------===//

std::optional<SoftmaxFactor::Masked>
SoftmaxFactor::maskOf(Operation *user) const {
  Value own = ExpOp(exp).getResult();
  if (user->getNumResults() != 1 ||
      user->getResult(0).getType() != own.getType())
    return std::nullopt;
  if (auto select = dyn_cast<SelectOp>(user)) {
    if (select.getTrueValue() == own && isZero(select.getFalseValue()))
      return Masked{user, select.getCondition(), false};
    if (select.getFalseValue() == own && isZero(select.getTrueValue()))
      return Masked{user, select.getCondition(), true};
    return std::nullopt;
  }
  auto product = dyn_cast<MulOp>(user);
  if (!product || product.getLhs() == product.getRhs())
    return std::nullopt;
  Value mask = product.getLhs() == own ? product.getRhs() : product.getLhs();
  // Ones and zeros, in a narrower type, too.
  while (auto cast = mask.getDefiningOp<CastOp>()) {
    if (getElementTypeOrSelf(cast.getInput()).isInteger(1))
      return Masked{user, cast.getInput(), false};
    mask = cast.getInput();
  }
  auto select = mask.getDefiningOp<SelectOp>();
  if (select && isOne(select.getTrueValue()) && isZero(select.getFalseValue()))
    return Masked{user, select.getCondition(), false};
  if (select && isZero(select.getTrueValue()) && isOne(select.getFalseValue()))
    return Masked{user, select.getCondition(), true};
  return std::nullopt;
}

/// One that all users have.
void SoftmaxFactor::findMask() {
  for (Operation *user : exp->getUsers()) {
    std::optional<Masked> masked = maskOf(user);
    bool isSame = masked && (masks.empty() ||
                             (masks.front().condition == masked->condition &&
                              masks.front().isInverted == masked->isInverted));
    if (!isSame) {
      masks.clear();
      return;
    }
    masks.push_back(*masked);
  }
}

std::optional<int> SoftmaxFactor::degreeOf(Operation *op) const {
  auto degree = [&](unsigned number) {
    return degrees.lookup(op->getOperand(number));
  };
  /// Of both operands, where one that is 0 has any.
  auto common = [&](unsigned first, unsigned second) -> std::optional<int> {
    if (isZero(op->getOperand(first)))
      return degree(second);
    if (isZero(op->getOperand(second)) || degree(first) == degree(second))
      return degree(first);
    return std::nullopt;
  };
  if (auto cast = dyn_cast<CastOp>(op))
    return isa<FloatType>(getElementTypeOrSelf(cast.getResult()))
               ? std::optional(degree(0))
               : std::nullopt;
  if (isa<NegOp, BroadcastOp>(op))
    return degree(0);
  if (isa<RecipOp>(op))
    return -degree(0);
  if (isa<MulOp>(op))
    return degree(0) + degree(1);
  if (isa<DivOp>(op))
    return degree(0) - degree(1);
  if (isa<AddOp, SubOp, MaxOp, MinOp>(op))
    return common(0, 1);
  if (isa<CompareOp>(op))
    return common(0, 1) ? std::optional(0) : std::nullopt;
  if (isa<LogOp>(op))
    return 0;
  if (isa<SelectOp>(op))
    return degree(0) == 0 ? common(1, 2) : std::nullopt;
  if (auto reduce = dyn_cast<ReduceOp>(op);
      reduce && reduce.getKeep() && reduce.getDims() == ArrayRef(last) &&
      reduce.getKind() != ReduceKind::prod)
    return degree(0);
  return std::nullopt;
}

void SoftmaxFactor::findDegrees() {
  auto isBefore = [](Operation *a, Operation *b) {
    return a->isBeforeInBlock(b);
  };
  std::set<Operation *, decltype(isBefore)> work(isBefore);
  auto define = [&](Value value, int degree) {
    if (degree == 0)
      return;
    degrees[value] = degree;
    work.insert(value.getUsers().begin(), value.getUsers().end());
  };
  define(exp.getResult(), 1);
  while (!work.empty()) {
    Operation *op = *work.begin();
    work.erase(work.begin());
    readers.push_back(op);
    std::optional<int> degree = degreeOf(op);
    bool isReduced = isa<ReduceOp>(op);
    bool isRow = isReduced || llvm::all_of(op->getOperands(), [&](Value value) {
                   return degrees.lookup(value) == 0 || rows.contains(value);
                 });
    isMultiplied |= !degree && !isRow;
    // The logarithm of the factor may be of another row's maximum.
    escapes |= !degree || isa<LogOp>(op);
    if (!degree)
      continue;
    hasSum |= isReduced && cast<ReduceOp>(op).getKind() == ReduceKind::sum;
    if (isRow)
      rows.insert(op->getResult(0));
    define(op->getResult(0), *degree);
  }
}

bool SoftmaxFactor::isFormed() const {
  SmallVector<Value> work;
  if (base && around.empty())
    work.push_back(base);
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (auto max = dyn_cast_or_null<ReduceOp>(op))
      return max.getKind() == ReduceKind::max && max.getKeep() &&
             max.getInput() == logits && max.getDims() == ArrayRef(last);
    if (auto select = dyn_cast_or_null<SelectOp>(op))
      work.push_back(select.getFalseValue());
    if (isa_and_nonnull<MaxOp>(op))
      llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// A second statistic of the row would not be part of a softmax.
bool SoftmaxFactor::isWorthwhile() const {
  constexpr unsigned narrowBits = 16;
  if (last < 0 || !hasSum || (isFormed() && masks.empty()))
    return false;
  bool isPlain =
      !base || isa<BlockArgument>(base) || matchPattern(base, m_Constant());
  // 16 bits would be rounded once more.
  bool isWide =
      getElementTypeOrSelf(logits).getIntOrFloatBitWidth() > narrowBits;
  return (!escapes || isPlain) && (!isMultiplied || isWide);
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

Value SoftmaxFactor::emitExponentials() {
  Operation *at = exp;
  // The mask may be computed behind the exponentials.
  for (const Masked &masked : masks)
    if (at == exp || masked.op->isBeforeInBlock(at))
      at = masked.op;
  ImplicitLocOpBuilder builder(exp.getLoc(), at);
  Value shown = emitLogits(builder);
  Type element = getElementTypeOrSelf(logits);
  if (!masks.empty()) {
    Value hidden =
        emitScalar(builder, element, -std::numeric_limits<double>::infinity());
    bool isInverted = masks.front().isInverted;
    shown = SelectOp::create(builder, masks.front().condition,
                             isInverted ? hidden : shown,
                             isInverted ? shown : hidden);
  }
  Value most = ReduceOp::create(builder, ReduceKind::max, shown, last,
                                /*keep=*/true);
  Value max = emitFiniteOrZero(builder, most);
  logarithm = max;
  // Where nothing is shown there is nothing to multiply, by no infinite number.
  if (base)
    logarithm =
        emitWhereFinite(builder, most, SubOp::create(builder, max, base));
  auto power = ExpOp::create(builder, SubOp::create(builder, shown, max));
  power->setDiscardableAttrs(exp->getDiscardableAttrDictionary());
  return power;
}

/// The value times the factor to the power of `degree`.
Value SoftmaxFactor::emitPower(OpBuilder &opBuilder, Value value, int degree) {
  ImplicitLocOpBuilder builder(exp.getLoc(), opBuilder);
  Value exponent = MulOp::create(
      builder, logarithm,
      emitScalar(builder, getElementTypeOrSelf(logarithm), degree));
  Value power = emitCast(builder, ExpOp::create(builder, exponent),
                         getElementTypeOrSelf(value));
  return MulOp::create(builder, value, power);
}

/// What the op makes of values without the factor.
Value SoftmaxFactor::emitWithout(Operation *op) {
  OpBuilder builder(op);
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (Value without = left.lookup(operand))
      mapping.map(operand, without);
  return builder.clone(*op, mapping)->getResult(0);
}

/// The op without the factor, or with its operands as they were.
void SoftmaxFactor::rewrite(Operation *op) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  std::optional<int> degree = degreeOf(op);
  if (!degree) {
    for (OpOperand &operand : op->getOpOperands())
      if (int its = degrees.lookup(operand.get()))
        operand.set(emitPower(builder, left.lookup(operand.get()), its));
    return;
  }
  Value result = emitWithout(op);
  if (isa<LogOp>(op)) {
    Type element = getElementTypeOrSelf(result);
    Value times =
        emitScalar(builder, element, degrees.lookup(op->getOperand(0)));
    result = AddOp::create(
        builder, result,
        MulOp::create(builder, emitCast(builder, logarithm, element), times));
  }
  if (*degree == 0)
    op->getResult(0).replaceAllUsesWith(result);
  else
    left[op->getResult(0)] = result;
}

/// The exponentials with the factor, as something else than a sum needs them,
/// and sums of those without it: a weight is neither larger nor smaller on its
/// way than in the program. What reads a sum has its factor with it.
void SoftmaxFactor::multiply() {
  OpBuilder builder(exponentials.getContext());
  builder.setInsertionPointAfterValue(exponentials);
  Value all = emitPower(builder, exponentials, 1);
  auto isLeft = [&](Value value) { return left.contains(value); };
  for (Operation *op : readers) {
    if (llvm::none_of(op->getOperands(), isLeft)) {
      // It reads sums that have their factor by now.
      for (Value result : op->getResults())
        degrees.erase(result);
      continue;
    }
    std::optional<int> degree = degreeOf(op);
    if (degree.value_or(0) == 0 || isLeft(op->getResult(0)))
      continue;
    Value without = emitWithout(op);
    if (isa<ReduceOp>(op)) {
      OpBuilder behind(op);
      op->getResult(0).replaceAllUsesWith(emitPower(behind, without, *degree));
      continue;
    }
    left[op->getResult(0)] = without;
    degrees[op->getResult(0)] = *degree;
  }
  for (const Masked &masked : masks)
    masked.op->getResult(0).replaceAllUsesWith(all);
  exp.replaceAllUsesWith(all);
}

ExpOp SoftmaxFactor::takeOut() {
  findMask();
  findDegrees();
  if (!isWorthwhile())
    return {};
  exponentials = emitExponentials();
  left[exp.getResult()] = exponentials;
  for (const Masked &masked : masks)
    left[masked.op->getResult(0)] = exponentials;
  if (isMultiplied)
    multiply();
  else
    for (Operation *op : readers)
      if (op->getNumResults() != 1 || !left.contains(op->getResult(0)))
        rewrite(op);
  for (Operation *op : llvm::reverse(readers))
    if (isOpTriviallyDead(op))
      op->erase();
  exp.erase();
  return exponentials.getDefiningOp<ExpOp>();
}
