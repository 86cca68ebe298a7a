//===- MathExpansion.h - Math without a math library ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transcendental functions as arith ops, so that a kernel calls no
// libdevice and no libm. docs/math.md has the formulas and the error of each.
//
// The angles of a rotary op are kept as turns: an unsigned 64-bit fraction of a
// full turn in units of 2^-64 turn. Multiplying a position by a frequency in
// turns wraps modulo 2^64, which is exactly the reduction modulo 2 pi:
//
//   turns(position 3, frequency 0.4 turn) = 1.2 turns = 0.2 turn
//
// so that no position, however large, loses accuracy.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_CONVERSION_MATHEXPANSION_H
#define FUSE_CONVERSION_MATHEXPANSION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <cstdint>
#include <utility>

namespace mlir::fuse {

enum class MathTarget { Cpu, Cuda };

/// How one op is expanded.
struct MathExpansionOptions {
  MathTarget target = MathTarget::Cpu;
  /// The result only has to be good to one f16 ULP (`afn`).
  bool approximate = false;
  /// With `approximate`: good to one bf16 ULP is enough (`fuse.bf16`).
  bool bf16 = false;
  /// Of exp: no argument is above 0, and results below the normal numbers may
  /// be 0 (`fuse.nonpositive`).
  bool nonpositive = false;
  /// The same, and the result only goes into the sum (`fuse.summed`).
  bool summed = false;
};

/// The discardable unit attribute that tells that an `afn` result only flows
/// into bf16.
inline constexpr llvm::StringLiteral kBF16ResultAttr = "fuse.bf16";

/// The same of an exp whose argument is at most 0 (or NaN), and whose result is
/// added to one that is at least 1.
inline constexpr llvm::StringLiteral kNonpositiveAttr = "fuse.nonpositive";

/// The same of such an exp that is a term of a sum of n of them. An error of
/// |x| ULP will do: of weights p that add up to 1, as the terms' parts of the
/// sum do, the sum of p |ln p| is at most ln n (their entropy), and so is the
/// error of the sum in ULP.
inline constexpr llvm::StringLiteral kSummedAttr = "fuse.summed";

/// Returns (sin, cos) of the angle `turns` (i64 or a fixed 1-D vector of i64,
/// units of 2^-64 turn) in f32, each within 2 ULP of the exact value.
std::pair<Value, Value> buildSinCosOfTurns(OpBuilder &builder, Location loc,
                                           Value turns);

/// The same in f64.
std::pair<Value, Value> buildSinCosOfTurnsF64(OpBuilder &builder, Location loc,
                                              Value turns);

/// `radians` less whole turns, in units of 2^-64 turn, to the nearest. Where
/// long double has 64 bits or more, angles below a turn are exact to half a
/// unit and a relative error of 2^-63.
uint64_t turnsOfAngle(long double radians);

} // namespace mlir::fuse

#endif // FUSE_CONVERSION_MATHEXPANSION_H
