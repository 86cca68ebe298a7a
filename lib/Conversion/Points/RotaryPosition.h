//===- RotaryPosition.h - Positions of a rotary op's tokens -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROTARYPOSITION_H
#define FUSE_LIB_CONVERSION_ROTARYPOSITION_H

#include "PointEmitter.h"

namespace mlir::fuse {

/// What the position at a point of the op's result depends on: points for which
/// this is equal have the same one.
SmallVector<Index, 4> rotaryToken(RotaryOp op, const Point &point);

/// The position of the point's token, as i64.
Value emitRotaryPosition(PointEmitter &emitter, RotaryOp op,
                         const Point &point);

/// Starts to read from tables what the op turns the point's pairs by, and
/// remembers it; nothing where that is computed.
void prepareRotary(PointEmitter &emitter, RotaryOp op, const Point &point);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROTARYPOSITION_H
