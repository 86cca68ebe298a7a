//===- StreamedRows.h - Softmaxes that follow their rows --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A base b, the maximum of the keys seen so far or a little less, and the sum
// of exp(x - b), of the two rows that a thread has parts of. With a new base c
// the sum, and what has been summed of weights times values, are turned to it:
// times exp(b - c) (Milakov and Gimelshein, arXiv:1805.02867).
//
// The base follows the maximum only where that is larger by a factor of 256 of
// the exponentials: most tiles of keys turn nothing, and no weight is so large
// that 16 bits could not hold it (Shah et al., FlashAttention-4). At the end
// all is turned to the maximum.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_STREAMEDROWS_H
#define FUSE_LIB_CONVERSION_MMA_STREAMEDROWS_H

#include "StreamedScores.h"

namespace mlir::fuse {

/// What a consumer knows of its rows, of two a thread.
struct RowState {
  static constexpr int64_t halves = StreamedScores::halves;

  /// In units of the logits; the sum is that of the keys that this thread has
  /// seen.
  Value max[halves], base[halves], sum[halves];
  /// What the sums are to be multiplied by for the last base.
  Value turn[halves];
  /// The weights of the last tile, f32: products under way read the registers
  /// of those before, so that these are packed when they have ended.
  SmallVector<Value> weights;

  RowState() = default;
  explicit RowState(ValueRange all) {
    for (int64_t half = 0; half < halves; ++half) {
      max[half] = all[4 * half];
      base[half] = all[4 * half + 1];
      sum[half] = all[4 * half + 2];
      turn[half] = all[4 * half + 3];
    }
    llvm::append_range(weights, all.drop_front(4 * halves));
  }
  SmallVector<Value> all() const {
    SmallVector<Value> found;
    for (int64_t half = 0; half < halves; ++half)
      found.append({max[half], base[half], sum[half], turn[half]});
    llvm::append_range(found, weights);
    return found;
  }
};

class StreamedRows {
public:
  /// Of every 8 exponentials, `polynomials` are computed as such.
  StreamedRows(MmaBuilder &b, const StreamedSpace &space,
               StreamedScores &scores, int64_t polynomials)
      : b(b), builder(b.builder), space(space), scores(scores),
        polynomials(polynomials) {}

  /// Of rows that have seen no key, with so many weights.
  RowState nothing(int64_t weights);
  /// Adds a tile of keys.
  void follow(ArrayRef<Value> logits, RowState &state, bool isFirst);
  /// Whether the sums of a row that the warp has parts of are to be turned, an
  /// i1.
  Value areTurned(const RowState &state);
  /// What turns sums below the base to the maximum, at the end.
  Value lastTurn(const RowState &state, int64_t half) {
    return space.isPlain() ? number(1)
                           : turn(state.base[half], state.max[half]);
  }
  /// The sum of a row below its maximum, of all keys that its threads have
  /// seen.
  Value total(const RowState &state, int64_t half);
  /// What the sums are to be multiplied by at the end, for a row with such a
  /// maximum, in units of the logits, and such a sum; makes these known where
  /// `point` is, for what follows in this scope.
  Value finish(Value max, Value total, const Point &point);
  /// What sums below `max` are to be multiplied by for another maximum.
  Value turn(Value max, Value other);

  Value number(double value) {
    return b.frame.emitter.constant(b.loc(), builder.getF32Type(), value);
  }

private:
  /// exp(x - max) = exp2(factor x - base).
  struct Shift {
    Value factor, base;
  };
  Shift shiftOf(Value max);
  Value minusBase(Value max, const Shift &shift);
  Value nextBase(Value base, Value max);
  template <typename Op> Value make(Value x, Value y) {
    return Op::create(builder, b.loc(), x, y);
  }
  Value fma(Value x, Value y, Value z) {
    return LLVM::FMAOp::create(builder, b.loc(), x, y, z);
  }
  Value exp2(Value x);
  Value polynomialExp2(Value x);
  bool isPolynomialAt(size_t number) const;
  /// Adds a tile's values of row `half` to its sum.
  void addUp(SmallVector<Value> values, RowState &state, int64_t half,
             bool isFirst);
  /// Of so many values by the numbers of the sums those of row `half`.
  static SmallVector<size_t> numbersOf(int64_t half, size_t count);
  static SmallVector<Value> ofHalf(ArrayRef<Value> values, int64_t half);
  Value tree(SmallVector<Value> values,
             llvm::function_ref<Value(Value, Value)> join);
  Value overQuad(Value value, llvm::function_ref<Value(Value, Value)> join);

  MmaBuilder &b;
  OpBuilder &builder;
  const StreamedSpace &space;
  StreamedScores &scores;
  int64_t polynomials;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_STREAMEDROWS_H
