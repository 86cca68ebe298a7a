//===- RotaryAngles.h - How fast rotary pairs turn --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_ROTARYANGLES_H
#define FUSE_DIALECT_FUSE_IR_ROTARYANGLES_H

#include <cstdint>

namespace mlir::fuse {

/// base^(-2 pair / dims): the angle in radians by which pair `pair` of a rotary
/// embedding advances per position. Needs base > 0, 0 <= 2 pair < dims. Where
/// long double has 64 bits or more, the relative error is below 2^-61.
long double rotaryFrequency(long double base, int64_t pair, int64_t dims);

} // namespace mlir::fuse

#endif // FUSE_DIALECT_FUSE_IR_ROTARYANGLES_H
