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
  Index none = Index::constant(0), one = Index::constant(1);
  // Rows `first` + i for i from `begin` to `end`.
  auto addRows = [&](const ReductionState &start, const Index &first,
                     const Index &begin, const Index &end) {
    auto add = [&](const Index &i, ReductionStates sums) -> ReductionStates {
      Point source;
      source.dims = point.dims;
      source.dims[0] = emitter.add(first, i);
      source.lanes = point.lanes;
      source.skew = point.skew;
      source.guard = point.guard;
      Value term = emitter.emitLanes(op.getInput(), source);
      if (!isFloat)
        return {{arith::AddIOp::create(builder, loc, sums[0][0], term)}};
      CompensatedSum sum =
          addTerm(builder, loc, {sums[0][0], sums[0][1]}, term);
      return {{sum.sum, sum.rest}};
    };
    return loopOverStates(emitter, loc, begin, end, one, {start}, add)[0];
  };
  if (!isFloat)
    return addRows({zero}, none, from, to)[0];
  // Blocks of rows, and where those that are left begin: a short run's all.
  Index block = Index::constant(Reducer::shortBlock);
  ReductionStates blocks = loopOverStates(
      emitter, loc, from, emitter.add(to, Index::constant(1 - block.offset)),
      block, {{zero, zero}, {emitter.materialize(from)}},
      [&](const Index &first, ReductionStates sums) -> ReductionStates {
        ReductionState after = addRows(sums[0], first, none, block);
        CompensatedSum sum = normalized(builder, loc, {after[0], after[1]});
        return {{sum.sum, sum.rest},
                {emitter.materialize(emitter.add(first, block))}};
      });
  ReductionState sum = addRows(blocks[0], none, {blocks[1][0]}, to);
  return totalOf(builder, loc, {sum[0], sum[1]});
}
