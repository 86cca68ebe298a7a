//===- RowsOnGPU.h - Where a GPU keeps a row --------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_SCHEDULE_ROWSONGPU_H
#define FUSE_LIB_SCHEDULE_ROWSONGPU_H

#include "fuse/Analysis/ReductionSegments.h"
#include "fuse/Analysis/RowWork.h"
#include "fuse/Schedule/Scheduler.h"

#include <optional>

namespace mlir::fuse {

struct RowShape {
  /// Elements of a row; unknown if any column is dynamic.
  std::optional<int64_t> length;
  /// Elements of a vector, and of the widest that there may be; bytes of the
  /// narrowest element that has one.
  int64_t vector, widest = 1, narrowestBytes = 1;
};

/// Steps of a loop over a row's vectors that are written out.
inline constexpr int64_t rowUnroll = 4;
/// Of copies into shared memory: the first walk starts when a quarter is there.
inline constexpr int64_t rowCopyGroups = 4;

inline constexpr int64_t warpSize = 32;
/// Of the widest access.
inline constexpr int64_t accessBytes = 16;
/// Elements that a thread holds at most.
inline constexpr int64_t heldElements = 64;
/// Rows of up to so many vectors are held in registers, two a thread.
inline constexpr int64_t registerVectors = 256;
/// Rows of up to so many full-width accesses are held in the caches.
inline constexpr int64_t cacheAccesses = 4096;
/// Vectors of a thread where instructions bind.
inline constexpr int64_t onceVectors = 4;
/// Rows of up to so many elements that leave edges are short.
inline constexpr int64_t shortUnaligned = 1024;
/// Elements of a thread whose block shares its row with others.
inline constexpr int64_t sharedHeld = 32;
/// Elements that a thread holds, and its block's threads, in calls that have
/// few blocks.
inline constexpr int64_t smallHeld = 16;
inline constexpr int64_t smallThreads = 1024;
inline constexpr int64_t smallestBlock = 128;
inline constexpr int64_t loopThreads = 512;
/// The most threads whose registers hold a row; the fewest of a block of which
/// each has whole vectors, and the most vectors of one.
inline constexpr int64_t widestHeldGroup = 512;
inline constexpr int64_t smallestWholeBlock = 64;
inline constexpr int64_t mostHeldVectors = 5;
/// Threads of a multiprocessor that have registers for loads ahead of walks,
/// and for all loads of a short row, or of one that blocks that stay hold.
inline constexpr int64_t boundedThreads = 1024;
inline constexpr int64_t boundedHeldThreads = 512;
/// Places for vectors that may stay empty, of each that is filled, in heavy
/// rows of 16-bit elements.
inline constexpr double emptyPlaces = 0.3;

/// The smallest power of two that is no less than the number, or hardly.
int64_t aboutPowerOf2(int64_t number);

/// Places for vectors that so many threads have, of each that there is.
double placesForEach(int64_t vectors, int64_t threads);

/// The choice for rows of one shape; `length` and below are of rows of known
/// length.
class RowsOnGPU {
public:
  RowsOnGPU(KernelOp kernel, const ReductionSegment &segment,
            const DimClasses &dims, const RowShape &shape,
            const ScheduleTarget &target);

  RowsScheduleAttr propose() const;

  /// So many threads share a row, in vectors of so many elements, and have so
  /// many rows each.
  struct RowShare {
    int64_t wide, threads, rows;
  };

private:
  bool wantsGrid() const;
  bool isSmall() const;
  bool isBrief() const;
  bool isFew() const;
  double mostFewRows() const;
  int64_t briefCluster() const;
  int64_t fewCluster() const;
  bool hasWeighedDeviations() const { return hasDeviations && hasWeights; }
  bool isHeavy() const;
  int64_t mostCachedAccesses() const;
  int64_t cacheThreads() const;
  int64_t boundOfCached(int64_t threads) const;
  bool isNear(int64_t threads, int64_t wanted) const;
  bool holdsDivided() const;
  bool hasFewDivided(int64_t threads) const;
  int64_t wholeThreads(int64_t wanted, int64_t usual) const;
  /// Threads with so many vectors each, as long as neighbours read half a line
  /// together.
  static int64_t groupWith(int64_t vectors, int64_t each);
  int64_t unalignedEach() const;
  double fewestUnalignedEach() const;
  int64_t unalignedGroup() const;
  bool isHeavyAlone() const;
  int64_t shortGroup() const;
  int64_t heldGroup() const;
  int64_t exchangedBytes(int64_t warps) const;

  RowsScheduleAttr proposeAlone() const;
  RowsScheduleAttr proposeAcross() const;
  RowsScheduleAttr proposeNumbersAcross() const;
  RowsScheduleAttr staying(RowsScheduleAttr schedule, int64_t blocks,
                           bool preload) const;
  int64_t columnSums() const;
  RowsScheduleAttr stayingTogether(RowsScheduleAttr schedule,
                                   int64_t blocks) const;
  int64_t wholeGroup(int64_t each, int64_t fewest, int64_t most) const;
  int64_t heldSumsGroup() const;
  int64_t shortBlockOfSums(int64_t group) const;
  RowsScheduleAttr proposeWholeSums() const;
  int64_t sharedSumsGroup() const;
  bool haveRoomForSums(int64_t threads, int64_t blocks, int64_t rows) const;
  int64_t blocksOfSums(int64_t threads) const;
  int64_t stagesOfSums(int64_t threads, int64_t blocks) const;
  RowsScheduleAttr proposeSharedSums() const;
  bool mayShareUnaligned(int64_t threads) const;
  RowsScheduleAttr proposeHeavyUnaligned() const;
  RowsScheduleAttr proposeLightUnaligned() const;
  RowsScheduleAttr proposeModerateNarrowUnaligned() const;
  RowsScheduleAttr proposeModerateUnaligned() const;
  double workOnShort(int64_t rowVector, int64_t threads) const;
  RowsScheduleAttr holdShort(int64_t rowVector, int64_t threads) const;
  RowsScheduleAttr proposeShortBrief() const;
  bool fitsFewVectors(int64_t threads) const;
  RowShare severalWords() const;
  RowShare severalOnce() const;
  RowShare severalShortest() const;
  RowShare severalDeviations() const;
  RowShare severalNarrowed() const;
  RowShare severalLight() const;
  RowShare severalExp() const;
  RowShare severalOfTwo() const;
  RowShare severalOfShort() const;
  RowsScheduleAttr proposeSeveral() const;
  RowsScheduleAttr proposeShortDeviations() const;
  RowsScheduleAttr holdLeastWork() const;
  RowsScheduleAttr holdTwoInputs() const;
  RowsScheduleAttr proposeShortOfTwo() const;
  RowsScheduleAttr proposeDeviations() const;
  bool areAtOnce() const;
  RowsScheduleAttr proposeShort() const;
  RowWork rowWork() const;
  bool repeatsWork() const { return repeats(rowWork()); }
  bool repeats(const RowWork &work) const;
  std::pair<int64_t, int64_t> heldOfRepeatedWork(const RowWork &work) const;
  int64_t repeatedWorkGroup(const RowWork &work) const;
  RowsScheduleAttr proposeRepeatedWorkSpread() const;
  RowsScheduleAttr proposeRepeatedWorkShared() const;
  RowsScheduleAttr proposeWeighedWords() const;
  RowsScheduleAttr proposeSpecialWords(const RowWork &work) const;
  RowsScheduleAttr proposeWeighedLevels(const RowWork &work) const;
  RowsScheduleAttr proposeLongRepeatedWork(const RowWork &work) const;
  RowsScheduleAttr proposeRepeatedWork() const;
  RowsScheduleAttr proposeUnknown() const;
  RowsScheduleAttr proposeStreamedSpread() const;
  RowsScheduleAttr proposeStaged() const;
  RowsScheduleAttr proposeLongestStaged() const;
  RowsScheduleAttr proposeStreamedInShared() const;
  RowsScheduleAttr proposeStream() const;
  RowsScheduleAttr proposeSmall() const;
  RowsScheduleAttr proposeFew() const;
  bool isDivided() const;
  bool mayPreload() const;
  bool isWeighed() const;
  int64_t moderateWordThreads() const;
  int64_t moderateNarrowThreads() const;
  RowsScheduleAttr proposeModerate() const;
  int64_t moderateWordBlocks() const;
  int64_t moderateNarrowBlocks() const;
  int64_t moderateBlocks() const;
  int64_t moderateSpreadThreads(int64_t blocks) const;
  RowsScheduleAttr proposeModerateSpreadShared(int64_t blocks) const;
  RowsScheduleAttr proposeModerateSpread() const;
  int64_t moderateCopiedThreads() const;
  RowsScheduleAttr proposeModerateCopied() const;
  RowsScheduleAttr proposeModerateShort() const;
  RowsScheduleAttr proposeModeratePair() const;
  RowsScheduleAttr proposeModerateCached(int64_t threads) const;
  int64_t moderateOnceThreads() const;
  RowsScheduleAttr proposeModerateOnce() const;
  RowsScheduleAttr proposeLong() const;
  RowsScheduleAttr proposeBoundedDeviations() const;
  RowsScheduleAttr proposeDividedShared() const;
  RowsScheduleAttr proposeMaskedExponentials() const;
  RowsScheduleAttr proposeWholePart() const;
  RowsScheduleAttr proposeSpreadInRegisters() const;
  RowsScheduleAttr proposeSpread() const;
  int64_t spreadBlocks() const;
  int64_t spreadPartBytes() const;
  RowsScheduleAttr makePart(int64_t blocks) const;
  RowsScheduleAttr makeHugePart(int64_t blocks) const;
  RowsOnGPU withOneAccess() const;
  RowsScheduleAttr proposeShared(int64_t blocks, int64_t threads) const;

  RowsScheduleAttr make(int64_t threads, int64_t rows, HoldKind hold,
                        int64_t inRegisters = 0, bool preload = false,
                        int64_t copyGroups = rowCopyGroups) const {
    return RowsScheduleAttr::get(kernel.getContext(), threads, vector, rows,
                                 hold, rowUnroll, inRegisters, preload,
                                 copyGroups);
  }
  /// In the registers of so many threads a row; of more, where these would be
  /// too few to take the edges that vectors leave.
  RowsScheduleAttr hold(int64_t group) const;

  /// Ops have no const methods.
  mutable KernelOp kernel;
  const ReductionSegment &segment;
  const DimClasses &dims;
  const ScheduleTarget &target;
  std::optional<int64_t> knownLength;
  int64_t vector, fullVector, narrowestBytes;
  /// One pass over a row is all there is; there are results of its length.
  bool once, writesRow;
  bool hasExp, hasDeviations, hasWeights, isLight, divides;
  /// Inputs of the row's length; bytes of an element of all of them, of the
  /// widest, and of a vector of that, 16 at least.
  int64_t inputs, inputBytes = 0, widestBytes = 1, vectorBytes;

  int64_t length = 0, vectors = 0;
  /// Full-width accesses to the row of the widest input.
  int64_t accesses = 0;
};

/// The schedule that a GPU's kernel has for one of its shapes of rows, by what
/// won on an H200.
RowsScheduleAttr proposeRowsOnGPU(KernelOp kernel,
                                  const ReductionSegment &segment,
                                  const DimClasses &dims, const RowShape &shape,
                                  const ScheduleTarget &target);

} // namespace mlir::fuse

#endif // FUSE_LIB_SCHEDULE_ROWSONGPU_H
