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

/// An infinite maximum that nothing guards makes NaN of all.
Value mlir::fuse::streamedRowFactor(PointEmitter &emitter,
                                    const StreamedSpace &space, Value max,
                                    Value total, const Point &point,
                                    llvm::function_ref<Value(Value)> exp) {
  OpBuilder &builder = emitter.getBuilder();
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
  if (!space.isGuarded) {
    Value invalid = arith::SubFOp::create(builder, loc, base, base);
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
