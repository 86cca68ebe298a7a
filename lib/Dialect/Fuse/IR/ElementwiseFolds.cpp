//===- ElementwiseFolds.cpp - Folds that never change a result ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fold may replace an op only where every bit of what leaves the kernel stays
// the same, so
//  - a float identity holds for NaN, infinities and both zeros: x + -0 is x,
//    but x + 0 is not (-0 + 0 is 0);
//  - constants of f16 and bf16 are folded only where the result is exact, since
//    a kernel keeps such a value in f32 and rounds it later;
//  - transcendental functions are not folded, since the host's differ;
//  - an operand replaces the result only if it has the result's type: its shape
//    may have been broadcast.
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

template <typename T> static std::optional<T> getSplat(Attribute attribute) {
  auto elements = dyn_cast_or_null<SplatElementsAttr>(attribute);
  using Kind =
      std::conditional_t<std::is_same_v<T, APInt>, IntegerType, FloatType>;
  if (!elements || !isa<Kind>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<T>();
}

static bool isFloat(Attribute attribute, double value) {
  std::optional<APFloat> splat = getSplat<APFloat>(attribute);
  if (!splat)
    return false;
  bool losesInfo = false;
  APFloat expected(value);
  expected.convert(splat->getSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
  return splat->bitwiseIsEqual(expected);
}

static bool isInt(Attribute attribute, int64_t value) {
  std::optional<APInt> splat = getSplat<APInt>(attribute);
  return splat && splat->getSExtValue() == value;
}

static bool isTrue(Attribute attribute) {
  std::optional<APInt> splat = getSplat<APInt>(attribute);
  return splat && splat->isAllOnes();
}

static bool isFalse(Attribute attribute) {
  std::optional<APInt> splat = getSplat<APInt>(attribute);
  return splat && splat->isZero();
}

/// `value` if it can stand for a result of type `result`.
static OpFoldResult forwardIfTyped(Value value, Type result) {
  return value.getType() == result ? OpFoldResult(value) : OpFoldResult();
}

static bool isRoundedLate(Type element) {
  return element.getIntOrFloatBitWidth() < 32;
}

using FoldFloats = APFloat::opStatus (*)(APFloat &, const APFloat &);
using FoldInts = APInt (*)(const APInt &, const APInt &);

/// Folds two splats of one element type.
static OpFoldResult foldSplats(Attribute lhs, Attribute rhs,
                               RankedTensorType result, FoldFloats foldFloats,
                               FoldInts foldInts) {
  if (!result.hasStaticShape())
    return {};
  if (auto x = getSplat<APInt>(lhs), y = getSplat<APInt>(rhs); x && y)
    return SplatElementsAttr::get(result, foldInts(*x, *y));
  auto x = getSplat<APFloat>(lhs), y = getSplat<APFloat>(rhs);
  if (!x || !y)
    return {};
  APFloat::opStatus status = foldFloats(*x, *y);
  if (isRoundedLate(result.getElementType()) && status != APFloat::opOK)
    return {};
  return SplatElementsAttr::get(result, *x);
}

static constexpr auto kRounding = APFloat::rmNearestTiesToEven;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (isFloat(adaptor.getRhs(), -0.0) || isInt(adaptor.getRhs(), 0))
    if (OpFoldResult lhs = forwardIfTyped(getLhs(), getType()))
      return lhs;
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](APFloat &x, const APFloat &y) { return x.add(y, kRounding); },
      [](const APInt &x, const APInt &y) { return x + y; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (isFloat(adaptor.getRhs(), 0.0) || isInt(adaptor.getRhs(), 0))
    if (OpFoldResult lhs = forwardIfTyped(getLhs(), getType()))
      return lhs;
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](APFloat &x, const APFloat &y) { return x.subtract(y, kRounding); },
      [](const APInt &x, const APInt &y) { return x - y; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isFloat(adaptor.getRhs(), 1.0) || isInt(adaptor.getRhs(), 1))
    if (OpFoldResult lhs = forwardIfTyped(getLhs(), getType()))
      return lhs;
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](APFloat &x, const APFloat &y) { return x.multiply(y, kRounding); },
      [](const APInt &x, const APInt &y) { return x * y; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isFloat(adaptor.getRhs(), 1.0) || isInt(adaptor.getRhs(), 1))
    if (OpFoldResult lhs = forwardIfTyped(getLhs(), getType()))
      return lhs;
  // APInt wraps the smallest integer divided by -1 as the op asks.
  FoldInts divideSigned = [](const APInt &x, const APInt &y) {
    return y.isZero() ? APInt::getZero(x.getBitWidth()) : x.sdiv(y);
  };
  FoldInts divideUnsigned = [](const APInt &x, const APInt &y) {
    return y.isZero() ? APInt::getZero(x.getBitWidth()) : x.udiv(y);
  };
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](APFloat &x, const APFloat &y) { return x.divide(y, kRounding); },
      getType().getElementType().isUnsignedInteger() ? divideUnsigned
                                                     : divideSigned);
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  if (isFloat(adaptor.getRhs(), 1.0))
    return forwardIfTyped(getLhs(), getType());
  return {};
}

/// pow(x, 2) is mul(x, x).
LogicalResult PowOp::canonicalize(PowOp op, PatternRewriter &rewriter) {
  Attribute exponent;
  if (!matchPattern(op.getRhs(), m_Constant(&exponent)) ||
      !isFloat(exponent, 2.0))
    return rewriter.notifyMatchFailure(op,
                                       "the exponent is not the constant 2");
  if (op.getLhs().getType() != op.getType())
    return rewriter.notifyMatchFailure(op, "the base is broadcast");
  rewriter.replaceOpWithNewOp<MulOp>(op, op.getLhs(), op.getLhs());
  return success();
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getInput().getDefiningOp<NegOp>())
    return inner.getInput();
  if (!getType().hasStaticShape())
    return {};
  if (std::optional<APInt> x = getSplat<APInt>(adaptor.getInput()))
    return SplatElementsAttr::get(getType(), -*x);
  if (std::optional<APFloat> x = getSplat<APFloat>(adaptor.getInput()))
    return SplatElementsAttr::get(getType(), -*x);
  return {};
}

//===----------------------------------------------------------------------===//
// Logic and selection
//===----------------------------------------------------------------------===//

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (isTrue(adaptor.getRhs()) || getLhs() == getRhs())
    return forwardIfTyped(getLhs(), getType());
  if (isFalse(adaptor.getRhs()))
    return forwardIfTyped(getRhs(), getType());
  return {};
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (isFalse(adaptor.getRhs()) || getLhs() == getRhs())
    return forwardIfTyped(getLhs(), getType());
  if (isTrue(adaptor.getRhs()))
    return forwardIfTyped(getRhs(), getType());
  return {};
}

OpFoldResult XorOp::fold(FoldAdaptor adaptor) {
  if (isFalse(adaptor.getRhs()))
    return forwardIfTyped(getLhs(), getType());
  return {};
}

OpFoldResult NotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getInput().getDefiningOp<NotOp>())
    return inner.getInput();
  if (std::optional<APInt> x = getSplat<APInt>(adaptor.getInput()))
    return SplatElementsAttr::get(getType(), ~*x);
  return {};
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (isTrue(adaptor.getCondition()) || getTrueValue() == getFalseValue())
    return forwardIfTyped(getTrueValue(), getType());
  if (isFalse(adaptor.getCondition()))
    return forwardIfTyped(getFalseValue(), getType());
  return {};
}

//===----------------------------------------------------------------------===//
// Cast
//===----------------------------------------------------------------------===//

/// `value` as a float of `type`: to nearest, and to 8 bits saturating.
static APFloat roundFloat(APFloat value, FloatType type) {
  bool ignored = false;
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  if (type.getWidth() == 8 && !value.isNaN()) {
    APFloat largest = APFloat::getLargest(semantics);
    largest.convert(value.getSemantics(), kRounding, &ignored);
    if (abs(value) > largest)
      value = value.isNegative() ? -largest : largest;
  }
  value.convert(semantics, kRounding, &ignored);
  return value;
}

/// A float as `element`: to an integer towards zero, saturating, NaN as 0; to
/// i1 by comparison with zero.
static Attribute castFloat(const APFloat &value, Type element) {
  bool ignored = false;
  if (auto type = dyn_cast<FloatType>(element))
    return FloatAttr::get(type, roundFloat(value, type));
  if (element.isInteger(1))
    return IntegerAttr::get(element, value.isZero() ? 0 : 1);
  APSInt result(element.getIntOrFloatBitWidth(), element.isUnsignedInteger());
  value.convertToInteger(result, APFloat::rmTowardZero, &ignored);
  return IntegerAttr::get(element, result);
}

/// An integer as `element`: wrapping; an i1 counts as 0 or 1.
static Attribute castInt(const APInt &value, bool isUnsigned, Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    bool isNarrow = type.getWidth() == 8;
    // By way of f64, which holds all that 8 bits do not saturate.
    APFloat result(isNarrow ? APFloat::IEEEdouble() : type.getFloatSemantics());
    result.convertFromAPInt(value, !isUnsigned, kRounding);
    return FloatAttr::get(type, isNarrow ? roundFloat(result, type) : result);
  }
  if (element.isInteger(1))
    return IntegerAttr::get(element, value.isZero() ? 0 : 1);
  unsigned width = element.getIntOrFloatBitWidth();
  return IntegerAttr::get(element, isUnsigned ? value.zextOrTrunc(width)
                                              : value.sextOrTrunc(width));
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  Type element = getType().getElementType();
  // A cast of f16 to f16 still rounds what its operand computed in f32.
  if (getInput().getType() == getType() &&
      (isa<IntegerType>(element) || !isRoundedLate(element)))
    return getInput();
  // A cast that ends a composite rounds later, where its value is stored.
  bool isLate = (*this)->hasAttr(kImplicitAttr) && isRoundedLate(element);
  if (isLate || !getType().hasStaticShape())
    return {};
  if (std::optional<APFloat> value = getSplat<APFloat>(adaptor.getInput()))
    return SplatElementsAttr::get(getType(), castFloat(*value, element));
  Type from = getInput().getType().getElementType();
  if (std::optional<APInt> value = getSplat<APInt>(adaptor.getInput()))
    return SplatElementsAttr::get(
        getType(),
        castInt(*value, from.isUnsignedInteger() || from.isInteger(1),
                element));
  return {};
}
