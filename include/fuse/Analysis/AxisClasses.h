//===- AxisClasses.h - Which dimensions are walked together -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Equal sizes do not make two dimensions the same axis of iteration. In
//
//   %s = fuse.reduce sum %x dims = [1] : tensor<64x64xf32> -> tensor<64xf32>
//   %d = fuse.div %x, %s : tensor<64x64xf32>, tensor<64xf32> -> ...
//
// the dimension of %s is axis 0 of %x by the first op and axis 1 by the second:
// a thread that walks a row of %x would need the sums of all rows. AxisClasses
// is the union-find that tells: dimensions are one axis where an op takes the
// same index on both. Ops that move elements (a transpose, a slice, a reshape)
// tie nothing.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_AXISCLASSES_H
#define FUSE_ANALYSIS_AXISCLASSES_H

#include "fuse/Analysis/DimClasses.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::fuse {

class AxisClasses {
public:
  /// Collects what the ops tie together. `dims` must outlive this.
  AxisClasses(ArrayRef<Operation *> ops, const DimClasses &dims);

  /// The axis of each dimension; -1 for those of size 1, which any axis may
  /// walk.
  SmallVector<int> axes(Value value);

  /// Ties the dimensions of two values, as many as both have.
  void uniteFirst(Value a, Value b);

private:
  int node(Value value, int64_t dim);
  int find(int node) const;
  void unite(Value a, int64_t i, Value b, int64_t j);
  void visit(Operation *op);

  const DimClasses &dims;
  /// The node of a value's first dimension, which the others follow.
  DenseMap<Value, int> nodes;
  SmallVector<int> parents;
};

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_AXISCLASSES_H
