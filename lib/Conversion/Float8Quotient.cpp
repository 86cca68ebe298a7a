//===- Float8Quotient.cpp - Divisions that end in 8 bits ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantizing divides each element by a scale and keeps 4 bits of a quotient
// that div.rn computes to 24. A bound below and one above it take a product
// each, and where both round to the same 8 bits so does all between them, also
// the quotient. Where they do not, one in 2^17 times, the division is carried
// out: the rounding test of Ziv, "Fast evaluation of elementary mathematical
// functions with correctly rounded last bit" (1991). The result is the same to
// the bit.
//
// Of rcp.approx the relative error is at most 2^-23, its products with 1 -+
// 2^-21 and then with the dividend add 2^-24 each, and the rounded quotient is
// 2^-24 off itself: in sum less than 2^-21. That needs a reciprocal that is
// normal. A product that is not is 0 in 8 bits, as the quotient is.
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

static constexpr int margin = -21;
static constexpr int smallestExponent = -126, largestExponent = 126;

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
    TypedAttr scalar = builder.getF32FloatAttr(number);
    auto type = dyn_cast<VectorType>(like.getType());
    return arith::ConstantOp::create(
        builder, loc,
        type ? TypedAttr(DenseElementsAttr::get(type, Attribute(scalar)))
             : scalar);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, double b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, constant(a, b));
  }
  Value toFormat(Value numbers) {
    return buildToFloat8(builder, loc, format, numbers, /*hardware=*/true);
  }
  Value bound(Value reciprocal, double scale);
  Value isNormal();
  Value areSame(Value a, Value b);
  Value all(Value conditions);

  OpBuilder &builder;
  Location loc;
  Type format;
  Value dividend, divisor;
  /// The divisor, a scalar if it is the same in all lanes.
  Value factor;
};
} // namespace

Value QuotientBuilder::bound(Value reciprocal, double scale) {
  Value scaled = arith::MulFOp::create(builder, loc, reciprocal,
                                       constant(reciprocal, scale));
  if (scaled.getType() != dividend.getType())
    scaled =
        vector::BroadcastOp::create(builder, loc, dividend.getType(), scaled);
  return arith::MulFOp::create(builder, loc, dividend, scaled);
}

Value QuotientBuilder::all(Value conditions) {
  if (!isa<VectorType>(conditions.getType()))
    return conditions;
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::AND,
                                     conditions);
}

/// Whether the divisor and its reciprocal are normal numbers.
Value QuotientBuilder::isNormal() {
  Value size = math::AbsFOp::create(builder, loc, factor);
  Value isLarge = compare(arith::CmpFPredicate::OGE, size,
                          std::ldexp(1.0, smallestExponent));
  Value isSmall = compare(arith::CmpFPredicate::OLE, size,
                          std::ldexp(1.0, largestExponent));
  return all(arith::AndIOp::create(builder, loc, isLarge, isSmall));
}

/// Compared by the word.
Value QuotientBuilder::areSame(Value a, Value b) {
  auto type = dyn_cast<VectorType>(a.getType());
  if (type) {
    int64_t lanes = type.getDimSize(0), inWord = std::min<int64_t>(4, lanes);
    auto words =
        VectorType::get({lanes / inWord}, builder.getIntegerType(8 * inWord));
    a = vector::BitCastOp::create(builder, loc, words, a);
    b = vector::BitCastOp::create(builder, loc, words, b);
  }
  Value differences = arith::XOrIOp::create(builder, loc, a, b);
  if (type)
    differences = vector::ReductionOp::create(
        builder, loc, vector::CombiningKind::OR, differences);
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(differences.getType(), 0));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                               differences, zero);
}

Value QuotientBuilder::build() {
  auto approximate = arith::FastMathFlagsAttr::get(builder.getContext(),
                                                   arith::FastMathFlags::afn);
  Value reciprocal = arith::DivFOp::create(builder, loc, constant(factor, 1),
                                           factor, approximate);
  Value low = toFormat(bound(reciprocal, 1 - std::ldexp(1.0, margin)));
  Value high = toFormat(bound(reciprocal, 1 + std::ldexp(1.0, margin)));
  Value isKnown =
      arith::AndIOp::create(builder, loc, areSame(low, high), isNormal());
  auto branch = scf::IfOp::create(
      builder, loc, isKnown,
      [&](OpBuilder &, Location) { scf::YieldOp::create(builder, loc, low); },
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
