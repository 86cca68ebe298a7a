//===- ScanAlgebra.cpp - How a scan combines elements ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScanAlgebra.h"

#include "CompensatedSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

Value ScanAlgebra::identity() {
  ReduceKind kind = op.getKind();
  if (kind == ReduceKind::sum || kind == ReduceKind::prod)
    return emitter.constant(loc, type, kind == ReduceKind::prod ? 1 : 0);
  bool isMax = kind == ReduceKind::max;
  TypedAttr most;
  if (auto real = dyn_cast<FloatType>(type)) {
    most = builder.getFloatAttr(
        real, APFloat::getInf(real.getFloatSemantics(), /*Negative=*/isMax));
  } else {
    unsigned width = type.getIntOrFloatBitWidth();
    most =
        builder.getIntegerAttr(type, isMax ? APInt::getSignedMinValue(width)
                                           : APInt::getSignedMaxValue(width));
  }
  return arith::ConstantOp::create(builder, loc, most);
}

/// Scalars or vectors.
Value ScanAlgebra::combine(Value a, Value b) {
  bool real = isFloat();
  auto make = [&](auto ofFloats, auto ofIntegers) -> Value {
    return real ? ofFloats() : ofIntegers();
  };
  switch (op.getKind()) {
  case ReduceKind::sum:
    return make(
        [&]() -> Value { return arith::AddFOp::create(builder, loc, a, b); },
        [&]() -> Value { return arith::AddIOp::create(builder, loc, a, b); });
  case ReduceKind::prod:
    return make(
        [&]() -> Value { return arith::MulFOp::create(builder, loc, a, b); },
        [&]() -> Value { return arith::MulIOp::create(builder, loc, a, b); });
  case ReduceKind::max:
    return make(
        [&]() -> Value {
          return arith::MaximumFOp::create(builder, loc, a, b);
        },
        [&]() -> Value { return arith::MaxSIOp::create(builder, loc, a, b); });
  default:
    return make(
        [&]() -> Value {
          return arith::MinimumFOp::create(builder, loc, a, b);
        },
        [&]() -> Value { return arith::MinSIOp::create(builder, loc, a, b); });
  }
}

/// Elements that do not exist change nothing.
Value ScanAlgebra::elementsAt(const Point &point) {
  Value elements = emitter.emitLanes(op.getInput(), point);
  if (!point.guard)
    return elements;
  Value none = emitter.splat(loc, identity(), point.lanes);
  return arith::SelectOp::create(builder, loc, point.guard, elements, none);
}

/// Of a sum of floats, what is carried along is the sum and its rest.
ReductionState ScanAlgebra::start(int64_t lanes) {
  Value none = emitter.splat(loc, identity(), lanes);
  if (isCompensated())
    return {none, none};
  return {none};
}

ReductionState ScanAlgebra::carry(const ReductionState &before, Value total) {
  if (!isCompensated())
    return {combine(before[0], total)};
  CompensatedSum sum =
      addNormalized(builder, loc, {before[0], before[1]}, total);
  return {sum.sum, sum.rest};
}

/// A vector's own scan with all that comes before the vector: `before` in the
/// tile, `carried` before that.
Value ScanAlgebra::placed(Value scanned, Value before,
                          const ReductionState &carried, int64_t lanes) {
  auto spread = [&](Value value) { return emitter.splat(loc, value, lanes); };
  if (!isCompensated())
    return combine(spread(combine(carried[0], before)), scanned);
  // The smaller ones first.
  Value inTile = combine(spread(combine(carried[1], before)), scanned);
  return combine(spread(carried[0]), inTile);
}
