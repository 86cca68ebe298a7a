//===- RowsWithEdges.cpp - Rows that no full vector divides ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Full vectors of such a row start where memory is aligned and leave edges,
// which cost each thread as much as a vector, once. So few threads have several
// vectors each, and as many that hardly any has one less: a step that most
// threads have nothing in takes as long as another.
//
// The numbers are those that won on an H200 (results/sweeps.json.xz).
//
//===----------------------------------------------------------------------===//

#include "RowsOnGPU.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Threads of a row in shared memory that leaves edges, of 16-bit elements.
static constexpr int64_t unalignedSharedThreads = 256;
/// Elements of rows on which little is computed that shared memory holds; up to
/// which as many threads share one, and beyond twice as many.
static constexpr int64_t shortestLightShared = 9216,
                         fewThreadsLightShared = 12000,
                         longestLightShared = 32768;
/// Vectors of a short row of 16-bit elements up to which its threads have more
/// than two each, but in small calls.
static constexpr int64_t shortLightUnaligned = 192;
static constexpr double lightEach = 2, shortLightEach = 2.3;
/// Places for two vectors of each thread that are filled at least.
static constexpr double fullPlaces = 0.95;
/// Places for vectors of longer ones that are filled at least, where there is
/// more to compute.
static constexpr double fullEnough = 0.76, fullEnoughWithDeviations = 0.85;
/// Vectors of words from which on each thread of a short one has more than two.
static constexpr int64_t fewestWordVectors = 32;
/// In calls that all multiprocessors are busy with for a short time: elements
/// beyond which the length chooses where a row is and how many threads it has.
static constexpr int64_t shortestModerate = 4096;
/// Elements of the longest rows that these numbers of threads have, in
/// registers and in shared memory.
static constexpr int64_t ofFewThreads = 8192, ofThreads = 16384;
/// The same of fewest threads where little is computed.
static constexpr int64_t lightOfFewThreads = 6144;

/// Vectors of each thread of a row whose vectors leave edges. What a thread
/// does once for the row, the edge among it, is shared by several, of words by
/// fewer, but where all that counts is how soon a block ends.
int64_t RowsOnGPU::unalignedEach() const {
  bool isNarrow = vector > 4, isShort = length <= shortUnaligned;
  if (isShort && isBrief())
    return 1;
  if (once && isShort)
    return 8;
  if (hasDeviations && isNarrow)
    return isShort ? 8 : 5;
  if (hasDeviations)
    return isSmall() ? 3 : 5;
  if (isShort && !isNarrow)
    return vectors < fewestWordVectors ? 2 : 3;
  if (isShort)
    return 4;
  return vectors <= 2 * registerVectors ? 2 : 4;
}

/// The fewest vectors of a thread of such a row where little is computed, but
/// maybe a division: not one that many threads have not. 0 for others, and for
/// long ones of several inputs.
double RowsOnGPU::fewestUnalignedEach() const {
  bool isShort = length <= shortUnaligned;
  if (once || !isLight || vector <= 4 || (isShort && isBrief()) ||
      (inputs > 1 && !isShort))
    return 0;
  if (divides && inputs == 1)
    return onceVectors;
  if (vectorBytes > accessBytes)
    return 0;
  bool isShortLight = vectors <= shortLightUnaligned && !isSmall();
  return isShortLight ? shortLightEach : lightEach;
}

/// Threads of a row whose vectors leave edges, which registers hold up to a
/// length; 0 beyond.
int64_t RowsOnGPU::unalignedGroup() const {
  bool isLong =
      vector < 4 || vectorBytes > accessBytes || (hasDeviations && vector == 4);
  int64_t most = isLong ? cacheAccesses / 2 : cacheAccesses / 4;
  if (vector <= 4 || hasDeviations)
    most += most / 8;
  if (accesses > most)
    return 0;
  if (double fewest = fewestUnalignedEach(); fewest > 0) {
    // Two each that hardly any thread is without, and loads of several inputs
    // to wait for; but no more threads than registers hold most rows with.
    auto places = static_cast<int64_t>(llvm::PowerOf2Ceil(vectors));
    bool areFew = inputs == 1 && fewest == shortLightEach;
    if (!divides && !areFew && vectors > fullPlaces * places)
      return inputs == 1 && places > 2 * registerVectors ? 0 : places / 2;
    return llvm::bit_floor(
        static_cast<uint64_t>(std::max(1.0, vectors / fewest)));
  }
  int64_t group =
      groupWith(vectors, std::min(unalignedEach(), heldElements / vector));
  bool isOneNarrow = inputs == 1 && vector > 4 && length > shortUnaligned;
  double least = hasDeviations ? fullEnoughWithDeviations : fullEnough;
  int64_t whole = length / vector;
  return isOneNarrow && whole < least * llvm::alignTo(whole, group) ? group / 2
                                                                    : group;
}

/// Whether the row leaves edges and shared memory holds it, beside what so many
/// threads exchange.
bool RowsOnGPU::mayShareUnaligned(int64_t threads) const {
  return length % vector != 0 && inputBytes > 0 && vectorBytes == accessBytes &&
         length * inputBytes + exchangedBytes(threads / warpSize) <=
             target.sharedBytes;
}

/// Threads that share such a row in shared memory, where little is computed.
static int64_t lightSharedThreads(int64_t length) {
  return length <= fewThreadsLightShared ? unalignedSharedThreads
                                         : 2 * unalignedSharedThreads;
}

/// A row that leaves edges, of 16-bit elements of one input on which little is
/// computed, in shared memory. Null for others.
RowsScheduleAttr RowsOnGPU::proposeLightUnaligned() const {
  if (!isLight || divides || inputs != 1 || vector <= 4 || isSmall() ||
      length <= shortestLightShared || length > longestLightShared)
    return {};
  int64_t threads = lightSharedThreads(length);
  return mayShareUnaligned(threads) ? make(threads, 1, HoldKind::shared)
                                    : RowsScheduleAttr();
}

/// proposeModerateUnaligned() of 16-bit elements: in registers, whose loads all
/// start at once, if there are exponentials or two inputs; in shared memory if
/// there are deviations or little is computed. Null for others.
RowsScheduleAttr RowsOnGPU::proposeModerateNarrowUnaligned() const {
  constexpr int64_t two = 2 * smallestBlock;
  if (hasExp && inputs == 1 && length <= ofThreads)
    return make(length <= ofFewThreads ? smallestBlock : two, 1,
                HoldKind::registers);
  if (inputs == 2 && isLight)
    return length <= ofThreads ? make(two, 1, HoldKind::registers)
                               : RowsScheduleAttr();
  if (inputs > 1 || hasExp ||
      length > (isLight ? longestLightShared : ofThreads))
    return {};
  int64_t threads =
      isLight ? lightSharedThreads(length) : unalignedSharedThreads;
  if (length <= (isLight ? lightOfFewThreads : ofFewThreads))
    threads = smallestBlock;
  return mayShareUnaligned(threads) ? make(threads, 1, HoldKind::shared)
                                    : RowsScheduleAttr();
}

/// A row that leaves edges, in calls that all multiprocessors are busy with for
/// a short time. Null for others, such as those that are divided or for whose
/// second walk operations are repeated.
RowsScheduleAttr RowsOnGPU::proposeModerateUnaligned() const {
  bool isPlain = segment.space.levels.size() == 1 || (hasExp && !hasWeights);
  if (length <= shortestModerate || vectorBytes != accessBytes || isDivided() ||
      (hasExp && hasDeviations) || !isPlain || !segment.across.empty() ||
      repeatsWork())
    return {};
  if (vector > 4)
    return proposeModerateNarrowUnaligned();
  if (inputs != 1 || length > ofThreads)
    return {};
  bool areFew = hasExp || length <= ofFewThreads;
  return make(areFew ? loopThreads / 2 : loopThreads, 1, HoldKind::registers);
}

/// A row that leaves edges, of 16-bit elements on which there is much to
/// compute, and no longer than a block's part. Null for others.
RowsScheduleAttr RowsOnGPU::proposeHeavyUnaligned() const {
  if (!isHeavy() || !mayShareUnaligned(unalignedSharedThreads) ||
      accesses > cacheAccesses / 2)
    return {};
  return make(unalignedSharedThreads, 1, HoldKind::shared);
}
