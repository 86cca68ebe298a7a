//===- Elementwise.cpp - Types of pointwise ops ---------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimRemedy.h"
#include "ElementTypes.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace mlir::fuse;
using fuse::detail::PointwiseKind;

//===----------------------------------------------------------------------===//
// Inference and verification shared by all pointwise ops
//===----------------------------------------------------------------------===//

LogicalResult fuse::detail::inferPointwise(TypeRange operands,
                                           PointwiseKind kind,
                                           std::optional<Location> location,
                                           SmallVectorImpl<Type> &inferred) {
  auto last = cast<RankedTensorType>(operands.back());
  SmallVector<int64_t> shape(cast<RankedTensorType>(operands[0]).getShape());
  for (auto [index, type] : llvm::enumerate(operands)) {
    auto met = broadcastShapes(shape, cast<RankedTensorType>(type).getShape());
    if (!met)
      return emitOptionalError(
          location, "expected operands whose shapes broadcast, but got ", type,
          " for operand #", index, " beside ", operands.take_front(index),
          "; make the sizes equal or 1, aligned at the last dimension");
    shape = std::move(*met);
  }
  Type element = kind == PointwiseKind::Comparison
                     ? IntegerType::get(last.getContext(), 1)
                     : last.getElementType();
  inferred.push_back(RankedTensorType::get(shape, element));
  return success();
}

LogicalResult fuse::detail::verifyInferredResult(Operation *op, Type inferred) {
  Type result = op->getResult(0).getType();
  if (result == inferred)
    return success();
  InFlightDiagnostic error = op->emitOpError("expected result of type ")
                             << inferred << ", but got " << result;
  auto expected = dyn_cast<RankedTensorType>(inferred);
  auto got = dyn_cast<RankedTensorType>(result);
  if (!expected || !got || expected.getElementType() == got.getElementType())
    return error << "; write the expected type";
  // A result that is cast up has been rounded before.
  Type element = got.getElementType();
  bool isWider =
      !expected.getElementType().isInteger(1) &&
      commonElementType(expected.getElementType(), element) == element;
  if (isWider)
    return error << "; fuse.cast the operands to " << debugString(element)
                 << ", or write the expected type and fuse.cast the result";
  return error << "; write the expected type and fuse.cast the result";
}

LogicalResult fuse::detail::verifyPointwise(Operation *op, PointwiseKind kind) {
  Type element = getElementTypeOrSelf(op->getOperands().back());
  unsigned first = kind == PointwiseKind::Selection ? 1 : 0;
  for (unsigned i = first, e = op->getNumOperands(); i != e; ++i)
    if (Type got = getElementTypeOrSelf(op->getOperand(i)); got != element)
      return op->emitOpError("expected operands of one element type, but got ")
             << got << " for operand #" << i << " and " << element
             << " for operand #" << e - 1 << "; "
             << castRemedy(got, ("operand #" + Twine(i)).str(), element,
                           ("operand #" + Twine(e - 1)).str());
  SmallVector<Type, 1> inferred;
  if (failed(
          inferPointwise(op->getOperandTypes(), kind, op->getLoc(), inferred)))
    return failure();
  return verifyInferredResult(op, inferred.front());
}

LogicalResult fuse::detail::verifyLike(Operation *op, Value like,
                                       RankedTensorType result) {
  if (!like) {
    if (result.hasStaticShape())
      return success();
    return op->emitOpError("expected a static result or an operand 'like', but "
                           "got ")
           << result << "; add 'like %x' with a tensor of that shape";
  }
  if (cast<RankedTensorType>(like.getType()).getShape() == result.getShape())
    return success();
  return op->emitOpError("expected result of the shape of 'like', ")
         << like.getType() << ", but got " << result << "; give them one shape";
}

LogicalResult fuse::detail::verifyBoundedTensors(Operation *op) {
  auto isBounded = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || !tensor.getElementType().isIntOrFloat() ||
           getStaticBytes(tensor).has_value();
  };
  auto refuse = [&](Type type, StringRef what, unsigned index) {
    return op->emitOpError("expected tensors of at most 2^63 - 1 bytes, but "
                           "got ")
           << type << " for " << what << " #" << index
           << "; split it, or make a dimension smaller";
  };
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
    if (!isBounded(type))
      return refuse(type, "operand", index);
  for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
    if (!isBounded(type))
      return refuse(type, "result", index);
  return success();
}

//===----------------------------------------------------------------------===//
// Cast, iota
//===----------------------------------------------------------------------===//

LogicalResult CastOp::verify() {
  // 1. The result has the operand's shape.
  if (getInput().getType().getShape() == getType().getShape())
    return success();
  return emitOpError("expected result of the shape of ")
         << getInput().getType() << ", but got " << getType()
         << "; a cast changes the element type only";
}

LogicalResult IotaOp::verify() {
  // 1. `dim` is a dimension of the result.
  int64_t dim = getDim();
  if (dim < 0 || dim >= getType().getRank())
    return emitOpError("expected dim to be a dimension of ")
           << getType() << ", but got " << dim << "; "
           << fuse::detail::dimRemedy(dim, getType().getRank(),
                                      "choose 0 to rank - 1");
  // 2. The result is static, or `like` is given and has the result's shape.
  return fuse::detail::verifyLike(*this, getLike(), getType());
}
