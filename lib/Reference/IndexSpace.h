//===- IndexSpace.h - Walking tensors in parallel ---------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors are walked row by row, a row lying along the last dimension. Offsets
// move on by adding strides, so that an element costs no division.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_REFERENCE_INDEXSPACE_H
#define FUSE_LIB_REFERENCE_INDEXSPACE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace mlir::fuse::reference {

using Sizes = llvm::SmallVector<int64_t>;

/// The product of the sizes; 1 for rank 0.
int64_t countElements(llvm::ArrayRef<int64_t> shape);

/// Row-major strides in elements.
Sizes getStrides(llvm::ArrayRef<int64_t> shape);

/// The indices of an element, from its place in row-major order.
Sizes getPosition(llvm::ArrayRef<int64_t> shape, int64_t index);

/// The strides with which a tensor of `shape` is read while walking `space`,
/// aligned at the last dimension: 0 where it is broadcast.
Sizes getBroadcastStrides(llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<int64_t> space);

/// Calls `visit(number, offsets)` for each point of `space` in parallel, where
/// `number` is the point's row-major number and `offsets[i]` its offset under
/// `strides[i]`. `grain` points or more are visited by one thread in order.
void forEachPoint(
    llvm::ArrayRef<int64_t> space, llvm::ArrayRef<Sizes> strides, int64_t grain,
    llvm::function_ref<void(int64_t, llvm::ArrayRef<int64_t>)> visit);

/// The offset of each point of `space` under `strides`, in row-major order.
std::vector<int64_t> listOffsets(llvm::ArrayRef<int64_t> space,
                                 llvm::ArrayRef<int64_t> strides);

/// A tensor split into the dimensions that an op combines and the others. One
/// point of the kept dimensions has a line: the elements at
/// base + outer[i] + j * innerStride.
struct LineSpace {
  LineSpace(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims);

  /// Calls `visit(number, base)` for each line, in parallel.
  void forEachLine(llvm::function_ref<void(int64_t, int64_t)> visit) const;

  /// Calls `visit(offset)` for each element of the line at `base`.
  template <typename Visit>
  void forEachElement(int64_t base, Visit visit) const {
    for (int64_t start : outer)
      for (int64_t j = 0, offset = base + start; j < innerSize;
           ++j, offset += innerStride)
        visit(offset);
  }

  /// Elements of a line.
  int64_t length;
  /// The shape with the combined dimensions dropped, or kept with size 1.
  Sizes droppedShape, keptShape;

private:
  Sizes keptStrides;
  std::vector<int64_t> outer;
  int64_t innerSize, innerStride;
};

} // namespace mlir::fuse::reference

#endif // FUSE_LIB_REFERENCE_INDEXSPACE_H
