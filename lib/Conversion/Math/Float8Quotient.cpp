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
// whose mantissa is all ones, whose reciprocal is a constant.
// `tools/accuracy/f8_quotient.cpp` tries every divisor with every boundary
// between 8-bit numbers.
//
// None of that may overflow, or lose bits that count: dividend and divisor are
// multiplied by a power of two s, of the divisor's sign, that makes the divisor
// positive and near 1. A dividend that becomes too large then is cut off, one
// that loses bits gives a zero, of its sign. Where the divisor is 0, infinite
// or no number, s is its reciprocal, and the quotient what x s is. So nothing
// depends on the data, and the result is the same to the bit.
//
//===----------------------------------------------------------------------===//

#include "Float8.h"
#include "MathEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// Fields of f32.
static constexpr int64_t signMask = 0x80000000, exponentMask = 0x7f800000,
                         mantissaMask = 0x7fffff;
/// 2^127.
static constexpr int64_t largestPower = 0x7f000000;
/// 1 / (4 - 2^-22), rounded.
static constexpr double reciprocalOfOnes = 0.25 + 0x1p-25;
/// Beyond the quotient of any 8-bit number, with room for what it is multiplied
/// by.
static constexpr double largestDividend = 0x1p100;

namespace {
/// A divisor and its dividends times a power of two.
struct Scaled {
  Value power, divisor, reciprocal;
};

class QuotientBuilder {
public:
  QuotientBuilder(OpBuilder &builder, arith::DivFOp division)
      : builder(builder), loc(division.getLoc()), dividend(division.getLhs()) {
    // What all lanes share is scaled and inverted once.
    divisor = sharedByLanes(division.getRhs());
    words = builder.getI32Type();
    if (auto type = dyn_cast<VectorType>(divisor.getType()))
      words = type.clone(words);
  }

  Value build();

private:
  Value splat(Type type, TypedAttr scalar) {
    if (auto vector = dyn_cast<VectorType>(type))
      scalar = DenseElementsAttr::get(vector, Attribute(scalar));
    return arith::ConstantOp::create(builder, loc, scalar);
  }
  Value real(double number) {
    return splat(divisor.getType(), builder.getF32FloatAttr(number));
  }
  Value word(int64_t bits) {
    return splat(words, builder.getI32IntegerAttr(static_cast<int32_t>(bits)));
  }
  Value fieldOf(Value number, int64_t mask) {
    Value bits = arith::BitcastOp::create(builder, loc, words, number);
    return arith::AndIOp::create(builder, loc, bits, word(mask));
  }
  Value toReal(Value bits) {
    return arith::BitcastOp::create(builder, loc, divisor.getType(), bits);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value product(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value negate(Value number) {
    return arith::NegFOp::create(builder, loc, number);
  }
  Value fma(Value a, Value b, Value c) {
    return math::FmaOp::create(builder, loc, a, b, c);
  }
  Value toLanes(Value value) {
    if (value.getType() == dividend.getType())
      return value;
    return vector::BroadcastOp::create(builder, loc, dividend.getType(), value);
  }
  Value approximateReciprocal(Value number);
  Value reciprocal(Value number);
  Scaled scale();
  Value cutOff(Value numbers);

  OpBuilder &builder;
  Location loc;
  Value dividend;
  /// A scalar if it is the same in all lanes.
  Value divisor;
  Type words;
};
} // namespace

Value QuotientBuilder::approximateReciprocal(Value number) {
  auto approximate = arith::FastMathFlagsAttr::get(builder.getContext(),
                                                   arith::FastMathFlags::afn);
  return arith::DivFOp::create(builder, loc, real(1), number, approximate);
}

/// Of a number that is positive and near 1, within one unit in the last place.
Value QuotientBuilder::reciprocal(Value number) {
  Value start = approximateReciprocal(number);
  Value error = fma(negate(number), start, real(1));
  Value areOnes =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                            fieldOf(number, mantissaMask), word(mantissaMask));
  return select(areOnes, real(reciprocalOfOnes), fma(error, start, start));
}

/// A normal divisor becomes one in [2, 4), a smaller one at least 2^-22.
Scaled QuotientBuilder::scale() {
  Value inverted = arith::SubIOp::create(builder, loc, word(exponentMask),
                                         fieldOf(divisor, exponentMask));
  inverted = arith::MinUIOp::create(builder, loc, inverted, word(largestPower));
  Value magnitude = toReal(fieldOf(divisor, ~signMask));
  Value scaled = product(magnitude, toReal(inverted));
  // Not 0, and not 0 times infinity.
  Value isUsual = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                        scaled, real(0));
  Value power = toReal(
      arith::OrIOp::create(builder, loc, inverted, fieldOf(divisor, signMask)));
  scaled = select(isUsual, scaled, real(1));
  return {select(isUsual, power, approximateReciprocal(divisor)), scaled,
          reciprocal(scaled)};
}

/// The numbers, none of which is larger than the largest dividend; one
/// instruction each, which has the other operand's sign, too.
Value QuotientBuilder::cutOff(Value numbers) {
  Type f32 = builder.getF32Type();
  Value limit = arith::ConstantOp::create(
      builder, loc, builder.getF32FloatAttr(largestDividend));
  auto cut = [&](Value number) {
    return LLVM::CallIntrinsicOp::create(
               builder, loc, f32,
               builder.getStringAttr("llvm.nvvm.fmin.nan.xorsign.abs.f"),
               ValueRange{number, limit})
        .getResult(0);
  };
  auto type = dyn_cast<VectorType>(numbers.getType());
  if (!type)
    return cut(numbers);
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < type.getDimSize(0); ++lane)
    lanes.push_back(
        cut(vector::ExtractOp::create(builder, loc, numbers, lane)));
  return vector::FromElementsOp::create(builder, loc, type, lanes);
}

Value QuotientBuilder::build() {
  auto [power, scaled, inverse] = scale();
  Value numerator = cutOff(product(dividend, toLanes(power)));
  inverse = toLanes(inverse);
  Value start = product(numerator, inverse);
  Value excess = fma(start, toLanes(scaled), negate(numerator));
  return fma(negate(excess), inverse, start);
}

Value mlir::fuse::buildQuotientToFloat8(OpBuilder &builder,
                                        arith::DivFOp division, Type format) {
  return buildToFloat8(builder, division.getLoc(), format,
                       QuotientBuilder(builder, division).build(),
                       /*hardware=*/true);
}
