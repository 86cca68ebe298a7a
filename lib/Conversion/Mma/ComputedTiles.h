//===- ComputedTiles.h - Tiles of what is computed --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys or values that follow from others in the kernel, such as 8-bit floats
// times a scale. Threads have the 16 bytes of shared memory that they would
// copy (ThreadChunk.h), ask the emitter for these elements, and store them.
// What lies past the last place or feature is zero: infinite values times a
// weight of 0 would be NaN.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_COMPUTEDTILES_H
#define FUSE_LIB_CONVERSION_MMA_COMPUTEDTILES_H

#include "ThreadChunk.h"
#include "fuse/Analysis/StreamedSpace.h"

namespace mlir::fuse {

class ComputedTiles {
public:
  /// The block's place of an axis that is neither walked nor the features'.
  using OuterPlace = llvm::function_ref<Value(char axis)>;

  /// Of an operand of `op` whose first two axes are the features and the
  /// places, of which there are so many; features are a multiple of 16 bytes.
  ComputedTiles(MmaBuilder &b, const ThreadChunk &chunk, ContractOp op,
                const MmaOperand &operand, const SlotOperand &slot,
                const Extent &places, const Extent &features, OuterPlace outer);

  /// Where a place of the tile lies, that of another axis if it has its own,
  /// and whether there is one, null for always; else these are of another.
  struct Row {
    Index place;
    Value exists;
    char axis = 0;
    Index other = {};
  };
  using RowFinder = llvm::function_ref<Row(Value place)>;

  /// Stores the places from `first` on to `to`, a pointer to shared memory.
  /// `find` gives those that do not follow each other.
  void compute(Value to, Value first, RowFinder find = nullptr);

private:
  void computeChunk(Value to, const Row &row, int64_t along);

  MmaBuilder &b;
  PointEmitter &emitter;
  const ThreadChunk &chunk;
  const MmaOperand &operand;
  SlotOperand slot;
  Extent places, features;
  /// The axes of the operand's dimensions, and the block's places of these.
  StringRef axes;
  SmallVector<Index> outer;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_COMPUTEDTILES_H
