//===- Reducer.cpp - The algebra of one reduction -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"

#include "Points/OpEmitters.h"
#include "fuse/Analysis/RowParts.h"

#include "Math/MathEmitter.h"
#include "StateLoop.h"

#include "fuse/Conversion/MathExpansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "mlir/IR/Matchers.h"
#include <numeric>

#include <limits>

using namespace mlir;
using namespace mlir::fuse;

/// The lanes [from, from + count) of a vector.
static Value takeLanes(OpBuilder &builder, Location loc, Value value,
                       int64_t from, int64_t count) {
  if (count == 1)
    return vector::ExtractOp::create(builder, loc, value, from);
  return vector::ShuffleOp::create(
      builder, loc, value, value,
      llvm::to_vector(llvm::seq<int64_t>(from, from + count)));
}

/// The lanes of `value` with its first ones replaced.
static Value putFirst(OpBuilder &builder, Location loc, Value lanes,
                      Value value) {
  int64_t count = lanesIn(lanes), all = lanesIn(value);
  auto places = llvm::to_vector(llvm::seq<int64_t>(0, all));
  auto widened =
      llvm::map_to_vector(places, [&](int64_t place) { return place % count; });
  Value wide = vector::ShuffleOp::create(builder, loc, lanes, lanes, widened);
  for (int64_t place = 0; place < count; ++place)
    places[place] += all;
  return vector::ShuffleOp::create(builder, loc, value, wide, places);
}

Reducer::Reducer(PointEmitter &emitter, Operation *op, Lanes lanes)
    : emitter(emitter), builder(emitter.getBuilder()), op(op),
      loc(op->getLoc()), reduce(dyn_cast<ReduceOp>(op)), lanes(lanes),
      type(PointEmitter::computeType(
          getElementTypeOrSelf(op->getOperand(0).getType()))) {
  dims = reducedDims(op);
  keep = reduce ? reduce.getKeep() : true;
}

Value Reducer::identityOf(unsigned component) {
  auto floatType = dyn_cast<FloatType>(type);
  auto infinity = [&](bool negative) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        builder.getFloatAttr(
            floatType,
            APFloat::getInf(floatType.getFloatSemantics(), negative)));
  };
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  if (!reduce)
    return component == 0 ? infinity(true) : emitter.constant(loc, type, 0);
  unsigned width = type.getIntOrFloatBitWidth();
  switch (reduce.getKind()) {
  case ReduceKind::sum:
  case ReduceKind::mean:
    // x + -0.0 is x for every x, and needs no instruction.
    return emitter.constant(loc, type, floatType ? -0.0 : 0.0);
  case ReduceKind::any:
    return emitter.constant(loc, type, 0);
  case ReduceKind::prod:
  case ReduceKind::all:
    return emitter.constant(loc, type, 1);
  case ReduceKind::max:
    return floatType ? infinity(true) : integer(llvm::minIntN(width));
  case ReduceKind::min:
    return floatType ? infinity(false) : integer(llvm::maxIntN(width));
  }
  llvm_unreachable("unknown kind of reduction");
}

ReductionState Reducer::identity(int64_t width) {
  if (isWelford()) {
    Value zero = emitter.constant(loc, type, 0);
    Value none = emitter.splat(loc, zero, width);
    return {zero, lanes == Lanes::results ? none : zero, none};
  }
  ReductionState state;
  for (unsigned component = 0; component < op->getNumResults(); ++component) {
    bool isShared =
        isOnline() && component == 0 && lanes == Lanes::partsOfOneResult;
    state.push_back(
        emitter.splat(loc, identityOf(component), isShared ? 1 : width));
  }
  return state;
}

bool Reducer::isExtreme() {
  return isOnline() || (reduce && (reduce.getKind() == ReduceKind::max ||
                                   reduce.getKind() == ReduceKind::min));
}

/// The elements of 16 bits that were widened to these, or null for others and
/// where the chip has no extremes of two of them in an instruction.
Value Reducer::narrowed(Value value) {
  if (!emitter.getOptions().packedExtremes || !isExtreme())
    return {};
  if (auto absolute = value.getDefiningOp<math::AbsFOp>()) {
    Value inner = narrowed(absolute.getOperand());
    return inner ? math::AbsFOp::create(builder, loc, inner) : Value();
  }
  auto widened = value.getDefiningOp<arith::ExtFOp>();
  if (!widened)
    return {};
  Type element = getElementTypeOrSelf(widened.getIn().getType());
  return element.isF16() || element.isBF16() ? widened.getIn() : Value();
}

Value Reducer::inNarrow(ArrayRef<Value> values,
                        llvm::function_ref<Value(ArrayRef<Value>)> make) {
  auto narrow = llvm::map_to_vector<2>(
      values, [&](Value value) { return narrowed(value); });
  bool isNarrow = llvm::all_of(narrow, [&](Value value) {
    return value && getElementTypeOrSelf(value.getType()) ==
                        getElementTypeOrSelf(narrow.front().getType());
  });
  if (!isNarrow)
    return make(values);
  Value made = make(narrow);
  Type wide = type;
  if (auto vector = dyn_cast<VectorType>(made.getType()))
    wide = vector.cloneWith(std::nullopt, type);
  return arith::ExtFOp::create(builder, loc, wide, made);
}

Value Reducer::mask(Value elements, Value guard) {
  if (!guard)
    return elements;
  return inNarrow(elements, [&](ArrayRef<Value> values) -> Value {
    Value neutral = identityOf(0);
    Type element = getElementTypeOrSelf(values[0].getType());
    if (element != type)
      neutral = arith::TruncFOp::create(builder, loc, element, neutral);
    neutral = emitter.splat(loc, neutral, lanesIn(elements));
    return arith::SelectOp::create(builder, loc, guard, values[0], neutral);
  });
}

/// The larger one, or the smaller one.
Value Reducer::extremeOf(Value a, Value b) {
  bool isMost = !reduce || reduce.getKind() == ReduceKind::max;
  return inNarrow({a, b}, [&](ArrayRef<Value> values) -> Value {
    if (isMost)
      return arith::MaximumFOp::create(builder, loc, values[0], values[1]);
    return arith::MinimumFOp::create(builder, loc, values[0], values[1]);
  });
}

bool Reducer::isFloatSum() const {
  if (!reduce || !isa<FloatType>(type))
    return false;
  ReduceKind kind = ReduceOp(reduce).getKind();
  return kind == ReduceKind::sum || kind == ReduceKind::mean;
}

Value Reducer::combineOne(Value a, Value b) {
  bool isFloat = isa<FloatType>(type);
  if (isFloat && isExtreme())
    return extremeOf(a, b);
  switch (reduce ? reduce.getKind() : ReduceKind::max) {
  case ReduceKind::sum:
  case ReduceKind::mean:
    // A term that is a product which may be fused comes to it unrounded.
    if (isFloat)
      return arith::AddFOp::create(builder, loc, a, b,
                                   arith::FastMathFlags::contract);
    return arith::AddIOp::create(builder, loc, a, b);
  case ReduceKind::prod:
    if (isFloat)
      return arith::MulFOp::create(builder, loc, a, b);
    return arith::MulIOp::create(builder, loc, a, b);
  case ReduceKind::max:
    return arith::MaxSIOp::create(builder, loc, a, b);
  case ReduceKind::min:
    return arith::MinSIOp::create(builder, loc, a, b);
  case ReduceKind::any:
    return arith::OrIOp::create(builder, loc, a, b);
  case ReduceKind::all:
    return arith::AndIOp::create(builder, loc, a, b);
  }
  llvm_unreachable("unknown kind of reduction");
}

Value Reducer::safeMaximum(Value maximum) {
  Value lowest = emitter.splat(loc, identityOf(0), lanesIn(maximum));
  Value isLowest = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, maximum, lowest);
  Value zero =
      emitter.splat(loc, emitter.constant(loc, type, 0), lanesIn(maximum));
  return arith::SelectOp::create(builder, loc, isLowest, zero, maximum);
}

Value Reducer::exp(Value exponent, bool isTerm) {
  Type element = PointEmitter::accuracyOf(op);
  bool narrow = element.isF16() || element.isBF16();
  auto flags = narrow && !emitter.getOptions().strict
                   ? arith::FastMathFlags::afn
                   : arith::FastMathFlags::none;
  auto power = math::ExpOp::create(
      builder, loc, exponent,
      arith::FastMathFlagsAttr::get(op->getContext(), flags));
  bool mayRound = isTerm && !emitter.getOptions().strict;
  power->setAttr(mayRound ? kSummedAttr : kNonpositiveAttr,
                 builder.getUnitAttr());
  return power;
}

Value Reducer::rescale(const ReductionState &state, Value maximum) {
  Value difference =
      arith::SubFOp::create(builder, loc, state[0], safeMaximum(maximum));
  Value factor =
      emitter.splat(loc, exp(difference, /*isTerm=*/false), lanesIn(state[1]));
  return arith::MulFOp::create(builder, loc, state[1], factor);
}

bool mlir::fuse::isZero(Value value) {
  return matchPattern(sharedByLanes(value), m_AnyZeroFloat());
}

/// The elements' component combined with the total of as many lanes, or with
/// its first one. There may be no total yet.
Value Reducer::takeIn(unsigned component, Value total, Value elements) {
  if (!total)
    return elements;
  if (lanesIn(total) == lanesIn(elements))
    return combineComponent(component, total, elements);
  return inNarrow({total, elements}, [&](ArrayRef<Value> values) -> Value {
    Value first = takeLanes(builder, loc, values[0], 0, 1);
    first = combineComponent(component, first, values[1]);
    return vector::InsertOp::create(builder, loc, first, values[0], int64_t{0});
  });
}

/// Whether each lane is the constant that an extreme starts at.
static bool isInfinity(Value value) {
  Value lane = sharedByLanes(value);
  return matchPattern(lane, m_PosInfFloat()) ||
         matchPattern(lane, m_NegInfFloat());
}

/// Several elements share one rescaling of the sum.
ReductionState Reducer::takeOnline(const ReductionState &state,
                                   ArrayRef<Value> elements) {
  Value most;
  for (Value element : elements)
    most = takeIn(0, most, element);
  if (lanesIn(most) != lanesIn(state[0]))
    most = foldLanes(0, most);
  Value maximum = combineOne(state[0], most);
  Value safe = safeMaximum(maximum);
  // Nothing has been added up yet where the sum is the identity.
  Value sum;
  if (!isZero(state[1]))
    sum = rescale(state, maximum);
  else if (lanesIn(elements.front()) != lanesIn(state[1]))
    sum = state[1];
  for (Value element : elements) {
    Value distance = arith::SubFOp::create(
        builder, loc, element, emitter.splat(loc, safe, lanesIn(element)));
    sum = takeIn(1, sum, exp(distance, /*isTerm=*/true));
  }
  return {maximum, sum};
}

/// A product and a factor that all of its lanes share, or nothing. Only what
/// rounds to bf16 and is multiplied further, as in a product with a vector: an
/// f32 program multiplies in its own order, and so does one that sums scaled
/// numbers, where 0 times an infinite scale is NaN.
static std::pair<Value, Value> takeOutFactor(OpBuilder &builder, Value product,
                                             bool isMultiplied = false) {
  auto multiply = product.getDefiningOp<arith::MulFOp>();
  if (!multiply)
    return {};
  for (bool isFlipped : {false, true}) {
    Value rest = multiply->getOperand(isFlipped);
    Value other = multiply->getOperand(!isFlipped);
    Value factor = sharedByLanes(other);
    if (isMultiplied && factor != other && multiply->hasAttr(kBF16ResultAttr))
      return {rest, factor};
    auto [inner, ofInner] = takeOutFactor(builder, rest, /*isMultiplied=*/true);
    if (inner)
      return {arith::MulFOp::create(builder, multiply.getLoc(), inner, other,
                                    arith::FastMathFlags::contract),
              ofInner};
  }
  return {};
}

/// So many lanes of products are added up before a factor that all lanes share
/// is multiplied with their sums: it takes an instruction for each of these.
static constexpr int64_t scaledLanes = 4;

Value Reducer::takeTerms(Value total, Value terms) {
  bool isWide = lanes == Lanes::partsOfOneResult &&
                lanesIn(terms) == lanesIn(total) &&
                lanesIn(terms) >= 4 * scaledLanes;
  auto [product, factor] = isWide && !emitter.getOptions().strict
                               ? takeOutFactor(builder, terms)
                               : std::pair<Value, Value>();
  if (!product)
    return takeIn(0, total, terms);
  Value part = takeLanes(builder, loc, product, 0, scaledLanes);
  for (int64_t from = scaledLanes; from < lanesIn(product); from += scaledLanes)
    part =
        combineOne(part, takeLanes(builder, loc, product, from, scaledLanes));
  Value scaled = arith::MulFOp::create(builder, loc, part,
                                       emitter.splat(loc, factor, scaledLanes),
                                       arith::FastMathFlags::contract);
  Value first = takeLanes(builder, loc, total, 0, scaledLanes);
  return putFirst(builder, loc, combineOne(first, scaled), total);
}

/// Where a guard does not hold nothing is added, by instructions that have a
/// predicate; one that chose the term would come between a product and its sum.
Value Reducer::addUp(Value total, ArrayRef<ReducedElements> elements) {
  for (const ReducedElements &each : elements) {
    auto add = [&](OpBuilder &, Location) {
      Value terms = emitter.splat(loc, each.value, each.lanes);
      return takeTerms(total, terms);
    };
    if (!each.guard) {
      total = add(builder, loc);
      continue;
    }
    auto branch = scf::IfOp::create(
        builder, loc, each.guard,
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc, add(inner, loc));
        },
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc, total);
        });
    total = branch.getResult(0);
  }
  return total;
}

ReductionState Reducer::accumulate(const ReductionState &state,
                                   ArrayRef<ReducedElements> elements) {
  if (isWelford())
    return takeWelford(state, elements);
  if (isFloatSum())
    return {addUp(state[0], elements)};
  SmallVector<Value> masked;
  for (const ReducedElements &each : elements)
    masked.push_back(
        mask(emitter.splat(loc, each.value, each.lanes), each.guard));
  if (!reduce)
    return takeOnline(state, masked);
  // What is narrow stays so among its like.
  Value total = isExtreme() ? Value() : state[0];
  for (Value element : masked)
    total = takeIn(0, total, element);
  bool isWhole = isExtreme() && isInfinity(state[0]) &&
                 lanesIn(total) == lanesIn(state[0]);
  return {isExtreme() && !isWhole ? takeIn(0, state[0], total) : total};
}

ReductionState Reducer::combine(const ReductionState &a,
                                const ReductionState &b) {
  return combineAll({a, b});
}

Value Reducer::combineTree(unsigned component, ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  size_t half = llvm::PowerOf2Ceil(parts.size()) / 2;
  return combineComponent(component,
                          combineTree(component, parts.take_front(half)),
                          combineTree(component, parts.drop_front(half)));
}

ReductionState Reducer::combineAll(ArrayRef<ReductionState> states) {
  if (isWelford()) {
    if (states.size() == 1)
      return states.front();
    size_t half = llvm::PowerOf2Ceil(states.size()) / 2;
    return combineWelford(combineAll(states.take_front(half)),
                          combineAll(states.drop_front(half)));
  }
  auto firsts = llvm::map_to_vector(
      states, [](const ReductionState &state) { return state[0]; });
  Value first = combineTree(0, firsts);
  if (reduce)
    return {first};
  auto terms = llvm::map_to_vector(states, [&](const ReductionState &state) {
    return rescale(state, first);
  });
  return {first, combineTree(1, terms)};
}

Value Reducer::combineComponent(unsigned component, Value a, Value b) {
  if (component == 0 && !isWelford())
    return combineOne(a, b);
  return arith::AddFOp::create(builder, loc, a, b);
}

Value Reducer::foldLanes(unsigned component, Value value) {
  for (int64_t half = lanesIn(value) / 2; half > 0; half /= 2) {
    auto part = [&](int64_t from) {
      return inNarrow(value, [&](ArrayRef<Value> values) {
        return takeLanes(builder, loc, values[0], from, half);
      });
    };
    value = combineComponent(component, part(0), part(half));
  }
  return value;
}

ReductionState Reducer::reduceLanes(ReductionState state) {
  if (isOnline() && lanesIn(state[0]) > 1) {
    Value maximum = foldLanes(0, state[0]);
    state = {maximum,
             rescale(state, emitter.splat(loc, maximum, lanesIn(state[0])))};
  }
  for (auto [component, value] : llvm::enumerate(state))
    value = foldLanes(component, value);
  return state;
}

Value Reducer::sumOfInfinity(Value maximum, Value sum) {
  Value infinity = emitter.splat(
      loc, emitter.constant(loc, type, std::numeric_limits<double>::infinity()),
      lanesIn(maximum));
  Value isInfinite = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, maximum, infinity);
  return arith::SelectOp::create(builder, loc, isInfinite, infinity, sum);
}

/// The sum over a number that is not negative, rounded as by a division, which
/// is some ten instructions that all threads wait for. Of z = 1 / n and q = s z
/// it is q + (s - q n) z (see Float8Quotient.cpp); q where that is an infinity
/// or no number.
Value Reducer::dividedBy(Value sum, const Index &count) {
  Value number = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            emitter.materialize(count));
  number = arith::SIToFPOp::create(builder, loc, type, number);
  auto toLanes = [&](Value value) {
    return emitter.splat(loc, value, lanesIn(sum));
  };
  // A power of two is left to LLVM, whose product is exact.
  if (!count.base && llvm::isPowerOf2_64(count.offset))
    return arith::DivFOp::create(builder, loc, sum, toLanes(number));
  Value one = emitter.constant(loc, type, 1);
  Value part = toLanes(arith::DivFOp::create(builder, loc, one, number));
  number = toLanes(number);
  Value start = arith::MulFOp::create(builder, loc, sum, part);
  Value negated = arith::NegFOp::create(builder, loc, start);
  Value rest = math::FmaOp::create(builder, loc, negated, number, sum);
  Value quotient = math::FmaOp::create(builder, loc, rest, part, start);
  Value isNumber = arith::CmpFOp::create(builder, loc,
                                         arith::CmpFPredicate::ORD, rest, rest);
  return arith::SelectOp::create(builder, loc, isNumber, quotient, start);
}

SmallVector<Value, 2> Reducer::finish(const ReductionState &state,
                                      const Index &count) {
  SmallVector<Value, 2> results(state.begin(), state.end());
  if (isOnline())
    return {results[0], sumOfInfinity(results[0], results[1])};
  if (isFloatSum()) {
    // Of nothing, or of nothing but -0.0, it is 0.
    Value zero = emitter.constant(loc, type, 0);
    results[0] =
        arith::AddFOp::create(builder, loc, results[0],
                              emitter.splat(loc, zero, lanesIn(results[0])));
  }
  if (reduce && reduce.getKind() != ReduceKind::mean)
    return results;
  if (isWelford())
    return finishWelford(state, count);
  results[0] = dividedBy(results[0], count);
  return results;
}

Point Reducer::resultPoint(const Point &inputPoint) {
  Point out;
  for (auto [axis, index] : llvm::enumerate(inputPoint.dims)) {
    if (!isReduced(axis))
      out.dims.push_back(index);
    else if (keep)
      out.dims.push_back(Index::constant(0));
  }
  return out;
}

Point Reducer::inputPoint(const Point &resultPoint, ArrayRef<Index> reduced) {
  Point out;
  int64_t rank = cast<RankedTensorType>(getInput().getType()).getRank();
  unsigned next = 0, kept = 0;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (!isReduced(axis)) {
      out.dims.push_back(resultPoint.dims[kept++]);
      continue;
    }
    out.dims.push_back(reduced[next++]);
    kept += keep;
  }
  out.lanes = resultPoint.lanes;
  out.skew = resultPoint.skew;
  out.guard = resultPoint.guard;
  return out;
}

SmallVector<Extent> Reducer::reducedExtents() const {
  SmallVector<Extent> extents;
  for (int64_t axis : dims)
    extents.push_back(emitter.getDims().extent(getInput(), axis));
  return extents;
}

/// Of the few elements of a row of an input, which are loaded together.
static Value emitRowParts(PointEmitter &emitter, OpResult result,
                          const Point &point, int64_t parts) {
  constexpr int64_t mostLanes = 4;
  int64_t lanes = std::gcd(parts, mostLanes);
  Reducer reducer(emitter, result.getOwner(), Reducer::Lanes::partsOfOneResult);
  SmallVector<ReducedElements> elements;
  for (int64_t first = 0; first < parts; first += lanes) {
    Point at = reducer.inputPoint(point, Index::constant(first));
    at.lanes = lanes;
    at.guard = {};
    elements.push_back({emitter.emitLanes(reducer.getInput(), at), {}, lanes});
  }
  ReductionState state = reducer.accumulate(reducer.identity(lanes), elements);
  return reducer.finish(reducer.reduceLanes(state), Index::constant(parts))
      .front();
}

Value mlir::fuse::emitSerialReduction(PointEmitter &emitter, OpResult result,
                                      const Point &point) {
  Operation *op = result.getOwner();
  Location loc = op->getLoc();
  Reducer reducer(emitter, op);
  // Neighbouring results are not neighbours in the operand if its last
  // dimension is reduced.
  Value input = reducer.getInput();
  int64_t last = cast<RankedTensorType>(input.getType()).getRank() - 1;
  if (point.lanes > 1 && llvm::is_contained(reducer.getDims(), last))
    return emitter.gatherLanes(loc, point.lanes, [&](int64_t lane) {
      return emitter.emit(result, emitter.lanePoint(point, lane));
    });
  SmallVector<Extent> extents = reducer.reducedExtents();
  if (combinesRowParts(op))
    return emitRowParts(emitter, result, point, extents.front().size);
  auto isGuarded = [](const Index &index) { return index.guarded; };
  if (point.guard && llvm::any_of(point.dims, isGuarded)) {
    Point inside = point;
    inside.guard = {};
    Type element = emitter.computeType(getElementTypeOrSelf(result.getType()));
    Value zero =
        emitter.splat(loc, emitter.constant(loc, element, 0), point.lanes);
    return emitter.choose(
        loc, point.guard, zero.getType(),
        [&] { return emitter.emit(result, inside); }, [&] { return zero; });
  }
  Index count = emitter.product(extents), one = Index::constant(1);
  ReductionStates states = accumulateOver(
      emitter, loc, reducer, {Index::constant(0), count, one},
      {reducer.identity(point.lanes)},
      [&](const Index &place, ReductionStates current) {
        Point at =
            reducer.inputPoint(point, emitter.delinearize(place, extents));
        at.guard = {};
        return accumulateAt(emitter, reducer, std::move(current), at);
      });
  return reducer.finish(states[0], count)[result.getResultNumber()];
}
