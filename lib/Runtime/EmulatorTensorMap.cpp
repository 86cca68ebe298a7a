//===- EmulatorTensorMap.cpp - Tensor maps that a host reads --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTensorMap.h"
#include "FormatError.h"
#include <cstring>

using namespace llvm;
using namespace fuse::runtime;

/// Of what make() has made; anything but a GPU's map.
static constexpr uint32_t validMark = 0x7e4502a9;
static constexpr uint64_t chunkBytes = 16;
static constexpr uint32_t maxBox = 256;
static constexpr uint64_t maxStride = uint64_t(1) << 40;

static unsigned widthOf(TensorSwizzle swizzle) {
  return 16u << unsigned(swizzle);
}

std::string fuse::runtime::nameOf(TensorSwizzle swizzle) {
  if (swizzle == TensorSwizzle::None)
    return "no swizzle";
  return formatv("a swizzle of {0} bytes", widthOf(swizzle));
}

uint64_t fuse::runtime::swizzled(uint64_t address, TensorSwizzle swizzle) {
  uint64_t bits = (uint64_t(1) << unsigned(swizzle)) - 1;
  return address ^ ((address >> 7 & bits) << 4);
}

//===----------------------------------------------------------------------===//
// What is a map
//===----------------------------------------------------------------------===//

static Error checkDimension(const TensorMapShape &shape, unsigned dim) {
  if (shape.sizes[dim] < 1 || shape.box[dim] < 1 || shape.box[dim] > maxBox)
    return formatError(
        "expected a tensor map of sizes from 1 and boxes of 1 to "
        "{0} elements, but got {1} and {2} in dimension {3}; "
        "choose another tile",
        maxBox, shape.sizes[dim], shape.box[dim], dim);
  uint64_t stride = shape.strides[dim];
  if (dim > 0 && (stride % chunkBytes != 0 || stride >= maxStride))
    return formatError(
        "expected strides of a tensor map to be multiples of {0} "
        "bytes below 2^40, but got {1} in dimension {2}; copy "
        "the tensor, or load it without tensor maps",
        chunkBytes, stride, dim);
  return Error::success();
}

Expected<EmulatorTensorMap> EmulatorTensorMap::make(void *base,
                                                    const TensorMapShape &shape,
                                                    TensorSwizzle swizzle) {
  if (shape.rank < 1 || shape.rank > TensorMapShape::maxRank)
    return formatError("expected a tensor map of 1 to {0} dimensions, but got "
                       "{1}; collapse dimensions",
                       TensorMapShape::maxRank, shape.rank);
  uint64_t misalignment = reinterpret_cast<uintptr_t>(base) % chunkBytes;
  if (misalignment)
    return formatError("expected the tensor of a tensor map to be aligned to "
                       "{0} bytes, but got {1} bytes past a multiple; copy it, "
                       "or load it without tensor maps",
                       chunkBytes, misalignment);
  for (unsigned dim = 0; dim < shape.rank; ++dim)
    if (Error error = checkDimension(shape, dim))
      return std::move(error);
  unsigned row = shape.box[0] * shape.elementBytes, width = widthOf(swizzle);
  bool isPlain = swizzle == TensorSwizzle::None;
  if (isPlain ? row % chunkBytes != 0 : row != width)
    return formatError("expected a box with {0} to have rows of {1}{2} bytes, "
                       "but got {3}; change the box or the swizzle",
                       nameOf(swizzle), isPlain ? "a multiple of " : "", width,
                       row);
  EmulatorTensorMap map;
  map.mark = validMark;
  map.pattern = swizzle;
  map.data = static_cast<char *>(base);
  map.tensor = shape;
  return map;
}

const EmulatorTensorMap *EmulatorTensorMap::of(const void *argument) {
  const auto *map = static_cast<const EmulatorTensorMap *>(argument);
  return map->mark == validMark ? map : nullptr;
}

TensorMap EmulatorTensorMap::asArgument() const {
  TensorMap argument;
  std::memcpy(argument.words.data(), this, sizeof(*this));
  return argument;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

int64_t EmulatorTensorMap::boxBytes() const {
  int64_t bytes = tensor.elementBytes;
  for (unsigned dim = 0; dim < tensor.rank; ++dim)
    bytes *= tensor.box[dim];
  return bytes;
}

/// The part of [origin, origin + count) in [0, size), as {first, end} from
/// `origin`.
static std::pair<int64_t, int64_t> clip(int64_t origin, int64_t count,
                                        int64_t size) {
  int64_t first = std::max<int64_t>(0, -origin);
  return {first, std::max(first, std::min(count, size - origin))};
}

std::vector<TensorRow> EmulatorTensorMap::rows(ArrayRef<int32_t> origin) const {
  std::vector<TensorRow> result;
  int64_t elementBytes = tensor.elementBytes, columns = tensor.box[0];
  auto [first, end] = clip(origin[0], columns, tensor.sizes[0]);
  if (first == end)
    return result;
  int64_t count = boxBytes() / (columns * elementBytes);
  for (int64_t row = 0; row < count; ++row) {
    int64_t global = (origin[0] + first) * elementBytes;
    bool isInside = true;
    int64_t rest = row;
    for (unsigned dim = 1; dim < tensor.rank; rest /= tensor.box[dim], ++dim) {
      int64_t at = origin[dim] + rest % tensor.box[dim];
      isInside &= at >= 0 && at < int64_t(tensor.sizes[dim]);
      global += at * int64_t(tensor.strides[dim]);
    }
    if (isInside)
      result.push_back({global, (row * columns + first) * elementBytes,
                        (end - first) * elementBytes});
  }
  return result;
}
