//===- EmitFmod.cpp - Remainders of floats --------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A remainder of floats is a float: x - q y has no more bits than the coarser
// of x and y. So one fused multiply-add finds it, as long as q has no more bits
// than the type. Of a larger quotient the leading bits go first: the remainder
// of x by y 2^s, and then that of the rest by y.
//
//     r = |x|
//     while r >= |y|:
//       t = |y| scaled by powers of two until r / t is below 2^step
//       r = r - trunc(r / t) t
//
// A quotient that is rounded up to an integer is one too large, and r is then
// negative: t comes back to it. Of quotients below 2^step, which nearly all
// are, the loop is not entered.
//
//===----------------------------------------------------------------------===//

#include "Points/OpEmitters.h"
#include "Points/PointEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Builds the remainder of positive numbers of one type, scalars or vectors.
class FmodBuilder {
public:
  FmodBuilder(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type) {}

  Value build(Value x, Value y);

private:
  using Predicate = arith::CmpFPredicate;

  Value constant(double number) {
    Type element = getElementTypeOrSelf(type);
    TypedAttr attribute = builder.getFloatAttr(element, number);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(builder, loc, attribute);
  }
  Value compare(Predicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value both(Value a, Value b) {
    return arith::AndIOp::create(builder, loc, a, b);
  }
  /// Quotients below 2^step leave a bit for a rounding.
  double stepFactor() const {
    return std::ldexp(1.0, getElementTypeOrSelf(type).isF64() ? 52 : 23);
  }
  Value any(Value conditions);
  /// value, and while some lane of `isWanted(value)` holds, `next(value,
  /// that)`.
  Value repeatWhile(Value value, llvm::function_ref<Value(Value)> isWanted,
                    llvm::function_ref<Value(Value, Value)> next);
  Value reduce(Value r, Value divisor);
  Value reduceFar(Value r, Value divisor);

  OpBuilder &builder;
  Location loc;
  Type type;
};
} // namespace

Value FmodBuilder::any(Value conditions) {
  auto vector = dyn_cast<VectorType>(conditions.getType());
  if (!vector)
    return conditions;
  Value found;
  for (int64_t lane = 0; lane < vector.getDimSize(0); ++lane) {
    Value here = vector::ExtractOp::create(builder, loc, conditions, lane);
    found =
        found ? Value(arith::OrIOp::create(builder, loc, found, here)) : here;
  }
  return found;
}

Value FmodBuilder::repeatWhile(Value value,
                               llvm::function_ref<Value(Value)> isWanted,
                               llvm::function_ref<Value(Value, Value)> next) {
  auto loop = scf::WhileOp::create(
      builder, loc, TypeRange{type}, ValueRange{value},
      [&](OpBuilder &, Location, ValueRange) {},
      [&](OpBuilder &, Location, ValueRange) {});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBeforeBody());
  Value before = loop.getBeforeArguments().front();
  scf::ConditionOp::create(builder, loc, any(isWanted(before)), before);
  builder.setInsertionPointToStart(loop.getAfterBody());
  Value current = loop.getAfterArguments().front();
  scf::YieldOp::create(builder, loc, next(current, isWanted(current)));
  return loop.getResult(0);
}

/// r by a divisor of at least r / 2^step.
Value FmodBuilder::reduce(Value r, Value divisor) {
  Value quotient = math::TruncOp::create(
      builder, loc, arith::DivFOp::create(builder, loc, r, divisor));
  Value negated = arith::NegFOp::create(builder, loc, quotient);
  Value rest = math::FmaOp::create(builder, loc, negated, divisor, r);
  Value corrected = arith::AddFOp::create(builder, loc, rest, divisor);
  return select(compare(Predicate::OLT, rest, constant(0)), corrected, rest);
}

/// r by any divisor.
Value FmodBuilder::reduceFar(Value r, Value divisor) {
  auto scaled = [&](Value t) -> Value {
    return arith::MulFOp::create(builder, loc, t, constant(stepFactor()));
  };
  auto isLeft = [&](Value rest) {
    return compare(Predicate::OGE, rest, divisor);
  };
  auto reduceOnce = [&](Value rest, Value isLeft) {
    Value t = repeatWhile(
        divisor,
        [&](Value t) { return compare(Predicate::OLE, scaled(t), rest); },
        [&](Value t, Value isSmall) { return select(isSmall, scaled(t), t); });
    return select(isLeft, reduce(rest, t), rest);
  };
  return repeatWhile(r, isLeft, reduceOnce);
}

Value FmodBuilder::build(Value x, Value y) {
  Value infinity = constant(INFINITY);
  Value isDefined = both(compare(Predicate::OLT, x, infinity),
                         compare(Predicate::OGT, y, constant(0)));
  // Nothing is left to do where y is infinite, or nothing can be said.
  Value isNear = compare(Predicate::OLT, x, y);
  Value divisor = select(both(isDefined, compare(Predicate::OLT, y, infinity)),
                         y, constant(1));
  Value dividend = select(both(isDefined, compare(Predicate::OLT, y, infinity)),
                          x, constant(0));
  Value limit =
      arith::MulFOp::create(builder, loc, divisor, constant(stepFactor()));
  Value isFar = compare(Predicate::OGE, dividend, limit);
  Value direct = reduce(select(isFar, constant(0), dividend), divisor);
  Value far = reduceFar(select(isFar, dividend, constant(0)), divisor);
  Value rest = select(isFar, far, select(isNear, x, direct));
  return select(isDefined, rest, constant(NAN));
}

Value mlir::fuse::buildFmod(OpBuilder &builder, Location loc, Value x,
                            Value y) {
  FmodBuilder fmod(builder, loc, x.getType());
  Value rest = fmod.build(math::AbsFOp::create(builder, loc, x),
                          math::AbsFOp::create(builder, loc, y));
  return math::CopySignOp::create(builder, loc, rest, x);
}
