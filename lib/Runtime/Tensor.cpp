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

StringRef fuse::runtime::name(Layout layout) {
  switch (layout) {
  case Layout::Dense:
    return "dense";
  case Layout::AlignedRows:
    return "aligned_rows";
  case Layout::Rows:
    return "rows";
  case Layout::Any:
    return "any";
  }
  llvm_unreachable("every layout is handled");
}

std::optional<Layout> fuse::runtime::parseLayout(StringRef name) {
  for (Layout layout :
       {Layout::Dense, Layout::AlignedRows, Layout::Rows, Layout::Any})
    if (runtime::name(layout) == name)
      return layout;
  return std::nullopt;
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

static Shape contiguousStrides(ArrayRef<int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    if (MulOverflow(strides[dim], shape[dim], strides[dim - 1]))
      strides[dim - 1] = 0; // Only where a dim before it is 0.
  return strides;
}

Shape TensorView::effectiveStrides() const {
  if (strides.size() != shape.size() || is_contained(shape, 0))
    return contiguousStrides(shape);
  Shape result = strides;
  auto isUnit = [&](size_t dim) { return shape[dim] == 1; };
  size_t first = 0;
  while (first < shape.size() && isUnit(first))
    ++first;
  if (first == shape.size())
    return contiguousStrides(shape);
  for (size_t dim = first; dim-- > 0;)
    result[dim] = result[dim + 1] * shape[dim + 1];
  for (size_t dim = first + 1; dim < shape.size(); ++dim)
    if (isUnit(dim))
      result[dim] = result[dim - 1];
  return result;
}

Expected<int64_t> TensorView::span() const {
  Expected<int64_t> count = numElements(shape);
  if (!count || strides.empty() || *count == 0)
    return count;
  if (strides.size() != shape.size())
    return formatError("expected a stride for each of {0} dims, but got {1}; "
                       "pass as many strides as dims, or none",
                       shape.size(), strides.size());
  int64_t last = 0, bytes = 0;
  for (auto [dim, stride] : zip_equal(shape, strides)) {
    int64_t reach = 0;
    if (stride < 0 && dim != 1)
      return formatError("expected strides of 0 or more, but got {0}; make a "
                         "contiguous copy",
                         str(strides));
    if (dim != 1 &&
        (MulOverflow(dim - 1, stride, reach) || AddOverflow(last, reach, last)))
      last = INT64_MAX;
  }
  if (last == INT64_MAX || MulOverflow(last + 1, sizeInBytes(dtype), bytes))
    return formatError("expected a tensor that spans fewer than 2^63 bytes, "
                       "but got strides {0} for shape {1}; pass the strides in "
                       "elements",
                       str(strides), str(shape));
  return last + 1;
}

/// Whether all strides but the last are multiples of 16 bytes.
static bool hasAlignedRows(ArrayRef<int64_t> strides, DType dtype) {
  constexpr int64_t vectorBytes = 16;
  return all_of(strides.drop_back(), [&](int64_t stride) {
    return stride % vectorBytes * sizeInBytes(dtype) % vectorBytes == 0;
  });
}

Layout TensorView::layout() const {
  if (isContiguous())
    return Layout::Dense;
  Shape effective = effectiveStrides();
  if (effective.back() != 1)
    return Layout::Any;
  return hasAlignedRows(effective, dtype) ? Layout::AlignedRows : Layout::Rows;
}

bool TensorView::fits(Layout wanted) const {
  if (wanted == Layout::Any)
    return true;
  if (wanted == Layout::Dense)
    return isContiguous();
  Shape effective = effectiveStrides();
  bool hasRows = effective.empty() || effective.back() == 1;
  return hasRows && (wanted == Layout::Rows || effective.empty() ||
                     hasAlignedRows(effective, dtype));
}
