//===- StreamedTiles.h - Queries and keys of a block ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has a tile of queries, or one part of the keys that these see:
//
//   tile 0: part 0, part 1, part 2, tile 1: part 0, ...
//
// With several heads in a tile row r is query r mod q of head r / q, where q is
// the number of queries in a tile. Queries and heads behind the last are copied
// as zeros, and nothing is written for them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_STREAMEDTILES_H
#define FUSE_LIB_CONVERSION_MMA_STREAMEDTILES_H

#include "KeyRanges.h"
#include "StreamedScores.h"

namespace mlir::fuse {

/// Tiles of keys, from `first` on before `last`, and the keys that all rows
/// see.
struct KeyTiles {
  Value first, last;
  KeyRange all;
  /// Whether there are any; null for always.
  Value exist;
};

class StreamedTiles {
public:
  StreamedTiles(MmaBuilder &b, const StreamedSpace &space,
                StreamedScheduleAttr schedule)
      : b(b), emitter(b.frame.emitter), space(space), schedule(schedule) {}

  /// The tile of this block; `outer` has the first head of several. Blocks that
  /// follow each other have the same keys. Later queries, which see more keys
  /// of a causal mask, come first.
  TilePlace place();
  /// The tile of a number up to count(), where blocks take them in turn.
  TilePlace placeOf(Value number);
  Value count();
  /// The keys of this block's part of those that its rows see.
  KeyTiles find(const TilePlace &tile, ArrayRef<ScoreMask> masks);
  /// Tiles of queries, each of which has a block for each part.
  static GridTerm grid(const StreamedSpace &space,
                       StreamedScheduleAttr schedule, const DimClasses &dims);
  /// This block's part of the keys; null where there is one.
  Value part() const { return number; }

private:
  KeyTiles ownPart(KeyTiles tiles);
  /// Of the queries' integers, the least and the largest.
  std::pair<Value, Value> extremesOf(Value first, Value last,
                                     KeyRows::Numbers numbers);

  MmaBuilder &b;
  PointEmitter &emitter;
  const StreamedSpace &space;
  StreamedScheduleAttr schedule;
  Value number, parts;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_STREAMEDTILES_H
