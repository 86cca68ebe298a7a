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
// The numbers are those that won on an H200 (docs/performance/lengths.md).
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
/// Elements of a thread: of 16 bits; of these in one block that has no more
/// threads for exponentials; in longer rows with several levels; of words, and
/// of those on which exponentials follow a special function.
static constexpr int64_t heldNarrow = 45, heldByExponentials = 56;
static constexpr int64_t heldInLevels = 64;
static constexpr int64_t heldWords = 32, heldByExponentialWords = 24;
static constexpr int64_t longRow = 4096;
/// Threads of a row that has two vectors for each, at least, by whether it is
/// written, and of words or of several inputs; those of a row in one block's
/// registers, at most, and of one of which exponentials or levels are narrow.
static constexpr int64_t fewestOfUnwritten = 32, fewestOfNarrow = 64;
static constexpr int64_t fewestOfWide = 128;
static constexpr int64_t mostThreads = 512, mostNarrowThreads = 256;
/// The longest row of several levels in one block's registers; of those whose
/// deviations have weights.
static constexpr int64_t longestInLevels = 14336, longestOfDeviations = 8192;
/// Where 16-bit elements of several inputs have several exponentials each, a
/// row's length.
static constexpr int64_t longestOfExponentials = 4096;
/// Elements of each thread of a row in the registers of several blocks.
static constexpr int64_t spreadHeld = 48, spreadWideHeld = 32;
static constexpr int64_t spreadHeldWords = 16;
/// Bytes of a row of several levels in one block's shared memory, which has
/// room for others, and in that of each of several; elements of such a part up
/// to which few threads walk it.
static constexpr int64_t mostSharedBytes = 64 * 1024, partBytes = 32 * 1024;
static constexpr int64_t longestSmallPart = 6144;
static constexpr int64_t fewPartThreads = 128, partThreads = 256;

/// In the registers of one block, or 0 threads where these have no room for it.
int64_t RowsOnGPU::repeatedWorkGroup(const RowWork &work) const {
  bool areWords = vector <= 4;
  bool hasLevels = work.levels >= fewestLevels;
  if (hasLevels && hasDeviations && hasWeights && length > longestOfDeviations)
    return 0;
  int64_t held = areWords ? heldWords : heldNarrow, most = mostThreads;
  int64_t longest = held * most;
  if (!areWords && hasLevels && length > longRow) {
    held = heldInLevels;
    most = mostNarrowThreads;
    longest = longestInLevels;
  } else if (!areWords && work.exponentials > 0) {
    most = mostNarrowThreads;
    longest = heldByExponentials * most;
  }
  if (length > longest)
    return 0;
  auto threadsFor = [&](int64_t each) {
    return static_cast<int64_t>(llvm::PowerOf2Ceil(
        std::max<int64_t>(1, llvm::divideCeil(length, each))));
  };
  int64_t group = std::min(threadsFor(held), most);
  if (areWords && work.exponentials > 0 && work.repeatsSpecial)
    group = std::min(threadsFor(heldByExponentialWords), most);
  int64_t fewest = fewestOfUnwritten;
  if (writesRow)
    fewest = areWords || inputs > 1 ? fewestOfWide : fewestOfNarrow;
  fewest = std::clamp<int64_t>(vectors / 2, 1, fewest);
  if (areWords || writesRow)
    group = std::max<int64_t>(group,
                              llvm::bit_floor(static_cast<uint64_t>(fewest)));
  return group;
}

/// In the registers of several blocks, whose weights are there before. Null
/// where there are no such, or not enough.
RowsScheduleAttr RowsOnGPU::proposeRepeatedWorkSpread() const {
  if (vectorBytes > accessBytes)
    return withOneAccess().proposeRepeatedWorkSpread();
  bool areWords = vector <= 4;
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
  if (!areWords)
    if (RowsScheduleAttr narrow = spread(fewPartThreads, spreadHeld))
      return narrow;
  return spread(partThreads, areWords ? spreadHeldWords : spreadWideHeld);
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

/// A row that is needed several times and would take much to compute again.
/// Null for others, and for those that nothing holds well.
RowsScheduleAttr RowsOnGPU::proposeRepeatedWork() const {
  if (once || vector == 1)
    return {};
  // Of several inputs two accesses take too many registers.
  if (inputs > 1 && vectorBytes > accessBytes)
    return withOneAccess().proposeRepeatedWork();
  RowWork work =
      rowWorkOf(segment, llvm::to_vector(kernel.getYield().getValues()), dims);
  bool hasLevels = work.levels >= fewestLevels;
  bool areWords = vector <= 4;
  // Little that words do again is not what they wait for.
  bool isMuch =
      areWords ? work.repeatsSpecial : work.repeated >= fewestRepeated;
  if (!isMuch && !hasLevels)
    return {};
  bool areExponentials = inputs > 1 && work.exponentials > 1;
  if (areExponentials && !areWords && length > longestOfExponentials)
    return {};
  if (int64_t group = repeatedWorkGroup(work))
    return hold(group);
  if (areExponentials)
    return {};
  if (hasLevels && (hasDeviations || !work.repeatsSpecial))
    return proposeRepeatedWorkShared();
  bool isLittle = work.exponentials == 0 &&
                  (areWords || work.repeated <= oneSpecialFunction);
  bool areTooMany = inputs > 1 && (areWords || hasWeights);
  return hasDeviations || isLittle || areTooMany ? RowsScheduleAttr()
                                                 : proposeRepeatedWorkSpread();
}
