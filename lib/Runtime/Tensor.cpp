//===- Tensor.cpp - A caller's buffer with its shape ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/Tensor.h"
#include "FormatError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace fuse::runtime;

std::string Device::str() const {
  return kind == Kind::CPU ? "cpu" : formatv("cuda:{0}", id).str();
}

std::string fuse::runtime::str(ArrayRef<int64_t> shape) {
  std::string text;
  raw_string_ostream os(text);
  os << '[';
  interleaveComma(shape, os);
  os << ']';
  return text;
}

Expected<int64_t> fuse::runtime::numElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool overflow = false;
  for (int64_t dim : shape) {
    if (dim < 0)
      return formatError(
          "expected dims of at least 0, but got shape {0}; pass the sizes of "
          "the buffer in elements",
          str(shape));
    overflow |= MulOverflow(count, dim, count) != 0;
  }
  // A dim of 0 anywhere makes the tensor empty, whatever the others multiply
  // to.
  if (is_contained(shape, 0))
    return 0;
  if (overflow)
    return formatError(
        "expected a shape of fewer than 2^63 elements, but got {0}; split the "
        "tensor",
        str(shape));
  return count;
}

Expected<int64_t> fuse::runtime::byteSize(ArrayRef<int64_t> shape,
                                          DType dtype) {
  Expected<int64_t> count = numElements(shape);
  if (!count)
    return count;
  int64_t bytes;
  if (MulOverflow(*count, sizeInBytes(dtype), bytes))
    return formatError(
        "expected a tensor of fewer than 2^63 bytes, but got shape {0} of {1}; "
        "split the tensor",
        str(shape), name(dtype));
  return bytes;
}

bool TensorView::isContiguous() const {
  if (strides.empty() || is_contained(shape, 0))
    return true;
  if (strides.size() != shape.size())
    return false;
  int64_t expected = 1;
  for (auto [dim, stride] : reverse(zip_equal(shape, strides))) {
    if (dim != 1 && stride != expected)
      return false;
    if (MulOverflow(expected, dim, expected))
      return false;
  }
  return true;
}
