//===- TileMaps.h - Tensor maps of what has a result's shape ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_TILEMAPS_H
#define FUSE_LIB_CONVERSION_MMA_TILEMAPS_H

#include "TileOrder.h"

namespace mlir::fuse {

/// The dimensions of a tensor map of `value`, which has the contraction's
/// shape: the last axis, the rows', and then the outer ones; boxes are of
/// `rows` x `columns`. `axes` gets the letters.
inline TensorMapUse resultLikeMap(KernelFrame &frame, const MmaSpace &space,
                                  Value value, int64_t columns, int64_t rows,
                                  SmallVectorImpl<char> &axes) {
  StringRef letters(space.resultAxes.data(), space.resultAxes.size());
  TensorMapUse use{};
  auto addAxis = [&](char axis, ArrayRef<char> joined, int64_t size) {
    axes.push_back(axis);
    use.dims.emplace_back();
    for (char letter : joined)
      use.dims.back().push_back(letters.find(letter));
    use.box.push_back(size);
  };
  addAxis(space.n, {space.n}, columns);
  addAxis(space.m, space.rowAxes, rows);
  for (char axis : llvm::reverse(space.outer))
    if (frame.dims.extent(value, letters.find(axis)).size != 1)
      addAxis(axis, {axis}, 1);
  return use;
}

/// Where a box of such a map starts.
inline SmallVector<Value> tileCoordinates(const MmaSpace &space,
                                          ArrayRef<char> axes, Value row,
                                          Value column, const TilePlace &tile) {
  return llvm::map_to_vector(axes, [&](char axis) {
    return axis == space.n   ? column
           : axis == space.m ? row
                             : tile.outer.lookup(axis);
  });
}

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_TILEMAPS_H
