//===- StreamedCluster.cpp - Rows that a cluster combines -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedCluster.h"

#include "Reductions/ClusterExchange.h"
#include "StreamedCombiner.h"
#include "StreamedParts.h"
#include "fuse/Analysis/StreamedClusters.h"

using namespace mlir;
using namespace mlir::fuse;

/// Barrier 0 is that of all threads.
static constexpr int64_t consumersBarrier = 1;

namespace {
/// What a block has left, in its shared memory or in that of another.
class LeftPlaces {
public:
  LeftPlaces(MmaBuilder &b, StreamedScheduleAttr schedule)
      : b(b), pitch(schedule.getTileN() + LeftStates::kPad),
        maxima(schedule.getTileM() * pitch * elementBytes),
        totals(maxima + schedule.getTileM() * elementBytes) {}

  Value maxAt(Value memory, Value row) { return ofRow(memory, row, maxima); }
  Value totalAt(Value memory, Value row) { return ofRow(memory, row, totals); }
  Value sumsAt(Value memory, Value row, Value column) {
    Value place = b.add(b.mul(row, pitch), column);
    return b.behind(memory, b.mul(place, elementBytes));
  }

private:
  static constexpr int64_t elementBytes = LeftStates::kElementBytes;
  Value ofRow(Value memory, Value row, int64_t start) {
    return b.behind(memory, b.add(b.mul(row, elementBytes), start));
  }

  MmaBuilder &b;
  int64_t pitch, maxima, totals;
};

class LeftInBlock final : public StreamedLeaver {
public:
  /// `row` is the first of this thread, in the tile.
  LeftInBlock(MmaBuilder &b, StreamedScheduleAttr schedule,
              StreamedScores &scores, StreamedRows &rows, Value memory,
              Value row)
      : StreamedLeaver(b, schedule, scores, rows, schedule.getTileN()),
        left(b, schedule), memory(memory), row(row) {}

private:
  Value rowOf(int64_t half) {
    return b.add(row, half * StreamedScores::rowStep);
  }
  void store(Value value, Value at, int64_t bytes) {
    LLVM::StoreOp::create(b.builder, b.loc(), value, at, bytes);
  }
  void leaveStatistics(int64_t half, Value max, Value total) override {
    store(max, left.maxAt(memory, rowOf(half)), sizeof(float));
    store(total, left.totalAt(memory, rowOf(half)), sizeof(float));
  }
  void leaveSums(int64_t half, Value first, int64_t further,
                 Value both) override {
    store(both, left.sumsAt(memory, rowOf(half), b.add(first, further)),
          StreamedScores::pair * sizeof(float));
  }

  LeftPlaces left;
  Value memory, row;
};
} // namespace

void StreamedCluster::meetInBlock() {
  NVVM::BarrierOp::create(
      b.builder, b.loc(), Type(), b.word(consumersBarrier),
      b.word(schedule.getConsumers() * MmaScheduleAttr::kGroup),
      NVVM::BarrierReductionAttr(), Value());
}

void StreamedCluster::meet() {
  blocks > 1 ? meetInCluster(b.frame) : meetInBlock();
}

void StreamedCluster::attend(MmaBuilder &b, int64_t blocks) {
  if (blocks <= 1)
    return;
  // One thread of a warp may come late.
  NVVM::SyncWarpOp::create(b.builder, b.loc(), b.word(-1));
  meetInCluster(b.frame);
  meetInCluster(b.frame);
}

void StreamedCluster::combine(const TilePlace &tile, const RowState &state,
                              ArrayRef<Value> sums,
                              const ConsumerThread &rowThread, Value group) {
  // Others may still read what they multiply.
  meetInBlock();
  LeftInBlock(b, schedule, scores, rows, memory,
              StreamedScores::firstRowOf(b, rowThread))
      .leave(state, sums, rowThread.lane, group);
  meet();
  writeShare(tile);
  if (blocks > 1)
    meet();
}

/// Blocks take runs of neighbouring columns, and threads a few of these, of the
/// rows that there may be.
void StreamedCluster::writeShare(const TilePlace &tile) {
  const DimClasses &dims = b.frame.dims;
  int64_t queries = schedule.queriesPerTile();
  StreamedCombiner combiner(b.frame, schedule, space, Index::constant(blocks),
                            /*mostTogether=*/blocks);
  StreamedScores ofRow(b, space, schedule);
  LeftPlaces left(b, schedule);
  Value rank = b.rem(b.wordOf(b.frame.blockId()), blocks);
  SmallVector<Value> memories = {memory};
  if (blocks > 1)
    memories =
        llvm::map_to_vector(llvm::seq<int64_t>(blocks), [&](int64_t block) {
          return b.inBlock(memory, b.word(block));
        });
  int64_t lanes = combiner.lanesOfThread();
  int64_t perRow = combiner.columnsOfRow() / lanes;
  Value rowCount = b.wordOf(b.frame.emitter.size(space.rowExtent(dims)));
  Value perHead = b.min(b.sub(rowCount, tile.row), b.word(queries));
  Value vectors = b.mul(perHead, schedule.getHeads() * perRow);
  Value length = b.ceilDiv(vectors, blocks), first = b.mul(rank, length);
  Value last = b.min(b.add(first, length), vectors);
  int64_t threads = schedule.getConsumers() * MmaScheduleAttr::kGroup;
  b.loop(b.add(first, consumer), last, b.word(threads), {},
         [&](Value number, ValueRange) -> SmallVector<Value> {
           Value place = b.div(number, perRow);
           Value column = b.mul(b.rem(number, perRow), lanes);
           Value row = place;
           if (schedule.getHeads() > 1)
             row = b.add(b.mul(b.div(place, perHead), queries),
                         b.rem(place, perHead));
           ofRow.placeAt(tile, row);
           auto load = [&](Value at, int64_t width) -> Value {
             Type type = PointEmitter::lanesOf(b.builder.getF32Type(), width);
             return LLVM::LoadOp::create(b.builder, b.loc(), type, at,
                                         width * sizeof(float));
           };
           auto of = [&](const Index &part) { return memories[part.offset]; };
           b.frame.ifTrue(ofRow.isInside(0), [&] {
             combiner.write(ofRow.rowPoint(0), b.indexOf(column),
                            {[&](const Index &part) {
                               return load(left.maxAt(of(part), row), 1);
                             },
                             [&](const Index &part) {
                               return load(left.totalAt(of(part), row), 1);
                             },
                             [&](const Index &part) {
                               return load(left.sumsAt(of(part), row, column),
                                           lanes);
                             }});
           });
           return {};
         });
}
