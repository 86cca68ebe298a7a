//===- Reducer.cpp - The algebra of one reduction -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"

#include "MathEmitter.h"

#include "fuse/Analysis/KernelSpace.h"
#include "fuse/Conversion/MathExpansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace mlir::fuse;

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

Value Reducer::mask(Value elements, Value guard) {
  if (!guard)
    return elements;
  Value neutral = emitter.splat(loc, identityOf(0), lanesIn(elements));
  return arith::SelectOp::create(builder, loc, guard, elements, neutral);
}

Value Reducer::combineOne(Value a, Value b) {
  bool isFloat = isa<FloatType>(type);
  switch (reduce ? reduce.getKind() : ReduceKind::max) {
  case ReduceKind::sum:
  case ReduceKind::mean:
    if (isFloat)
      return arith::AddFOp::create(builder, loc, a, b);
    return arith::AddIOp::create(builder, loc, a, b);
  case ReduceKind::prod:
    if (isFloat)
      return arith::MulFOp::create(builder, loc, a, b);
    return arith::MulIOp::create(builder, loc, a, b);
  case ReduceKind::max:
    if (isFloat)
      return arith::MaximumFOp::create(builder, loc, a, b);
    return arith::MaxSIOp::create(builder, loc, a, b);
  case ReduceKind::min:
    if (isFloat)
      return arith::MinimumFOp::create(builder, loc, a, b);
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

/// Several elements share one rescaling of the sum.
ReductionState Reducer::takeOnline(const ReductionState &state,
                                   ArrayRef<Value> elements) {
  Value most = elements.front();
  for (Value element : elements.drop_front())
    most = combineOne(most, element);
  if (lanesIn(most) != lanesIn(state[0]))
    most = foldLanes(0, most);
  Value maximum = combineOne(state[0], most);
  Value safe =
      emitter.splat(loc, safeMaximum(maximum), lanesIn(elements.front()));
  // Nothing has been added up yet where the sum is the identity.
  Value sum;
  if (!isZero(state[1]))
    sum = rescale(state, maximum);
  for (Value element : elements) {
    Value term = exp(arith::SubFOp::create(builder, loc, element, safe),
                     /*isTerm=*/true);
    sum = sum ? Value(arith::AddFOp::create(builder, loc, sum, term)) : term;
  }
  return {maximum, sum};
}

ReductionState Reducer::accumulate(const ReductionState &state,
                                   ArrayRef<Value> elements, Value guard) {
  SmallVector<Value> masked;
  for (Value element : elements) {
    Value lanes = emitter.splat(loc, element, lanesIn(state.back()));
    masked.push_back(isWelford() ? lanes : mask(lanes, guard));
  }
  if (isWelford())
    return takeWelford(state, masked, guard);
  if (!reduce)
    return takeOnline(state, masked);
  Value total = state[0];
  for (Value element : masked)
    total = combineOne(total, element);
  return {total};
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

/// The lanes [from, from + count) of a vector.
static Value takeLanes(OpBuilder &builder, Location loc, Value value,
                       int64_t from, int64_t count) {
  if (count == 1)
    return vector::ExtractOp::create(builder, loc, value, from);
  return vector::ShuffleOp::create(
      builder, loc, value, value,
      llvm::to_vector(llvm::seq<int64_t>(from, from + count)));
}

Value Reducer::foldLanes(unsigned component, Value value) {
  for (int64_t half = lanesIn(value) / 2; half > 0; half /= 2)
    value = combineComponent(component, takeLanes(builder, loc, value, 0, half),
                             takeLanes(builder, loc, value, half, half));
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

SmallVector<Value, 2> Reducer::finish(const ReductionState &state,
                                      const Index &count) {
  SmallVector<Value, 2> results(state.begin(), state.end());
  if (isOnline())
    return {results[0], sumOfInfinity(results[0], results[1])};
  if (reduce && reduce.getKind() != ReduceKind::mean)
    return results;
  Value number = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            emitter.materialize(count));
  number = arith::SIToFPOp::create(builder, loc, type, number);
  number = emitter.splat(loc, number, lanesIn(state.back()));
  if (isWelford())
    return finishWelford(state, number);
  results[0] = arith::DivFOp::create(builder, loc, results[0], number);
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

Value mlir::fuse::emitSerialReduction(PointEmitter &emitter, OpResult result,
                                      const Point &point) {
  Operation *op = result.getOwner();
  OpBuilder &builder = emitter.getBuilder();
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
  Index count = emitter.product(extents);
  Value zero = emitter.materialize(Index::constant(0));
  Value one = emitter.materialize(Index::constant(1));
  auto loop = scf::ForOp::create(builder, loc, zero, emitter.materialize(count),
                                 one, reducer.identity(point.lanes));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    PointEmitter::Scope scope(emitter);
    SmallVector<Index, 4> reduced =
        emitter.delinearize({loop.getInductionVar(), 0}, extents);
    Value element = emitter.emit(input, reducer.inputPoint(point, reduced));
    ReductionState state(loop.getRegionIterArgs());
    scf::YieldOp::create(builder, loc,
                         reducer.accumulate(state, element, Value()));
  }
  ReductionState state(loop.getResults());
  return reducer.finish(state, count)[result.getResultNumber()];
}
