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
// Sizes and steps of a slice
//===----------------------------------------------------------------------===//

static ParseResult parseSizesAfterEqual(OpAsmParser &parser,
                                        DenseI64ArrayAttr &sizes) {
  if (parser.parseEqual())
    return failure();
  sizes =
      dyn_cast_or_null<DenseI64ArrayAttr>(DenseI64ArrayAttr::parse(parser, {}));
  return success(sizes != nullptr);
}

ParseResult fuse::parseSliceSizes(OpAsmParser &parser, DenseI64ArrayAttr &sizes,
                                  DenseI64ArrayAttr &steps) {
  if (parser.parseKeyword("sizes") || parseSizesAfterEqual(parser, sizes))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("steps")))
    return parseSizesAfterEqual(parser, steps);
  SmallVector<int64_t> ones(sizes.size(), 1);
  steps = parser.getBuilder().getDenseI64ArrayAttr(ones);
  return success();
}

void fuse::printSliceSizes(OpAsmPrinter &printer, Operation *,
                           DenseI64ArrayAttr sizes, DenseI64ArrayAttr steps) {
  printer << "sizes = ";
  sizes.print(printer);
  // Steps of 1 are read back from a list of sizes as long.
  if (steps.size() == sizes.size() &&
      llvm::all_of(steps.asArrayRef(), [](int64_t step) { return step == 1; }))
    return;
  printer << " steps = ";
  steps.print(printer);
}

//===----------------------------------------------------------------------===//
// The value of a pad
//===----------------------------------------------------------------------===//

/// `number` in the type of `like`.
static APFloat convertLike(APFloat number, const APFloat &like) {
  bool losesInfo;
  number.convert(like.getSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return number;
}

namespace {
/// A number as written, before its type is known.
struct Literal {
  APFloat number = APFloat(0.0);
  /// Set for true, false and integers.
  std::optional<APInt> integer;
  bool isBool = false;
};
} // namespace

/// Reads `inf`, `nan`, `true` or `false`, if one stands there.
static bool parseOptionalWord(OpAsmParser &parser, Literal &literal) {
  const llvm::fltSemantics &semantics = literal.number.getSemantics();
  StringRef word;
  if (failed(
          parser.parseOptionalKeyword(&word, {"inf", "nan", "true", "false"})))
    return false;
  if (word == "inf")
    literal.number = APFloat::getInf(semantics);
  else if (word == "nan")
    literal.number = APFloat::getNaN(semantics);
  else
    literal.integer = APInt(2, word == "true");
  literal.isBool = literal.integer.has_value();
  return true;
}

static ParseResult parseLiteral(OpAsmParser &parser, Literal &literal) {
  bool isNegative = succeeded(parser.parseOptionalMinus());
  if (!parseOptionalWord(parser, literal)) {
    APInt integer;
    OptionalParseResult parsed = parser.parseOptionalInteger(integer);
    double number = 0.0;
    if (!parsed.has_value())
      parsed = parser.parseFloat(number);
    else
      // One bit more than a negated i64 needs.
      literal.integer = integer.zext(integer.getBitWidth() + 1);
    if (failed(*parsed))
      return failure();
    literal.number = APFloat(number);
  }
  if (isNegative && literal.integer)
    literal.integer->negate();
  else if (isNegative)
    literal.number.changeSign();
  if (literal.integer)
    literal.number.convertFromAPInt(*literal.integer, /*IsSigned=*/true,
                                    APFloat::rmNearestTiesToEven);
  return success();
}

/// The attribute of `element` that the literal stands for, or none.
static TypedAttr getAttribute(const Literal &literal, Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    if (literal.isBool)
      return {};
    APFloat number =
        convertLike(literal.number, APFloat(type.getFloatSemantics()));
    // f8E4M3FN has no infinity, and NaN where others overflow.
    bool isSameKind = number.isNaN() == literal.number.isNaN() &&
                      number.isInfinity() == literal.number.isInfinity();
    return isSameKind ? FloatAttr::get(type, number) : TypedAttr();
  }
  auto type = dyn_cast<IntegerType>(element);
  if (!type || !literal.integer || literal.isBool != type.isInteger(1))
    return {};
  unsigned width = type.getWidth();
  bool fits = type.isUnsigned() ? !literal.integer->isNegative() &&
                                      literal.integer->isIntN(width)
                                : literal.integer->isSignedIntN(width);
  if (!literal.isBool && !fits)
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
  if (!number.isFinite()) {
    printer << (number.isNegative() ? "-" : "")
            << (number.isNaN() ? "nan" : "inf");
    return;
  }
  // Six digits where they are enough, else all of the double, in the form with
  // an exponent, which is a float also where the number is an integer.
  APFloat wide = convertLike(number, APFloat(0.0));
  SmallString<32> text;
  wide.toString(text, /*FormatPrecision=*/6, /*FormatMaxPadding=*/0,
                /*TruncateZero=*/false);
  APFloat read(wide.getSemantics(), text);
  if (!convertLike(read, number).bitwiseIsEqual(number)) {
    text.clear();
    wide.toString(text, /*FormatPrecision=*/0, /*FormatMaxPadding=*/0,
                  /*TruncateZero=*/false);
  }
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
