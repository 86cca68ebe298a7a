//===- StreamedCopies.h - From tensors to tiles of rows ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of queries, keys or values, which all threads copy (ThreadChunk.h). A
// tile has some places of one axis, the queries or the keys, and all features
// of each. Places lie apart in memory, so that a thread copies 16 bytes of the
// features of some of them; or features do, and it copies neighbouring places.
// Apart, places may be anywhere, as those of pages and of several heads are.
//
// What lies past the last place or feature is zero in the tile.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_STREAMEDCOPIES_H
#define FUSE_LIB_CONVERSION_MMA_STREAMEDCOPIES_H

#include "ThreadChunk.h"
#include "fuse/Analysis/StreamedSpace.h"

namespace mlir::fuse {

class StreamedCopies {
public:
  /// Where a place lies: elements behind the first of the tensor, and whether
  /// there is one.
  struct Row {
    Index at;
    Value exists;
  };
  /// Gives the row of a place of a tile, a word.
  using RowFinder = llvm::function_ref<Row(Value place)>;
  /// The block's place of an axis that is neither walked nor the features'.
  using OuterPlace = llvm::function_ref<Value(char axis)>;

  /// Tiles that lie in slots as `slot` says, of places along `walked`, of which
  /// there are so many, and of so many features.
  StreamedCopies(MmaBuilder &b, const ThreadChunk &chunk,
                 const MmaOperand &operand, const SlotOperand &slot,
                 char walked, const Extent &places, const Extent &features,
                 OuterPlace outer);
  /// The same of a tensor with some of the features; the last one's tiles have
  /// zeros behind these.
  StreamedCopies(MmaBuilder &b, const ThreadChunk &chunk,
                 const FeaturePart &part, bool isLast, const SlotOperand &slot,
                 char walked, const Extent &places, OuterPlace outer);

  /// Starts the copies of the places from `first` on to `to`, a pointer to
  /// shared memory. `find`, where places lie apart, may be null where they
  /// follow each other.
  void copy(Value to, Value first, RowFinder find = nullptr);

  /// Elements from a place along `axis` to the next.
  Index stride(char axis);

private:
  /// Whether places of the tile are rows of memory, and not features.
  bool arePlacesRows() const { return operand.axes.front() != walked; }
  Value bytesInside(Value inner, int64_t further, Value exists);
  SmallVector<SlotBox> ownBoxes() const;

  MmaBuilder &b;
  PointEmitter &emitter;
  const ThreadChunk &chunk;
  const MmaOperand &operand;
  SlotOperand slot;
  char walked;
  Type element;
  /// Along a row of memory, and of rows.
  Extent innerExtent, rowExtent;
  Index pitch;
  /// The tile's features that the tensor has, up to which, and which are its
  /// first.
  int64_t firstFeature = 0;
  std::optional<int64_t> endFeature;
  /// At the block's outer places.
  Value pointer;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_STREAMEDCOPIES_H
