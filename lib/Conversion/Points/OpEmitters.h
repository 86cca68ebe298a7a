//===- OpEmitters.h - The value of each kind of op at a point ---*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each emits the value that an op's result has at a point, and asks the
// PointEmitter for the values of its operands.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_OPEMITTERS_H
#define FUSE_LIB_CONVERSION_OPEMITTERS_H

#include "PointEmitter.h"

namespace mlir::fuse {

Value emitPointwise(PointEmitter &emitter, Operation *op, const Point &point);
/// x - y trunc(x / y) of floats, exact; scalars or vectors of one type.
Value buildFmod(OpBuilder &builder, Location loc, Value x, Value y);
Value emitRotary(PointEmitter &emitter, RotaryOp op, const Point &point);
/// Ops with the trait Movement.
Value emitMovement(PointEmitter &emitter, Operation *op, const Point &point);
/// tensor.expand_shape and tensor.collapse_shape.
Value emitReshape(PointEmitter &emitter, Operation *op, const Point &point);
/// Where the element of the operand of a transpose, a slice or a reshape is
/// that the point, of one lane, asks for.
Point movedPoint(PointEmitter &emitter, Operation *op, const Point &point);
Value emitRandom(PointEmitter &emitter, RandomOp op, const Point &point);

/// Where a scatter writes an update, and an i1: whether it does.
struct ScatterTarget {
  Point point;
  Value exists;
};
/// `point` is one of the updates'; it has one lane if `dim` is the last.
ScatterTarget emitScatterTarget(PointEmitter &emitter, ScatterOp op,
                                const Point &point);
/// Scatters are lowered where a kernel writes its results: nothing in the
/// kernel may see what they write.
LogicalResult verifyScatters(KernelOp kernel);

/// Whether integers are as wide as what instructions compute; else an error.
LogicalResult verifyWideIntegers(KernelOp kernel);

/// A run of rows as a loop in this thread.
Value emitSegmentSum(PointEmitter &emitter, SegmentSumOp op,
                     const Point &point);
/// A reduction as a loop in this thread.
Value emitSerialReduction(PointEmitter &emitter, OpResult result,
                          const Point &point);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_OPEMITTERS_H
