//===- MathEmitter.h - Writes math formulas as arith ops --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Conversion. A MathEmitter fixes a float type (f32, f64 or a
// fixed vector of one of them) and emits ops on it; an Expr is a Value with C++
// operators, so that a formula in the sources reads as it would on paper:
//
//   Expr r = e.fma(k, e.f(-ln2High), x);
//   return e.fma(r * r, e.polynomial(r, coefficients), r) + e.f(1.0);
//
// No op carries a fast-math flag: the formulas depend on the order written.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MATHEMITTER_H
#define FUSE_LIB_CONVERSION_MATHEMITTER_H

#include "fuse/Conversion/MathExpansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::fuse {

class MathEmitter;

/// A float, integer or i1 value (scalar or vector) with C++ operators.
struct Expr {
  MathEmitter *emitter = nullptr;
  Value value;
};

/// A value as an unevaluated sum of two floats, |low| <= ulp(high) / 2.
struct HighLow {
  Expr high, low;
};

/// A float rounded to an integer, in both representations.
struct RoundedInt {
  Expr number, integer;
};

class MathEmitter {
public:
  MathEmitter(OpBuilder &builder, Location loc, Type floatType,
              const MathExpansionOptions &options)
      : builder(builder), loc(loc), floatType(floatType), options(options) {}

  /// Type parameters of the format.
  bool isDouble() const { return getElementTypeOrSelf(floatType).isF64(); }
  unsigned mantissaBits() const { return isDouble() ? 52 : 23; }
  int64_t exponentBias() const { return isDouble() ? 1023 : 127; }
  bool onCuda() const { return options.target == MathTarget::Cuda; }
  bool isApproximate() const { return options.approximate && !isDouble(); }
  /// CUDA's approximations exist for f32 alone.
  bool hasHardwareMath() const { return onCuda() && !isDouble(); }
  /// Whether results below f32's normal numbers are zeros to who reads them:
  /// they are in f16, and beside a term of 1.
  bool mayFlushDenormals() const {
    return hasHardwareMath() &&
           (options.summed || (options.approximate && !options.bf16));
  }
  bool isNonpositive() const { return options.nonpositive; }
  bool mayUseTanhApprox() const {
    return hasHardwareMath() && options.approximate && options.bf16;
  }
  Type getFloatType() const { return floatType; }
  Type getIntType() const { return withElement(bitsType()); }

  Expr wrap(Value value) { return {this, value}; }
  Expr f(double value);
  /// An integer constant of the float's width.
  Expr i(int64_t value);
  Expr nan();
  Expr infinity();

  Expr fma(Expr a, Expr b, Expr c) {
    return make<math::FmaOp>(a.value, b.value, c.value);
  }
  Expr abs(Expr a) { return make<math::AbsFOp>(a.value); }
  Expr floor(Expr a) { return make<math::FloorOp>(a.value); }
  Expr sqrt(Expr a) { return make<math::SqrtOp>(a.value); }
  Expr copySign(Expr magnitude, Expr sign) {
    return make<math::CopySignOp>(magnitude.value, sign.value);
  }
  Expr select(Expr condition, Expr a, Expr b) {
    return make<arith::SelectOp>(condition.value, a.value, b.value);
  }
  Expr compare(arith::CmpFPredicate predicate, Expr a, Expr b) {
    return make<arith::CmpFOp>(predicate, a.value, b.value);
  }
  Expr compare(arith::CmpIPredicate predicate, Expr a, Expr b) {
    return make<arith::CmpIOp>(predicate, a.value, b.value);
  }
  /// The smaller or larger of x and a constant; a NaN in x stays.
  Expr atMost(Expr x, double bound);
  Expr atLeast(Expr x, double bound);

  Expr toBits(Expr a) { return make<arith::BitcastOp>(getIntType(), a.value); }
  Expr fromBits(Expr a) { return make<arith::BitcastOp>(floatType, a.value); }
  Expr toFloat(Expr a) { return make<arith::SIToFPOp>(floatType, a.value); }
  /// The same for |a| < 2^(mantissaBits - 1), without a conversion: x86 before
  /// AVX-512 has none for i64 vectors, and GPUs run it at a quarter of the
  /// rate.
  Expr smallToFloat(Expr a);
  Expr shiftRightSigned(Expr a, int64_t by) {
    return make<arith::ShRSIOp>(a.value, i(by).value);
  }

  /// round(a * b) to nearest even for |a * b| < 2^21 (f32) or 2^50 (f64), by
  /// adding 1.5 * 2^mantissaBits, which leaves the integer in the low bits.
  RoundedInt roundProduct(Expr a, Expr b);
  /// 2^k for exponentBias - 1 > |k|, k an integer expression.
  Expr powerOfTwo(Expr k);
  /// p * 2^k with one rounding, p in [0.5, 2], for every k where the result
  /// may be finite, and some beyond: |k| <= 2 * exponentBias - 4.
  Expr scaleByPowerOfTwo(Expr p, Expr k);
  /// c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule.
  Expr polynomial(Expr x, ArrayRef<double> coefficients);

  /// a * b and a + b exactly (up to underflow).
  HighLow exactProduct(Expr a, Expr b);
  HighLow exactSum(Expr a, Expr b);
  /// The same under |a| >= |b| or a == 0.
  HighLow exactSumOrdered(Expr a, Expr b);
  /// a * b with a relative error of a few 2^-(2 * precision).
  HighLow product(HighLow a, HighLow b);

  /// The NVVM intrinsic (f32, CUDA only) on every lane.
  Expr hardware(StringRef intrinsic, ArrayRef<Expr> operands);
  Expr hardwareExp2(Expr a) { return hardware("llvm.nvvm.ex2.approx.f32", a); }
  /// Gives zero for denormal results, which the other takes three instructions
  /// more for.
  Expr hardwareExp2Flushed(Expr a) {
    return hardware("llvm.nvvm.ex2.approx.ftz.f32", a);
  }
  Expr hardwareLog2(Expr a) { return hardware("llvm.nvvm.lg2.approx.f", a); }
  Expr hardwareRsqrt(Expr a) { return hardware("llvm.nvvm.rsqrt.approx.f", a); }
  Expr hardwareReciprocal(Expr a) {
    return hardware("llvm.nvvm.rcp.approx.ftz.f", a);
  }
  Expr hardwareDivide(Expr a, Expr b) {
    return hardware("llvm.nvvm.div.full", {a, b});
  }
  Expr hardwareTanh(Expr a);

  /// `common` where `isRare` is false; where it is true, what `rare` emits,
  /// which runs only if some lane needs it.
  SmallVector<Expr> unlessRare(Expr isRare, ArrayRef<Expr> common,
                               llvm::function_ref<SmallVector<Expr>()> rare);

  template <typename OpTy, typename... Args> Expr make(Args &&...args) {
    return wrap(OpTy::create(builder, loc, std::forward<Args>(args)...));
  }
  /// `element`, or the vector of it with the shape of the float type.
  Type withElement(Type element) const;
  OpBuilder &getBuilder() { return builder; }
  Location getLoc() const { return loc; }

private:
  Type bitsType() const { return builder.getIntegerType(isDouble() ? 64 : 32); }
  Expr constant(TypedAttr element, Type type);
  Expr perLane(ArrayRef<Expr> operands,
               llvm::function_ref<Value(ValueRange)> emitLane);

  OpBuilder &builder;
  Location loc;
  Type floatType;
  MathExpansionOptions options;
};

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

inline bool isInteger(const Expr &a) {
  return isa<IntegerType>(getElementTypeOrSelf(a.value.getType()));
}

inline Expr operator-(Expr a) {
  return a.emitter->make<arith::NegFOp>(a.value);
}
inline Expr operator/(Expr a, Expr b) {
  return a.emitter->make<arith::DivFOp>(a.value, b.value);
}

#define FUSE_ARITHMETIC_OPERATOR(SYMBOL, FLOAT_OP, INT_OP)                     \
  inline Expr operator SYMBOL(Expr a, Expr b) {                                \
    if (isInteger(a))                                                          \
      return a.emitter->make<INT_OP>(a.value, b.value);                        \
    return a.emitter->make<FLOAT_OP>(a.value, b.value);                        \
  }
FUSE_ARITHMETIC_OPERATOR(+, arith::AddFOp, arith::AddIOp)
FUSE_ARITHMETIC_OPERATOR(-, arith::SubFOp, arith::SubIOp)
FUSE_ARITHMETIC_OPERATOR(*, arith::MulFOp, arith::MulIOp)
#undef FUSE_ARITHMETIC_OPERATOR

#define FUSE_INTEGER_OPERATOR(SYMBOL, INT_OP)                                  \
  inline Expr operator SYMBOL(Expr a, Expr b) {                                \
    return a.emitter->make<INT_OP>(a.value, b.value);                          \
  }
FUSE_INTEGER_OPERATOR(&, arith::AndIOp)
FUSE_INTEGER_OPERATOR(|, arith::OrIOp)
FUSE_INTEGER_OPERATOR(^, arith::XOrIOp)
FUSE_INTEGER_OPERATOR(<<, arith::ShLIOp)
/// Logical, not arithmetic.
FUSE_INTEGER_OPERATOR(>>, arith::ShRUIOp)
#undef FUSE_INTEGER_OPERATOR

/// Ordered comparisons of floats: false where a NaN takes part.
inline Expr operator<(Expr a, Expr b) {
  return a.emitter->compare(arith::CmpFPredicate::OLT, a, b);
}
inline Expr operator>(Expr a, Expr b) {
  return a.emitter->compare(arith::CmpFPredicate::OGT, a, b);
}
inline Expr operator==(Expr a, Expr b) {
  return a.emitter->compare(arith::CmpFPredicate::OEQ, a, b);
}
/// True where a NaN takes part.
inline Expr operator!=(Expr a, Expr b) {
  return a.emitter->compare(arith::CmpFPredicate::UNE, a, b);
}

//===----------------------------------------------------------------------===//
// The expansions, one file per family
//===----------------------------------------------------------------------===//

// MathExp.cpp
Expr expandExp(Expr x);
Expr expandExp2(Expr x);
Expr expandExpM1(Expr x);
/// 2^t for |t| <= exponentBias - 2, where no scaling can overflow.
Expr exp2Bounded(Expr t);
/// 2^r - 1 for |r| <= 0.501.
Expr exp2M1Reduced(Expr r);
/// exp(x) - 1 without the care for the sign of zero.
Expr expM1Unsigned(Expr x);

// MathLog.cpp
Expr expandLog(Expr x);
Expr expandLog2(Expr x);
Expr expandLog1p(Expr x);
/// x = mantissa * 2^exponent with mantissa in [sqrt(1/2), sqrt(2)), for x
/// positive and finite; `exponent` is a float that holds an integer.
struct Decomposed {
  Expr mantissa, exponent;
};
Decomposed decompose(Expr x);

// MathDivide.cpp
/// The scalar that all lanes of the value are; the value where there is none.
Value sharedByLanes(Value value);
/// Whether the op is a division in f32 that may be approximate: it has `afn` or
/// `arcp`.
bool isExpandedDivision(Operation *op);
/// The quotient of such an op on CUDA.
Expr expandDivision(arith::DivFOp op, MathEmitter &e);

// MathErf.cpp
Expr expandTanh(Expr x);
Expr expandErf(Expr x);

// MathPow.cpp
Expr expandPow(Expr x, Expr y);

// MathTrig.cpp
Expr expandSin(Expr x);
Expr expandCos(Expr x);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MATHEMITTER_H
