//===- RowsInSmallCalls.cpp - Rows of calls that move few bytes -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a call moves decides what it waits for. Many bytes are bound by memory,
// for which RowsOnGPU.cpp chooses. Calls of a few times what the L2 holds end
// before blocks have spread over time: all of a row is loaded at once, into
// registers. Where multiprocessors have a block or two, the time is one
// block's, so that it has many threads with little each; and where some would
// have none, or all threads would have as much, blocks share a row.
//
// The numbers are those that won on an H200 (results/sweeps.json.xz).
//
//===----------------------------------------------------------------------===//

#include "RowsOnGPU.h"
#include "fuse/Analysis/ReductionSpace.h"

#include "fuse/Analysis/OpCost.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Bytes that a thread holds where multiprocessors would be idle, and of a row
/// that is read once.
static constexpr int64_t smallHeldBytes = 32;
static constexpr int64_t smallOnceBytes = 64;
/// Calls of static size, whose rows are known, are few up to so many bytes a
/// multiprocessor.
static constexpr int64_t fewStaticBytes = 32 << 10;
/// Elements up to which a block that has a row is small if there are
/// exponentials, and large if there are deviations.
static constexpr int64_t shortAlone = 8192;
/// In few calls rows of so many bytes are shared, from the second number on by
/// more blocks, and up to the third in registers where they are needed twice.
static constexpr int64_t sharedRowBytes = 32 << 10;
static constexpr int64_t widelySharedRowBytes = 48 << 10;
static constexpr int64_t longestSharedInRegisters = 224 << 10;
/// By so many blocks; and where these are no more than the multiprocessors,
/// rows of so many bytes of all inputs, or more if the threads exchange twice.
static constexpr int64_t sharingBlocks = 4;
static constexpr int64_t fewestSharedBytes = 16 << 10;
static constexpr int64_t fewestTwiceSharedBytes = 24 << 10;
/// Elements of rows from which on as many share each of brief calls: of words
/// that are needed twice, or narrow ones without exponentials; and of others.
static constexpr int64_t briefShared = 4096, longBriefShared = 8192;
/// Rows a multiprocessor up to which blocks share a row.
static constexpr int64_t fewRows = 4;
/// Elements, and bytes of all inputs at an element, that a thread holds, or
/// somewhat more, where all multiprocessors are busy.
static constexpr int64_t moderateHeld = 32;
static constexpr int64_t moderateBytes = 8;
/// At most so many that are divided by sums of exponentials in the smallest
/// blocks, and by anything else in blocks twice as large.
static constexpr int64_t mostDivided = 40, mostDividedByTwo = 48;
/// Words from which on blocks are larger than the smallest, and from which on
/// they may be loop blocks; narrow elements from which on they are.
static constexpr int64_t moderateWords = 2048, longModerateWords = 8192;
static constexpr int64_t longModerate = 12288;
/// Rows that are read once at a time by blocks that share them.
static constexpr int64_t longSharedOnce = 65536, longestSharedOnce = 262144;
/// Elements from which on two blocks share a row that is needed twice, and
/// those of all inputs from which on four do: what is light, words with
/// deviations, with exponentials, or divided, and narrow elements with
/// exponentials or divided, of which one block has 12,288 to 16,384.
static constexpr int64_t shortestSpread = 6144, widelySpread = 12288;
static constexpr int64_t spreadWithDeviations = 4096, spreadWithExp = 8192;
static constexpr int64_t narrowWithExp = 14337, narrowDivided = 8192;
/// The longest words that four share, light narrow ones that registers hold and
/// that two blocks share, divided ones in registers, and narrow rows at all.
static constexpr int64_t longSpread = 16384, longNarrowHeld = 16384;
static constexpr int64_t longNarrowOfTwo = 24576, longNarrowDivided = 24576;
static constexpr int64_t longestNarrowSpread = 32768;
/// Of two inputs of narrow elements, those from which on eight blocks share
/// them; of one, the longest are.
static constexpr int64_t longNarrowInputs = 24576;
/// Words of a thread of such rows, and of one that finds deviations.
static constexpr int64_t spreadWords = 32, spreadDeviations = 28;
/// Words of a thread up to which it loads weights ahead beside deviations.
static constexpr int64_t moderateAhead = 20;
static constexpr int64_t wordBytes = 4;
/// Blocks a multiprocessor that read rows once, of so many threads.
static constexpr int64_t onceBlocks = 4;
static constexpr int64_t onceThreads = 256;

/// The largest power of two that is no more than the number; at least 1.
static int64_t powerOf2AtMost(int64_t number) {
  return llvm::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, number)));
}

/// What a call moves, if that is known.
static std::optional<double> movedBytes(KernelOp kernel) {
  double bytes = 0;
  bool isStatic = true;
  auto add = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    isStatic &= !type || type.hasStaticShape();
    bytes += estimatedBytes(value);
  };
  llvm::for_each(kernel.getBody().getArguments(), add);
  llvm::for_each(kernel.getYield().getValues(), add);
  return isStatic ? std::optional(bytes) : std::nullopt;
}

bool mlir::fuse::isSmallCall(KernelOp kernel, const ScheduleTarget &target) {
  std::optional<double> bytes = movedBytes(kernel);
  return bytes ? *bytes <= target.smallBytes() : target.small;
}

bool RowsOnGPU::isSmall() const { return isSmallCall(kernel, target); }

bool mlir::fuse::isBriefCall(KernelOp kernel, const ScheduleTarget &target) {
  std::optional<double> bytes = movedBytes(kernel);
  return bytes ? *bytes <= target.briefBytes() : target.brief;
}

bool RowsOnGPU::isBrief() const { return isBriefCall(kernel, target); }

/// Whether it is for calls so small that multiprocessors would be idle.
bool RowsOnGPU::isFew() const {
  std::optional<double> bytes = movedBytes(kernel);
  return bytes ? *bytes <= fewStaticBytes * target.gpu->multiprocessors
               : target.few;
}

/// The most rows in such a call.
double RowsOnGPU::mostFewRows() const {
  if (std::optional<int64_t> rows = staticProduct(segment.space.rows()))
    return *rows;
  double bytes = inputBytes;
  for (Value value : segment.stored) {
    if (!segment.space.isReducedShape(dims.extents(value)))
      bytes += elementBytes(value);
  }
  return target.fewBytes() / std::max(1.0, bytes * length);
}

/// Blocks that share each row of a call which takes as long as one of them:
/// each has less to load and to find before it waits for the others. Threads of
/// the smallest blocks have as many vectors each; where some would have one
/// more than others, one block is faster.
int64_t RowsOnGPU::briefCluster() const {
  bool areLong = once || (hasExp && widestBytes < wordBytes);
  bool areShared = length >= (areLong ? longBriefShared : briefShared) &&
                   length % (sharingBlocks * smallestBlock * vector) == 0 &&
                   segment.across.empty() &&
                   sharingBlocks <= target.gpu->portableClusterSize;
  return areShared ? sharingBlocks : 1;
}

/// Blocks for a row where there are few: several for a long row. 0 where none
/// suffice.
int64_t RowsOnGPU::fewCluster() const {
  int64_t needed = 1;
  if (length > smallThreads * smallHeld)
    needed = std::max<int64_t>(2, llvm::PowerOf2Ceil(llvm::divideCeil(
                                      length, smallThreads * sharedHeld)));
  int64_t usual = briefCluster();
  if (!isFew() || mostFewRows() > fewRows * target.gpu->multiprocessors)
    return needed == 1 ? usual : 0;
  int64_t bytes = widestBytes * length;
  bool leaveRoom = mostFewRows() * sharingBlocks <= target.gpu->multiprocessors;
  int64_t wanted = 1;
  if (bytes >= sharedRowBytes ||
      (leaveRoom && inputBytes * length >= (isOneExchange(segment.space)
                                                ? fewestSharedBytes
                                                : fewestTwiceSharedBytes)))
    wanted = bytes < widelySharedRowBytes ? sharingBlocks : 2 * sharingBlocks;
  int64_t most = target.gpu->portableClusterSize;
  wanted = std::max({needed, usual, std::min(wanted, most)});
  return wanted <= most ? wanted : 0;
}

/// Many threads, each with few elements of a row, for calls that have few
/// blocks: all loads start at once, and nothing is loaded after the threads
/// have exchanged their results. Null where a row is too long for that, or so
/// short that a block takes several.
RowsScheduleAttr RowsOnGPU::proposeFew() const {
  int64_t blocks = fewCluster();
  if (blocks == 0 || (!once && widestBytes * length > longestSharedInRegisters))
    return {};
  int64_t part = llvm::divideCeil(length, blocks);
  int64_t held = smallHeld;
  if (blocks > 1)
    held = sharedHeld;
  else if (once)
    held = std::max(vector, smallOnceBytes / widestBytes);
  else if (!hasExp)
    held = std::min(held, smallHeldBytes / widestBytes);
  int64_t threads = llvm::PowerOf2Ceil(llvm::divideCeil(part, held));
  // Larger blocks cost more than what their threads have less to do.
  if (held < smallHeld && threads > loopThreads && !hasDeviations)
    threads = std::max<int64_t>(
        loopThreads, llvm::PowerOf2Ceil(llvm::divideCeil(part, smallHeld)));
  int64_t most = smallThreads;
  bool isShort = length <= shortAlone;
  if (blocks == 1 && !once && (hasExp || !hasDeviations || !isShort))
    most = hasExp && isShort ? 2 * smallestBlock : loopThreads;
  threads = std::clamp(threads, smallestBlock, most);
  if (part < threads * vector)
    return {};
  if (once && blocks <= sharingBlocks)
    return make(threads, 1, HoldKind::cache).withBlocksPerRow(blocks);
  return make(threads, 1, HoldKind::registers, /*inRegisters=*/0,
              /*preload=*/true)
      .withBlocksPerRow(blocks);
}

/// Whether there is little but a division at each element.
bool RowsOnGPU::isDivided() const { return divides && !hasExp; }

/// Whether a row in registers loads all before it reduces any of it, which made
/// those that are divided into eight bits slower.
bool RowsOnGPU::mayPreload() const {
  return hasWeights || !isDivided() || narrowestBytes > 1;
}

/// Threads of a block with a row of words in its registers. Exponentials take
/// the place of words, so that threads have room for more of them.
int64_t RowsOnGPU::moderateWordThreads() const {
  int64_t two = 2 * smallestBlock;
  if (length < moderateWords || accesses < 2 * two)
    return smallestBlock;
  // Several inputs' vectors are in flight at once; an odd number of them ends
  // with one for each.
  bool isOdd = vectors % two == 0 && vectors / two % 2 == 1;
  if (inputs > 1 && length < longModerateWords && isOdd &&
      length > 4 * two * vector)
    return smallestBlock;
  // Four vectors of two accesses each spill in blocks of as many threads.
  bool isShort = length < longModerateWords &&
                 (vectorBytes == accessBytes || vectors <= 3 * two);
  if (hasExp || isShort)
    return two;
  if (hasDeviations)
    return vectors % loopThreads == 0 || vectors % two != 0 ? loopThreads : two;
  bool arePairs = vectors % (2 * loopThreads) == 0;
  bool areUneven = vectors % two != 0 && length < longModerateWords;
  return arePairs || areUneven ? loopThreads : two;
}

/// Whether each element is weighed by the result of one exchange, and little
/// else.
bool RowsOnGPU::isWeighed() const {
  return hasWeights && !hasDeviations && !hasExp && !isDivided();
}

/// The same of a row of narrow elements.
int64_t RowsOnGPU::moderateNarrowThreads() const {
  int64_t two = 2 * smallestBlock, three = two - smallestBlock / 2;
  bool isWhole = vectors % loopThreads == 0;
  if (inputs > 1 && length >= longModerateWords)
    return length <= longModerate || isWhole ? loopThreads : two;
  if (length >= longModerate && isWhole && !isDivided())
    return loopThreads;
  if (isWeighed() && (inputs > 1 ? length > two * smallHeld
                                 : vectors >= 2 * two && vectors % two == 0))
    return two;
  if (hasExp && length > two * moderateHeld && length <= three * heldElements &&
      vectors % two != 0 && vectors % three == 0)
    return three;
  int64_t wanted = powerOf2AtMost(length / moderateHeld);
  // Five vectors and what a division keeps; six spill.
  if (divides && hasExp && wanted <= smallestBlock &&
      length > smallestBlock * mostDivided)
    wanted *= 2;
  return std::clamp(wanted, smallestBlock, two);
}

/// Blocks that share a row of words.
int64_t RowsOnGPU::moderateWordBlocks() const {
  if (inputs * length < widelySpread)
    return 2;
  return length > longSpread ? 8 : 4;
}

/// The same of narrow elements.
int64_t RowsOnGPU::moderateNarrowBlocks() const {
  if (hasExp)
    return 2;
  if (isDivided())
    return length <= widelySpread ? 2 : 4;
  if (length >= (inputs > 1 ? longNarrowInputs : longestNarrowSpread))
    return 8;
  bool areTwoShared =
      inputs == 1 && length >= longNarrowHeld && length < longNarrowOfTwo;
  return inputs * length < widelySpread || areTwoShared ? 2 : 4;
}

/// Blocks that share a row which is needed twice, or 1.
int64_t RowsOnGPU::moderateBlocks() const {
  bool areWords = widestBytes >= wordBytes;
  int64_t shortest = shortestSpread, longest = longestNarrowSpread;
  if (hasExp) {
    shortest = areWords ? spreadWithExp : narrowWithExp;
    longest = longSpread;
  } else if (hasDeviations) {
    shortest = areWords ? spreadWithDeviations : longest + 1;
  } else if (isDivided()) {
    shortest = areWords ? widelySpread : narrowDivided;
    if (!areWords && length > widelySpread && length <= longNarrowHeld)
      return 1;
  }
  if (areWords && !hasExp && !hasDeviations)
    longest *= 2;
  bool isOfOneLevel = segment.space.levels.size() == 1;
  if (length < shortest || length > longest ||
      (!areWords && !hasExp && !isOfOneLevel))
    return 1;
  int64_t blocks = areWords ? moderateWordBlocks() : moderateNarrowBlocks();
  // Each thread of the smallest block has two vectors.
  if (vectors < 2 * blocks * smallestBlock)
    blocks /= 2;
  return blocks;
}

/// Of so many threads, or fewer in whole warps, the most that leave the least
/// places for a part's vectors empty.
static int64_t fullestThreads(int64_t vectors, int64_t most, int64_t fewest) {
  int64_t best = most;
  for (int64_t threads = most; threads >= fewest; threads -= warpSize)
    if (llvm::alignTo(vectors, threads) < llvm::alignTo(vectors, best))
      best = threads;
  return best;
}

/// Threads of the blocks that share a row.
int64_t RowsOnGPU::moderateSpreadThreads(int64_t blocks) const {
  int64_t part = vectors / blocks, two = 2 * smallestBlock;
  if (hasExp)
    return two;
  if (widestBytes < wordBytes)
    return inputs > 1 || isDivided()
               ? smallestBlock
               : fullestThreads(part, smallestBlock, smallestBlock / 2);
  if (blocks != 4)
    return fullestThreads(part, two, smallestBlock);
  bool isFull = length > blocks * smallestBlock *
                             (hasDeviations ? spreadDeviations : spreadWords);
  return isFull ? two : smallestBlock;
}

/// The blocks that share a row have it in shared memory: words with deviations,
/// and narrow elements, that are too many for registers. Null for others.
RowsScheduleAttr RowsOnGPU::proposeModerateSpreadShared(int64_t blocks) const {
  bool areWords = widestBytes >= wordBytes;
  bool isPlain = !isDivided() && !hasExp && inputs == 1;
  bool isWide = isPlain && blocks != 4;
  int64_t copyGroups = rowCopyGroups;
  if (areWords) {
    if (!hasDeviations || length <= longSpread)
      return {};
    copyGroups = 1;
    isWide = false;
  } else if (!(isPlain && length >= longNarrowHeld) &&
             !(isDivided() && length > longNarrowDivided)) {
    return {};
  }
  return make(isWide ? 2 * smallestBlock : smallestBlock, 1, HoldKind::shared,
              /*inRegisters=*/0, /*preload=*/true, copyGroups)
      .withBlocksPerRow(blocks);
}

/// A row that the blocks of a cluster share. Null for others, and where blocks
/// stay and sum over all rows.
RowsScheduleAttr RowsOnGPU::proposeModerateSpread() const {
  bool areWords = widestBytes >= wordBytes;
  bool areTwoAccesses =
      areWords && vectorBytes == 2 * accessBytes && !hasExp && !hasDeviations;
  if (!segment.across.empty() || inputs == 0 || inputs > 2 ||
      length % vector != 0 || (vectorBytes != accessBytes && !areTwoAccesses))
    return {};
  if (areTwoAccesses && length > longSpread)
    return withOneAccess().proposeModerateSpread();
  int64_t blocks = moderateBlocks();
  if (blocks == 1)
    return {};
  int64_t most = areWords ? spreadWords : heldElements;
  if (areWords && length > blocks * moderateSpreadThreads(blocks) * most)
    blocks *= 2;
  if (blocks > target.gpu->portableClusterSize || vectors % blocks != 0)
    return {};
  if (RowsScheduleAttr shared = proposeModerateSpreadShared(blocks))
    return shared;
  int64_t threads = moderateSpreadThreads(blocks);
  bool mustBeWhole = !areWords && inputs == 1 && (blocks == 2 || !isDivided());
  if (length > blocks * threads * most ||
      (mustBeWhole && vectors / blocks % threads != 0))
    return {};
  return make(threads, 1, HoldKind::registers, /*inRegisters=*/0,
              /*preload=*/true)
      .withBlocksPerRow(blocks);
}

/// Threads of a long row that shared memory has: those that four vectors each
/// are enough for, up to eleven warps, and more beyond.
int64_t RowsOnGPU::moderateCopiedThreads() const {
  constexpr int64_t elevenWarps = 11 * warpSize;
  if (accesses <= 2 * loopThreads)
    return smallestBlock;
  return accesses <= onceVectors * elevenWarps ? elevenWarps : loopThreads;
}

/// In shared memory, whose copies take no registers, with weights: a row that
/// has two accesses for each thread of a large block, or narrow elements with
/// deviations and up to two, or others of more than one that no cluster's
/// threads share evenly. Null for other rows.
RowsScheduleAttr RowsOnGPU::proposeModerateCopied() const {
  bool isNarrow = widestBytes < wordBytes;
  if (inputs > 1 || !hasWeights || hasExp || vectorBytes != accessBytes ||
      (hasDeviations && !isNarrow))
    return {};
  int64_t threads = accesses == 2 * loopThreads ? loopThreads : 0;
  if (hasDeviations)
    threads = accesses > loopThreads && accesses <= 2 * loopThreads
                  ? smallestBlock
                  : 0;
  else if (isNarrow && isWeighed() && accesses > loopThreads &&
           accesses != 2 * loopThreads)
    threads = moderateCopiedThreads();
  if (threads == 0)
    return {};
  return make(threads, 1, HoldKind::shared, /*inRegisters=*/0,
              /*preload=*/true, /*copyGroups=*/1);
}

/// A row of narrow elements that has hardly more than one vector for each
/// thread of the smallest block: threads with two each, where whole warps have
/// these, or all of the block's, with weights beside it. Null for other rows.
RowsScheduleAttr RowsOnGPU::proposeModerateShort() const {
  if (widestBytes >= wordBytes || accesses < smallestBlock)
    return {};
  if (vectors > smallestBlock && vectors % (2 * warpSize) == 0)
    return make(vectors / 2, 1, HoldKind::registers, /*inRegisters=*/0,
                /*preload=*/!hasDeviations && mayPreload());
  if (isDivided() && vectors == smallestBlock)
    return make(smallestBlock, 2, HoldKind::registers);
  if (!hasWeights || hasDeviations)
    return {};
  if (inputs > 1)
    return hold(heldGroup()).withPreload(true);
  return make(smallestBlock, 1, HoldKind::registers, /*inRegisters=*/0,
              /*preload=*/true);
}

/// Two rows of words with deviations, four vectors for each thread of two or
/// four warps, which find the weights of both at once. Null for other rows.
RowsScheduleAttr RowsOnGPU::proposeModeratePair() const {
  int64_t group = vectors / onceVectors;
  if (widestBytes < wordBytes || !hasDeviations || !hasWeights || inputs > 1 ||
      vectorBytes != accessBytes || vectors % onceVectors != 0 ||
      (group != smallestBlock && group != smallestBlock / 2))
    return {};
  return make(2 * group, 2, HoldKind::registers, /*inRegisters=*/0,
              /*preload=*/true);
}

/// A row of narrow elements that are divided, four vectors for each thread,
/// which reads them again from the caches. Null for other rows.
RowsScheduleAttr RowsOnGPU::proposeModerateCached(int64_t threads) const {
  if (widestBytes >= wordBytes || inputs > 1 || !isDivided() ||
      vectors != onceVectors * threads)
    return {};
  return make(threads, 1, HoldKind::cache);
}

/// For calls that all multiprocessors are busy with for a short time: few
/// threads with a row in their registers, so that several blocks are in flight.
/// Null where rows are so short that a block takes several, where they are too
/// long, and where shared memory has the row of larger calls, whose copies all
/// start at once.
RowsScheduleAttr RowsOnGPU::proposeModerate() const {
  if (once)
    return proposeModerateOnce();
  if (length % vector != 0)
    return proposeModerateUnaligned();
  if (RowsScheduleAttr spread = proposeModerateSpread())
    return spread;
  if (RowsScheduleAttr pair = proposeModeratePair())
    return pair;
  bool areWords = widestBytes >= wordBytes;
  int64_t threads = areWords ? moderateWordThreads() : moderateNarrowThreads();
  if (accesses < 2 * threads)
    return proposeModerateShort();
  if (length > loopThreads * moderateHeld || inputBytes > moderateBytes)
    return {};
  if (RowsScheduleAttr copied = proposeModerateCopied())
    return copied;
  if (RowsScheduleAttr cached = proposeModerateCached(threads))
    return cached;
  // More narrow elements leave no room for what is found of them, or for
  // weights in a block that is larger than the smallest.
  bool needsRoom =
      hasDeviations || (hasWeights && inputs == 1 && threads > smallestBlock);
  int64_t mostEach =
      isDivided() && threads > smallestBlock ? mostDividedByTwo : moderateHeld;
  if (!areWords && (needsRoom || isDivided()) && length > threads * mostEach)
    return {};
  if (vectors > registerVectors)
    if (RowsScheduleAttr large = proposeLong();
        large && large.getHold() == HoldKind::shared)
      return {};
  // Without it a mean and its deviations are two reductions, which take fewer
  // instructions and let more blocks be in flight, up to where there is one.
  int64_t most = threads < loopThreads ? moderateAhead : smallHeld;
  bool isAhead = areWords ? length <= threads * most ||
                                length >= loopThreads * moderateHeld
                          : threads > smallestBlock;
  bool preload = mayPreload() && (!hasDeviations || isAhead);
  return make(threads, 1, HoldKind::registers, /*inRegisters=*/0, preload);
}

/// Threads that read a row once, each with as many vectors as keep memory busy:
/// two of words, or four of longer rows. Those of narrow elements have more to
/// do with each, and up to eight.
int64_t RowsOnGPU::moderateOnceThreads() const {
  bool areWords = widestBytes >= wordBytes;
  int64_t held = std::max(vector, smallOnceBytes / widestBytes);
  int64_t wide = 2 * smallestBlock;
  int64_t most = length <= 2 * held * wide ? wide : loopThreads;
  if (areWords && length < longModerateWords)
    held = std::max(vector, held / 2);
  int64_t threads = std::clamp(powerOf2AtMost(length / held), smallestBlock,
                               areWords ? smallThreads : most);
  bool areUneven = length % vector == 0 && vectors % threads != 0;
  return areWords && areUneven ? std::max(threads / 2, smallestBlock) : threads;
}

/// What is read once leaves the L2 at once, in which others' results wait to be
/// written; up to one and a half times what threads of the largest block hold,
/// or twice that in words. Longer rows have as many blocks as keep all
/// multiprocessors busy, or the shared memory that larger calls take.
RowsScheduleAttr RowsOnGPU::proposeModerateOnce() const {
  bool areWords = widestBytes >= wordBytes;
  int64_t held = std::max(vector, smallOnceBytes / widestBytes);
  int64_t most = areWords ? 2 * smallThreads : 3 * loopThreads / 2;
  if (length <= most * held) {
    int64_t threads = moderateOnceThreads();
    // With one vector each, exponentials wait for it: warps have rows.
    if (hasExp && length % vector == 0 && vectors >= threads &&
        vectors < 2 * threads)
      return make(threads, threads / warpSize, HoldKind::cache);
    return length < threads * vector ? RowsScheduleAttr()
                                     : make(threads, 1, HoldKind::cache);
  }
  int64_t sharing = 2 * sharingBlocks;
  if (inputs > 0 && length % vector == 0 && length >= longSharedOnce &&
      length <= longestSharedOnce &&
      target.gpu->portableClusterSize >= sharing) {
    // Loads of many narrow elements and what is found of each do not fit in
    // registers together.
    bool isLong = !areWords && length > sharing * onceThreads * moderateHeld;
    int64_t part = llvm::alignTo(llvm::divideCeil(length, sharing), vector);
    bool fits =
        vectorBytes == accessBytes &&
        part * inputBytes + exchangedBytes(sharing * onceThreads / warpSize) <=
            target.sharedBytes;
    return make(onceThreads, 1,
                isLong && fits ? HoldKind::shared : HoldKind::cache)
        .withBlocksPerRow(sharing);
  }
  std::optional<int64_t> rows = staticProduct(segment.space.rows());
  int64_t blocks = sharingBlocks;
  if (rows)
    blocks = powerOf2AtMost(onceBlocks * target.gpu->multiprocessors /
                            std::max<int64_t>(1, *rows));
  else if (proposeStreamedInShared())
    return {};
  blocks = std::min<int64_t>(blocks, target.gpu->portableClusterSize);
  if (blocks <= 1 || target.gpu->maxClusterSize == 1)
    return {};
  return make(onceThreads, 1, HoldKind::loop).withBlocksPerRow(blocks);
}

RowsScheduleAttr RowsOnGPU::proposeSmall() const {
  if (isBrief())
    if (RowsScheduleAttr few = proposeFew())
      return few;
  return isFew() && !once ? RowsScheduleAttr() : proposeModerate();
}
