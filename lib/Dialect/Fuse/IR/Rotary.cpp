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

int64_t RotaryOp::getHeadAxis() {
  int64_t rank = getInput().getType().getRank();
  return getOrder() == HeadOrder::tokens_heads ? rank - 2 : rank - 3;
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

namespace {
using Operand = OpAsmParser::UnresolvedOperand;

/// Clauses of one operand, in the order of the operands.
constexpr StringLiteral clauses[] = {"positions", "sequences", "offset",
                                     "length"};
constexpr unsigned numClauses = std::size(clauses);

/// The operands of a rotary op as they stand in the text.
struct RotaryOperands {
  Operand input;
  std::optional<std::pair<Operand, Operand>> tables;
  std::optional<Operand> clause[numClauses];
};
} // namespace

/// LAYOUT ORDER %x (`tables` `(` %cos `,` %sin `)`)? (CLAUSE `(` %p `)`)*
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
  for (auto [name, operand] : llvm::zip_equal(clauses, operands.clause))
    if (succeeded(parser.parseOptionalKeyword(name)))
      if (parser.parseLParen() || parser.parseOperand(operand.emplace()) ||
          parser.parseRParen())
        return failure();
  return success();
}

/// (`base` `=` F64)? (`dims` `=` I64)? (`heads` `=` I64)?
/// (`scaling` `(` ATTR `)`)? `inverse`?
static ParseResult parseRotaryAttributes(OpAsmParser &parser,
                                         RotaryOp::Properties &properties) {
  Builder &builder = parser.getBuilder();
  auto parse = [&](StringRef name, auto &attribute, Type type) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(name)))
      return success();
    return failure(parser.parseEqual() ||
                   parser.parseAttribute(attribute, type));
  };
  if (parse("base", properties.base, builder.getF64Type()) ||
      parse("dims", properties.dims, builder.getI64Type()) ||
      parse("heads", properties.heads, builder.getI64Type()))
    return failure();
  // In parentheses: a dialect's attribute takes a ": type" that follows.
  if (succeeded(parser.parseOptionalKeyword("scaling")))
    if (parser.parseLParen() || parser.parseAttribute(properties.scaling) ||
        parser.parseRParen())
      return failure();
  if (succeeded(parser.parseOptionalKeyword("inverse")))
    properties.inverse = builder.getUnitAttr();
  return success();
}

/// What may follow the input, in this order.
constexpr StringLiteral orderOfClauses =
    "tables, positions, sequences, offset, length, base, dims, heads, scaling, "
    "inverse";

/// A word after all clauses: one that stands too late, or none.
static ParseResult refuseWord(OpAsmParser &parser) {
  SMLoc start = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    return success();
  SmallVector<StringRef> known;
  orderOfClauses.split(known, ", ");
  InFlightDiagnostic error = parser.emitError(start);
  if (llvm::is_contained(known, word))
    return error << "expected '" << word << "' once and before what follows "
                 << "it in the order " << orderOfClauses
                 << ", but got it later; move it there";
  return error << "expected one of " << orderOfClauses << ", but got '" << word
               << "'; write these, in this order";
}

/// `:` INPUT (`,` TABLE)? (`,` TYPE)*, a type for each clause
static ParseResult resolveRotaryOperands(OpAsmParser &parser,
                                         const RotaryOperands &operands,
                                         OperationState &result) {
  Type input, table;
  if (parser.parseColonType(input) ||
      (operands.tables && (parser.parseComma() || parser.parseType(table))) ||
      parser.resolveOperand(operands.input, input, result.operands))
    return failure();
  if (operands.tables &&
      (parser.resolveOperand(operands.tables->first, table, result.operands) ||
       parser.resolveOperand(operands.tables->second, table, result.operands)))
    return failure();
  for (const std::optional<Operand> &operand : operands.clause) {
    Type type;
    if (operand && (parser.parseComma() || parser.parseType(type) ||
                    parser.resolveOperand(*operand, type, result.operands)))
      return failure();
  }
  result.addTypes(input);
  return success();
}

ParseResult RotaryOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  RotaryOperands operands;
  if (parseRotaryOperands(parser, properties, operands) ||
      parseRotaryAttributes(parser, properties) || refuseWord(parser) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      resolveRotaryOperands(parser, operands, result))
    return failure();
  int32_t tables = operands.tables ? 1 : 0;
  auto &segments = properties.operandSegmentSizes;
  segments = {1, tables, tables};
  for (auto [number, operand] : llvm::enumerate(operands.clause))
    segments[3 + number] = operand ? 1 : 0;
  return success();
}

void RotaryOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getLayout() << ' ' << getOrder() << ' ' << getInput();
  if (getCosTable())
    printer << " tables(" << getCosTable() << ", " << getSinTable() << ')';
  Value clauseOperands[] = {getPositions(), getSequences(), getOffset(),
                            getLength()};
  for (auto [name, operand] : llvm::zip_equal(clauses, clauseOperands))
    if (operand)
      printer << ' ' << name << '(' << operand << ')';
  if (getBaseAttr()) {
    printer << " base = ";
    printer.printAttributeWithoutType(getBaseAttr());
  }
  if (getDims())
    printer << " dims = " << static_cast<int64_t>(*getDims());
  if (getHeads())
    printer << " heads = " << static_cast<int64_t>(*getHeads());
  if (getScaling())
    printer << " scaling(" << getScalingAttr() << ')';
  if (getInverse())
    printer << " inverse";
  printer.printOptionalAttrDict(
      llvm::to_vector((*this)->getDiscardableAttrs()));
  printer << " : " << getInput().getType();
  if (getCosTable())
    printer << ", " << getCosTable().getType();
  for (Value operand : clauseOperands)
    if (operand)
      printer << ", " << operand.getType();
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

static LogicalResult verifyRotaryTables(RotaryOp op) {
  // 3. The tables have equal types, shape [rows, R/2], and element type f32 or
  //    that of the input. Where the position is t, rows equal the tokens.
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
           << element << ", but got " << cosType
           << "; fuse.cast the tables to f32";
  int64_t tokens = op.getType().getDimSize(op.getTokenAxis());
  if (op.countsTokens() && !mayBeEqual(cosType.getDimSize(0), tokens))
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

static LogicalResult verifyRotarySequences(RotaryOp op) {
  // 7. `sequences` has one dimension, of 1 or more, and excludes `positions`.
  RankedTensorType sequences = op.getSequences().getType();
  if (op.getPositions())
    return op.emitOpError("expected positions or sequences, but got both; "
                          "remove one");
  if (sequences.getRank() == 1 && sequences.getDimSize(0) != 0)
    return success();
  return op.emitOpError("expected sequences of shape [sequences + 1], but got ")
         << sequences << "; give the cumulative lengths, from 0";
}

static LogicalResult verifyRotaryOffset(RotaryOp op) {
  // 8. `offset` is one number, or [batch], where batch is the input's first
  //    axis and not that of the tokens; with `sequences`, one number, or one
  //    less than `sequences` has.
  RankedTensorType offset = op.getOffset().getType();
  if (offset.getRank() == 0)
    return success();
  int64_t size = offset.getRank() == 1 ? offset.getDimSize(0) : -1;
  if (op.getSequences()) {
    int64_t starts = op.getSequences().getType().getDimSize(0);
    if (offset.getRank() == 1 &&
        (ShapedType::isDynamic(starts) || mayBeEqual(size, starts - 1)))
      return success();
    return op.emitOpError("expected one offset, or one for each sequence of ")
           << op.getSequences().getType() << ", but got " << offset
           << "; give one less than there are cumulative lengths";
  }
  if (offset.getRank() == 1 && op.getTokenAxis() > 0 &&
      mayBeEqual(size, op.getType().getDimSize(0)))
    return success();
  return op.emitOpError("expected one offset, or one for each batch of ")
         << op.getType() << ", but got " << offset
         << "; give tensor<i32> or a number for each of the first axis";
}

static LogicalResult verifyRotaryScaling(RotaryOp op) {
  // 9. `scaling` goes with `base`, and suits it and R.
  RotaryScalingAttrInterface scaling = op.getScalingAttr();
  if (scaling && !op.getBaseAttr())
    return op.emitOpError("expected scaling of computed angles, but got "
                          "tables; scale the tables instead");
  if (scaling && failed(scaling.verifyFor([&] { return op.emitOpError(); },
                                          op.getBaseAttr().getValueAsDouble(),
                                          op.getRotaryDims())))
    return failure();
  // 10. `length` is one number, and given where `scaling` has two sets of
  //     frequencies, only there.
  bool chooses = scaling && scaling.getLengthLimit();
  if (chooses != bool(op.getLength()))
    return op.emitOpError("expected length exactly where rope_longrope has "
                          "short and long factors, but got ")
           << (chooses ? "none" : "one") << "; "
           << (chooses ? "add 'length(%n)', or leave one list"
                       : "remove it, or give both lists");
  if (chooses && op.getLength().getType().getRank() != 0)
    return op.emitOpError("expected one length, but got ")
           << op.getLength().getType() << "; give tensor<i32>";
  return success();
}

static LogicalResult verifyRotaryHeads(RotaryOp op) {
  // 11. `heads` is positive and at most the number of heads; the input has
  //     rank 3 or more then.
  int64_t axis = op.getHeadAxis();
  if (axis < 0)
    return op.emitOpError("expected an input with heads, but got ")
           << op.getType() << "; remove 'heads'";
  int64_t heads = *op.getHeads(), size = op.getType().getDimSize(axis);
  if (heads > 0 && (ShapedType::isDynamic(size) || heads <= size))
    return success();
  InFlightDiagnostic error =
      op.emitOpError("expected heads to be positive and at most those of ");
  return error << op.getType() << ", but got " << heads
               << "; rotate the first heads of them";
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
  double base = getBaseAttr() ? getBaseAttr().getValueAsDouble() : 1;
  if (!std::isfinite(base) || base <= 0)
    return emitOpError("expected base to be positive and finite, but got ")
           << base << "; 1.0e4 is usual";
  if ((getSequences() && failed(verifyRotarySequences(*this))) ||
      (getOffset() && failed(verifyRotaryOffset(*this))) ||
      (getHeads() && failed(verifyRotaryHeads(*this))))
    return failure();
  return verifyRotaryScaling(*this);
}
