//===- Decompose.h - Shared parts of fuse-decompose -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_DECOMPOSE_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_DECOMPOSE_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// The patterns of one family of composites. A pattern may emit a composite of
/// its own family or another; the driver expands it in turn.
void populateDecomposeElementwisePatterns(RewritePatternSet &patterns);
void populateDecomposeIntegerPatterns(RewritePatternSet &patterns);
void populateDecomposeMovementPatterns(RewritePatternSet &patterns);
void populateDecomposeNormPatterns(RewritePatternSet &patterns);
void populateDecomposeContractionPatterns(RewritePatternSet &patterns);
void populateDecomposeArgExtremePatterns(RewritePatternSet &patterns);
void populateDecomposeRandomPatterns(RewritePatternSet &patterns);

/// A constant for what has no elements.
void populateDecomposeEmptyPatterns(RewritePatternSet &patterns);

/// tensor.extract_slice, concat and pad as movement ops of this dialect.
void populateDecomposeTensorPatterns(RewritePatternSet &patterns);
/// Fails with an error if `op` is one of them, which no pattern took.
LogicalResult verifyNoTensorMovement(Operation *op);

/// The element type in which a formula is computed that 16 bits cannot carry:
/// f32 for f16 and bf16, else `element` itself.
Type getWideType(Type element);

/// `value` with the element type `element`; `value` itself if it has it. The
/// cast is not one of the program's (see kImplicitAttr).
Value emitCast(ImplicitLocOpBuilder &builder, Value value, Type element);

/// `value` cast to the wide type of its element type.
Value emitWiden(ImplicitLocOpBuilder &builder, Value value);

/// `value`, whose op need only be good to the last place of `element` (see
/// kAccuracyAttr), which matters where the formula is wider than that.
Value withAccuracy(Value value, Type element);

/// A constant of rank 0, which broadcasts to every shape. `value` is rounded
/// to `element`, to nearest.
Value emitScalar(ImplicitLocOpBuilder &builder, Type element, double value);

/// `value`, or 0 where `tested`, of the same element type, is infinite.
Value emitWhereFinite(ImplicitLocOpBuilder &builder, Value tested, Value value);

/// `value`, or 0 where it is infinite. NaN stays.
Value emitFiniteOrZero(ImplicitLocOpBuilder &builder, Value value);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_DECOMPOSE_H
