//===- RowSelection.h - The largest elements of the rows of a block
//--------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element and its place make a key, an integer whose order is the wanted one
// and which no other element of the row has:
//
//   bits of the value, as an integer of the same order | all ones - place
//
// The block keeps the k largest keys so far in shared memory, in their order.
// In a tile of the row each thread finds the largest of its keys that is larger
// than the last of these. While a thread has one, the largest of all threads
// takes its place among the k, and its thread looks for its next: a tile costs
// an exchange for each key that it brings among the k, and few tiles behind the
// first ones bring any.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWSELECTION_H
#define FUSE_LIB_CONVERSION_ROWSELECTION_H

#include "RowScan.h"

namespace mlir::fuse {

/// The number of a result's element at a point among those of the block's row.
using RowNumbering = std::function<Index(Value, const Point &)>;

/// One fuse.top_k in a walk over a row, or in such walks of `rows` short ones
/// of the same block.
class RowSelection {
public:
  RowSelection(KernelFrame &frame, TopKOp op, const RowWalkers &walkers,
               int64_t rows = 1);

  /// The number of the row that is walked, where there are several.
  void setRow(const Index &number) {
    first = emitter.mul(number, Index::constant(k));
  }

  /// Empties the list; the key that an element has to exceed.
  ReductionState start();
  /// Takes the elements of a tile in, and returns what the next have to exceed.
  ReductionState take(ArrayRef<Point> points, const ReductionState &least);
  /// Makes the results known, each element wherever it is asked for: `numberOf`
  /// gives its number among those of the block.
  void finish(const RowNumbering &numberOf);

private:
  /// Whether an element and its place need two words.
  bool isWide() const { return element.getIntOrFloatBitWidth() > 32; }
  Value integer(Type type, uint64_t value, int64_t lanes = 1);
  Value ordered(Value elements);
  Value keysAt(const Point &point);
  Value larger(Value a, Value b);
  Value best(ArrayRef<Value> keys, Value least, Value below);
  Value bestOfBlock(Value own);
  Value insert(Value key);
  void insertInTurn(Value key);
  void insertTogether(Value key);
  Value valueOf(Value key);
  Value idOf(Value key);
  Value loadKey(const Index &place) {
    return load(list, emitter.add(first, place));
  }
  void storeKey(const Index &place, Value key) {
    store(list, emitter.add(first, place), key);
  }

  /// Keys in shared memory, of one word of 64 bits or two.
  using Words = SmallVector<Value, 2>;
  Words addWords(int64_t count);
  Value load(const Words &words, const Index &place);
  void store(const Words &words, const Index &place, Value key);
  Value shuffle(Value key, int64_t distance);
  void barrier();

  KernelFrame &frame;
  PointEmitter &emitter;
  OpBuilder &builder;
  TopKOp op;
  Location loc;
  /// The compute type of an element, and an integer as wide.
  Type element, bits;
  Type keyType;
  RowWalkers walkers;
  int64_t k;
  /// The keys in their order, and one a warp.
  Words list, ofWarps;
  /// Where the keys of the row start.
  Index first = Index::constant(0);
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWSELECTION_H
