//===- StreamedFactor.cpp - What waits for the end of a streamed row ------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedFactor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <limits>

using namespace mlir;
using namespace mlir::fuse;

/// Of exponentials below `max`, or below 0 where that is -inf, those below a
/// ceiling that is not smaller.
static Value toCeiling(OpBuilder &builder, Location loc, Value max,
                       Value ceiling, Value zero, Value none,
                       llvm::function_ref<Value(Value)> exp) {
  Value isNone =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, max, none);
  Value finite = arith::SelectOp::create(builder, loc, isNone, zero, max);
  Value below = arith::SubFOp::create(builder, loc, finite, ceiling);
  return exp(LLVM::MinNumOp::create(builder, loc, below, zero));
}

/// The sum of exponentials of which the largest is infinite, where nothing but
/// 0 is subtracted then: infinite, too.
static Value guardedTotal(OpBuilder &builder, Location loc, Value max,
                          Value total, Value infinity) {
  Value isInfinite = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, max, infinity);
  return arith::SelectOp::create(builder, loc, isInfinite, infinity, total);
}

/// NaN where an infinite maximum makes such of all exponentials, else 0. The
/// largest may be one that a mask hides from the sum; then the others are 0.
static Value invalidWhere(OpBuilder &builder, Location loc, Value base,
                          bool isMasked, Value infinity, Value zero) {
  Value invalid = arith::SubFOp::create(builder, loc, base, base);
  if (!isMasked)
    return invalid;
  Value isInfinite = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, base, infinity);
  return arith::SelectOp::create(builder, loc, isInfinite, zero, invalid);
}

Value mlir::fuse::streamedRowFactor(PointEmitter &emitter,
                                    const StreamedSpace &space, Value max,
                                    Value total, const Point &point,
                                    llvm::function_ref<Value(Value)> exp) {
  OpBuilder &builder = emitter.getBuilder();
  if (space.isPlain())
    return emitter.constant(ContractOp(space.scores).getLoc(), max.getType(),
                            1);
  ReduceOp maximum = space.max, sum = space.sum;
  Location loc = sum.getLoc();
  auto number = [&](double value) {
    return emitter.constant(loc, max.getType(), value);
  };
  emitter.define(maximum.getResult(), point, max);
  Value all = number(1), base = max;
  if (space.ceiling) {
    base = emitter.emit(space.ceiling, point);
    all = toCeiling(builder, loc, max, base, number(0),
                    number(-std::numeric_limits<double>::infinity()), exp);
    total = arith::MulFOp::create(builder, loc, total, all);
  }
  Value infinity = number(std::numeric_limits<double>::infinity());
  if (space.isGuarded) {
    total = guardedTotal(builder, loc, max, total, infinity);
  } else {
    bool isMasked = space.summed() != ExpOp(space.exponentials).getResult();
    Value invalid =
        invalidWhere(builder, loc, base, isMasked, infinity, number(0));
    total = arith::AddFOp::create(builder, loc, total, invalid);
    all = arith::AddFOp::create(builder, loc, all, invalid);
  }
  emitter.define(sum.getResult(), point, total);
  for (const StreamedSpace::RowFactor &factor : space.rowFactors) {
    Value other = emitter.emit(factor.factor(), point);
    all = isa<DivOp>(factor.op)
              ? arith::DivFOp::create(builder, loc, all, other).getResult()
              : arith::MulFOp::create(builder, loc, all, other).getResult();
  }
  return all;
}
