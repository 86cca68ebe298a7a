//===- IndexSpace.cpp - Walking tensors in parallel -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"

using namespace mlir::fuse::reference;
using llvm::ArrayRef;

int64_t mlir::fuse::reference::countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

Sizes mlir::fuse::reference::getStrides(ArrayRef<int64_t> shape) {
  Sizes strides(shape.size());
  int64_t stride = 1;
  for (int64_t axis = shape.size() - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

Sizes mlir::fuse::reference::getPosition(llvm::ArrayRef<int64_t> shape,
                                         int64_t index) {
  Sizes position(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; index /= shape[axis])
    position[axis] = index % shape[axis];
  return position;
}

Sizes mlir::fuse::reference::getBroadcastStrides(ArrayRef<int64_t> shape,
                                                 ArrayRef<int64_t> space) {
  Sizes dense = getStrides(shape);
  Sizes strides(space.size(), 0);
  size_t lead = space.size() - shape.size();
  for (auto [axis, size] : llvm::enumerate(shape))
    if (size != 1)
      strides[lead + axis] = dense[axis];
  return strides;
}

namespace {

/// A point of a space and its offsets, which moves in row-major order.
class Cursor {
public:
  Cursor(ArrayRef<int64_t> space, ArrayRef<Sizes> strides, int64_t number)
      : space(space), strides(strides), index(space.size()),
        offsets(strides.size(), 0) {
    for (int64_t axis = space.size() - 1; axis >= 0; --axis) {
      index[axis] = number % space[axis];
      number /= space[axis];
      move(axis, index[axis]);
    }
  }

  void next() {
    for (int64_t axis = space.size() - 1; axis >= 0; --axis) {
      move(axis, 1);
      if (++index[axis] < space[axis])
        return;
      move(axis, -index[axis]);
      index[axis] = 0;
    }
  }

  ArrayRef<int64_t> getOffsets() const { return offsets; }

private:
  void move(int64_t axis, int64_t steps) {
    for (auto [offset, stride] : llvm::zip_equal(offsets, strides))
      offset += steps * stride[axis];
  }

  ArrayRef<int64_t> space;
  ArrayRef<Sizes> strides;
  Sizes index, offsets;
};

} // namespace

void mlir::fuse::reference::forEachPoint(
    ArrayRef<int64_t> space, ArrayRef<Sizes> strides, int64_t grain,
    llvm::function_ref<void(int64_t, ArrayRef<int64_t>)> visit) {
  int64_t count = countElements(space);
  if (count == 0)
    return;
  grain = std::max<int64_t>(grain, 1);
  llvm::parallelFor(0, llvm::divideCeil(count, grain), [&](size_t chunk) {
    int64_t begin = chunk * grain;
    int64_t end = std::min(count, begin + grain);
    Cursor cursor(space, strides, begin);
    for (int64_t number = begin; number < end; ++number, cursor.next())
      visit(number, cursor.getOffsets());
  });
}

std::vector<int64_t>
mlir::fuse::reference::listOffsets(ArrayRef<int64_t> space,
                                   ArrayRef<int64_t> strides) {
  std::vector<int64_t> offsets(countElements(space));
  if (offsets.empty())
    return offsets;
  Sizes list(strides.begin(), strides.end());
  Cursor cursor(space, list, 0);
  for (int64_t &offset : offsets) {
    offset = cursor.getOffsets().front();
    cursor.next();
  }
  return offsets;
}

LineSpace::LineSpace(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims)
    : keptShape(shape), outer{0}, innerSize(1), innerStride(0) {
  Sizes strides = getStrides(shape);
  Sizes outerShape, outerStrides;
  for (auto [axis, size] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(dims, axis)) {
      droppedShape.push_back(size);
      keptStrides.push_back(strides[axis]);
      continue;
    }
    keptShape[axis] = 1;
    outerShape.push_back(size);
    outerStrides.push_back(strides[axis]);
  }
  length = countElements(outerShape);
  if (outerShape.empty())
    return;
  innerSize = outerShape.pop_back_val();
  innerStride = outerStrides.pop_back_val();
  outer = listOffsets(outerShape, outerStrides);
}

void LineSpace::forEachLine(
    llvm::function_ref<void(int64_t, int64_t)> visit) const {
  constexpr int64_t elementsOfATask = 1 << 14;
  int64_t grain = elementsOfATask / std::max<int64_t>(length, 1);
  forEachPoint(droppedShape, {keptStrides}, grain,
               [&](int64_t number, ArrayRef<int64_t> offsets) {
                 visit(number, offsets.front());
               });
}
