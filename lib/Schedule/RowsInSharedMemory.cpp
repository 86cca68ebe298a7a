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
/// Bytes of a row's part, of all inputs: of most, of those that compute longer
/// than they load, of several inputs, and of words with deviations.
static constexpr int64_t usualPart = 32 << 10;
static constexpr int64_t exponentialPart = 26 << 10;
static constexpr int64_t severalPart = 24 << 10;
static constexpr int64_t deviationPart = 16 << 10;
/// Larger ones are worth more blocks than are portable, or have other threads.
static constexpr int64_t largePart = 48 << 10;
static constexpr int64_t smallestPartBlock = 128, middlePartBlock = 192;
static constexpr int64_t usualPartBlock = 256;
/// Elements of a part with deviations, of few blocks, from which on it has
/// twice the threads, which load weights when they need them; few blocks.
static constexpr int64_t widePart = 12288, fewBlocks = 4;
/// Elements of a row that has deviations and one block: of those that the
/// caches may have instead, with so many vectors a thread, of those with the
/// fewest threads, and of all. Vectors of each thread, if that leaves none out.
static constexpr int64_t shortestWhole = 4096, shortWhole = 8192;
static constexpr int64_t mediumWhole = 11264, longestWhole = 16384;
static constexpr int64_t fewestCachedVectors = 3, wholeVectors = 8;
static constexpr int64_t largestPartBlock = 512;
/// Vectors of a wide part from which on its weights are loaded when needed, and
/// elements of a row with exponentials whose parts have few threads beyond.
static constexpr int64_t widestWhole = 2048, longWithExp = 65536;
/// Elements of a thread of a row that a large cluster's registers hold, words
/// and narrow ones; its blocks.
static constexpr int64_t fewestWordsHeld = 12, fewestNarrowHeld = 16;
static constexpr int64_t mostPortable = 8;
/// For what the blocks of a cluster wait at, and the row's alignment.
static constexpr int64_t exchangeOverhead = 256;

/// Shared memory in which the threads of so many warps exchange the states of a
/// segment.
int64_t RowsOnGPU::exchangedBytes(int64_t warps) const {
  int64_t components = 0;
  for (ArrayRef<Operation *> level : segment.space.levels)
    for (Operation *op : level)
      components += numStateComponents(op);
  return components * warps * componentBytes + exchangeOverhead;
}

/// Blocks that share a row: as few as have parts of `spreadPartBytes()`, and
/// more than every chip with clusters takes only where these would have large
/// ones, or are so few that multiprocessors wait for their exponentials.
int64_t RowsOnGPU::spreadBlocks() const {
  int64_t bytes = length * inputBytes;
  int64_t portable = target.gpu->portableClusterSize;
  bool areFew = hasExp && vector > 4 && isBrief();
  int64_t most = areFew || bytes > portable * largePart
                     ? target.gpu->maxClusterSize
                     : portable;
  int64_t wanted =
      llvm::PowerOf2Ceil(llvm::divideCeil(bytes, spreadPartBytes()));
  return std::min(wanted, most);
}

/// What a block has of all inputs of a row. Small parts have more blocks in a
/// multiprocessor, of which one computes while others load, and large ones
/// fewer to wait for.
int64_t RowsOnGPU::spreadPartBytes() const {
  bool isNarrow = vector > 4;
  if (hasExp && isNarrow)
    return exponentialPart;
  if (inputs > 1 && !isNarrow)
    return severalPart;
  if (hasDeviations && !isNarrow)
    return deviationPart;
  return usualPart;
}

/// The most threads of a wide part that have whole vectors of it; 0 for one of
/// as many as a step of several takes, or where there are none.
static int64_t wholeThreadsOf(int64_t vectors) {
  if (vectors >= widestWhole)
    return 0;
  for (int64_t threads : {usualPartBlock, middlePartBlock, smallestPartBlock})
    if (vectors % threads == 0)
      return threads;
  return 0;
}

/// A part of a row that leaves room for another one. The weights of a step are
/// loaded with the one before it, those of the first before the row is there,
/// but where cutting words out of two vectors takes the registers, or many
/// blocks wait for one input. Parts of few steps are walked in the fewest.
RowsScheduleAttr RowsOnGPU::makePart(int64_t blocks) const {
  bool isDivided = length % vector == 0, isNarrow = vector > 4;
  bool isLarge = length * inputBytes > blocks * largePart;
  int64_t threads = usualPartBlock, unroll = 2;
  int64_t part = length / blocks;
  bool isRagged = length > longWithExp && !isLarge &&
                  part % (unroll * threads * vector) != 0;
  // What is hardly left of a step costs as much as one, of what has edges.
  bool leavesLittle =
      isNarrow && !isDivided && !hasExp && !hasWeights &&
      part % (unroll * threads * vector) < unroll * threads * vector / 8;
  if (leavesLittle || (hasExp && (isRagged || (isNarrow && !isDivided))))
    threads = smallestPartBlock;
  // Whole vectors of fewer threads, where all have not.
  bool isOneLight = inputs == 1 && !hasDeviations && !hasExp && hasWeights;
  if (isOneLight && part % (threads * vector) != 0 &&
      part % (middlePartBlock * vector) == 0)
    threads = middlePartBlock;
  if (hasDeviations) {
    threads = isLarge ? largestPartBlock : smallestPartBlock;
    unroll = isLarge || !isDivided ? 2 : 4;
  }
  bool isWide = hasDeviations && hasWeights && isNarrow && isDivided &&
                part >= widePart && blocks <= fewBlocks;
  if (isWide && !isLarge) {
    int64_t whole = wholeThreadsOf(part / vector);
    threads = whole ? whole : usualPartBlock;
    unroll = whole ? rowUnroll : 2;
    isWide = whole == 0;
  }
  bool waitsLittle = inputs > 1 || blocks <= fewBlocks;
  bool loadsAhead =
      hasWeights && !hasExp && !isWide &&
      (hasDeviations ? !isLarge : isDivided || (isNarrow && waitsLittle));
  int64_t each = llvm::divideCeil(part, threads * vector);
  bool isShort =
      part < 2 * unroll * threads * vector && llvm::isPowerOf2_64(each);
  if (loadsAhead && isDivided && isShort)
    unroll = rowUnroll;
  int64_t fewest = loadsAhead && !isDivided ? 2 * unroll : 1;
  while (threads > smallestPartBlock && part < fewest * threads * vector)
    threads /= 2;
  loadsAhead &= part >= fewest * threads * vector;
  bool isBounded = isOneLight && isNarrow && isDivided && !isLarge &&
                   !isSmall() && blocks <= mostPortable &&
                   threads == usualPartBlock;
  return RowsScheduleAttr::get(kernel.getContext(), threads, vector,
                               /*rows_per_block=*/1, HoldKind::shared, unroll,
                               /*inRegisters=*/0, loadsAhead, rowCopyGroups)
      .withBlocksPerRow(blocks)
      .withLeastBlocks(isBounded ? boundedThreads / threads : 0);
}

/// A row of 16-bit elements with deviations and weights that one block waits
/// for at once and has the weights of before. Null for others, and for those
/// that the caches keep as well: whole vectors, three or more, of all threads.
RowsScheduleAttr RowsOnGPU::proposeWholePart() const {
  bool fits = hasDeviations && hasWeights && !hasExp && inputs == 1 &&
              vector > 4 && vectorBytes == accessBytes &&
              length % vector == 0 && length > shortestWhole &&
              length <= longestWhole;
  if (!fits)
    return {};
  int64_t cached = cacheThreads();
  if (length <= shortWhole && cached > 0 && vectors % cached == 0 &&
      vectors >= fewestCachedVectors * cached)
    return {};
  int64_t threads = smallestPartBlock;
  bool isWhole = vectors % (wholeVectors * warpSize) == 0;
  if (isWhole && vectors >= wholeVectors * threads)
    threads = vectors / wholeVectors;
  else if (length > mediumWhole)
    threads = middlePartBlock;
  return make(threads, 1, HoldKind::shared, /*inRegisters=*/0,
              /*preload=*/true, /*copyGroups=*/1);
}

/// A part that leaves room for another one if three eighths are in registers:
/// what the first pass waits for last.
RowsScheduleAttr RowsOnGPU::makeHugePart(int64_t blocks) const {
  int64_t threads = largestPartBlock;
  int64_t part = llvm::divideCeil(length, blocks);
  int64_t step = threads * vector;
  int64_t held = llvm::divideCeil(part, step) * 3 / 8 + (part % step != 0);
  return RowsScheduleAttr::get(kernel.getContext(), threads, vector,
                               /*rows_per_block=*/1, HoldKind::shared,
                               /*unroll=*/2, held,
                               /*preload=*/hasWeights && !hasExp,
                               /*copy_groups=*/2)
      .withBlocksPerRow(blocks);
}

/// The same with vectors of one access, which shared memory's banks serve best
/// (vectors of 32 bytes take 2.4 times a copy's time).
RowsOnGPU RowsOnGPU::withOneAccess() const {
  RowsOnGPU narrower = *this;
  narrower.vector = vector * accessBytes / vectorBytes;
  narrower.vectorBytes = accessBytes;
  narrower.vectors = llvm::divideCeil(length, narrower.vector);
  return narrower;
}

/// In the registers of as many blocks as every chip with clusters takes: light
/// rows, narrow ones of several inputs, of which each thread has enough to keep
/// memory busy. Null for others.
RowsScheduleAttr RowsOnGPU::proposeSpreadInRegisters() const {
  int64_t blocks = target.gpu->portableClusterSize;
  int64_t threads = blocks * usualPartBlock;
  bool isNarrow = vector > 4;
  int64_t fewest = isNarrow ? fewestNarrowHeld : fewestWordsHeld;
  if (!isLight || divides || inputs > 2 || (isNarrow && inputs == 1) ||
      blocks < mostPortable || vectorBytes != accessBytes ||
      vectors % blocks != 0 || length % vector != 0 ||
      length < threads * fewest || length > threads * sharedHeld)
    return {};
  return make(usualPartBlock, 1, HoldKind::registers, /*inRegisters=*/0,
              /*preload=*/true)
      .withBlocksPerRow(blocks);
}

/// Parts of the row in the shared memory of blocks of which a multiprocessor
/// has room for two at least. Null where rows do not fit so.
RowsScheduleAttr RowsOnGPU::proposeSpread() const {
  if (target.gpu->maxClusterSize == 1 || vector == 1 || inputBytes == 0)
    return {};
  if (vectorBytes > accessBytes)
    return withOneAccess().proposeSpread();
  if (RowsScheduleAttr held = proposeSpreadInRegisters())
    return held;
  int64_t blocks = spreadBlocks();
  int64_t room =
      target.sharedBytes - exchangedBytes(blocks * largestPartBlock / warpSize);
  int64_t bytes = llvm::divideCeil(length, blocks) * inputBytes;
  if (2 * bytes <= room)
    return makePart(blocks);
  return bytes <= room ? makeHugePart(blocks) : RowsScheduleAttr();
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
