//===- RowsAcross.cpp - Rows that all are reduced, too --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks that stay and add up what they see of all rows; the next rows' loads
// are under way meanwhile. Sums of columns take registers, for which there are
// fewer threads, with as many bytes in flight. The numbers are those that won
// on an H200, of gradients of norms (docs/Rationale.md, "Sums over all rows
// stay with the rows").
//
//===----------------------------------------------------------------------===//

#include "RowsOnGPU.h"

#include "fuse/Analysis/OpCost.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Threads of a multiprocessor that sum over all rows: with rows in registers,
/// with whole vectors of all threads there, and with what follows from rows in
/// the caches.
static constexpr int64_t summingThreads = 1024, wholeSummingThreads = 960;
/// Elements of a thread beside whose sums of columns there are registers for a
/// row, and the most threads that take no more elements instead.
static constexpr int64_t summedElements = 16;
static constexpr int64_t summingBlock = 512;
/// Elements of a thread with whole vectors: in registers, of long rows and of
/// short ones, and in shared memory; sums of a thread there.
static constexpr int64_t leastWholeElements = 8, mostWholeElements = 32;
static constexpr int64_t leastShortElements = 12;
static constexpr int64_t leastSharedElements = 16, mostSharedSums = 48;
/// Elements of a row from which on no other one has its block, of so many
/// threads at most, and the threads that shorter ones have best.
static constexpr int64_t longSummedRow = 2048;
static constexpr int64_t widestGroup = 320, shortGroupOfSums = 64;
/// Bytes of a row of several inputs in shared memory: of 16-bit elements from
/// the first on, of words between the others.
static constexpr int64_t leastNarrowRow = 8 << 10;
static constexpr int64_t leastWordRow = 33 << 10, mostWordRow = 48 << 10;
/// Bytes of a row up to which a multiprocessor has four blocks or three, which
/// then have room for two rows each; others have two, or one.
static constexpr int64_t rowOfFourBlocks = 8 << 10, rowOfThreeBlocks = 14 << 10;
/// Bytes of a multiprocessor's rows from which on each block has room for
/// three, and of a row of words up to which it has room for two; of several
/// sums.
static constexpr int64_t rowsOfThreeStages = 56 << 10;
static constexpr int64_t wordRowOfStages = 80 << 10;
static constexpr int64_t wordRowOfManySums = 48 << 10;
/// Registers that a thread needs beside its sums and its elements.
static constexpr int64_t otherRegisters = 44;

RowsScheduleAttr RowsOnGPU::proposeAcross() const {
  if (!segment.reducesToColumns() || !knownLength)
    return proposeNumbersAcross();
  if (RowsScheduleAttr shared = proposeSharedSums())
    return shared;
  if (RowsScheduleAttr whole = proposeWholeSums())
    return whole;
  int64_t each = std::max(vector, summedElements / columnSums());
  int64_t group =
      llvm::PowerOf2Ceil(std::max<int64_t>(1, llvm::divideCeil(length, each)));
  group = std::min(group, std::max(summingBlock, group / 2));
  group = std::min(group, target.maxThreads);
  int64_t threads = std::max(group, smallestBlock);
  return staying(make(threads, threads / group, HoldKind::registers),
                 summingThreads / threads, length <= group * each);
}

/// So many blocks a multiprocessor.
RowsScheduleAttr RowsOnGPU::staying(RowsScheduleAttr schedule, int64_t blocks,
                                    bool preload) const {
  return schedule
      .withPersistent(std::max<int64_t>(1, blocks) *
                      target.gpu->multiprocessors)
      .withPreload(preload);
}

/// Numbers of rows, which take no registers: rows are held as ever.
RowsScheduleAttr RowsOnGPU::proposeNumbersAcross() const {
  RowsScheduleAttr alone = proposeAlone();
  if (alone.getBlocksPerRow() > 1)
    alone = make(isSmall() ? smallThreads : loopThreads, 1, HoldKind::loop);
  bool isHeld = alone.getHold() == HoldKind::registers;
  if (isHeld && once)
    alone = alone.withLeastBlocks(
        std::max<int64_t>(1, boundedHeldThreads / alone.getThreads()));
  int64_t threads = alone.getHold() == HoldKind::cache
                        ? summingThreads
                        : target.gpu->maxThreadsPerSM;
  return staying(alone, threads / alone.getThreads(), isHeld);
}

/// Sums over all rows that threads keep of each column.
int64_t RowsOnGPU::columnSums() const {
  int64_t count = 0;
  for (const ReductionSpace &space : segment.across.spaces)
    if (AcrossRows::keepsColumns(space, segment.space))
      for (Operation *op : space.levels.front())
        count += numStateComponents(op);
  return count;
}

/// The most threads, a multiple of `unit` and not beyond `widest`, that have
/// whole vectors, `fewest` to `most` elements each; 0 where there are none.
int64_t RowsOnGPU::wholeGroup(int64_t fewest, int64_t most, int64_t unit,
                              int64_t widest) const {
  for (int64_t each = llvm::alignTo(fewest, vector); each <= most;
       each += vector)
    if (length % (each * unit) == 0 && length / each <= widest)
      return length / each;
  return 0;
}

/// Threads for a row in registers.
int64_t RowsOnGPU::heldSumsGroup() const {
  int64_t most = mostWholeElements / columnSums();
  if (length < longSummedRow) {
    int64_t usual = wholeGroup(leastShortElements, most, shortGroupOfSums,
                               shortGroupOfSums);
    return usual
               ? usual
               : wholeGroup(leastShortElements, most, warpSize, smallestBlock);
  }
  for (int64_t each = leastWholeElements; each <= most; each *= 2)
    if (int64_t group = wholeGroup(each, each, warpSize, widestGroup))
      return group;
  return 0;
}

/// In registers, by threads that all have whole vectors. Null where there are
/// none, and for rows of one input.
RowsScheduleAttr RowsOnGPU::proposeWholeSums() const {
  if (vectorBytes != accessBytes || inputs < 2)
    return {};
  int64_t group = heldSumsGroup();
  if (group == 0)
    return {};
  int64_t rows = std::max<int64_t>(1, smallestBlock / group);
  return staying(make(rows * group, rows, HoldKind::registers),
                 wholeSummingThreads / (rows * group), /*preload=*/true);
}

/// Threads for a row in shared memory: whole blocks of 128 before others, and
/// no more than a block of `summingBlock` where that has so few elements each.
int64_t RowsOnGPU::sharedSumsGroup() const {
  int64_t most = std::min(mostWholeElements, mostSharedSums / columnSums());
  for (int64_t widest : {summingBlock, target.maxThreads})
    for (int64_t unit : {smallestBlock, warpSize})
      if (int64_t group = wholeGroup(leastSharedElements, most, unit, widest))
        return group;
  return 0;
}

/// Whether so many blocks of the threads have registers for their sums, and
/// shared memory for so many rows each.
bool RowsOnGPU::haveRoomForSums(int64_t threads, int64_t blocks,
                                int64_t rows) const {
  int64_t each = length / threads * columnSums();
  int64_t bytes =
      rows * length * inputBytes + exchangedBytes(threads / warpSize);
  int64_t reserved = target.gpu->reservedSharedBytesPerBlock;
  return blocks * threads * (each + otherRegisters) <=
             target.gpu->registersPerSM &&
         bytes <= target.sharedBytes &&
         blocks * (bytes + reserved) <= target.gpu->sharedBytesPerSM;
}

/// Rows for which a block has room: the present one, and those whose copies are
/// on their way.
int64_t RowsOnGPU::stagesOfSums(int64_t threads, int64_t blocks) const {
  int64_t sums = columnSums(), row = length * inputBytes;
  int64_t mostStaged = sums == 1 ? wordRowOfStages : wordRowOfManySums;
  if (vector <= 4 && row > mostStaged)
    return 1;
  if (vector > 4 && sums == 1 && blocks * row >= rowsOfThreeStages &&
      haveRoomForSums(threads, blocks, 3))
    return 3;
  return haveRoomForSums(threads, blocks, 2) ? 2 : 1;
}

/// Of rows whose elements leave no registers to the sums of their columns, or
/// few: in shared memory, which has room for the next rows' copies meanwhile.
/// Null for others, and for those that are no whole vectors of all threads.
RowsScheduleAttr RowsOnGPU::proposeSharedSums() const {
  int64_t row = length * inputBytes;
  bool isLong = length * columnSums() > summingBlock * summedElements;
  bool isNarrow = vector > 4 && inputs > 1 && row >= leastNarrowRow;
  bool areWords =
      vector <= 4 && inputs > 1 && row >= leastWordRow && row <= mostWordRow;
  if (inputBytes == 0 || vectorBytes != accessBytes ||
      !(isLong || isNarrow || areWords))
    return {};
  int64_t threads = sharedSumsGroup();
  if (threads == 0 || !haveRoomForSums(threads, /*blocks=*/1, /*rows=*/1))
    return {};
  int64_t blocks = row <= rowOfFourBlocks ? 4 : row <= rowOfThreeBlocks ? 3 : 2;
  while (blocks > 1 && !haveRoomForSums(threads, blocks, /*rows=*/2))
    --blocks;
  return staying(make(threads, 1, HoldKind::shared), blocks, /*preload=*/true)
      .withStages(stagesOfSums(threads, blocks));
}
