//===- KeyRanges.h - The keys that a tile of queries sees -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a tile with the rows from r to s, the keys that some row sees and those
// that all rows see, as ranges of i64 (ScoreMasks.h). Of a causal mask, key <=
// row, these are those up to s and up to r; where each row has an integer of
// its own, such as where its sequence starts, by the least and the largest of
// these.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_KEYRANGES_H
#define FUSE_LIB_CONVERSION_MMA_KEYRANGES_H

#include "MmaBuilder.h"
#include "fuse/Analysis/ScoreMasks.h"

namespace mlir::fuse {

/// From `first` on, before `last`; i64.
struct KeyRange {
  Value first, last;
};

/// What some rows of a tile see, and what all of them do: no more than that.
struct KeyRanges {
  KeyRange some, all;
};

/// The rows of a tile: the first and the last, i64, and their axis among those
/// of the scores. Along the axis `varying` they have several places.
struct KeyRows {
  /// Gives a row's integer, i32.
  using Numbers = llvm::function_ref<Value(const Index &row)>;

  Value first, last;
  unsigned axis;
  std::optional<unsigned> varying;
  /// The least and the largest of the rows' integers, i32.
  std::function<std::pair<Value, Value>(Numbers)> extremes;
};

class KeyRangeEmitter {
public:
  /// `point`: of a score of the tile, of which the outer places count.
  KeyRangeEmitter(MmaBuilder &b, ArrayRef<Index> point, KeyRows rows,
                  Value keys)
      : b(b), point(point), rows(std::move(rows)), keys(keys) {}

  KeyRanges everything();
  KeyRanges emit(const ScoreCondition &condition);
  /// What both are.
  KeyRanges both(const KeyRanges &a, const KeyRanges &b);

  Value number(int64_t value);
  Value min(Value x, Value y);
  Value max(Value x, Value y);

private:
  template <typename Op> Value fold(Value x, Value y) {
    return b.builder.createOrFold<Op>(b.loc(), x, y);
  }
  Value times(Value x, int64_t factor);
  KeyRange nothing();
  KeyRanges either(const KeyRanges &a, const KeyRanges &b);
  KeyRanges notPositive(const AffinePlace &place);
  Value evaluate(const AffinePlace::Term &term);
  Value emitAt(Value value, const Index &row);
  std::pair<Value, Value> extremesOf(const AffinePlace::Term &term);
  bool varies(const AffinePlace::Term &term);
  Value less(Value x, Value y);
  Value select(Value condition, Value x, Value y) {
    return b.select(condition, x, y);
  }

  MmaBuilder &b;
  ArrayRef<Index> point;
  KeyRows rows;
  Value keys;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_KEYRANGES_H
