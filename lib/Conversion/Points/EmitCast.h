//===- EmitCast.h - Values from one element type to another ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_EMITCAST_H
#define FUSE_LIB_CONVERSION_EMITCAST_H

#include "PointEmitter.h"

namespace mlir::fuse {

/// Rounds to the op's own element type, as `strict` and casts ask.
Value roundTo(PointEmitter &emitter, Location loc, Type element, Value value);

/// The op's input at a point, given in its compute type, in that of the result.
Value emitCast(PointEmitter &emitter, CastOp op, Value value);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_EMITCAST_H
