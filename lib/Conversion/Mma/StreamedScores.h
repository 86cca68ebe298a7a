//===- StreamedScores.h - A thread's scores of a tile of keys ---*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread has scores of two rows, where it has sums (MmaEpilogue.h). The
// emitter gets them as the first contraction's result at their points, and is
// asked for the softmax's operand there, and later, with the exponentials
// known, for the weights. So whatever a program does with the scores is done in
// registers.
//
// A positive factor of all scores, such as 1 / sqrt(d), is left for the
// exponent, which is multiplied by log2(e) anyway: logits are in units of
// 1 / factor().
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_STREAMEDSCORES_H
#define FUSE_LIB_CONVERSION_MMA_STREAMEDSCORES_H

#include "MmaEpilogue.h"
#include "fuse/Analysis/ScoreMasks.h"

namespace mlir::fuse {

class StreamedScores {
public:
  StreamedScores(MmaBuilder &b, const StreamedSpace &space,
                 StreamedScheduleAttr schedule);

  /// What the logits still have to be multiplied by.
  double factor() const { return scale; }
  ArrayRef<ScoreMask> masks() const { return found; }
  /// Whether all that is computed from scores are instructions without a call,
  /// which may stand between the start of products and the wait for them.
  bool isStraight() const;

  /// The places of this thread in the tile of queries.
  void initialize(const TilePlace &tile, const ConsumerThread &self);
  /// The point of a score of row `half` of this thread; the key is 0.
  Point rowPoint(int64_t half) const;
  /// Whether there is such a row, an i1; null for always.
  Value isInside(int64_t half) const { return inside[half]; }

  /// Tells where a tile of keys starts, a word, for what follows in this scope.
  void startTile(Value firstKey);
  /// The logits, by the numbers of the sums, which are f32. In a tile that all
  /// rows see and that no edge cuts, `isWhole`, no mask is applied. `missing`,
  /// an i1 for each run of equally many keys: their scores are NaN.
  SmallVector<Value> logits(ArrayRef<Value> sums, bool isWhole,
                            ArrayRef<Value> missing);
  /// A value that the exponentials have been made to, such as the weights, by
  /// the numbers of the sums, f32 as these.
  SmallVector<Value> fromExponentials(Value value,
                                      ArrayRef<Value> exponentials);
  /// Weights as words, two of a row each, in the order of wgmma's left operand,
  /// which is that of the sums.
  SmallVector<Value> packed(ArrayRef<Value> weights);

  /// Neighbours that a thread has, columns of a block of them, rows.
  static constexpr int64_t pair = 2, blockColumns = 8, halves = 2, rowStep = 8;

private:
  void findScale(Value value);
  void relaxDivisions();
  void placeRow(int64_t half, const TilePlace &tile, Value row);
  Value emitLogit(Value value, const Point &point);
  Point pointAt(int64_t half, int64_t column) const;
  void clampColumns();
  bool readsKeys(Value value) const;
  void defineAt(Value value, ArrayRef<Value> values);
  int64_t blocks() const { return schedule.getTileK() / blockColumns; }

  MmaBuilder &b;
  PointEmitter &emitter;
  const StreamedSpace &space;
  StreamedScheduleAttr schedule;
  SmallVector<ScoreMask> found;
  double scale = 1;
  /// Multiplications that are left out, and what leads there.
  llvm::DenseSet<Operation *> scaled;
  int64_t lanes;
  Value keyCount;
  /// In the tile of queries.
  SmallVector<Index> outer;
  Index rows[halves], heads[halves];
  Value inside[halves];
  Value quadColumn;
  /// Of this thread's first key, and of each pair or key of a row.
  Value firstOwn;
  SmallVector<Index> columns;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_STREAMEDSCORES_H
