//===- Float8.cpp - Conversions of 8-bit floats ---------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Float8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

bool mlir::fuse::isFloat8(Type element) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(element);
}

namespace {
class Float8Builder {
public:
  Float8Builder(OpBuilder &builder, Location loc, Type format, Value value)
      : builder(builder), loc(loc), value(value),
        isE4M3(isa<Float8E4M3FNType>(format)) {
    if (auto type = dyn_cast<VectorType>(value.getType()))
      lanes = type.getDimSize(0);
  }

  Value expandFrom();
  Value expandTo();
  Value instructionFrom();
  Value instructionTo();

private:
  // The format: 1 sign bit, the exponent, the mantissa.
  int64_t mantissaBits() const { return isE4M3 ? 3 : 2; }
  int64_t bias() const { return isE4M3 ? 7 : 15; }
  double largest() const { return isE4M3 ? 448 : 57344; }
  /// The exponent of the smallest normal number.
  int64_t smallestExponent() const { return 1 - bias(); }
  static constexpr int64_t magnitudeMask = 0x7f, notANumber = 0x7f;
  // f32.
  static constexpr int64_t wideMantissaBits = 23, wideBias = 127;
  int64_t shift() const { return wideMantissaBits - mantissaBits(); }

  Type typed(Type element) const {
    return lanes == 1 ? element : VectorType::get({lanes}, element);
  }
  Type i8() const { return typed(builder.getI8Type()); }
  Type i32() const { return typed(builder.getI32Type()); }
  Type f32() const { return typed(builder.getF32Type()); }
  Value constant(Type type, TypedAttr number) {
    auto vectorType = dyn_cast<VectorType>(type);
    return arith::ConstantOp::create(
        builder, loc,
        vectorType
            ? TypedAttr(DenseElementsAttr::get(vectorType, Attribute(number)))
            : number);
  }
  Value integer(int64_t number) {
    return constant(i32(), builder.getI32IntegerAttr(number));
  }
  Value real(double number) {
    return constant(f32(), builder.getF32FloatAttr(number));
  }
  template <typename OpTy> Value make(Value a, Value b) {
    return OpTy::create(builder, loc, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value equals(Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  }
  Value toBits(Value number) {
    return arith::BitcastOp::create(builder, loc, i32(), number);
  }
  Value toReal(Value bits) {
    return arith::BitcastOp::create(builder, loc, f32(), bits);
  }
  Value lane(int64_t number) {
    if (lanes == 1)
      return value;
    return vector::ExtractOp::create(builder, loc, value, number);
  }
  Value call(StringRef name, Type result, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(builder, loc, result,
                                         builder.getStringAttr(name), operands)
        .getResult(0);
  }

  OpBuilder &builder;
  Location loc;
  Value value;
  bool isE4M3;
  int64_t lanes = 1;
};
} // namespace

/// f8E5M2 is the upper half of an f16. Of f8E4M3FN the magnitude is moved to
/// where f32 has it, and the difference of the biases is added; below the
/// smallest normal number 2^-6 the implied 1 is subtracted again:
///   2^-6 (1 + m / 8) - 2^-6 = m 2^-9.
Value Float8Builder::expandFrom() {
  if (!isE4M3) {
    Type i16 = typed(builder.getI16Type()), f16 = typed(builder.getF16Type());
    Value wide = arith::ExtUIOp::create(builder, loc, i16, value);
    Value upper =
        make<arith::ShLIOp>(wide, constant(i16, builder.getI16IntegerAttr(8)));
    Value half = arith::BitcastOp::create(builder, loc, f16, upper);
    return arith::ExtFOp::create(builder, loc, f32(), half);
  }
  Value bits = arith::ExtUIOp::create(builder, loc, i32(), value);
  Value magnitude = make<arith::AndIOp>(bits, integer(magnitudeMask));
  Value moved = make<arith::ShLIOp>(magnitude, integer(shift()));
  auto biased = [&](int64_t exponent) {
    return toReal(
        make<arith::AddIOp>(moved, integer(exponent << wideMantissaBits)));
  };
  Value normal = biased(wideBias - bias());
  int64_t lowest = smallestExponent();
  Value subnormal = make<arith::SubFOp>(biased(wideBias + lowest),
                                        real(std::ldexp(1.0, lowest)));
  Value isSubnormal =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, magnitude,
                            integer(int64_t(1) << mantissaBits()));
  Value number = select(isSubnormal, subnormal, normal);
  number = select(equals(magnitude, integer(notANumber)),
                  real(std::numeric_limits<double>::quiet_NaN()), number);
  // The sign, also of a zero.
  Value sign =
      make<arith::ShLIOp>(make<arith::SubIOp>(bits, magnitude), integer(24));
  return toReal(make<arith::OrIOp>(toBits(number), sign));
}

/// The magnitude, cut off at the largest number. A normal one is rounded by
/// adding half a unit less one, and one more where the last kept bit is odd. To
/// a subnormal one a constant is added whose unit in the last place is that of
/// the subnormal numbers, so that the addition rounds.
Value Float8Builder::expandTo() {
  Value bits = toBits(value);
  Value magnitude = toReal(make<arith::AndIOp>(bits, integer(0x7fffffff)));
  Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      value, value);
  Value isLarge = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                        magnitude, real(largest()));
  magnitude = select(isLarge, real(largest()), magnitude);

  Value wide = toBits(magnitude);
  Value odd = make<arith::AndIOp>(make<arith::ShRUIOp>(wide, integer(shift())),
                                  integer(1));
  Value half =
      make<arith::AddIOp>(odd, integer((int64_t(1) << (shift() - 1)) - 1));
  Value rounded =
      make<arith::ShRUIOp>(make<arith::AddIOp>(wide, half), integer(shift()));
  Value normal = make<arith::SubIOp>(
      rounded, integer((wideBias - bias()) << mantissaBits()));

  double lowest = std::ldexp(1.0, smallestExponent());
  double unit = std::ldexp(lowest, wideMantissaBits - mantissaBits());
  Value aligner = real(unit);
  Value subnormal = make<arith::SubIOp>(
      toBits(make<arith::AddFOp>(magnitude, aligner)), toBits(aligner));
  Value isSubnormal = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OLT, magnitude, real(lowest));
  Value result = select(isSubnormal, subnormal, normal);
  result = select(isNaN, integer(notANumber), result);
  Value sign = make<arith::AndIOp>(make<arith::ShRUIOp>(bits, integer(24)),
                                   integer(0x80));
  result = make<arith::OrIOp>(result, sign);
  return arith::TruncIOp::create(builder, loc, i8(), result);
}

/// Two at a time; the first is the lower byte.
Value Float8Builder::instructionFrom() {
  Type i16 = builder.getI16Type();
  auto halves = VectorType::get({2}, builder.getF16Type());
  SmallVector<Value> numbers;
  Value pairs = value;
  if (lanes > 1)
    pairs = vector::BitCastOp::create(builder, loc,
                                      VectorType::get({lanes / 2}, i16), value);
  for (int64_t pair = 0; pair < std::max<int64_t>(1, lanes / 2); ++pair) {
    Value word =
        lanes == 1
            ? Value(arith::ExtUIOp::create(builder, loc, i16, value))
            : Value(vector::ExtractOp::create(builder, loc, pairs, pair));
    Value both = call(isE4M3 ? "llvm.nvvm.e4m3x2.to.f16x2.rn"
                             : "llvm.nvvm.e5m2x2.to.f16x2.rn",
                      halves, word);
    for (int64_t i = 0; i < std::min<int64_t>(2, lanes); ++i)
      numbers.push_back(vector::ExtractOp::create(builder, loc, both, i));
  }
  if (lanes == 1)
    return arith::ExtFOp::create(builder, loc, f32(), numbers.front());
  Value all = vector::FromElementsOp::create(
      builder, loc, VectorType::get({lanes}, builder.getF16Type()), numbers);
  return arith::ExtFOp::create(builder, loc, f32(), all);
}

/// The instruction takes the upper byte's number first.
Value Float8Builder::instructionTo() {
  Type i16 = builder.getI16Type();
  SmallVector<Value> pairs;
  for (int64_t pair = 0; pair < std::max<int64_t>(1, lanes / 2); ++pair) {
    Value low = lane(2 * pair);
    Value high = lanes == 1 ? real(0) : lane(2 * pair + 1);
    pairs.push_back(
        call(isE4M3 ? "llvm.nvvm.ff.to.e4m3x2.rn" : "llvm.nvvm.ff.to.e5m2x2.rn",
             i16, {high, low}));
  }
  if (lanes == 1)
    return arith::TruncIOp::create(builder, loc, i8(), pairs.front());
  Value words = vector::FromElementsOp::create(
      builder, loc, VectorType::get({lanes / 2}, i16), pairs);
  return vector::BitCastOp::create(builder, loc, i8(), words);
}

Value mlir::fuse::buildFromFloat8(OpBuilder &builder, Location loc, Type format,
                                  Value bits, bool hardware) {
  Float8Builder conversion(builder, loc, format, bits);
  return hardware ? conversion.instructionFrom() : conversion.expandFrom();
}

Value mlir::fuse::buildToFloat8(OpBuilder &builder, Location loc, Type format,
                                Value numbers, bool hardware) {
  Float8Builder conversion(builder, loc, format, numbers);
  return hardware ? conversion.instructionTo() : conversion.expandTo();
}
