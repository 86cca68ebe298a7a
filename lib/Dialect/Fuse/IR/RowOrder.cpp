//===- RowOrder.cpp - Types of scans and selections -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowOrderAssembly.h"

using namespace mlir;
using namespace mlir::fuse;

bool mlir::fuse::isRowOrder(Operation *op) {
  return op->hasTrait<mlir::fuse::OpTrait::RowOrder>();
}

/// The operand's type with as many rows as there are runs.
static RankedTensorType runsOf(RankedTensorType input,
                               RankedTensorType offsets) {
  SmallVector<int64_t> shape(input.getShape());
  int64_t count = offsets.getDimSize(0);
  shape[0] = ShapedType::isDynamic(count) ? count : count - 1;
  return input.clone(shape);
}

LogicalResult SegmentSumOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(operands[0].getType());
  auto offsets = cast<RankedTensorType>(operands[1].getType());
  if (input.getRank() == 0 || offsets.getRank() != 1 ||
      offsets.getDimSize(0) == 0)
    return emitOptionalError(location, "expected rows and offsets of rank 1");
  inferred.push_back(runsOf(input, offsets));
  return success();
}

static LogicalResult verifyRows(Operation *op, RankedTensorType input) {
  if (input.getRank() >= 1)
    return success();
  return op->emitOpError("expected input of rank 1 or more, but got ")
         << input << "; insert a tensor.expand_shape";
}

ParseResult mlir::fuse::parseScanKind(OpAsmParser &parser,
                                      ReduceKindAttr &kind) {
  SMLoc place = parser.getCurrentLocation();
  StringRef name;
  if (failed(parser.parseOptionalKeyword(&name)) || !symbolizeReduceKind(name))
    return parser.emitError(place)
           << "expected sum, prod, max or min for how elements are combined, "
              "but got '"
           << name << "'; use one of these";
  kind = ReduceKindAttr::get(parser.getContext(), *symbolizeReduceKind(name));
  return success();
}

void mlir::fuse::printScanKind(OpAsmPrinter &printer, Operation *,
                               ReduceKindAttr kind) {
  printer << ' ' << stringifyReduceKind(kind.getValue());
}

// 3. `dim` is a dimension of the operand.
static LogicalResult verifyDim(ScanOp scan) {
  int64_t rank = scan.getInput().getType().getRank(), dim = scan.getAxis();
  if (dim >= 0 && dim < rank)
    return success();
  return scan.emitOpError("expected dim from 0 to ")
         << rank - 1 << ", but got " << dim
         << "; count dimensions from the first, 0";
}

/// A program that names the last dimension is the one that names none.
OpFoldResult ScanOp::fold(FoldAdaptor) {
  int64_t last = getInput().getType().getRank() - 1;
  if (!getDim() || static_cast<int64_t>(*getDim()) != last)
    return {};
  removeDimAttr();
  return getResult();
}

LogicalResult ScanOp::verify() {
  // 1. The operand has rank 1 or more.
  if (failed(verifyRows(*this, getInput().getType())))
    return failure();
  // 2. `kind` is sum, prod, max or min.
  switch (getKind()) {
  case ReduceKind::sum:
  case ReduceKind::prod:
  case ReduceKind::max:
  case ReduceKind::min:
    return verifyDim(*this);
  case ReduceKind::mean:
    return emitOpError("expected sum, prod, max or min, but got mean; divide a "
                       "sum by the number of its elements");
  case ReduceKind::any:
  case ReduceKind::all:
    return emitOpError("expected sum, prod, max or min, but got ")
           << stringifyReduceKind(getKind())
           << "; fuse.cast i1 to i32 and take "
           << (getKind() == ReduceKind::any ? "max" : "min");
  }
  llvm_unreachable("unknown kind");
}

LogicalResult SegmentSumOp::verify() {
  // 1. The operand has rank 1 or more.
  if (failed(verifyRows(*this, getInput().getType())))
    return failure();
  // 2. `offsets` has rank 1 and at least one element; the result has one row
  //    less.
  RankedTensorType offsets = getOffsets().getType();
  if (offsets.getRank() != 1 || offsets.getDimSize(0) == 0)
    return emitOpError("expected offsets of rank 1 and at least one element, "
                       "but got ")
           << offsets
           << "; give where each run begins, and where the last ends";
  return fuse::detail::verifyInferredResult(
      *this, runsOf(getInput().getType(), offsets));
}

LogicalResult TopKOp::verify() {
  RankedTensorType input = getInput().getType();
  // 1. The operand has rank 1 or more.
  if (failed(verifyRows(*this, input)))
    return failure();
  // 2. `k` is from 1 to 64.
  int64_t k = getK();
  if (k < 1 || k > mostElements)
    return emitOpError("expected k from 1 to ")
           << mostElements << ", but got " << k
           << "; a program asks for no more elements of a row";
  // 3. Rows have at least `k` elements; of dynamic length, this is checked when
  //    the program runs.
  int64_t length = input.getShape().back();
  if (!ShapedType::isDynamic(length) && length < k)
    return emitOpError("expected rows of at least k = ")
           << k << " elements, but got " << input << "; ask for at most "
           << length;
  // 4. The results have the operand's shape, but for the last dimension, `k`,
  //    and `values` its element type.
  SmallVector<int64_t> shape(input.getShape());
  shape.back() = k;
  RankedTensorType values = input.clone(shape);
  if (getValues().getType() != values)
    return emitOpError("expected values of type ")
           << values << ", but got " << getValues().getType()
           << "; write the expected type";
  if (getIds().getType().getShape() == ArrayRef(shape))
    return success();
  return emitOpError("expected ids of the shape of ")
         << values << ", but got " << getIds().getType()
         << "; write the expected shape";
}
