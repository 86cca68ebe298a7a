//===- SumsExchange.h - Sums that blocks leave for each other ---*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The consumers of a block leave the sums of a tile in its shared memory and
// read them there in another order: as vectors along the result's rows. Where a
// cluster of blocks shares the tile, each reads what all have left, for its
// part of the rows. Two barriers in each block count the blocks:
//
//   await `read`      (but for the first tile: all have read the tile before)
//   leave the sums
//   meet, arrive at `written` of all blocks
//   await `written`
//   read the sums of all blocks
//   meet, arrive at `read` of all blocks     (if a tile follows)
//
// An arrival and a wait of the cluster's scope order what one block has written
// before what another reads. Neither barrier is needed in a block alone.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_SUMSEXCHANGE_H
#define FUSE_LIB_CONVERSION_MMA_SUMSEXCHANGE_H

#include "MmaBuilder.h"

namespace mlir::fuse {

/// A tile's place among those that a block takes.
struct TileTurn {
  /// Tiles before it, a word, and whether more follow, an i1.
  Value before, isFollowed;
  /// Whether it is the block's first, an i1.
  Value isFirst;
};

class SumsExchange {
public:
  /// `sums`: where they lie in shared memory; `barriers`: the two barriers.
  SumsExchange(MmaBuilder &b, MmaScheduleAttr schedule, Value sums,
               Value barriers)
      : b(b), blocks(schedule.exchangingBlocks()),
        consumers(schedule.getConsumers()), sums(sums), written(barriers),
        read(b.behind(barriers, barrierBytes)) {}

  /// By one thread, before all threads of the cluster meet.
  void initializeBarriers();

  /// Once, in the code of the consumers; `thread` is the number among these.
  void initialize(Value thread);

  /// Waits until the sums of the tile before have been read.
  void awaitSpace(const TileTurn &turn);
  /// Sums of this block, to be written.
  Value own() const { return sums; }
  /// Ends the writing; waits for that of all blocks.
  void exchange(const TileTurn &turn);
  /// Those of block `part` of the cluster, to be read.
  Value ofPart(int64_t part) const { return parts[part]; }
  /// Ends the reading.
  void release(const TileTurn &turn);

private:
  void meet();
  void arriveEverywhere(Value barrier);
  Value parityOf(const TileTurn &turn, int64_t tilesBefore);

  static constexpr int64_t barrierBytes = 8;

  MmaBuilder &b;
  int64_t blocks, consumers;
  Value sums, written, read, thread;
  SmallVector<Value> parts;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_SUMSEXCHANGE_H
