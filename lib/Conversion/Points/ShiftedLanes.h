//===- ShiftedLanes.h - Lanes between the vectors of a tensor ---*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_SHIFTEDLANES_H
#define FUSE_LIB_CONVERSION_SHIFTEDLANES_H

#include "PointEmitter.h"

namespace mlir::fuse {

/// Whether the value is in memory, but for casts.
bool isNearMemory(Value value);

/// Whether an index that may be negative is one of the extent's.
Value emitIsInside(PointEmitter &emitter, Location loc, const Index &index,
                   const Extent &extent);

/// The lanes of a slice or a padding that start between two whole vectors of
/// what is moved, out of these. Null where that is not possible or no gain.
Value emitShiftedLanes(PointEmitter &emitter, SliceOp slice,
                       const Point &point);
Value emitShiftedLanes(PointEmitter &emitter, PadOp pad, const Point &point);
/// Of tensors that are joined along the last dimension, such as the two parts
/// of a roll, where vectors of the result start between those of some.
Value emitShiftedLanes(PointEmitter &emitter, ConcatOp concat,
                       const Point &point);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_SHIFTEDLANES_H
