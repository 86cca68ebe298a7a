//===- StreamedCluster.h - Rows that a cluster combines ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As StreamedParts.h has it, but the blocks that share the keys of a tile are a
// cluster, and there is no second launch:
//
//   leave the states of the tile's rows in the block's own shared memory, where
//     keys and values were
//   meet
//   read those of all blocks, for a part of the rows and columns; write results
//   meet                                a block whose memory is read stays
//
// Parts are in the order of the blocks' ranks, so that a call gives the same
// bits each time. In shared memory are the sums, [rows, pitch], the maxima and
// the totals; the pitch spreads the rows of a warp over the banks.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_STREAMEDCLUSTER_H
#define FUSE_LIB_CONVERSION_MMA_STREAMEDCLUSTER_H

#include "StreamedRows.h"

namespace mlir::fuse {

class StreamedCluster {
public:
  /// So many blocks. `memory` is the block's own, `consumer` one of its threads
  /// that have sums, as a number among these.
  StreamedCluster(MmaBuilder &b, const StreamedSpace &space,
                  StreamedScheduleAttr schedule, StreamedScores &scores,
                  StreamedRows &rows, int64_t blocks, Value memory,
                  Value consumer)
      : b(b), space(space), schedule(schedule), scores(scores), rows(rows),
        blocks(blocks), memory(memory), consumer(consumer) {}

  /// By all threads that have sums; `group` are the columns of consumers that
  /// share them, else null.
  void combine(const TilePlace &tile, const RowState &state,
               ArrayRef<Value> sums, const ConsumerThread &rowThread,
               Value group);

  /// By the warps of a block that have none.
  static void attend(MmaBuilder &b, int64_t blocks);

private:
  void meetInBlock();
  void meet();
  void writeShare(const TilePlace &tile);

  MmaBuilder &b;
  const StreamedSpace &space;
  StreamedScheduleAttr schedule;
  StreamedScores &scores;
  StreamedRows &rows;
  int64_t blocks;
  Value memory, consumer;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_STREAMEDCLUSTER_H
