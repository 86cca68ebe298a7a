//===- Shapes.cpp - Broadcasting and sizes of tensors ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Shapes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

std::optional<int64_t> fuse::broadcastSizes(int64_t lhs, int64_t rhs) {
  if (lhs == 1)
    return rhs;
  if (rhs == 1)
    return lhs;
  if (!mayBeEqual(lhs, rhs))
    return std::nullopt;
  return refineSize(lhs, rhs);
}

std::optional<SmallVector<int64_t>>
fuse::broadcastShapes(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  if (lhs.size() < rhs.size())
    std::swap(lhs, rhs);
  SmallVector<int64_t> result(lhs);
  size_t offset = lhs.size() - rhs.size();
  for (auto [axis, size] : llvm::enumerate(rhs)) {
    std::optional<int64_t> met = broadcastSizes(lhs[offset + axis], size);
    if (!met)
      return std::nullopt;
    result[offset + axis] = *met;
  }
  return result;
}

bool fuse::mayBeEqual(int64_t lhs, int64_t rhs) {
  return lhs == rhs || ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs);
}

int64_t fuse::refineSize(int64_t lhs, int64_t rhs) {
  return ShapedType::isDynamic(lhs) ? rhs : lhs;
}

int64_t fuse::getElementBytes(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

std::optional<int64_t> fuse::getStaticBytes(RankedTensorType type) {
  int64_t bytes = getElementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size) && size != 0 &&
        llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}
