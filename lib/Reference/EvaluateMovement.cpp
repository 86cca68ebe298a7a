//===- EvaluateMovement.cpp - Transpose, slice, pad, concat ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is moved keeps its bound. Each of these ops is a copy of points from one
// strided place to another.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::fuse;
using namespace mlir::fuse::reference;
using llvm::ArrayRef;

namespace {
/// Points of a tensor, in the order of a space that is walked beside it.
struct View {
  int64_t base = 0;
  Sizes strides;
};
} // namespace

/// Copies the points of `space`.
static void copy(const Value &from, const View &source, Value &to,
                 const View &target, ArrayRef<int64_t> space) {
  bool isFloats = isFloat(from.dtype);
  forEachPoint(space, {source.strides, target.strides}, 1 << 14,
               [&](int64_t, ArrayRef<int64_t> at) {
                 int64_t read = source.base + at[0];
                 int64_t write = target.base + at[1];
                 if (isFloats)
                   to.data[write] = from.data[read];
                 else
                   to.ints[write] = from.ints[read];
                 to.error[write] = from.getError(read);
               });
}

/// A result of `shape` whose points are those of `source`.
static Value read(const Value &from, const View &source,
                  ArrayRef<int64_t> shape) {
  Value result = Value::zeros(from.dtype, shape);
  copy(from, source, result, {0, getStrides(shape)}, shape);
  return result;
}

Value mlir::fuse::reference::evaluateTranspose(TransposeOp op,
                                               const Value &input) {
  Sizes strides = getStrides(input.shape), shape;
  View source;
  for (int64_t dim : op.getPermutation()) {
    shape.push_back(input.shape[dim]);
    source.strides.push_back(strides[dim]);
  }
  return read(input, source, shape);
}

llvm::Expected<Value> mlir::fuse::reference::evaluateSlice(SliceOp op,
                                                           const Value &input) {
  Sizes strides = getStrides(input.shape), shape;
  View source;
  for (auto [axis, size] : llvm::enumerate(input.shape)) {
    int64_t offset = op.getOffsets()[axis], step = op.getSteps()[axis];
    if (size < offset)
      return makeError(op, "expected a size of at least " +
                               llvm::Twine(offset) + " in dimension " +
                               llvm::Twine(axis) + ", but got " +
                               llvm::Twine(size) +
                               "; pass an input that reaches the offset");
    int64_t given = op.getSizes()[axis];
    shape.push_back(given == -1 ? llvm::divideCeil(size - offset, step)
                                : given);
    source.base += offset * strides[axis];
    source.strides.push_back(step * strides[axis]);
  }
  return read(input, source, shape);
}

Value mlir::fuse::reference::evaluateReverse(ReverseOp op, const Value &input) {
  View source;
  source.strides = getStrides(input.shape);
  for (int64_t dim : op.getDims()) {
    source.base += (input.shape[dim] - 1) * source.strides[dim];
    source.strides[dim] = -source.strides[dim];
  }
  return read(input, source, input.shape);
}

Value mlir::fuse::reference::evaluatePad(PadOp op, const Value &input) {
  Sizes shape = input.shape;
  for (auto [size, low, high] :
       llvm::zip_equal(shape, op.getLow(), op.getHigh()))
    size += low + high;
  Value result = Value::zeros(input.dtype, shape);
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(op.getValue()))
    llvm::fill(result.data, number.getValueAsDouble());
  else if (result.dtype == DType::I1)
    llvm::fill(result.ints,
               llvm::cast<mlir::BoolAttr>(op.getValue()).getValue());
  else
    llvm::fill(result.ints,
               llvm::cast<mlir::IntegerAttr>(op.getValue()).getInt());
  View target = {0, getStrides(shape)};
  for (auto [low, stride] : llvm::zip_equal(op.getLow(), target.strides))
    target.base += low * stride;
  copy(input, {0, getStrides(input.shape)}, result, target, input.shape);
  return result;
}

llvm::Expected<Value> mlir::fuse::reference::evaluateConcat(ConcatOp op,
                                                            Operands operands) {
  int64_t dim = op.getDim();
  Sizes shape = operands.front()->shape;
  for (const Value *operand : operands.drop_front())
    for (auto [axis, size] : llvm::enumerate(operand->shape)) {
      if (static_cast<int64_t>(axis) == dim)
        shape[axis] += size;
      else if (auto error = checkSize(op, "the sizes of the operands",
                                      shape[axis], size))
        return std::move(error);
    }
  Value result = Value::zeros(operands.front()->dtype, shape);
  View target = {0, getStrides(shape)};
  for (const Value *operand : operands) {
    copy(*operand, {0, getStrides(operand->shape)}, result, target,
         operand->shape);
    target.base += operand->shape[dim] * target.strides[dim];
  }
  return result;
}

llvm::Expected<Value>
mlir::fuse::reference::evaluateBroadcast(BroadcastOp op, Operands operands) {
  auto met = getBroadcastShape(op, operands);
  if (!met)
    return met.takeError();
  // A size that neither operand has is static.
  Sizes shape(op.getType().getShape());
  size_t lead = shape.size() - met->size();
  for (auto [axis, size] : llvm::enumerate(*met))
    if (mlir::ShapedType::isDynamic(shape[lead + axis]))
      shape[lead + axis] = size;
  const Value &input = *operands.front();
  mlir::RankedTensorType type = op.getInput().getType();
  lead = shape.size() - input.shape.size();
  for (auto [axis, size] : llvm::enumerate(input.shape))
    if (type.getDimSize(axis) != 1)
      if (auto error = checkSize(op, "the sizes of the operand and the result",
                                 shape[lead + axis], size))
        return std::move(error);
  return read(input, {0, getBroadcastStrides(input.shape, shape)}, shape);
}
