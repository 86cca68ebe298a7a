//===- ShortRows.cpp - Rows that are bound by instructions ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that full vectors do not divide, or of a few vectors only, are bound by
// instructions: places for elements that the row has not cost as much as
// others, and so does what each thread does once for the row. So vectors may be
// narrower than an access: of 197 elements of 16 bits, 16 threads have three
// vectors of four each and an edge, but of eight two, most of which lack the
// second.
//
// The vectors and threads are those that leave the least to do, by counts that
// were fitted to times of an H200 (results/sweeps.json.xz). Two inputs,
// and longer rows whose vectors of weights would be cut out of two, go by
// lengths; so does what each thread has several rows of (SeveralRows.cpp).
//
//===----------------------------------------------------------------------===//

#include "RowsOnGPU.h"

#include "fuse/Analysis/RowEdges.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Elements of 16 bits up to which vectors and threads are chosen so, and in
/// calls of few blocks; of words, and of any that full vectors divide.
static constexpr int64_t longestShort = 320, longestBriefShort = 640;
static constexpr int64_t longestShortWords = 55;
/// Of words whose deviations are needed, and of those with half a warp.
static constexpr int64_t longestWordDeviations = 320;
static constexpr int64_t halfWarpDeviations = 130;
/// The same of rows of two inputs, of 16 bits and of words; up to which these
/// are shared by half a warp, and by one; and of words on which little is
/// computed up to which a warp and two warps share them.
static constexpr int64_t longestOfTwo = 640, longestWordsOfTwo = 80;
static constexpr int64_t oneWarpOfTwoWords = 168, twoWarpsOfTwoWords = 480;
static constexpr int64_t fewThreadsOfTwo = 256, oneWarpOfTwo = 480;
/// Rows of 16 bits whose deviations are weighed: beyond which they are bound by
/// cutting vectors of weights, rather than by what else there is; from which
/// vectors of two words are better than of one where they divide the row; the
/// longest; beyond which twice as many threads share one.
static constexpr int64_t cutDeviations = 256, wideDeviations = 640,
                         longestDeviations = 8000;
static constexpr int64_t mostDeviations[] = {320, 1400, 2000, 4096};
/// Between which full vectors would be five for each of 256 threads.
static constexpr int64_t fewestHalvedDeviations = 8704,
                         longestHalvedDeviations = 9216;
/// Up to which full vectors leave hardly a place empty in the threads of 4096
/// elements, so that these are better.
static constexpr int64_t fullDeviations = 4160;
/// Rows of 16 bits with exponentials that are read once, which registers hold
/// in half vectors.
static constexpr int64_t shortestOnce = 6900, longestOnce = 18000;
static constexpr int64_t onceThreads = 256;
/// In what a thread does for an element: what it does once for the row, and
/// more if it writes it; for a vector, where little else is done or a row's
/// fill no sector of 32 bytes; for each vector from the third on where they
/// fill just one; for an element that only some threads read, or read and
/// write, and one that is weighed by a vector cut out of two.
static constexpr double workOnce = 6, workOfWriting = 1, workOfStep = 1,
                        workOfSector = 0.5;
static constexpr double workOfGuarded = 1.25, workOfGuardedTwice = 1.75,
                        workOfCut = 1.2;
static constexpr int64_t sectorElements = 16, sectorsFree = 2;
/// Elements that a thread holds at no cost, of 16 bits, of those in vectors of
/// two words that divide the row, of words, where they become 8-bit ones, and
/// where they are not needed again; what more elements cost, each.
static constexpr int64_t heldFree = 10, heldWholeFree = 14, heldWordsFree = 6,
                         heldNarrowedFree = 20;
static constexpr int64_t passedFree = 32;
static constexpr double costOfHeld = 0.08;
/// The narrowest access.
static constexpr int64_t fewestAccessBytes = 4;
/// Rows a multiprocessor up to which a call takes as long as a row.
static constexpr int64_t rowsOfOneTime = 24;

namespace {
/// How a row's threads share it.
struct Shares {
  int64_t vector;
  /// Vectors of each thread, and others that only some have.
  int64_t whole, guarded;

  int64_t held() const { return (whole + guarded) * vector; }
};
} // namespace

static Shares sharesOf(int64_t length, int64_t vector, int64_t threads,
                       int64_t elementBytes) {
  int64_t vectors = length / vector;
  if (length % vector == 0)
    return {vector, vectors / threads, vectors % threads != 0};
  RowEdges edges = rowEdges(length, vector, threads, elementBytes);
  if (edges.even > 0)
    return {vector, edges.even / threads, 0};
  int64_t whole = edges.least / threads;
  return {vector, whole, (vectors + threads - 1) / threads - whole};
}

/// What the threads do for a row.
double RowsOnGPU::workOnShort(int64_t rowVector, int64_t threads) const {
  Shares shares = sharesOf(length, rowVector, threads, widestBytes);
  bool isCut = hasDeviations && hasWeights && widestBytes < fewestAccessBytes &&
               rowVector > 2 && length % rowVector != 0;
  double element = isCut ? workOfCut : 1;
  double guarded = once ? workOfGuarded : workOfGuardedTwice;
  double work = workOnce + (once ? 0 : workOfWriting) +
                (shares.whole + guarded * shares.guarded) * rowVector * element;
  int64_t steps = shares.whole + shares.guarded;
  if (once || rowVector * threads < sectorElements)
    work += steps * workOfStep;
  else if (rowVector * threads == sectorElements)
    work += std::max<int64_t>(0, steps - sectorsFree) * workOfSector;
  int64_t isFree = widestBytes == fewestAccessBytes           ? heldWordsFree
                   : rowVector > 2 && length % rowVector == 0 ? heldWholeFree
                                                              : heldFree;
  if (once && !isSmall())
    isFree = passedFree;
  else if (narrowestBytes == 1)
    isFree = heldNarrowedFree;
  double more = std::max<int64_t>(0, shares.held() - isFree);
  return threads * work * (1 + costOfHeld * more);
}

/// Of vectors of so many elements, in the registers of so many threads.
RowsScheduleAttr RowsOnGPU::holdShort(int64_t rowVector,
                                      int64_t threads) const {
  RowsOnGPU narrower = *this;
  narrower.vector = rowVector;
  narrower.vectors = llvm::divideCeil(length, rowVector);
  return narrower.make(std::max(threads, smallestBlock),
                       std::max(threads, smallestBlock) / threads,
                       HoldKind::registers);
}

/// Whether a call takes as long as a row.
bool RowsOnGPU::areAtOnce() const {
  return isFew() &&
         mostFewRows() <= rowsOfOneTime * target.gpu->multiprocessors;
}

/// In brief calls, narrow vectors and many threads, of which each has little to
/// wait for. Null where that is not all that counts.
RowsScheduleAttr RowsOnGPU::proposeShortBrief() const {
  bool areWords = widestBytes == fewestAccessBytes;
  int64_t halves = fullVector / 2;
  if (length <= longestShort) {
    if (!areAtOnce() && !areWords)
      return {};
    if (hasWeights && !hasDeviations && !areWords) {
      int64_t wide = length % halves == 0 ? halves : 2;
      // Edges take twice as many threads as a vector has elements.
      int64_t wanted =
          std::max<int64_t>(2 * wide, llvm::PowerOf2Ceil(length / wide));
      return holdShort(wide, std::min(wanted, 2 * warpSize));
    }
    int64_t narrow = std::max<int64_t>(2, fewestAccessBytes / narrowestBytes);
    return holdShort(narrow, once && !areWords ? warpSize / 2 : warpSize);
  }
  if (once && areWords)
    return {};
  if (once && areAtOnce())
    return holdShort(halves / 2, warpSize);
  if (areAtOnce() || areWords)
    return holdShort(halves, smallestBlock);
  return holdShort(halves, once || hasExp || divides ? warpSize : 2 * warpSize);
}

/// The vectors and threads that leave the least to do.
RowsScheduleAttr RowsOnGPU::holdLeastWork() const {
  int64_t narrowest = std::max<int64_t>(1, fewestAccessBytes / narrowestBytes);
  RowsScheduleAttr best;
  double least = 0;
  for (int64_t wide = fullVector; wide >= narrowest; wide /= 2) {
    int64_t fewest = length % wide != 0 ? 2 * wide : once ? 1 : 2;
    for (int64_t threads = fewest; threads <= warpSize; threads *= 2) {
      double work = workOnShort(wide, threads);
      if (best && work >= least)
        continue;
      least = work;
      best = holdShort(wide, threads);
    }
  }
  return best;
}

/// Of words whose deviations are needed and that full vectors do not divide.
/// Null for others.
RowsScheduleAttr RowsOnGPU::proposeShortDeviations() const {
  if (!hasDeviations || once || widestBytes != fewestAccessBytes ||
      length <= longestShortWords || length > longestWordDeviations)
    return {};
  return holdShort(2, length <= halfWarpDeviations ? warpSize / 2 : warpSize);
}

/// Of two inputs, whose loads are many as it is: one vector for each thread,
/// with an element at the row's edges, as narrow as that allows.
RowsScheduleAttr RowsOnGPU::holdTwoInputs() const {
  // The longest row of so many vectors and elements at the edges, or of two
  // vectors for most threads where wider ones would be half empty.
  struct OfOne {
    int64_t wide, threads, longest;
  };
  constexpr OfOne ofOne[] = {{2, 8, 24},  {4, 8, 40},   {2, 16, 50},
                             {4, 16, 80}, {8, 16, 144}, {4, 32, 160}};
  for (auto [wide, threads, longest] : ofOne)
    if (wide <= fullVector && length <= longest)
      return holdShort(wide, threads);
  if (length <= fewThreadsOfTwo)
    return holdShort(fullVector, warpSize / 2);
  return holdShort(fullVector / 2,
                   length <= oneWarpOfTwo ? warpSize : 2 * warpSize);
}

RowsScheduleAttr RowsOnGPU::proposeShortOfTwo() const {
  bool areWords = widestBytes == fewestAccessBytes;
  if (length % fullVector == 0)
    return {};
  if (RowsScheduleAttr several = proposeSeveral())
    return several;
  if (areWords && length > longestWordsOfTwo)
    return isLight && !isSmall() && length <= twoWarpsOfTwoWords
               ? holdShort(fullVector, length <= oneWarpOfTwoWords
                                           ? warpSize
                                           : 2 * warpSize)
               : RowsScheduleAttr();
  if (length > longestOfTwo)
    return {};
  bool isOfThreads = !areWords && length <= longestShort && areAtOnce();
  return isOfThreads ? holdShort(2, smallestBlock) : holdTwoInputs();
}

/// Of deviations that are weighed: vectors that need not be cut. Null where
/// something else counts.
RowsScheduleAttr RowsOnGPU::proposeDeviations() const {
  if (!hasDeviations || !hasWeights || length <= cutDeviations || isBrief())
    return {};
  // Of full vectors, five for each thread take too many registers.
  if (length >= fewestHalvedDeviations && length <= longestHalvedDeviations &&
      !isSmall())
    return holdShort(fullVector / 2, registerVectors);
  if (length > longestDeviations || (length >= wideDeviations && isSmall()) ||
      (length > std::end(mostDeviations)[-1] && length <= fullDeviations))
    return {};
  int64_t wide = length >= wideDeviations && length % 4 == 0 ? 4 : 2;
  int64_t threads = warpSize / 2;
  for (int64_t most : mostDeviations)
    if (length > most)
      threads *= 2;
  return holdShort(wide, threads);
}

/// A row that full vectors do not divide, or a short one of any. Null for
/// others.
RowsScheduleAttr RowsOnGPU::proposeShort() const {
  bool isNarrow = widestBytes == 2;
  bool isWhole = length % fullVector == 0;
  if ((!isNarrow && widestBytes != fewestAccessBytes) || inputs < 1 ||
      inputs > 2 || segment.space.columns().size() != 1 ||
      segment.reducesToColumns())
    return {};
  if (inputs == 2)
    return proposeShortOfTwo();
  if (!isWhole && length <= longestBriefShort && isBrief())
    if (RowsScheduleAttr brief = proposeShortBrief())
      return brief;
  if (RowsScheduleAttr several = proposeSeveral())
    return several;
  if (!isWhole && !isSmall())
    if (RowsScheduleAttr deviations = proposeShortDeviations())
      return deviations;
  bool isCut = isNarrow && !isWhole;
  if (isCut)
    if (RowsScheduleAttr deviations = proposeDeviations())
      return deviations;
  if (isCut && once && hasExp && !isSmall() && length >= shortestOnce &&
      length <= longestOnce)
    return holdShort(fullVector / 2, onceThreads);
  bool isSlow = isWhole && (!isNarrow || narrowestBytes < widestBytes);
  if (isSlow || length > (isCut ? longestShort : longestShortWords))
    return {};
  return holdLeastWork();
}
