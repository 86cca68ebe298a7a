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
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
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

/// The elements from `offsets` on, every `steps`-th, `sizes` of them.
static Value slice(const Value &input, ArrayRef<int64_t> offsets,
                   ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) {
  View source;
  for (auto [offset, step, stride] :
       llvm::zip_equal(offsets, steps, getStrides(input.shape))) {
    source.base += offset * stride;
    source.strides.push_back(step * stride);
  }
  return read(input, source, sizes);
}

llvm::Expected<Value> mlir::fuse::reference::evaluateSlice(SliceOp op,
                                                           const Value &input) {
  Sizes sizes(op.getSizes());
  for (auto [axis, size] : llvm::enumerate(input.shape)) {
    int64_t offset = op.getOffsets()[axis];
    int64_t missing = offset + op.getLeftOut(axis);
    if (size < missing)
      return makeError(op, "expected a size of at least " +
                               llvm::Twine(missing) + " in dimension " +
                               llvm::Twine(axis) + ", but got " +
                               llvm::Twine(size) +
                               "; pass an input that reaches the offset");
    if (sizes[axis] < 0)
      sizes[axis] = llvm::divideCeil(size - missing, op.getSteps()[axis]);
  }
  return slice(input, op.getOffsets(), sizes, op.getSteps());
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

Value mlir::fuse::reference::evaluateUnpack(UnpackOp op, const Value &input) {
  Sizes shape = input.shape;
  shape.back() *= 2;
  Value result =
      Value::zeros(op.getIsUnsigned() ? input.dtype : DType::I8, shape);
  constexpr int64_t base = 16;
  for (auto [number, byte] : llvm::enumerate(input.ints)) {
    // A byte is two digits.
    int64_t bits = byte < 0 ? byte + base * base : byte;
    for (int64_t half = 0; half < 2; ++half, bits /= base) {
      int64_t digit = bits % base;
      bool isNegative = !op.getIsUnsigned() && digit >= base / 2;
      result.ints[2 * number + half] = isNegative ? digit - base : digit;
    }
  }
  return result;
}

static void fill(Value &value, mlir::Attribute element) {
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(element))
    llvm::fill(value.data, number.getValueAsDouble());
  else if (auto flag = llvm::dyn_cast<mlir::BoolAttr>(element))
    llvm::fill(value.ints, flag.getValue());
  else
    llvm::fill(
        value.ints,
        wrap(value.dtype,
             llvm::cast<mlir::IntegerAttr>(element).getValue().getSExtValue()));
}

static Value pad(const Value &input, ArrayRef<int64_t> low,
                 ArrayRef<int64_t> high, mlir::Attribute element) {
  Sizes shape = input.shape;
  for (auto [size, before, after] : llvm::zip_equal(shape, low, high))
    size += before + after;
  Value result = Value::zeros(input.dtype, shape);
  fill(result, element);
  View target = {0, getStrides(shape)};
  for (auto [before, stride] : llvm::zip_equal(low, target.strides))
    target.base += before * stride;
  copy(input, {0, getStrides(input.shape)}, result, target, input.shape);
  return result;
}

Value mlir::fuse::reference::evaluatePad(PadOp op, const Value &input) {
  return pad(input, op.getLow(), op.getHigh(), op.getValue());
}

static llvm::Expected<Value> concat(mlir::Operation *op, Operands operands,
                                    int64_t dim) {
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

llvm::Expected<Value> mlir::fuse::reference::evaluateConcat(ConcatOp op,
                                                            Operands operands) {
  return concat(op, operands, op.getDim());
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

//===----------------------------------------------------------------------===//
// Upstream's ops
//===----------------------------------------------------------------------===//

static Sizes resolve(ArrayRef<mlir::OpFoldResult> numbers, GetIndex getIndex) {
  Sizes resolved;
  for (mlir::OpFoldResult number : numbers)
    if (auto constant = mlir::getConstantIntValue(number))
      resolved.push_back(*constant);
    else
      resolved.push_back(getIndex(llvm::cast<mlir::Value>(number)));
  return resolved;
}

llvm::Expected<Value> mlir::fuse::reference::evaluateExtractSlice(
    mlir::tensor::ExtractSliceOp op, const Value &input, GetIndex getIndex) {
  Sizes offsets = resolve(op.getMixedOffsets(), getIndex);
  Sizes sizes = resolve(op.getMixedSizes(), getIndex);
  Sizes steps = resolve(op.getMixedStrides(), getIndex);
  for (auto [axis, size] : llvm::enumerate(input.shape)) {
    int64_t first = offsets[axis];
    int64_t last = first + (sizes[axis] - 1) * steps[axis];
    if (sizes[axis] != 0 &&
        (std::min(first, last) < 0 || std::max(first, last) >= size))
      return makeError(op, "expected a slice inside of dimension " +
                               llvm::Twine(axis) + " of size " +
                               llvm::Twine(size) + ", but got elements " +
                               llvm::Twine(first) + " to " + llvm::Twine(last) +
                               "; pass a larger input");
  }
  Value result = slice(input, offsets, sizes, steps);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  result.shape.clear();
  for (auto [axis, size] : llvm::enumerate(sizes))
    if (!dropped[axis])
      result.shape.push_back(size);
  return result;
}

llvm::Expected<Value>
mlir::fuse::reference::evaluateTensorConcat(mlir::tensor::ConcatOp op,
                                            Operands operands) {
  return concat(op, operands, op.getDim());
}

llvm::Expected<Value> mlir::fuse::reference::evaluateTensorPad(
    mlir::tensor::PadOp op, const Value &input, GetIndex getIndex) {
  mlir::Attribute element;
  mlir::Value padding = op.getConstantPaddingValue();
  if (!padding || !mlir::matchPattern(padding, mlir::m_Constant(&element)))
    return makeError(op, "expected a constant value, but got another; pad with "
                         "a constant");
  return pad(input, resolve(op.getMixedLowPad(), getIndex),
             resolve(op.getMixedHighPad(), getIndex), element);
}
