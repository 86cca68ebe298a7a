//===- RowsWithRepeatedWork.cpp - Rows better not computed again ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks over a row in the caches load and compute again what an earlier one
// had. That is little for a softmax or a norm, but what comes before these, as
// in rms_norm(gelu(x)), or several norms after each other, bind instructions:
// such rows stay in registers, of as few threads as have room for them, since
// each of these has the same to do once for the row.
//
// The numbers are those that won on an H200 (results/sweeps.json.xz).
//
//===----------------------------------------------------------------------===//

#include "RowsOnGPU.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Instructions that are done again for each element of such rows, at least,
/// and levels of reductions of those where these are fewer.
static constexpr double fewestRepeated = 2;
static constexpr unsigned fewestLevels = 2;
/// Those of one special function: no more are not worth a cluster, unless
/// exponentials follow.
static constexpr double oneSpecialFunction = 12;
/// Elements of a thread: of 16 bits, of those in rows that leave edges or that
/// nothing of their length is written of, of those that exponentials follow,
/// and of those in rows beyond `longRow` that have several levels.
static constexpr int64_t heldNarrow = 48, heldUneven = 45;
static constexpr int64_t heldByExponentials = 56, heldInLevels = 64;
static constexpr int64_t longRow = 4096;
/// The same of words, up to `longWords` of a row and beyond.
static constexpr int64_t heldWords = 32, heldLongWords = 48;
static constexpr int64_t longWords = 8192;
/// Threads that have two vectors each, up to these: of rows that are written,
/// and of others.
static constexpr int64_t fewestWritten = 128, fewestOfUnwritten = 32;
/// The longest row in one block's registers: of 16 bits, of those with several
/// levels or exponentials, of words, and of several that are divided; and where
/// several exponentials of several 16-bit elements are held.
static constexpr int64_t longestNarrow = 16384, longestHeavyNarrow = 14336;
static constexpr int64_t longestWords = 14336, longestDivided = 16384;
static constexpr int64_t longestOfExponentials = 4096;
/// Of several levels, the longest whose deviations have weights, or of which
/// nothing of its length is written.
static constexpr int64_t longestInLevels = 8192;
/// Elements of each thread of a row in the registers of several blocks of few
/// threads, up to `longFewHeld` of a row and beyond; and of more threads.
static constexpr int64_t fewHeld = 40, longFewHeld = 20480;
static constexpr int64_t spreadHeld = 48, spreadWideHeld = 32;
static constexpr int64_t spreadHeldWords = 16;
/// Bytes of a row of several levels in one block's shared memory, which has
/// room for others, and in that of each of several; elements of such a part up
/// to which few threads walk it; and of 16-bit rows with weighed deviations, or
/// of which nothing of their length is written, up to which other places are
/// better.
static constexpr int64_t mostSharedBytes = 64 * 1024, partBytes = 32 * 1024;
static constexpr int64_t longestSmallPart = 6144;
/// Bytes of a part of words with weighed deviations in several levels, and the
/// most of such a row; blocks of those with a special function.
static constexpr int64_t weighedPartBytes = 24 * 1024;
static constexpr int64_t longestWeighedBytes = 96 * 1024;
static constexpr int64_t specialBlocks = 4;
static constexpr int64_t fewPartThreads = 128, partThreads = 256;
static constexpr int64_t longestElsewhere = 16384;
/// The same rows, if there is one input: from which on and up to which a warp
/// has one, and then two warps, four, and eight; from which on weights are
/// there before in two warps, in one that has no whole vectors of two, and in
/// four.
static constexpr int64_t shortestOfWarp = 513, longestOfWarp = 1536;
static constexpr int64_t shortestOfFour = 5120, longestOfFour = 11264;
static constexpr int64_t longestInShared = 18432;
static constexpr int64_t shortestLoadedOfTwo = 4096, longestUnloadedOdd = 2048;
static constexpr int64_t longestUnloaded = 6144;

/// Elements of a thread, and the longest row, in the registers of one block.
std::pair<int64_t, int64_t>
RowsOnGPU::heldOfRepeatedWork(const RowWork &work) const {
  bool hasLevels = work.levels >= fewestLevels;
  bool areWeighed = hasLevels && hasWeighedDeviations();
  if (vector <= 4) {
    bool areDivided = divides && work.exponentials == 0 && inputs > 1;
    int64_t longest = areDivided ? longestDivided : longestWords;
    if (areWeighed || (inputs > 1 && work.exponentials > 1))
      longest = longestInLevels;
    return {length > longWords ? heldLongWords : heldWords, longest};
  }
  if (areWeighed && !work.repeatsSpecial)
    return {heldInLevels, 0};
  if (hasLevels && length > longRow)
    return {heldInLevels,
            areWeighed || !writesRow ? longestInLevels : longestHeavyNarrow};
  if (length % vector != 0 || !writesRow)
    return {heldUneven, longestNarrow};
  if (work.exponentials > 0)
    return {heldByExponentials, longestHeavyNarrow};
  return {heldNarrow, longestNarrow};
}

/// Threads of a row in the registers of one block, or 0 where these have no
/// room for it.
int64_t RowsOnGPU::repeatedWorkGroup(const RowWork &work) const {
  auto [held, longest] = heldOfRepeatedWork(work);
  if (length > longest)
    return 0;
  int64_t group = llvm::PowerOf2Ceil(llvm::divideCeil(length, held));
  bool areNarrowUnwritten = vector > 4 && !writesRow;
  auto fewest = static_cast<uint64_t>(std::clamp<int64_t>(
      vectors / 2, 1, writesRow ? fewestWritten : fewestOfUnwritten));
  return areNarrowUnwritten ? group
                            : std::max<int64_t>(group, llvm::bit_floor(fewest));
}

/// Words with deviations and a special function, which take the registers that
/// weights would have before: in those of four blocks of few threads, or of
/// more that all have whole vectors of several levels. Null where there are no
/// such.
RowsScheduleAttr RowsOnGPU::proposeSpecialWords(const RowWork &work) const {
  int64_t many = specialBlocks * partThreads;
  bool isWhole = length % (many * vector) == 0;
  if (vectorBytes != accessBytes || inputs != 1 ||
      specialBlocks > target.gpu->maxClusterSize)
    return {};
  int64_t threads =
      isWhole && work.levels >= fewestLevels ? partThreads : fewPartThreads;
  return make(threads, 1, HoldKind::registers).withBlocksPerRow(specialBlocks);
}

/// In the registers of several blocks, whose weights are there before. Null
/// where there are no such, or not enough.
RowsScheduleAttr RowsOnGPU::proposeRepeatedWorkSpread() const {
  if (vectorBytes > accessBytes)
    return withOneAccess().proposeRepeatedWorkSpread();
  int64_t most = std::min<int64_t>(target.gpu->portableClusterSize,
                                   target.gpu->maxClusterSize);
  auto spread = [&](int64_t threads, int64_t held) {
    int64_t blocks =
        llvm::PowerOf2Ceil(llvm::divideCeil(length, threads * held));
    return blocks > most ? RowsScheduleAttr()
                         : make(threads, 1, HoldKind::registers,
                                /*inRegisters=*/0, /*preload=*/hasWeights)
                               .withBlocksPerRow(blocks);
  };
  if (length <= longFewHeld)
    return spread(fewPartThreads, fewHeld);
  if (vector <= 4)
    return spread(partThreads, spreadHeldWords);
  RowsScheduleAttr few = spread(fewPartThreads, spreadHeld);
  return few ? few : spread(partThreads, spreadWideHeld);
}

/// In shared memory, of one block or of several. Null where it does not fit,
/// vectors leave edges, or several blocks are better off with other parts.
RowsScheduleAttr RowsOnGPU::proposeRepeatedWorkShared() const {
  if (vectorBytes > accessBytes)
    return withOneAccess().proposeRepeatedWorkShared();
  int64_t bytes = length * inputBytes;
  int64_t blocks = bytes <= mostSharedBytes
                       ? 1
                       : llvm::PowerOf2Ceil(llvm::divideCeil(bytes, partBytes));
  if (inputBytes == 0 || length % vector != 0 ||
      blocks > target.gpu->portableClusterSize ||
      blocks > target.gpu->maxClusterSize)
    return {};
  bool isOneNarrow = vector > 4 && inputs == 1;
  if (blocks > 1 && (hasDeviations || (isOneNarrow && writesRow)))
    return {};
  int64_t threads =
      length / blocks <= longestSmallPart ? fewPartThreads : partThreads;
  return make(threads, 1, HoldKind::shared, /*inRegisters=*/0,
              /*preload=*/hasWeights)
      .withBlocksPerRow(blocks);
}

/// A row of 16 bits whose deviations are weighed, of several levels that are no
/// special functions: few threads, since each does as much for every level.
/// Null where other places are better.
RowsScheduleAttr RowsOnGPU::proposeWeighedLevels(const RowWork &work) const {
  bool areWeighed = work.levels >= fewestLevels && hasWeighedDeviations() &&
                    !work.repeatsSpecial;
  if (!areWeighed || vector <= 4 || inputs != 1 || length % vector != 0 ||
      length < shortestOfWarp || length > longestInShared)
    return {};
  // Whole warps, or copies that wait for none.
  if (length <= longestOfWarp)
    return vectors % warpSize == 0 ? make(2 * warpSize, 2, HoldKind::registers)
                                   : make(warpSize, 1, HoldKind::shared);
  if (length < shortestOfFour) {
    bool areOdd = vectors % (2 * warpSize) != 0 && vectors % warpSize == 0;
    bool isLoaded =
        areOdd ? length > longestUnloadedOdd : length >= shortestLoadedOfTwo;
    return make(areOdd ? warpSize : 2 * warpSize, 1, HoldKind::shared,
                /*inRegisters=*/0, /*preload=*/isLoaded);
  }
  if (length <= longestOfFour)
    return make(fewPartThreads, 1, HoldKind::shared, /*inRegisters=*/0,
                /*preload=*/length > longestUnloaded);
  return make(partThreads, 1, HoldKind::shared)
      .withLeastBlocks(boundedThreads / partThreads);
}

/// A row of words whose deviations are weighed, of several levels that are no
/// special functions: in the shared memory of several blocks of few threads.
/// Null where that is not worth it.
RowsScheduleAttr RowsOnGPU::proposeWeighedWords() const {
  if (vectorBytes > accessBytes)
    return withOneAccess().proposeWeighedWords();
  int64_t bytes = length * inputBytes;
  auto blocks = static_cast<int64_t>(
      llvm::PowerOf2Ceil(llvm::divideCeil(bytes, weighedPartBytes)));
  if (inputs != 1 || length % (vector * blocks) != 0 ||
      bytes > longestWeighedBytes || blocks > target.gpu->maxClusterSize)
    return {};
  return RowsScheduleAttr::get(kernel.getContext(), fewPartThreads, vector,
                               /*rows_per_block=*/1, HoldKind::shared,
                               /*unroll=*/2, /*in_registers=*/0,
                               /*preload=*/true, rowCopyGroups)
      .withBlocksPerRow(blocks);
}

/// A row that no block's registers hold: in those of several, in shared
/// memory, or null where other places are better.
RowsScheduleAttr RowsOnGPU::proposeLongRepeatedWork(const RowWork &work) const {
  bool areWords = vector <= 4;
  bool hasLevels = work.levels >= fewestLevels;
  bool areExponentials = inputs > 1 && work.exponentials > 1;
  bool areWeighed = hasLevels && hasWeighedDeviations();
  bool isSpecial = areWeighed && work.repeatsSpecial;
  bool mayBeFew = isSpecial;
  if (areWords)
    mayBeFew = areExponentials || (writesRow && (hasLevels || !hasDeviations));
  if (areWords && areWeighed && !isSpecial)
    if (RowsScheduleAttr parts = proposeWeighedWords())
      return parts;
  bool isSpecialNorm = hasWeighedDeviations() && work.repeatsSpecial &&
                       work.exponentials == 0 && writesRow;
  if (areWords && isSpecialNorm && length <= longFewHeld)
    if (RowsScheduleAttr spread = proposeSpecialWords(work))
      return spread;
  if (length <= longFewHeld && mayBeFew)
    return proposeRepeatedWorkSpread();
  if (areExponentials)
    return {};
  if (hasLevels && (hasDeviations || !work.repeatsSpecial)) {
    bool isBetterElsewhere = !areWords && length <= longestElsewhere &&
                             (areWeighed ? !isSpecial : !writesRow);
    return isBetterElsewhere ? RowsScheduleAttr() : proposeRepeatedWorkShared();
  }
  bool isLittle = work.exponentials == 0 &&
                  (areWords || work.repeated <= oneSpecialFunction);
  bool areTooMany = inputs > 1 && (areWords || hasWeights);
  return hasDeviations || isLittle || areTooMany ? RowsScheduleAttr()
                                                 : proposeRepeatedWorkSpread();
}

RowWork RowsOnGPU::rowWork() const { return rowWorkOf(segment, dims); }

/// Whether much is computed again for every pass, or there are several levels.
bool RowsOnGPU::repeats(const RowWork &work) const {
  // Little that words do again is not what they wait for.
  bool isMuch =
      vector <= 4 ? work.repeatsSpecial : work.repeated >= fewestRepeated;
  return isMuch || work.levels >= fewestLevels;
}

/// A row that is needed several times and would take much to compute again.
/// Null for others, and for those that nothing holds well.
RowsScheduleAttr RowsOnGPU::proposeRepeatedWork() const {
  // Rows of no elements have no work.
  if (once || vector == 1 || length == 0)
    return {};
  // Of several inputs, or of long rows, two accesses take too many registers.
  bool areMany = inputs > 1 || length > longestHeavyNarrow;
  if (areMany && vectorBytes > accessBytes)
    return withOneAccess().proposeRepeatedWork();
  RowWork work = rowWork();
  bool areWords = vector <= 4;
  if (!repeats(work))
    return {};
  bool areExponentials = inputs > 1 && work.exponentials > 1;
  if (areExponentials && !areWords && length > longestOfExponentials)
    return {};
  if (RowsScheduleAttr few = proposeWeighedLevels(work))
    return few;
  int64_t group = repeatedWorkGroup(work);
  return group > 0 ? hold(group) : proposeLongRepeatedWork(work);
}
