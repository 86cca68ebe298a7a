//===- LaboriousRows.cpp - Rows that are better not computed again --------===//
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

#include "fuse/Analysis/RowWork.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Instructions that are done again for each element of such rows, at least,
/// and levels of reductions of those where these are fewer.
static constexpr double fewestRepeated = 2;
static constexpr unsigned fewestLevels = 2;
/// Elements of a thread: of 16 bits, of several inputs of these, of those in
/// longer rows with several levels, and of words where these are written, or
/// are not.
static constexpr int64_t heldNarrow = 45, heldOfSeveral = 56;
static constexpr int64_t heldInLevels = 64;
static constexpr int64_t heldWritten = 24, heldWords = 32;
static constexpr int64_t longRow = 4096;
/// Threads of a row of words, where it has two vectors for each; those of a row
/// in one block's registers, at most, and of one input of words.
static constexpr int64_t fewestWritten = 64, fewestWords = 32;
static constexpr int64_t mostThreads = 256, mostWordThreads = 512;
/// The longest row of several levels in one block's registers.
static constexpr int64_t longestInLevels = 14336;
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
int64_t RowsOnGPU::laboriousGroup(bool hasLevels) const {
  bool areWords = vector <= 4;
  int64_t held = inputs > 1 ? heldOfSeveral : heldNarrow;
  if (areWords)
    held = !writesRow ? heldWords : heldWritten;
  else if (hasLevels && length > longRow)
    held = length <= longestInLevels ? heldInLevels : 0;
  if (held == 0)
    return 0;
  int64_t group =
      llvm::PowerOf2Ceil(std::max<int64_t>(1, llvm::divideCeil(length, held)));
  if (areWords)
    group = std::max<int64_t>(
        group, llvm::bit_floor(static_cast<uint64_t>(std::clamp<int64_t>(
                   vectors / 2, 1, writesRow ? fewestWritten : fewestWords))));
  int64_t most = areWords && inputs == 1 ? mostWordThreads : mostThreads;
  return group <= most ? group : 0;
}

/// In the registers of several blocks, whose weights are there before. Null
/// where there are no such, or not enough.
RowsScheduleAttr RowsOnGPU::proposeLaboriousSpread() const {
  if (vectorBytes > accessBytes)
    return withOneAccess().proposeLaboriousSpread();
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

/// In shared memory, of one block or of several. Null where it does not fit, or
/// vectors leave edges.
RowsScheduleAttr RowsOnGPU::proposeLaboriousShared() const {
  if (vectorBytes > accessBytes)
    return withOneAccess().proposeLaboriousShared();
  int64_t bytes = length * inputBytes;
  int64_t blocks = bytes <= mostSharedBytes
                       ? 1
                       : llvm::PowerOf2Ceil(llvm::divideCeil(bytes, partBytes));
  if (inputBytes == 0 || length % vector != 0 ||
      blocks > target.gpu->portableClusterSize ||
      blocks > target.gpu->maxClusterSize)
    return {};
  int64_t threads =
      length / blocks <= longestSmallPart ? fewPartThreads : partThreads;
  return make(threads, 1, HoldKind::shared, /*inRegisters=*/0,
              /*preload=*/hasWeights)
      .withBlocksPerRow(blocks);
}

/// A row that is needed several times and would take much to compute again.
/// Null for others, and for those that nothing holds well.
RowsScheduleAttr RowsOnGPU::proposeLaborious() const {
  if (once || vector == 1)
    return {};
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
  if (int64_t group = laboriousGroup(hasLevels))
    return hold(group);
  if (areExponentials)
    return {};
  if (hasLevels && !work.repeatsSpecial)
    return proposeLaboriousShared();
  return hasDeviations ? RowsScheduleAttr() : proposeLaboriousSpread();
}
