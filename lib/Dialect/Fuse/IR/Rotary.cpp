//===- Rotary.cpp - Assembly and verifier of fuse.rotary ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "mlir/IR/DialectImplementation.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

int64_t RotaryOp::getHeadDim() {
  return getInput().getType().getShape().back();
}

int64_t RotaryOp::getRotaryDims() {
  return getDims() ? static_cast<int64_t>(*getDims()) : getHeadDim();
}

int64_t RotaryOp::getTokenAxis() {
  int64_t rank = getInput().getType().getRank();
  return getOrder() == HeadOrder::tokens_heads ? rank - 3 : rank - 2;
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

namespace {
using Operand = OpAsmParser::UnresolvedOperand;

/// The operands of a rotary op as they stand in the text.
struct RotaryOperands {
  Operand input;
  std::optional<std::pair<Operand, Operand>> tables;
  std::optional<Operand> positions;
};
} // namespace

/// LAYOUT ORDER %x (`tables` `(` %cos `,` %sin `)`)? (`positions` `(` %p `)`)?
static ParseResult parseRotaryOperands(OpAsmParser &parser,
                                       RotaryOp::Properties &properties,
                                       RotaryOperands &operands) {
  FailureOr<RotaryLayout> layout = FieldParser<RotaryLayout>::parse(parser);
  if (failed(layout))
    return failure();
  FailureOr<HeadOrder> order = FieldParser<HeadOrder>::parse(parser);
  if (failed(order) || parser.parseOperand(operands.input))
    return failure();
  properties.layout = RotaryLayoutAttr::get(parser.getContext(), *layout);
  properties.order = HeadOrderAttr::get(parser.getContext(), *order);
  if (succeeded(parser.parseOptionalKeyword("tables"))) {
    auto &[cosTable, sinTable] = operands.tables.emplace();
    if (parser.parseLParen() || parser.parseOperand(cosTable) ||
        parser.parseComma() || parser.parseOperand(sinTable) ||
        parser.parseRParen())
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("positions"))) {
    operands.positions.emplace();
    if (parser.parseLParen() || parser.parseOperand(*operands.positions) ||
        parser.parseRParen())
      return failure();
  }
  return success();
}

/// (`base` `=` F64)? (`dims` `=` I64)? `inverse`?
static ParseResult parseRotaryAttributes(OpAsmParser &parser,
                                         RotaryOp::Properties &properties) {
  Builder &builder = parser.getBuilder();
  if (succeeded(parser.parseOptionalKeyword("base")))
    if (parser.parseEqual() ||
        parser.parseAttribute(properties.base, builder.getF64Type()))
      return failure();
  if (succeeded(parser.parseOptionalKeyword("dims")))
    if (parser.parseEqual() ||
        parser.parseAttribute(properties.dims, builder.getI64Type()))
      return failure();
  if (succeeded(parser.parseOptionalKeyword("inverse")))
    properties.inverse = builder.getUnitAttr();
  return success();
}

/// `:` INPUT (`,` TABLE)? (`,` POSITIONS)?
static ParseResult resolveRotaryOperands(OpAsmParser &parser,
                                         const RotaryOperands &operands,
                                         OperationState &result) {
  Type input, table, positions;
  if (parser.parseColonType(input) ||
      (operands.tables && (parser.parseComma() || parser.parseType(table))) ||
      (operands.positions &&
       (parser.parseComma() || parser.parseType(positions))) ||
      parser.resolveOperand(operands.input, input, result.operands))
    return failure();
  if (operands.tables &&
      (parser.resolveOperand(operands.tables->first, table, result.operands) ||
       parser.resolveOperand(operands.tables->second, table, result.operands)))
    return failure();
  if (operands.positions &&
      parser.resolveOperand(*operands.positions, positions, result.operands))
    return failure();
  result.addTypes(input);
  return success();
}

ParseResult RotaryOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  RotaryOperands operands;
  if (parseRotaryOperands(parser, properties, operands) ||
      parseRotaryAttributes(parser, properties) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      resolveRotaryOperands(parser, operands, result))
    return failure();
  int32_t tables = operands.tables ? 1 : 0;
  properties.operandSegmentSizes = {1, tables, tables,
                                    operands.positions ? 1 : 0};
  return success();
}

void RotaryOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getLayout() << ' ' << getOrder() << ' ' << getInput();
  if (getCosTable())
    printer << " tables(" << getCosTable() << ", " << getSinTable() << ')';
  if (getPositions())
    printer << " positions(" << getPositions() << ')';
  if (getBaseAttr()) {
    printer << " base = ";
    printer.printAttributeWithoutType(getBaseAttr());
  }
  if (getDims())
    printer << " dims = " << static_cast<int64_t>(*getDims());
  if (getInverse())
    printer << " inverse";
  printer.printOptionalAttrDict(
      llvm::to_vector((*this)->getDiscardableAttrs()));
  printer << " : " << getInput().getType();
  if (getCosTable())
    printer << ", " << getCosTable().getType();
  if (getPositions())
    printer << ", " << getPositions().getType();
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

static LogicalResult verifyRotaryTables(RotaryOp op) {
  // 3. The tables have equal types, shape [rows, R/2], and element type f32 or
  //    that of the input. Without `positions`, rows equal the tokens.
  RankedTensorType cosType = op.getCosTable().getType();
  RankedTensorType sinType = op.getSinTable().getType();
  if (cosType != sinType)
    return op.emitOpError("expected tables of one type, but got ")
           << cosType << " for cos and " << sinType
           << " for sin; give them one type";
  int64_t pairs = op.getRotaryDims() / 2;
  if (cosType.getRank() != 2 || cosType.getDimSize(1) != pairs)
    return op.emitOpError("expected tables of shape [rows, ")
           << pairs << "], but got " << cosType
           << "; give a row of R/2 values for each position";
  Type element = op.getType().getElementType();
  if (!cosType.getElementType().isF32() && cosType.getElementType() != element)
    return op.emitOpError("expected tables of f32 or ")
           << element << ", but got " << cosType << "; insert a fuse.cast";
  int64_t tokens = op.getType().getDimSize(op.getTokenAxis());
  if (!op.getPositions() && !mayBeEqual(cosType.getDimSize(0), tokens))
    return op.emitOpError("expected tables with a row for each of ")
           << tokens << " tokens, but got " << cosType.getDimSize(0)
           << " rows; give positions";
  return success();
}

static LogicalResult verifyRotaryPositions(RotaryOp op) {
  // 4. `positions` is [tokens] or [batch, tokens], where batch is the input's
  //    first axis, of i32 or i64.
  RankedTensorType input = op.getType();
  RankedTensorType positions = op.getPositions().getType();
  int64_t tokens = input.getDimSize(op.getTokenAxis());
  int64_t rank = positions.getRank();
  bool fits = rank == 1 || (rank == 2 && op.getTokenAxis() > 0);
  fits = fits && mayBeEqual(positions.getDimSize(rank - 1), tokens);
  if (fits && rank == 2)
    fits = mayBeEqual(positions.getDimSize(0), input.getDimSize(0));
  if (fits)
    return success();
  return op.emitOpError("expected positions of shape [tokens] or [batch, "
                        "tokens] of ")
         << input << ", but got " << positions
         << "; give one position for each token";
}

LogicalResult RotaryOp::verify() {
  RankedTensorType input = getType();
  // 5. The input has rank 3 or more for `tokens_heads`, 2 or more for
  //    `heads_tokens`.
  int64_t rank = getOrder() == HeadOrder::tokens_heads ? 3 : 2;
  if (input.getRank() < rank)
    return emitOpError("expected input of rank ")
           << rank << " or more for " << stringifyHeadOrder(getOrder())
           << ", but got " << input << "; insert a tensor.expand_shape";
  // 1. D is static and even; R is even, positive and at most D.
  if (ShapedType::isDynamic(getHeadDim()) || getHeadDim() % 2 != 0)
    return emitOpError("expected input with a static, even last dimension, but "
                       "got ")
           << input << "; make the head size static and even";
  if (getRotaryDims() <= 0 || getRotaryDims() % 2 != 0 ||
      getRotaryDims() > getHeadDim())
    return emitOpError("expected dims to be even, positive and at most ")
           << getHeadDim() << ", but got " << getRotaryDims()
           << "; rotate whole pairs of a head's features";
  // 2. Either both tables are given, or `base`, not both.
  if (bool(getCosTable()) != bool(getSinTable()))
    return emitOpError("expected both tables or none, but got one; give cos "
                       "and sin");
  if (bool(getCosTable()) == bool(getBaseAttr()))
    return emitOpError("expected either tables or base, but got ")
           << (getBaseAttr() ? "both" : "neither")
           << "; give 'tables(%cos, %sin)' or 'base = 1.0e4'";
  if (getCosTable() && failed(verifyRotaryTables(*this)))
    return failure();
  if (getPositions() && failed(verifyRotaryPositions(*this)))
    return failure();
  // 6. `base` is positive and finite.
  if (!getBaseAttr())
    return success();
  double base = getBaseAttr().getValueAsDouble();
  if (std::isfinite(base) && base > 0)
    return success();
  return emitOpError("expected base to be positive and finite, but got ")
         << base << "; 1.0e4 is usual";
}
