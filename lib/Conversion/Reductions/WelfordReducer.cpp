//===- WelfordReducer.cpp - A mean and deviations from it -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of fuse.welford is a number of elements, their sum, and the sum of
// their squared deviations from their own mean. Two states combine as in Chan,
// Golub and LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing
// Sample Variances": the deviations add up, and so does the square of the
// distance between the means, weighted by the numbers.
//
// The number is the same for all lanes and stays a scalar. As long as it is
// known it is a constant, of which nothing is computed or exchanged. Where the
// lanes are parts of one result the sum is a scalar as well.
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// The components of a state.
enum Component : unsigned { count, sum, squares };
} // namespace

/// Elements whose mean is found before their deviations: as many as registers
/// hold beside loads that are under way.
static constexpr int64_t elementsTogether = 16;

static std::optional<double> constantOf(Value value) {
  APFloat number(0.0);
  if (!matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

Value Reducer::addCounts(Value a, Value b) {
  std::optional<double> x = constantOf(a), y = constantOf(b);
  if (x && y)
    return emitter.constant(loc, type, *x + *y);
  return arith::AddFOp::create(builder, loc, a, b);
}

/// 1 / n, or 1 of no elements. A quotient of a few units in the last place
/// does: it weighs what is itself rounded.
Value Reducer::reciprocalOfCount(Value n) {
  if (std::optional<double> number = constantOf(n))
    return emitter.constant(loc, type, 1 / std::max(*number, 1.0));
  Value one = emitter.constant(loc, type, 1);
  Value atLeastOne = arith::MaximumFOp::create(builder, loc, n, one);
  return arith::DivFOp::create(
      builder, loc, one, atLeastOne,
      arith::FastMathFlagsAttr::get(op->getContext(),
                                    arith::FastMathFlags::afn));
}

Value Reducer::meanOf(const ReductionState &state) {
  if (constantOf(state[count]) == 1.0)
    return state[sum];
  Value factor =
      emitter.splat(loc, reciprocalOfCount(state[count]), lanesIn(state[sum]));
  return arith::MulFOp::create(builder, loc, state[sum], factor);
}

/// The distance of the means, and that weighted by the numbers.
std::pair<Value, Value> Reducer::distanceOf(const ReductionState &a,
                                            const ReductionState &b, Value n) {
  auto scale = [&](Value value, Value factor) -> Value {
    return arith::MulFOp::create(builder, loc, value,
                                 emitter.splat(loc, factor, lanesIn(value)));
  };
  // Halves have the square of their sums' difference over n.
  std::optional<double> half = constantOf(a[count]);
  if (half && half == constantOf(b[count])) {
    Value difference = arith::SubFOp::create(builder, loc, b[sum], a[sum]);
    return {difference,
            scale(difference, emitter.constant(loc, type, 0.5 / *half))};
  }
  Value distance = arith::SubFOp::create(builder, loc, meanOf(b), meanOf(a));
  Value product = arith::MulFOp::create(builder, loc, a[count], b[count]);
  Value weight =
      arith::MulFOp::create(builder, loc, product, reciprocalOfCount(n));
  // In this order no square overflows that counts for nothing.
  return {distance, scale(distance, weight)};
}

ReductionState Reducer::combineWelford(const ReductionState &a,
                                       const ReductionState &b) {
  if (constantOf(a[count]) == 0.0)
    return b;
  if (constantOf(b[count]) == 0.0)
    return a;
  Value n = addCounts(a[count], b[count]);
  auto [distance, weighted] = distanceOf(a, b, n);
  Value within = a[squares];
  if (isZero(within))
    within = b[squares];
  // One element has no deviation.
  else if (constantOf(b[count]) != 1.0)
    within = arith::AddFOp::create(builder, loc, within, b[squares]);
  Value total = arith::AddFOp::create(builder, loc, a[sum], b[sum]);
  if (lanesIn(within) == lanesIn(distance))
    return {n, total,
            math::FmaOp::create(builder, loc, distance, weighted, within)};
  // What the lanes have in common goes to one of them.
  Value first = vector::ExtractOp::create(builder, loc, within, int64_t{0});
  first = math::FmaOp::create(builder, loc, distance, weighted, first);
  return {n, total,
          vector::InsertOp::create(builder, loc, first, within, int64_t{0})};
}

/// The state of some elements, whose squares are added to others. Parts of one
/// result have one mean, which takes less than one for each lane.
ReductionState Reducer::welfordOf(ArrayRef<Value> elements,
                                  Value otherSquares) {
  Value total = elements.front();
  for (Value element : elements.drop_front())
    total = arith::AddFOp::create(builder, loc, total, element);
  int64_t width = lanesIn(total), number = elements.size();
  if (lanes == Lanes::partsOfOneResult) {
    total = foldLanes(sum, total);
    number *= width;
  }
  ReductionState taken = {emitter.constant(loc, type, number), total,
                          otherSquares};
  if (number == 1)
    return taken;
  Value mean = emitter.splat(loc, meanOf(taken), width);
  for (Value element : elements) {
    Value deviation = arith::SubFOp::create(builder, loc, element, mean);
    taken[squares] =
        math::FmaOp::create(builder, loc, deviation, deviation, taken[squares]);
  }
  return taken;
}

/// Of those in front as many as are taken together: all or none of them count.
static size_t takenTogether(ArrayRef<ReducedElements> elements) {
  const ReducedElements &first = elements.front();
  auto isApart = [&](const ReducedElements &each) {
    return each.guard != first.guard || each.lanes != first.lanes;
  };
  size_t alike = llvm::find_if(elements, isApart) - elements.begin();
  return std::min<size_t>(alike,
                          std::max<int64_t>(1, elementsTogether / first.lanes));
}

ReductionState Reducer::takeWelford(ReductionState state,
                                    ArrayRef<ReducedElements> elements) {
  while (!elements.empty()) {
    size_t count = takenTogether(elements);
    auto values = llvm::map_to_vector(
        elements.take_front(count), [&](const ReducedElements &each) {
          return emitter.splat(loc, each.value, each.lanes);
        });
    Value guard = elements.front().guard;
    elements = elements.drop_front(count);
    // One addition less for each element than with squares of their own.
    ReductionState taken = welfordOf(values, state[squares]);
    ReductionState before = state;
    before[squares] = emitter.splat(loc, emitter.constant(loc, type, 0),
                                    lanesIn(state[squares]));
    ReductionState combined = combineWelford(before, taken);
    if (guard)
      for (auto [after, before] : llvm::zip(combined, state))
        after = arith::SelectOp::create(builder, loc, guard, after, before);
    state = combined;
  }
  return state;
}

SmallVector<Value, 2> Reducer::finishWelford(const ReductionState &state,
                                             const Index &number) {
  Value mean = dividedBy(state[sum], number);
  // The only element of a state has no deviation, but for infinity's.
  Value none = arith::SubFOp::create(builder, loc, state[sum], state[sum]);
  Value deviation = arith::AddFOp::create(builder, loc, state[squares], none);
  if (cast<WelfordOp>(op).getKind() == ReduceKind::mean)
    deviation = dividedBy(deviation, number);
  return {mean, deviation};
}
