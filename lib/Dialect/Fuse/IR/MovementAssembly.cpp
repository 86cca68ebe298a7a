//===- MovementAssembly.cpp - Movement ops as text ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MovementAssembly.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <limits>

using namespace mlir;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

ParseResult fuse::parseSliceSteps(OpAsmParser &parser, DenseI64ArrayAttr &steps,
                                  DenseI64ArrayAttr offsets) {
  if (failed(parser.parseOptionalKeyword("steps"))) {
    SmallVector<int64_t> ones(offsets.size(), 1);
    steps = parser.getBuilder().getDenseI64ArrayAttr(ones);
    return success();
  }
  if (parser.parseEqual())
    return failure();
  steps =
      dyn_cast_or_null<DenseI64ArrayAttr>(DenseI64ArrayAttr::parse(parser, {}));
  return success(steps != nullptr);
}

void fuse::printSliceSteps(OpAsmPrinter &printer, Operation *,
                           DenseI64ArrayAttr steps, DenseI64ArrayAttr offsets) {
  if (steps.size() == offsets.size() &&
      llvm::all_of(steps.asArrayRef(), [](int64_t step) { return step == 1; }))
    return;
  printer << "steps = ";
  steps.print(printer);
}

//===----------------------------------------------------------------------===//
// The value of a pad
//===----------------------------------------------------------------------===//

namespace {
/// A number as written, before its type is known.
struct Literal {
  APFloat number = APFloat(0.0);
  /// Set for true, false and integers.
  std::optional<APInt> integer;
  bool isBool = false;
};
} // namespace

static ParseResult parseLiteral(OpAsmParser &parser, Literal &literal) {
  StringRef keyword;
  bool isNegative = succeeded(parser.parseOptionalMinus());
  APInt integer;
  OptionalParseResult parsed = parser.parseOptionalInteger(integer);
  if (parsed.has_value()) {
    if (failed(*parsed))
      return failure();
    // Room for a sign, so that all bits of an i64 can be negated.
    integer = integer.zext(integer.getBitWidth() + 1);
    literal.integer = isNegative ? -integer : integer;
    literal.number.convertFromAPInt(*literal.integer, /*IsSigned=*/true,
                                    APFloat::rmNearestTiesToEven);
  } else if (succeeded(parser.parseOptionalKeyword(
                 &keyword, {"inf", "nan", "true", "false"}))) {
    const llvm::fltSemantics &semantics = literal.number.getSemantics();
    if (keyword == "inf")
      literal.number = APFloat::getInf(semantics);
    else if (keyword == "nan")
      literal.number = APFloat::getNaN(semantics);
    else
      literal.integer = APInt(2, keyword == "true");
    literal.isBool = literal.integer.has_value();
  } else {
    double number;
    if (parser.parseFloat(number))
      return failure();
    literal.number = APFloat(number);
  }
  if (isNegative && !literal.integer)
    literal.number.changeSign();
  return success();
}

/// The attribute of `element` that the literal stands for, or none.
static TypedAttr getAttribute(const Literal &literal, Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    if (literal.isBool)
      return {};
    bool losesInfo;
    APFloat number = literal.number;
    number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return FloatAttr::get(type, number);
  }
  auto type = dyn_cast<IntegerType>(element);
  if (!type || !literal.integer || literal.isBool != type.isInteger(1))
    return {};
  unsigned width = type.getWidth();
  if (!literal.isBool && !literal.integer->isSignedIntN(width))
    return {};
  return IntegerAttr::get(type, literal.integer->sextOrTrunc(width));
}

ParseResult fuse::parsePadValue(OpAsmParser &parser, TypedAttr &value,
                                Type &input, Type &result) {
  Literal literal;
  if (parser.parseKeyword("value") || parser.parseEqual())
    return failure();
  SMLoc start = parser.getCurrentLocation();
  if (parseLiteral(parser, literal) || parser.parseColonType(input) ||
      parser.parseArrow() || parser.parseType(result))
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(input);
  if (!tensor)
    return parser.emitError(start, "expected a ranked tensor, but got ")
           << input << "; give the tensor a rank";
  value = getAttribute(literal, tensor.getElementType());
  if (value)
    return success();
  return parser.emitError(start, "expected a value that fits ")
         << tensor.getElementType()
         << ", but got another; write a number, or true or false for i1";
}

static void printFloat(OpAsmPrinter &printer, const APFloat &number) {
  if (number.isNaN()) {
    printer << (number.isNegative() ? "-nan" : "nan");
    return;
  }
  if (number.isInfinity()) {
    printer << (number.isNegative() ? "-inf" : "inf");
    return;
  }
  // A short form where it is exact, else one with an exponent, which is read as
  // a float whatever the number is.
  SmallString<32> text;
  number.toString(text, /*FormatPrecision=*/6, /*FormatMaxPadding=*/0,
                  /*TruncateZero=*/false);
  if (APFloat(number.getSemantics(), text).bitwiseIsEqual(number)) {
    printer << text;
    return;
  }
  text.clear();
  number.toString(text, /*FormatPrecision=*/0, /*FormatMaxPadding=*/0,
                  /*TruncateZero=*/false);
  printer << text;
}

void fuse::printPadValue(OpAsmPrinter &printer, Operation *, TypedAttr value,
                         Type input, Type result) {
  printer << "value = ";
  if (auto number = dyn_cast<FloatAttr>(value))
    printFloat(printer, number.getValue());
  else
    printer.printAttributeWithoutType(value);
  printer << " : " << input << " -> " << result;
}
