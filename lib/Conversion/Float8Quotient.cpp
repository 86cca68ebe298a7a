//===- Float8Quotient.cpp - Divisions that end in 8 bits ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantizing divides each element by a scale and keeps 4 bits of a quotient
// that div.rn computes to 24. With the reciprocal z of the divisor y that is
// rounded correctly, x / y is rounded correctly by
//
//   q = x z,  r = q y - x,  q - r z
//
// (Markstein, "Computation of elementary functions on the IBM RISC System/6000
// processor", 1990; Brisebarre, Muller and Raina, "Accelerating correctly
// rounded floating-point division when the divisor is known in advance", 2004).
// One step of Newton's makes rcp.approx such a z, but for a few divisors; with
// these, 8 bits of the quotient are right nevertheless, except for a divisor
// whose mantissa is all ones. `tools/dev/f8_quotient.cpp` tries every divisor
// with every boundary between 8-bit numbers. The sign of r makes a zero
// keep the sign of x, if y is positive.
//
// None of that may overflow or lose bits below the smallest number: divisors
// are positive and moderate, for which dividends that are too small give zeros
// anyhow. Where something was infinite the result is not a number. In these
// cases, which data that are worth quantizing do not have, the division is
// carried out. The result is the same to the bit.
//
//===----------------------------------------------------------------------===//

#include "Float8.h"
#include "MathEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// Of divisors: a remainder that loses bits, below 2^-102 in the dividend, is
/// then one of a quotient below 2^-21, and 2^-17 is the least that is not 0 in
/// 8 bits.
static constexpr int smallestExponent = -80, largestExponent = 100;
static constexpr int64_t mantissaMask = 0x7fffff;
/// All but the sign of four 8-bit numbers, and what carries out of a NaN.
static constexpr uint32_t magnitudes = 0x7f7f7f7f, ones = 0x01010101,
                          signs = 0x80808080;

namespace {
class QuotientBuilder {
public:
  QuotientBuilder(OpBuilder &builder, arith::DivFOp division, Type format)
      : builder(builder), loc(division.getLoc()), format(format),
        dividend(division.getLhs()), divisor(division.getRhs()) {
    // What all lanes share is inverted once.
    factor = sharedByLanes(divisor);
  }

  Value build();

private:
  Value constant(Value like, double number) {
    return splat(like.getType(), builder.getF32FloatAttr(number));
  }
  Value splat(Type type, TypedAttr scalar) {
    if (auto vector = dyn_cast<VectorType>(type))
      scalar = DenseElementsAttr::get(vector, Attribute(scalar));
    return arith::ConstantOp::create(builder, loc, scalar);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, double b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, constant(a, b));
  }
  Value toFormat(Value numbers) {
    return buildToFloat8(builder, loc, format, numbers, /*hardware=*/true);
  }
  Value negate(Value number) {
    return arith::NegFOp::create(builder, loc, number);
  }
  Value fma(Value a, Value b, Value c) {
    return math::FmaOp::create(builder, loc, a, b, c);
  }
  Value reciprocal();
  Value quotient(Value reciprocal);
  Value isModerate();
  Value areNumbers(Value bits);
  Value all(Value conditions);

  OpBuilder &builder;
  Location loc;
  Type format;
  Value dividend, divisor;
  /// The divisor, a scalar if it is the same in all lanes.
  Value factor;
};
} // namespace

/// Of the factor, within one unit in the last place.
Value QuotientBuilder::reciprocal() {
  auto approximate = arith::FastMathFlagsAttr::get(builder.getContext(),
                                                   arith::FastMathFlags::afn);
  Value one = constant(factor, 1);
  Value start = arith::DivFOp::create(builder, loc, one, factor, approximate);
  Value error = fma(negate(factor), start, one);
  return fma(error, start, start);
}

Value QuotientBuilder::quotient(Value reciprocal) {
  auto toLanes = [&](Value value) -> Value {
    if (value.getType() == dividend.getType())
      return value;
    return vector::BroadcastOp::create(builder, loc, dividend.getType(), value);
  };
  Value inverse = toLanes(reciprocal);
  Value start = arith::MulFOp::create(builder, loc, dividend, inverse);
  Value excess = fma(start, toLanes(factor), negate(dividend));
  return fma(negate(excess), inverse, start);
}

Value QuotientBuilder::all(Value conditions) {
  if (!isa<VectorType>(conditions.getType()))
    return conditions;
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::AND,
                                     conditions);
}

/// Whether the divisor is one for which the quotient is right.
Value QuotientBuilder::isModerate() {
  Value isLarge = compare(arith::CmpFPredicate::OGE, factor,
                          std::ldexp(1.0, smallestExponent));
  Value isSmall = compare(arith::CmpFPredicate::OLE, factor,
                          std::ldexp(1.0, largestExponent));
  Type words = builder.getI32Type();
  if (auto type = dyn_cast<VectorType>(factor.getType()))
    words = type.clone(words);
  Value mask = splat(words, builder.getI32IntegerAttr(mantissaMask));
  Value mantissa = arith::AndIOp::create(
      builder, loc, arith::BitcastOp::create(builder, loc, words, factor),
      mask);
  Value isNotOnes = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, mantissa, mask);
  Value isModerate = arith::AndIOp::create(builder, loc, isLarge, isSmall);
  return all(arith::AndIOp::create(builder, loc, isModerate, isNotOnes));
}

/// Whether none of the 8-bit numbers is a NaN that a conversion yields, whose
/// bits but the sign are ones. By the word.
Value QuotientBuilder::areNumbers(Value bits) {
  auto type = dyn_cast<VectorType>(bits.getType());
  int64_t lanes = type ? type.getDimSize(0) : 1;
  int64_t inWord = std::min<int64_t>(4, lanes);
  Type words = builder.getIntegerType(8 * inWord);
  if (type) {
    words = VectorType::get({lanes / inWord}, words);
    bits = vector::BitCastOp::create(builder, loc, words, bits);
  }
  auto constant = [&](uint32_t value) {
    return splat(words,
                 builder.getIntegerAttr(getElementTypeOrSelf(words),
                                        APInt(32, value).trunc(8 * inWord)));
  };
  Value carried = arith::AddIOp::create(
      builder, loc,
      arith::AndIOp::create(builder, loc, bits, constant(magnitudes)),
      constant(ones));
  if (type)
    carried = vector::ReductionOp::create(builder, loc,
                                          vector::CombiningKind::OR, carried);
  words = carried.getType();
  Value flags = arith::AndIOp::create(builder, loc, carried, constant(signs));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, flags,
                               constant(0));
}

Value QuotientBuilder::build() {
  Value bits = toFormat(quotient(reciprocal()));
  Value isKnown =
      arith::AndIOp::create(builder, loc, areNumbers(bits), isModerate());
  auto branch = scf::IfOp::create(
      builder, loc, isKnown,
      [&](OpBuilder &, Location) { scf::YieldOp::create(builder, loc, bits); },
      [&](OpBuilder &, Location) {
        Value exact = arith::DivFOp::create(builder, loc, dividend, divisor);
        scf::YieldOp::create(builder, loc, toFormat(exact));
      });
  return branch.getResult(0);
}

Value mlir::fuse::buildQuotientToFloat8(OpBuilder &builder,
                                        arith::DivFOp division, Type format) {
  return QuotientBuilder(builder, division, format).build();
}
