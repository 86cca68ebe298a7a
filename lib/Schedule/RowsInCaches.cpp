//===- RowsInCaches.cpp - Rows that are read again from the caches --------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row that the caches keep takes no registers between its passes, so ptxas
// gives these away: it takes few, and starts few loads ahead of what they are
// needed for. A bound on the blocks that a multiprocessor is to have room for
// makes it take what that leaves, and start most loads of a pass at once. It
// also keeps more rows out of the L1 than that holds: of two inputs and two
// results, blocks of 512 threads that needed 31 registers instead of 42 were 4%
// slower, since four of them drove out each other's rows.
//
// The numbers are those that won on an H200 (results/sweeps.json.xz).
//
//===----------------------------------------------------------------------===//

#include "RowsOnGPU.h"

#include "fuse/Analysis/OpCost.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Threads of the longest of such rows, and of one of several inputs, from a
/// quarter of these accesses on.
static constexpr int64_t longCacheThreads = 512;
static constexpr int64_t severalCacheThreads = 512;
/// Vectors that each thread of a block has of a row, where that leaves no
/// thread without, and the most threads that have few vectors of heavy rows.
static constexpr int64_t mostWholeVectors = 8, largestOfFewVectors = 384;
static constexpr int64_t fewestInLarge = 4;
/// Threads of a block of rows of 16 bits with weighed deviations whose
/// registers are bounded, beyond `shortestBounded` and beyond `longBounded`
/// elements. The latter want whole vectors.
static constexpr int64_t shortestBounded = 8192, longBounded = 19456;
static constexpr int64_t longestBounded = 32768;
static constexpr int64_t fewBounded = 256, manyBounded = 512;
/// Threads of a multiprocessor of several inputs, and vectors of words from
/// which on their registers are bounded.
static constexpr int64_t boundedOfSeveral = 512;
static constexpr int64_t fewestBoundedWords = 640;
/// Elements of 16 bits that are divided from which on shared memory holds them.
static constexpr int64_t longestDividedCached = 16384;
/// Words of a row with exponentials and a mask that the caches keep, those from
/// which on shared memory does, and the blocks between; their threads, half as
/// many beyond `shortMasked`.
static constexpr int64_t longestMaskedCached = 12288;
static constexpr int64_t shortestMaskedShared = 24576;
static constexpr int64_t maskedBlocks = 4, maskedThreads = 256;
static constexpr int64_t shortMasked = 16384;

/// Whether there is so much to compute on 16-bit elements that loads from the
/// caches come late.
bool RowsOnGPU::isHeavy() const {
  return vector > 4 && (hasExp || hasWeighedDeviations());
}

/// Beyond these a row has another place. Of several inputs of words as many
/// bytes are in flight before, unless the row leaves edges.
int64_t RowsOnGPU::mostCachedAccesses() const {
  if (inputs <= 1 || vector != 4)
    return cacheAccesses / 2;
  return length % vector == 0 ? cacheAccesses * 7 / 16 : cacheAccesses;
}

/// Threads that read a row again from the caches, or 0 where another place is
/// better.
int64_t RowsOnGPU::cacheThreads() const {
  if (accesses > 2 * cacheAccesses || vector < 4)
    return 0;
  if (accesses > cacheAccesses) {
    bool isPlain = isLight && inputs == 1 && !divides && length % vector == 0;
    return isPlain && target.gpu->maxClusterSize == 1 ? 1024 : 0;
  }
  if (accesses > mostCachedAccesses()) {
    int64_t threads = hasFewDivided(longCacheThreads) ? longCacheThreads / 2
                                                      : longCacheThreads;
    return isHeavy() || inputs > 1 ? 0 : threads;
  }
  int64_t each = vectors > cacheAccesses / 4 ? 8 : 4;
  bool isOneLongInput =
      inputs == 1 && vector > 4 && vectors > cacheAccesses / 8 && each == 4;
  // Four vectors of two accesses each spill.
  bool areTwoAccesses =
      vectorBytes > accessBytes && vectors > cacheAccesses / 8;
  if (vector <= 4 || areTwoAccesses || (isLight && !divides && !isOneLongInput))
    each /= 2;
  int64_t threads = llvm::divideCeil(vectors, each);
  // Each has the loads of several inputs in flight.
  bool areLong = inputs > 1 && vectors > cacheAccesses / 4;
  if (areLong && isLight && !isSmall() && length % vector == 0)
    return fewBounded;
  if (areLong && !hasExp)
    return length % vector == 0
               ? wholeThreads(severalCacheThreads * 7 / 8, severalCacheThreads)
               : severalCacheThreads / 2;
  if (inputs > 1)
    threads = threads * 3 / 4;
  return wholeThreads(threads, std::max(smallestBlock, aboutPowerOf2(threads)));
}

/// Whether so many threads of whole vectors do for as many as are wanted:
/// hardly fewer, or up to twice as many, but where every element is divided. In
/// large blocks of few vectors a thread, registers leave room for fewer
/// threads.
bool RowsOnGPU::isNear(int64_t threads, int64_t wanted) const {
  bool isLarge = !isLight && threads > largestOfFewVectors;
  if (isLarge && vectors < fewestInLarge * threads)
    return false;
  return 10 * threads >= 9 * wanted && threads <= (divides ? 1.5 : 2) * wanted;
}

/// Whether so many threads have few vectors each, and some of them one less, of
/// 16-bit elements that are divided: what computes waits for the last.
bool RowsOnGPU::hasFewDivided(int64_t threads) const {
  return divides && inputs == 1 && vector > 4 && vectorBytes == accessBytes &&
         vectors % threads != 0 && vectors < mostHeldVectors * threads;
}

/// Threads of a block near those that are wanted that have whole vectors each:
/// what only some threads have is code of its own, whose loads come late. Else
/// `usual`, or half of that where many have a vector less.
int64_t RowsOnGPU::wholeThreads(int64_t wanted, int64_t usual) const {
  if (length % vector != 0 || vectors % usual == 0)
    return usual;
  int64_t near = 0, fewer = 0;
  double least = divides ? 0.75 : 0.5;
  bool mayBeFewer = !isLight || (divides && vectorBytes == accessBytes);
  for (int64_t each = mostWholeVectors; each >= 2; --each) {
    int64_t threads = vectors / each;
    if (vectors % each != 0 || threads % warpSize != 0 ||
        threads < smallestWholeBlock || threads > widestHeldGroup)
      continue;
    if (isNear(threads, wanted) && (near == 0 || isLight))
      near = threads;
    if (mayBeFewer && threads < wanted && threads >= least * wanted)
      fewer = threads;
  }
  if (near != 0 || fewer != 0)
    return near != 0 ? near : fewer;
  bool areMany = placesForEach(vectors, usual) > 1 + emptyPlaces &&
                 (!isLight || (vector <= 4 && inputs == 1));
  return (areMany || hasFewDivided(usual)) && usual > smallestBlock ? usual / 2
                                                                    : usual;
}

/// Blocks that a multiprocessor is to have room for, or 0 for no bound: light
/// rows of several inputs.
int64_t RowsOnGPU::boundOfCached(int64_t threads) const {
  int64_t fewest = vector > 4 ? cacheAccesses / 4 : fewestBoundedWords;
  bool isBounded = isLight && inputs > 1 && !isSmall() &&
                   length % vector == 0 && vectors > fewest &&
                   threads <= boundedOfSeveral;
  return isBounded ? boundedOfSeveral / threads : 0;
}

/// Rows of 16 bits whose deviations are weighed, but little else is computed: a
/// special function of an element takes registers that loads ahead want. Null
/// for others, and where another place is better.
RowsScheduleAttr RowsOnGPU::proposeBoundedDeviations() const {
  bool fits =
      hasWeighedDeviations() && !hasExp && inputs == 1 && vector > 4 &&
      vectorBytes == accessBytes && length % vector == 0 &&
      length > shortestBounded && length <= longestBounded && !isSmall() &&
      !repeatsWork() && llvm::none_of(segment.ops, [&](Operation *op) {
        return isSpecialFunction(op) &&
               !segment.space.isReducedShape(dims.extents(op->getResult(0)));
      });
  int64_t threads = length <= longBounded ? fewBounded : manyBounded;
  if (!fits || (threads == manyBounded && vectors % threads != 0))
    return {};
  return make(threads, 1, HoldKind::cache)
      .withLeastBlocks(boundedThreads / threads);
}

/// Words with exponentials beside what all rows share, which both have to be
/// near in each walk and are more than the caches keep of some blocks: in the
/// registers of several. Null for others.
RowsScheduleAttr RowsOnGPU::proposeMaskedExponentials() const {
  bool fits = hasExp && hasWeights && !isSmall() && inputs == 1 &&
              vector <= 4 && vectorBytes == accessBytes &&
              length > longestMaskedCached && length < shortestMaskedShared &&
              length % (maskedBlocks * vector) == 0;
  if (!fits || target.gpu->maxClusterSize < maskedBlocks)
    return {};
  int64_t threads = length <= shortMasked ? maskedThreads : maskedThreads / 2;
  return make(threads, 1, HoldKind::registers).withBlocksPerRow(maskedBlocks);
}

/// Long rows of 16 bits that are divided, since registers hold what the
/// divisions of many vectors need: in shared memory, or null for others.
RowsScheduleAttr RowsOnGPU::proposeDividedShared() const {
  bool fits = divides && isLight && !isSmall() && inputs == 1 && vector > 4 &&
              vectorBytes == accessBytes && length % vector == 0 &&
              length > longestDividedCached &&
              2 * length * inputBytes <= target.sharedBytes;
  if (!fits)
    return {};
  return RowsScheduleAttr::get(kernel.getContext(), fewBounded, vector,
                               /*rows_per_block=*/1, HoldKind::shared,
                               /*unroll=*/2, /*in_registers=*/0,
                               /*preload=*/false, rowCopyGroups);
}
