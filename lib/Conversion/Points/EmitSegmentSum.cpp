//===- EmitSegmentSum.cpp - Sums of runs of rows at a point ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpEmitters.h"
#include "Reductions/CompensatedSum.h"
#include "Reductions/StateLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

/// Where run `number` begins, from 0 to the number of rows.
static Index offsetOf(PointEmitter &emitter, SegmentSumOp op, Index number,
                      const Point &point) {
  OpBuilder &builder = emitter.getBuilder();
  Location loc = op.getLoc();
  Point at;
  at.dims.push_back(std::move(number));
  at.guard = point.guard;
  Value offset = emitter.emit(op.getOffsets(), at);
  Type i64 = builder.getI64Type();
  if (offset.getType() != i64)
    offset = arith::ExtSIOp::create(builder, loc, i64, offset);
  Value rows = arith::IndexCastOp::create(
      builder, loc, i64,
      emitter.materialize(
          emitter.size(emitter.getDims().extent(op.getInput(), 0))));
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
  Value inside = arith::MinSIOp::create(
      builder, loc, arith::MaxSIOp::create(builder, loc, offset, zero), rows);
  return {
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), inside)};
}

Value mlir::fuse::emitSegmentSum(PointEmitter &emitter, SegmentSumOp op,
                                 const Point &point) {
  // The lanes of rank 1 are runs of their own.
  if (point.lanes > 1 && op.getType().getRank() == 1)
    return emitter.gatherLanes(op.getLoc(), point.lanes, [&](int64_t lane) {
      return emitter.emit(op.getResult(), emitter.lanePoint(point, lane));
    });
  OpBuilder &builder = emitter.getBuilder();
  Location loc = op.getLoc();
  Type type = PointEmitter::computeType(op.getType().getElementType());
  bool isFloat = isa<FloatType>(type);
  Value zero = emitter.splat(loc, emitter.constant(loc, type, 0), point.lanes);
  Index from = offsetOf(emitter, op, point.dims[0], point);
  Index to = offsetOf(emitter, op,
                      emitter.add(point.dims[0], Index::constant(1)), point);
  auto add = [&](const Index &row, ReductionStates sums) -> ReductionStates {
    Point source;
    source.dims = point.dims;
    source.dims[0] = row;
    source.lanes = point.lanes;
    source.skew = point.skew;
    source.guard = point.guard;
    Value term = emitter.emitLanes(op.getInput(), source);
    if (!isFloat)
      return {{arith::AddIOp::create(builder, loc, sums[0][0], term)}};
    CompensatedSum sum = addTerm(builder, loc, {sums[0][0], sums[0][1]}, term);
    return {{sum.sum, sum.rest}};
  };
  ReductionState start = {zero};
  if (isFloat)
    start.push_back(zero);
  ReductionStates sums =
      loopOverStates(emitter, loc, from, to, Index::constant(1), {start}, add);
  if (!isFloat)
    return sums[0][0];
  return totalOf(builder, loc, {sums[0][0], sums[0][1]});
}
