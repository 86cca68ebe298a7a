//===- MathEmitter.cpp - Writes math formulas as arith ops ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::fuse;

Type MathEmitter::withElement(Type element) const {
  if (auto vector = dyn_cast<VectorType>(floatType))
    return VectorType::get(vector.getShape(), element);
  return element;
}

Expr MathEmitter::constant(TypedAttr element, Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return make<arith::ConstantOp>(
        DenseElementsAttr::get(vector, ArrayRef<Attribute>(element)));
  return make<arith::ConstantOp>(element);
}

Expr MathEmitter::f(double value) {
  Type element = getElementTypeOrSelf(floatType);
  return constant(builder.getFloatAttr(element, value), floatType);
}

Expr MathEmitter::i(int64_t value) {
  return constant(builder.getIntegerAttr(bitsType(), value), getIntType());
}

Expr MathEmitter::nan() { return f(std::numeric_limits<double>::quiet_NaN()); }

Expr MathEmitter::infinity() {
  return f(std::numeric_limits<double>::infinity());
}

Expr MathEmitter::atMost(Expr x, double bound) {
  Expr limit = f(bound);
  if (hasHardwareMath()) // One instruction, min.NaN.
    return make<arith::MinimumFOp>(x.value, limit.value);
  return select(x > limit, limit, x);
}

Expr MathEmitter::atLeast(Expr x, double bound) {
  Expr limit = f(bound);
  if (hasHardwareMath())
    return make<arith::MaximumFOp>(x.value, limit.value);
  return select(x < limit, limit, x);
}

RoundedInt MathEmitter::roundProduct(Expr a, Expr b) {
  Expr magic = f(std::ldexp(1.5, mantissaBits()));
  Expr shifted = fma(a, b, magic);
  return {shifted - magic, toBits(shifted) - toBits(magic)};
}

Expr MathEmitter::smallToFloat(Expr a) {
  Expr magic = f(std::ldexp(1.5, mantissaBits()));
  return fromBits(a + toBits(magic)) - magic;
}

Expr MathEmitter::powerOfTwo(Expr k) {
  return fromBits((k + i(exponentBias())) << i(mantissaBits()));
}

Expr MathEmitter::scaleByPowerOfTwo(Expr p, Expr k) {
  Expr half = shiftRightSigned(k, 1);
  return p * powerOfTwo(half) * powerOfTwo(k - half);
}

Expr MathEmitter::polynomial(Expr x, ArrayRef<double> coefficients) {
  Expr sum = f(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, f(c));
  return sum;
}

HighLow MathEmitter::exactProduct(Expr a, Expr b) {
  Expr high = a * b;
  return {high, fma(a, b, -high)};
}

HighLow MathEmitter::exactSum(Expr a, Expr b) {
  Expr sum = a + b;
  Expr bPart = sum - a;
  return {sum, (a - (sum - bPart)) + (b - bPart)};
}

HighLow MathEmitter::exactSumOrdered(Expr a, Expr b) {
  Expr sum = a + b;
  return {sum, b - (sum - a)};
}

HighLow MathEmitter::product(HighLow a, HighLow b) {
  HighLow p = exactProduct(a.high, b.high);
  Expr cross = fma(a.high, b.low, a.low * b.high);
  return exactSumOrdered(p.high, p.low + cross);
}

Expr MathEmitter::perLane(ArrayRef<Expr> operands,
                          llvm::function_ref<Value(ValueRange)> emitLane) {
  auto vector = dyn_cast<VectorType>(floatType);
  if (!vector) {
    SmallVector<Value> scalars;
    for (const Expr &operand : operands)
      scalars.push_back(operand.value);
    return wrap(emitLane(scalars));
  }
  SmallVector<Value> results;
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
    SmallVector<Value> scalars;
    for (const Expr &operand : operands)
      scalars.push_back(
          vector::ExtractOp::create(builder, loc, operand.value, lane));
    results.push_back(emitLane(scalars));
  }
  return make<vector::FromElementsOp>(vector, results);
}

Expr MathEmitter::hardware(StringRef intrinsic, ArrayRef<Expr> operands) {
  return perLane(operands, [&](ValueRange lane) -> Value {
    return LLVM::CallIntrinsicOp::create(builder, loc, builder.getF32Type(),
                                         builder.getStringAttr(intrinsic), lane)
        .getResult(0);
  });
}

Expr MathEmitter::hardwareTanh(Expr a) {
  // NVPTX selects tanh.approx.f32 for an llvm.tanh that carries afn.
  return perLane(a, [&](ValueRange lane) -> Value {
    return LLVM::TanhOp::create(builder, loc, builder.getF32Type(), lane[0],
                                LLVM::FastmathFlags::afn);
  });
}

SmallVector<Expr>
MathEmitter::unlessRare(Expr isRare, ArrayRef<Expr> common,
                        llvm::function_ref<SmallVector<Expr>()> rare) {
  Value any = isRare.value;
  if (isa<VectorType>(any.getType()))
    any = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR,
                                      any);
  SmallVector<Value> commonValues;
  for (const Expr &value : common)
    commonValues.push_back(value.value);

  auto emitRare = [&](OpBuilder &, Location) {
    SmallVector<Value> selected;
    for (auto [rareValue, commonValue] : llvm::zip_equal(rare(), common))
      selected.push_back(select(isRare, rareValue, commonValue).value);
    scf::YieldOp::create(builder, loc, selected);
  };
  auto emitCommon = [&](OpBuilder &, Location) {
    scf::YieldOp::create(builder, loc, commonValues);
  };
  auto branch = scf::IfOp::create(builder, loc, any, emitRare, emitCommon);
  return llvm::map_to_vector(branch.getResults(),
                             [&](Value value) { return wrap(value); });
}
