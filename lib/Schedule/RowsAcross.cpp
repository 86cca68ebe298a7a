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
// on an H200, of gradients of norms (docs/tuning.md, "What measurements
// decided").
//
//===----------------------------------------------------------------------===//

#include "RowsOnGPU.h"
#include "fuse/Analysis/AcrossRows.h"
#include "fuse/Analysis/ReductionSpace.h"

#include "fuse/Analysis/OpCost.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Threads of a multiprocessor that sum over all rows, with rows in registers,
/// or what follows from rows in the caches.
static constexpr int64_t summingThreads = 1024;
/// Elements of a thread beside whose sums of columns there are registers for a
/// row, and the most threads that take no more elements instead.
static constexpr int64_t summedElements = 16;
static constexpr int64_t summingBlock = 512;
/// The same where all threads have whole vectors: threads of a multiprocessor
/// with up to so many elements each, words and narrow ones, and with more; the
/// most blocks of these.
static constexpr int64_t fewWords = 8, fewNarrow = 16;
static constexpr int64_t lightThreads = 960, heavyThreads = 704;
static constexpr int64_t mostHeldBlocks = 4;
/// Elements of a thread there, of long rows and of short ones.
static constexpr int64_t leastWholeElements = 8, mostWholeElements = 32;
static constexpr int64_t leastShortElements = 12;
/// Elements of a row from which on no other one has its block, of so many
/// threads at best and at most; the threads that shorter ones have best, and
/// their elements up to which a block of `longGroup` has several of them.
static constexpr int64_t longSummedRow = 2048;
static constexpr int64_t longGroup = 256, longestGroup = 320;
static constexpr int64_t shortGroupOfSums = 64;
static constexpr int64_t fewShortWords = 12, fewShortNarrow = 24;
/// Bytes of a row of several inputs in shared memory: of 16-bit elements from
/// the first on, of words between the others.
static constexpr int64_t leastNarrowRow = 5 << 10;
static constexpr int64_t leastWordRow = 33 << 10, mostWordRow = 52 << 10;
/// Elements of a thread there, of all but the shortest.
static constexpr int64_t leastSharedElements = 16;
/// Bytes of a row up to which a multiprocessor has four blocks, or three; with
/// several sums it has so many threads, the second number at least.
static constexpr int64_t rowOfFourBlocks = 8 << 10, rowOfThreeBlocks = 14 << 10;
static constexpr int64_t severalSumsThreads = 512, leastSummingThreads = 384;
/// Bytes of a multiprocessor's rows from which on each block has room for
/// three; rows that leave four blocks that much room have it, too.
static constexpr int64_t rowsOfThreeStages = 56 << 10;
/// Bytes of a row of words beyond which two leave the caches no room for what
/// all rows share.
static constexpr int64_t mostStagedWordRow = 104 << 10;
/// Registers that a thread needs beside its sums and its elements.
static constexpr int64_t otherRegisters = 40;

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

/// The same, and ptxas is told so: what it takes by itself changes with each
/// stage, and often leaves room for fewer.
RowsScheduleAttr RowsOnGPU::stayingTogether(RowsScheduleAttr schedule,
                                            int64_t blocks) const {
  bool isBounded = blocks > 1 || vector <= 4;
  return staying(schedule, blocks, /*preload=*/true)
      .withLeastBlocks(isBounded ? blocks : 0);
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

/// The threads that have whole vectors, `each` elements; 0 where they are no
/// whole warps, fewer than `fewest` or more than `most`.
int64_t RowsOnGPU::wholeGroup(int64_t each, int64_t fewest,
                              int64_t most) const {
  if (each % vector != 0 || length % (each * warpSize) != 0)
    return 0;
  int64_t threads = length / each;
  return threads >= fewest && threads <= most ? threads : 0;
}

/// Threads for a row in registers.
int64_t RowsOnGPU::heldSumsGroup() const {
  int64_t most = mostWholeElements / columnSums();
  bool isLong = length >= longSummedRow;
  int64_t least = isLong ? leastWholeElements : leastShortElements;
  int64_t best = isLong ? longGroup : shortGroupOfSums;
  if (length >= least * best && length <= most * best &&
      wholeGroup(length / best, best, best))
    return best;
  int64_t widest = isLong ? longestGroup : smallestBlock;
  for (int64_t each = llvm::alignTo(least, vector); each <= most;
       each += vector)
    if (int64_t group = wholeGroup(each, warpSize, widest))
      return group;
  return 0;
}

/// Threads of a block of several short rows.
int64_t RowsOnGPU::shortBlockOfSums(int64_t group) const {
  int64_t each = length / group;
  bool isNarrow = vector > 4;
  if (group < shortGroupOfSums)
    return each <= summedElements || isSmall() ? longGroup : smallestBlock;
  bool areFew =
      each * columnSums() <= (isNarrow ? fewShortNarrow : fewShortWords);
  return areFew ? longGroup : smallestBlock;
}

/// In registers, by threads that all have whole vectors. Null where there are
/// none, and for short rows of one input of words.
RowsScheduleAttr RowsOnGPU::proposeWholeSums() const {
  int64_t group = vectorBytes == accessBytes ? heldSumsGroup() : 0;
  bool isOneShort = inputs == 1 && vector <= 4 && length < longSummedRow;
  if (group == 0 || isOneShort)
    return {};
  int64_t each = length / group;
  bool isNarrow = vector > 4;
  int64_t block =
      length < longSummedRow ? shortBlockOfSums(group) : smallestBlock;
  int64_t rows = std::max<int64_t>(1, block / group);
  int64_t threads = rows * group;
  bool isLight = each <= (isNarrow || inputs == 1 ? fewNarrow : fewWords);
  int64_t all = isLight || rows > 1 ? lightThreads : heavyThreads;
  if (isLight && isNarrow && rows == 1)
    all = summingThreads;
  int64_t blocks = std::max<int64_t>(1, all / threads);
  if (rows == 1)
    blocks = std::min(blocks, mostHeldBlocks);
  return stayingTogether(make(threads, rows, HoldKind::registers), blocks);
}

/// Threads for a row in shared memory: of short rows with one sum as many as
/// have a few elements each; of several sums few, of which each has many, and
/// whose blocks are enough; of others those that have 16 or 32 before others.
int64_t RowsOnGPU::sharedSumsGroup() const {
  if (columnSums() > 1) {
    for (int64_t each = mostWholeElements; each >= leastSharedElements;
         each -= vector) {
      int64_t group = wholeGroup(each, smallestBlock, summingBlock);
      if (group > 0 && group * blocksOfSums(group) >= leastSummingThreads)
        return group;
    }
  } else if (length * inputBytes <= rowOfFourBlocks) {
    if (int64_t group =
            wholeGroup(leastWholeElements, smallestBlock, longGroup))
      return group;
  }
  for (int64_t widest : {summingBlock, target.maxThreads}) {
    for (int64_t each : {leastSharedElements, mostWholeElements})
      if (int64_t group = wholeGroup(each, warpSize, widest))
        return group;
    for (int64_t each = leastSharedElements; each <= mostWholeElements;
         each += vector)
      if (int64_t group = wholeGroup(each, warpSize, widest))
        return group;
  }
  return wholeGroup(leastWholeElements, warpSize, summingBlock);
}

/// Whether so many blocks of the threads have registers for their sums, and
/// shared memory for so many rows each.
bool RowsOnGPU::haveRoomForSums(int64_t threads, int64_t blocks,
                                int64_t rows) const {
  int64_t registers = length / threads * columnSums() + otherRegisters;
  int64_t bytes =
      rows * length * inputBytes + exchangedBytes(threads / warpSize);
  int64_t reserved = target.gpu->reservedSharedBytesPerBlock;
  return blocks * threads * registers <= target.gpu->registersPerSM &&
         bytes <= target.sharedBytes &&
         blocks * (bytes + reserved) <= target.gpu->sharedBytesPerSM;
}

/// Blocks that a multiprocessor has for rows in shared memory, each with room
/// for two rows if there are several.
int64_t RowsOnGPU::blocksOfSums(int64_t threads) const {
  int64_t row = length * inputBytes;
  int64_t blocks = row <= rowOfFourBlocks ? 4 : row <= rowOfThreeBlocks ? 3 : 2;
  if (threads > longestGroup)
    blocks = std::min<int64_t>(blocks, 2);
  if (columnSums() > 1)
    blocks = std::clamp<int64_t>(severalSumsThreads / threads, 1, 4);
  while (blocks > 1 && !haveRoomForSums(threads, blocks, /*rows=*/2))
    --blocks;
  return blocks;
}

/// Rows for which a block has room: the present one, and those whose copies are
/// on their way.
int64_t RowsOnGPU::stagesOfSums(int64_t threads, int64_t blocks) const {
  int64_t row = length * inputBytes;
  bool areShort = blocks == 4 && row < rowOfFourBlocks;
  bool areLong =
      blocks * row >= rowsOfThreeStages && (blocks > 1 || vector > 4);
  if (vector <= 4 && blocks == 1 && row > mostStagedWordRow)
    return 1;
  if (columnSums() == 1 && (areShort || areLong) &&
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
  int64_t blocks = blocksOfSums(threads);
  return stayingTogether(make(threads, 1, HoldKind::shared), blocks)
      .withStages(stagesOfSums(threads, blocks));
}
