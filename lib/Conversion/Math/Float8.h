//===- Float8.h - Conversions of 8-bit floats -------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formats are those of Micikevicius et al., FP8 Formats for Deep Learning
// (2022): f8E4M3FN has no infinities and one NaN a sign, f8E5M2 is an f16 with
// 8 bits less.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_FLOAT8_H
#define FUSE_LIB_CONVERSION_FLOAT8_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::fuse {

/// Whether the type is f8E4M3FN or f8E5M2.
bool isFloat8(Type element);

/// The numbers, in f32, whose bits in the type `format` are `bits` (i8 or a
/// fixed 1-D vector of it). Exact. With `hardware` it is the instruction that
/// chips from sm_89 on have.
Value buildFromFloat8(OpBuilder &builder, Location loc, Type format, Value bits,
                      bool hardware);

/// The bits in the type `format` of `numbers` (f32, or a fixed 1-D vector):
/// rounded to nearest, ties to even; beyond the largest finite number, and at
/// infinity, that number; a NaN for a NaN.
Value buildToFloat8(OpBuilder &builder, Location loc, Type format,
                    Value numbers, bool hardware);

/// The same of the quotients of an f32 division, with instructions that chips
/// from sm_89 on have, and without a branch.
Value buildQuotientToFloat8(OpBuilder &builder, arith::DivFOp division,
                            Type format);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_FLOAT8_H
