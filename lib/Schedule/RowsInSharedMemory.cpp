//===- RowsInSharedMemory.cpp - Rows that shared memory holds -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In how many blocks' shared memory a row is, what of it is in registers
// instead, and how many threads walk over it. The numbers are those that won on
// an H200, as in RowsOnGPU.cpp.
//
//===----------------------------------------------------------------------===//

#include "RowsOnGPU.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Bytes of a component of a state.
static constexpr int64_t componentBytes = 8;
/// Of a block whose part of a row is in shared memory.
static constexpr int64_t mostThreads = 512;
/// Sums of columns that a thread keeps beside a row in shared memory: of
/// several 16-bit inputs from this length on, and where there would be too many
/// elements for the registers.
static constexpr int64_t sharedSummedElements = 32;
static constexpr int64_t sharedSummedRow = 4096;

/// Shared memory in which the threads of so many warps exchange the states of a
/// segment.
int64_t RowsOnGPU::exchangedBytes(int64_t warps) const {
  int64_t components = 0;
  for (ArrayRef<Operation *> level : segment.space.levels)
    for (Operation *op : level)
      components += numStateComponents(op);
  return components * warps * componentBytes;
}

RowsScheduleAttr RowsOnGPU::makeParts(int64_t blocks, int64_t threads,
                                      int64_t unroll, int64_t groups,
                                      int64_t inRegisters, bool preload) const {
  return RowsScheduleAttr::get(kernel.getContext(), threads, vector,
                               /*rows_per_block=*/1, HoldKind::shared, unroll,
                               inRegisters, preload, groups)
      .withBlocksPerRow(blocks);
}

/// Parts of a row in shared memory alone, with weights of which the next step's
/// are loaded ahead. Few threads have the registers for that. Null where other
/// schedules are as fast.
RowsScheduleAttr RowsOnGPU::makeWeighted(int64_t blocks,
                                         int64_t threads) const {
  bool isDivided = length % vector == 0, isNarrow = vector > 4;
  if (!hasWeights || hasExp)
    return {};
  int64_t unroll = rowUnroll;
  if (hasDeviations) {
    if (blocks == 2 || (blocks == 1 && !isNarrow))
      return {};
    threads = 256;
    if (blocks > 1 && (isNarrow || !isDivided))
      unroll = 2;
  } else if (!isDivided) {
    if (inputs > 1 && !isNarrow)
      return {};
    if (blocks > 1)
      unroll = 1;
  } else if (isNarrow && inputs == 1) {
    // Half of the part, whose weights are half as many, too.
    blocks *= 2;
    if (blocks > target.gpu->maxClusterSize)
      return {};
    threads = 256;
    unroll = 2;
  } else {
    threads = 256;
  }
  // One step has none to load for.
  int64_t slots = length / blocks / (threads * vector);
  return makeParts(blocks, threads, unroll, rowCopyGroups, /*inRegisters=*/0,
                   /*preload=*/slots >= 2 * unroll);
}

/// Parts of a row that fill a multiprocessor each. What the first pass waits
/// for last stays in registers.
RowsScheduleAttr RowsOnGPU::makeFilling(int64_t blocks) const {
  int64_t threads = mostThreads;
  if (hasDeviations)
    return makeParts(blocks, threads, rowUnroll, rowCopyGroups,
                     /*inRegisters=*/0, /*preload=*/true);
  // A quarter, and what is no vector of all threads.
  int64_t part = llvm::divideCeil(length, blocks), step = threads * vector;
  int64_t held = llvm::divideCeil(part, step) / 4 + (part % step != 0);
  return makeParts(blocks, threads, /*unroll=*/2, /*groups=*/1, held,
                   /*preload=*/hasWeights && inputs > 1);
}

/// Parts of a row in shared memory alone. With four vectors of eight a step
/// threads that walk often, or wait for other blocks, have so many registers
/// that a multiprocessor takes fewer blocks, and so have those that find
/// deviations.
RowsScheduleAttr RowsOnGPU::makeShared(int64_t blocks, int64_t threads) const {
  if (RowsScheduleAttr weighted = makeWeighted(blocks, threads))
    return weighted;
  int64_t unroll = rowUnroll, groups = rowCopyGroups;
  bool walksOften = segment.space.levels.size() > 1 && !hasExp;
  int64_t part = llvm::divideCeil(length, blocks);
  auto leavesRest = [&] { return part % (threads * vector * unroll) != 0; };
  // Exponentials take more than a rest does.
  bool waits = blocks > 1 && !(hasExp && leavesRest());
  if (vector > 4 && (waits || walksOften || hasDeviations))
    unroll /= 2;
  // So has what steps leave over, which is code of its own in each walk.
  if (walksOften && length % vector == 0 && leavesRest())
    unroll = groups = 1;
  if (hasDeviations && blocks > 1) {
    if (vector > 4 && leavesRest())
      threads = std::min<int64_t>(threads, 256);
    else if (vector <= 4 || blocks > 2)
      unroll = 1;
  }
  return makeParts(blocks, threads, unroll, groups, /*inRegisters=*/0,
                   /*preload=*/false);
}

/// The fewest blocks of which a multiprocessor has room for two, each with its
/// part of the row in shared memory. In registers, where even the largest
/// cluster has blocks that have no room for theirs, and where a thread's vector
/// takes several copies, which shared memory's banks serve badly (2.4 times a
/// copy's time for f32 in eights). Null where rows do not fit so.
RowsScheduleAttr RowsOnGPU::proposeSpread() const {
  int64_t most = target.gpu->maxClusterSize;
  if (most == 1 || vector == 1 || inputBytes == 0)
    return {};
  bool isDivided = length % vector == 0;
  int64_t threads = hasExp || (inputs > 1 && isDivided) ? 256 : mostThreads;
  auto room = [&](int64_t blocks) {
    return target.sharedBytes - exchangedBytes(blocks * mostThreads / warpSize);
  };
  auto partBytes = [&](int64_t blocks) {
    return static_cast<int64_t>(llvm::divideCeil(length, blocks)) * inputBytes;
  };
  // Of rows whose weights are cut out of two vectors each, four.
  bool areCut = !isDivided && inputs == 1 && !hasExp && vector <= 4;
  int64_t blocks = 1;
  while (blocks < most && (areCut ? 4 : 2) * partBytes(blocks) > room(blocks))
    blocks *= 2;
  // Computing takes longer than loading, and more vectors a thread help.
  if (blocks > 4 && hasExp && vector > 4)
    return {};
  bool fillsOne = 2 * partBytes(blocks) > room(blocks);
  if (partBytes(blocks) <= room(blocks) && vectorBytes == accessBytes)
    return fillsOne && !hasExp
               ? makeFilling(blocks)
               : makeShared(blocks, blocks == 1 ? mostThreads : threads);
  int64_t part = llvm::divideCeil(length, blocks);
  threads = std::max<int64_t>(
      256, llvm::PowerOf2Ceil(llvm::divideCeil(part, sharedHeld)));
  if (threads > target.maxThreads)
    return {};
  return make(threads, 1, HoldKind::registers).withBlocksPerRow(blocks);
}

/// As much as goes into shared memory, and the rest in registers, of the parts
/// that so many blocks have. Registers take the vectors that are no multiple of
/// what a step of the loop takes, too. Null where the row does not fit.
RowsScheduleAttr RowsOnGPU::proposeShared(int64_t blocks,
                                          int64_t threads) const {
  int64_t bytes = inputBytes * vector;
  // Narrower copies than 4 bytes do not exist, and narrow ones do not pay.
  if (bytes == 0 || vector == 1)
    return {};
  int64_t part = llvm::divideCeil(length, blocks);
  int64_t partVectors = llvm::divideCeil(part, threads * vector);
  int64_t wide = std::max<int64_t>(1, bytes / accessBytes);
  int64_t registers = 65536 / threads / 2;
  int64_t most = registers / vector / wide;
  int64_t whole = part / (threads * vector);
  int64_t exchanged =
      blocks == 1 ? 0 : exchangedBytes(blocks * threads / warpSize);
  int64_t room = (target.sharedBytes - exchanged) / (threads * bytes);
  int64_t wanted = partVectors <= 8                  ? 0
                   : partVectors <= 16 || vector < 8 ? 4
                                                     : 8;
  int64_t slots = std::min({whole, room, partVectors - std::min(wanted, most)});
  slots = llvm::alignDown(slots, rowUnroll);
  if (slots == 0 || partVectors - slots > most)
    return {};
  return make(threads, 1, HoldKind::shared, partVectors - slots)
      .withBlocksPerRow(blocks);
}

/// Of rows whose elements leave no registers to the sums of their columns, or
/// few: in shared memory, which has room for the next row's copies meanwhile.
/// Null for others, and for those that are no whole vectors of all threads.
RowsScheduleAttr RowsOnGPU::proposeSharedSums() const {
  int64_t sums = columnSums();
  bool isLong = length * sums > summingBlock * summedElements;
  bool isNarrow = vector > 4 && inputs > 1 && length >= sharedSummedRow;
  int64_t each = std::max<int64_t>(
      vector,
      llvm::bit_floor(static_cast<uint64_t>(sharedSummedElements / sums)));
  int64_t threads = llvm::divideCeil(length, each);
  bool isWhole = length % each == 0 && threads % warpSize == 0 &&
                 threads <= target.maxThreads;
  bool fits = inputBytes > 0 && vectorBytes == accessBytes &&
              length * inputBytes + exchangedBytes(threads / warpSize) <=
                  target.sharedBytes;
  if (!isWhole || !fits || !(isLong || isNarrow))
    return {};
  return make(threads, 1, HoldKind::shared);
}
