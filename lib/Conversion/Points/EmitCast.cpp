//===- EmitCast.cpp - Values from one element type to another -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values come in their compute type. An integer becomes a 16-bit float by way
// of an f32 that rounds as the integer does.
//
//===----------------------------------------------------------------------===//

#include "EmitCast.h"
#include "Math/Float8.h"
#include "Math/MathEmitter.h"
#include "PackedBytes.h"
#include "PairedHalves.h"

#include "fuse/Conversion/MathExpansion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

Value mlir::fuse::roundTo(PointEmitter &emitter, Location loc, Type element,
                          Value value) {
  OpBuilder &builder = emitter.getBuilder();
  auto withElement = [&](Type type) -> Type {
    auto vectorType = dyn_cast<VectorType>(value.getType());
    return vectorType ? VectorType::get(vectorType.getShape(), type) : type;
  };
  Type compute = PointEmitter::computeType(element);
  if (element == compute)
    return value;
  Value rounded =
      arith::TruncFOp::create(builder, loc, withElement(element), value);
  return arith::ExtFOp::create(builder, loc, withElement(compute), rounded);
}

namespace {
/// Changes a value from the compute type of one element type to another's.
class CastBuilder {
public:
  CastBuilder(PointEmitter &emitter, CastOp op, Value value)
      : emitter(emitter), builder(emitter.getBuilder()), loc(op.getLoc()),
        from(cast<RankedTensorType>(op.getInput().getType()).getElementType()),
        to(op.getType().getElementType()), value(value),
        inPairs(computesInPairs(emitter, op)),
        inAnyOrder(computesInAnyOrder(op)),
        rounds(!op->hasAttr(kImplicitAttr) || emitter.getOptions().strict) {}

  Value build() {
    // What an op computed in f32 is rounded also where the type stays.
    if (from == to)
      return isFloat8(to) ? value : rounded(value);
    if (isFloat8(from)) {
      value = buildFromFloat8(builder, loc, from, value,
                              emitter.getOptions().float8);
      from = builder.getF32Type();
      if (holdsBytes())
        return value;
    }
    if (from.isUnsignedInteger()) {
      from = builder.getI32Type();
      value = arith::ExtUIOp::create(builder, loc, typed(from), value);
    }
    if (to.isInteger(1))
      return toBool();
    if (isa<FloatType>(from) && to.isUnsignedInteger())
      return floatToUnsigned();
    if (isa<FloatType>(from))
      return isa<FloatType>(to) ? floatToFloat() : floatToInt(to);
    return isa<FloatType>(to) ? intToFloat() : intToInt();
  }

private:
  int64_t lanes() const {
    auto type = dyn_cast<VectorType>(value.getType());
    return type ? type.getDimSize(0) : 1;
  }
  Type typed(Type element) { return PointEmitter::lanesOf(element, lanes()); }
  Value constant(Type element, double number) {
    return emitter.splat(loc, emitter.constant(loc, element, number), lanes());
  }
  Value integer(Type element, int64_t number) {
    Value scalar = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(element, number));
    return emitter.splat(loc, scalar, lanes());
  }
  Value toBool() {
    if (isa<FloatType>(from))
      return arith::CmpFOp::create(
          builder, loc, arith::CmpFPredicate::UNE, value,
          constant(PointEmitter::computeType(from), 0));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 constant(from, 0));
  }
  /// Whether the result needs no rounding: 16-bit floats have all numbers of a
  /// byte. What is computed with pairs of them is known by its rounding.
  bool holdsBytes() const {
    return !inPairs && (to.isBF16() || to.isF16() || to.isF32());
  }
  /// The type in which a float result is rounded to `to`.
  Type roundingType() {
    return isFloat8(to) ? Type(builder.getF32Type())
                        : PointEmitter::computeType(to);
  }
  Value rounded(Value number) {
    if (isFloat8(to))
      return toFloat8(number);
    return rounds ? roundTo(emitter, loc, to, number) : number;
  }
  Value toFloat8(Value number) {
    bool hardware = emitter.getOptions().float8;
    auto division = number.getDefiningOp<arith::DivFOp>();
    if (hardware && division && !isExpandedDivision(division))
      return buildQuotientToFloat8(builder, division, to);
    return buildToFloat8(builder, loc, to, number, hardware);
  }
  Value floatToFloat() {
    Type compute = roundingType();
    Type have = PointEmitter::computeType(from);
    if (have.isF64() && !compute.isF64())
      value =
          to.isF32()
              ? Value(arith::TruncFOp::create(builder, loc, typed(to), value))
              : roundToOdd(value);
    else if (!have.isF64() && compute.isF64())
      value = arith::ExtFOp::create(builder, loc, typed(compute), value);
    return rounded(value);
  }
  /// f64 to f32 so that a second rounding to 16 bits gives what one rounding
  /// would: an inexact result gets its last bit set (Boldo and Melquiond,
  /// "When double rounding is odd").
  Value roundToOdd(Value wide) {
    Type f32 = typed(builder.getF32Type()), i32 = typed(builder.getI32Type());
    Value narrow = arith::TruncFOp::create(builder, loc, f32, wide);
    Value back = arith::ExtFOp::create(builder, loc, wide.getType(), narrow);
    Value inexact = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::ONE, back, wide);
    Value bits = arith::BitcastOp::create(builder, loc, i32, narrow);
    auto magnitude = [&](Value v) -> Value {
      Value negative =
          arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, v,
                                constant(builder.getF64Type(), 0));
      Value negated = arith::NegFOp::create(builder, loc, v);
      return arith::SelectOp::create(builder, loc, negative, negated, v);
    };
    Value away = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                       magnitude(back), magnitude(wide));
    Value one = integer(builder.getI32Type(), 1);
    Value towardZero = arith::SelectOp::create(
        builder, loc, away, arith::SubIOp::create(builder, loc, bits, one),
        bits);
    Value odd = arith::OrIOp::create(builder, loc, towardZero, one);
    bits = arith::SelectOp::create(builder, loc, inexact, odd, bits);
    return arith::BitcastOp::create(builder, loc, f32, bits);
  }
  /// Saturating, NaN to 0; the conversion itself only sees what fits.
  Value floatToInt(Type to) {
    Type compute = PointEmitter::computeType(from);
    unsigned width = to.getIntOrFloatBitWidth();
    double limit = std::ldexp(1.0, width - 1);
    Value high = constant(compute, limit), low = constant(compute, -limit);
    auto compare = [&](arith::CmpFPredicate predicate, Value other) -> Value {
      return arith::CmpFOp::create(builder, loc, predicate, value, other);
    };
    Value tooHigh = compare(arith::CmpFPredicate::OGE, high);
    Value tooLow = compare(arith::CmpFPredicate::OLT, low);
    Value isNaN = compare(arith::CmpFPredicate::UNO, value);
    Value unfit = arith::OrIOp::create(
        builder, loc, isNaN,
        arith::OrIOp::create(builder, loc, tooHigh, tooLow));
    Value fit = arith::SelectOp::create(builder, loc, unfit,
                                        constant(compute, 0), value);
    Value number = arith::FPToSIOp::create(builder, loc, typed(to), fit);
    int64_t largest = llvm::maxIntN(width), smallest = llvm::minIntN(width);
    number = arith::SelectOp::create(builder, loc, tooHigh,
                                     integer(to, largest), number);
    return arith::SelectOp::create(builder, loc, tooLow, integer(to, smallest),
                                   number);
  }
  /// As an i32 within the range of `to`.
  Value floatToUnsigned() {
    Type wide = builder.getI32Type();
    int64_t largest = llvm::maxUIntN(to.getIntOrFloatBitWidth());
    Value number = floatToInt(wide);
    number = arith::MaxSIOp::create(builder, loc, number, integer(wide, 0));
    number =
        arith::MinSIOp::create(builder, loc, number, integer(wide, largest));
    return arith::TruncIOp::create(
        builder, loc, typed(PointEmitter::computeType(to)), number);
  }
  Value intToFloat() {
    Type compute = roundingType();
    if (from.isInteger(1)) {
      Value number =
          arith::UIToFPOp::create(builder, loc, typed(compute), value);
      return isFloat8(to) ? rounded(number) : number;
    }
    if (from.isInteger(8) && compute.isF32() && areWords(value) &&
        emitter.getOptions().sharedBytes > 0) {
      if (inPairs && compute != to && !isFloat8(to))
        return arith::ExtFOp::create(
            builder, loc, typed(compute),
            buildPairsFromWords(builder, loc, value, to, inAnyOrder));
      value = buildFromWords(builder, loc, value);
      return holdsBytes() ? value : rounded(value);
    }
    if (compute == to)
      return arith::SIToFPOp::create(builder, loc, typed(to), value);
    bool isExact = from.isInteger(8) && holdsBytes();
    return isExact ? intToF32() : rounded(intToF32());
  }
  /// A number that rounds to `to` as the integer does.
  Value intToF32() {
    unsigned width = from.getIntOrFloatBitWidth();
    bool hasHugeNumbers = to.isBF16() || !rounds;
    if (width >= 32 && !hasHugeNumbers)
      value = clampBeyondRange();
    else if (width == 64)
      return roundToOdd(exactIn(builder.getF64Type(), 53));
    else if (width == 32 && rounds)
      return exactIn(builder.getF32Type(), 24);
    Type f32 = typed(builder.getF32Type());
    return arith::SIToFPOp::create(builder, loc, f32, value);
  }
  /// 2^17 is exact in f32 and beyond the range of f16 and of 8-bit floats.
  Value clampBeyondRange() {
    constexpr int64_t limit = 1 << 17;
    Value low = integer(from, -limit), high = integer(from, limit);
    Value least = arith::MinSIOp::create(builder, loc, value, high);
    Value within = arith::MaxSIOp::create(builder, loc, least, low);
    Type i32 = typed(builder.getI32Type());
    return within.getType() == i32
               ? within
               : Value(arith::TruncIOp::create(builder, loc, i32, within));
  }
  /// A float of so many bits that rounds to a narrower one as the integer does:
  /// beyond these bits the last ones only leave a set bit, as in `roundToOdd`.
  Value exactIn(FloatType type, unsigned bits) {
    unsigned lostBits = from.getIntOrFloatBitWidth() - bits;
    int64_t limit = int64_t(1) << bits, firstKept = int64_t(1) << lostBits;
    auto compare = [&](arith::CmpIPredicate predicate, Value v,
                       int64_t number) {
      return arith::CmpIOp::create(builder, loc, predicate, v,
                                   integer(from, number));
    };
    Value shifted =
        arith::AddIOp::create(builder, loc, value, integer(from, limit));
    Value fits = compare(arith::CmpIPredicate::ule, shifted, 2 * limit);
    Value lost = arith::AndIOp::create(builder, loc, value,
                                       integer(from, firstKept - 1));
    Value kept =
        arith::AndIOp::create(builder, loc, value, integer(from, -firstKept));
    Value odd =
        arith::OrIOp::create(builder, loc, kept, integer(from, firstKept));
    Value isWhole = compare(arith::CmpIPredicate::eq, lost, 0);
    Value dropped = arith::SelectOp::create(builder, loc, isWhole, kept, odd);
    value = arith::SelectOp::create(builder, loc, fits, value, dropped);
    return arith::SIToFPOp::create(builder, loc, typed(type), value);
  }
  Value intToInt() {
    unsigned have = from.getIntOrFloatBitWidth();
    unsigned want = to.getIntOrFloatBitWidth();
    Type compute = typed(PointEmitter::computeType(to));
    if (from.isInteger(1))
      return arith::ExtUIOp::create(builder, loc, compute, value);
    if (have < want)
      return arith::ExtSIOp::create(builder, loc, compute, value);
    if (have == want)
      return value;
    return arith::TruncIOp::create(builder, loc, compute, value);
  }

  PointEmitter &emitter;
  OpBuilder &builder;
  Location loc;
  Type from, to;
  Value value;
  bool inPairs, inAnyOrder, rounds;
};
} // namespace

Value mlir::fuse::emitCast(PointEmitter &emitter, CastOp op, Value value) {
  return CastBuilder(emitter, op, value).build();
}
