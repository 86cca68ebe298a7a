//===- ShortRowsPerThread.cpp - Short rows of which a thread has several --===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In large calls of short rows that full vectors do not divide, much of what a
// thread does is not the row's elements: finding where it starts, guards of
// vectors that not every thread has, loads of weights that vectors are cut out
// of. With several rows it does that once for all of them: four where a thread
// has few elements of each, two where they are more.
//
// Which vectors, threads and rows are best depends on how they divide a length.
// The tables are what was fastest of 7,300 schedules of 355 cases on an H200
// (results/sweeps.json.xz).
//
//===----------------------------------------------------------------------===//

#include "RowsOnGPU.h"

#include "fuse/Analysis/RowEdges.h"

using namespace mlir;
using namespace mlir::fuse;

using RowShare = RowsOnGPU::RowShare;

/// The longest rows that have tables here.
static constexpr int64_t longestSeveral = 320;
/// Even rows up to which two threads share each, in vectors of two; and of two
/// more than a multiple of four, those from which on four do.
static constexpr int64_t pairOfThreads = 24, fewestOfFour = 18;
/// Vectors of each thread up to which rows that these fit exactly, with an
/// element at the edges, leave nothing to save.
static constexpr int64_t fewVectors = 5;

namespace {
/// The longest row that is shared so.
struct LongestOf {
  int64_t longest;
  RowShare share;
};
} // namespace

/// No threads: another rule has such rows.
static constexpr RowShare elsewhere = {0, 0, 0};

static RowShare shareOf(int64_t length, ArrayRef<LongestOf> shares) {
  const auto *found = llvm::find_if(
      shares, [&](const LongestOf &each) { return length <= each.longest; });
  return found == shares.end() ? elsewhere : found->share;
}

/// Whether so many threads have as many vectors of two each, few, and an
/// element at the edges at most.
bool RowsOnGPU::fitsFewVectors(int64_t threads) const {
  int64_t vectors = length % 2 == 0
                        ? (length / 2 % threads == 0 ? length / 2 : 0)
                        : rowEdges(length, 2, threads, widestBytes).even;
  return vectors > 0 && vectors <= fewVectors * threads;
}

/// Of words. Others than these are bound by memory.
RowShare RowsOnGPU::severalWords() const {
  if (narrowestBytes == 1 && length % 4 != 0 && isLight && !once)
    return shareOf(length, {{26, fitsFewVectors(4) ? RowShare{2, 4, 2}
                                                   : RowShare{2, 8, 4}},
                            {40, {2, 8, 2}},
                            {60, {2, 8, 1}},
                            {80, {2, 16, 2}},
                            {130, {4, 8, 2}},
                            {160, {4, 8, 1}},
                            {192, {4, 16, 1}}});
  if (narrowestBytes == 1)
    return elsewhere;
  if (once)
    return shareOf(length, {{16, elsewhere}, {28, {2, 4, 4}}});
  if (hasDeviations || isLight)
    return shareOf(length, {{16, elsewhere},
                            {24, {2, 4, 2}},
                            {42, {2, 8, 2}},
                            {55, {2, hasDeviations ? 8 : 16, 2}}});
  return elsewhere;
}

/// Of 16 bits that become one element a row. Where more than the row is read
/// for it, such as its label, fewer threads do that.
RowShare RowsOnGPU::severalOnce() const {
  if (length > 112)
    return shareOf(length, {{230, {4, 8, 2}}, {longestSeveral, {4, 8, 1}}});
  if (length % 4 == 0)
    return shareOf(length,
                   {{24, elsewhere}, {56, {4, 2, 1}}, {112, {4, 4, 2}}});
  bool isAlone = kernel.getBody().getNumArguments() == inputs;
  if (length % 2 != 0)
    if (RowShare share = shareOf(
            length,
            {{12, {1, 1, 1}}, {isAlone ? 20 : 24, {1, 2, 4}}, {24, {2, 4, 4}}});
        share.threads > 0)
      return share;
  return shareOf(length, {{24, elsewhere},
                          {30, {2, length % 2 == 0 ? 2 : 4, 4}},
                          {52, {2, 4, 4}},
                          {isAlone ? 60 : 88, {2, 4, 2}},
                          {112, {4, 8, 4}}});
}

/// Of few elements of 16 bits, which are needed twice and become no 8-bit ones:
/// what threads do once for a row is what counts. Vectors of four, or of two
/// that two threads share evenly, are other rules'.
RowShare RowsOnGPU::severalShortest() const {
  bool isOdd = length % 2 != 0;
  if (length % 4 == 0 || (!isOdd && length < fewestOfFour))
    return elsewhere;
  return shareOf(length, {{10, {1, 2, 1}}, {24, {2, 4, 4}}});
}

/// Of 16 bits that are weighed by their deviations, or are these.
RowShare RowsOnGPU::severalDeviations() const {
  if (length > 62 && fitsFewVectors(8))
    return length <= 72 ? RowShare{2, 8, 2} : elsewhere;
  if (!hasWeights)
    return shareOf(length,
                   {{30, elsewhere}, {62, {2, 8, 2}}, {155, {2, 16, 2}}});
  if (length <= 62)
    return shareOf(length, {{24, elsewhere},
                            {30, {2, 4, length % 2 == 0 ? 4 : 2}},
                            {62, {2, 8, 4}}});
  if (length % 4 == 0)
    return shareOf(
        length,
        {{80, {4, 8, 2}}, {150, {2, 16, 4}}, {longestSeveral, {4, 16, 2}}});
  bool areWhole =
      length % 2 != 0 && rowEdges(length, 2, 16, widestBytes).even > 0;
  return {2, length <= 155 || areWhole ? 16 : 32, 4};
}

/// Of 16 bits that become 8-bit elements.
RowShare RowsOnGPU::severalNarrowed() const {
  if (length % 2 == 0 && length <= pairOfThreads)
    return {2, 2, 1};
  if (length % 4 == 0)
    return shareOf(length, {{48, {4, 4, 4}},
                            {68, {4, 4, 1}},
                            {130, {4, 8, 2}},
                            {longestSeveral, {4, 8, 1}}});
  if (length > 62 && fitsFewVectors(8))
    return {2, 8, 2};
  if (length > 112 && fitsFewVectors(16))
    return {2, 16, 4};
  return shareOf(length, {{30, {2, 4, 4}},
                          {42, {2, 4, 1}},
                          {66, {2, 8, 2}},
                          {230, {4, 8, 2}},
                          {longestSeveral, {4, 8, 1}}});
}

/// Of 16 bits on which little else is computed.
RowShare RowsOnGPU::severalLight() const {
  if (length % 2 == 0 && length <= pairOfThreads)
    return {2, 2, 1};
  if (length <= 50)
    return shareOf(length, {{30, {2, 4, length % 2 == 0 ? 4 : 1}},
                            {50, {2, 8, hasWeights ? 2 : 1}}});
  if (length % 4 == 0)
    return shareOf(length, {{60, {4, 16, 4}},
                            {80, {4, 8, 2}},
                            {112, {2, 16, 4}},
                            {longestSeveral, {4, 16, 2}}});
  if (length > 112 && fitsFewVectors(16))
    return {2, 16, 2};
  return shareOf(length, {{60, {4, 8, 2}},
                          {66, {2, 16, 2}},
                          {72, {4, 8, 2}},
                          {130, {2, 16, 2}},
                          {230, {4, 16, 2}},
                          {longestSeveral, {2, 32, 2}}});
}

/// Of 16 bits with exponentials.
RowShare RowsOnGPU::severalExp() const {
  if (length <= 48)
    return length % 2 != 0
               ? elsewhere
               : shareOf(length,
                         {{24, elsewhere}, {30, {2, 4, 2}}, {48, {2, 8, 4}}});
  if (length > 62 && fitsFewVectors(8))
    return elsewhere;
  return shareOf(
      length,
      {{72, {2, 8, 2}}, {240, {2, 16, 2}}, {longestSeveral, {2, 32, 2}}});
}

/// Of two inputs: one vector for most threads.
RowShare RowsOnGPU::severalOfTwo() const {
  if (widestBytes > 2)
    return shareOf(length, {{28, elsewhere}, {35, {4, 8, 2}}, {42, {4, 8, 1}}});
  if (hasExp && !once && length <= 66)
    return shareOf(length, {{30, {2, 4, 1}}, {66, {2, 8, 1}}});
  return shareOf(length, {{22, {2, 8, 2}},
                          {36, {4, 8, 2}},
                          {length % 4 == 0 ? 36 : 44, {2, 16, 2}},
                          {90, {4, 16, 2}},
                          {130, {8, 16, 2}},
                          {longestSeveral, {4, 32, 2}}});
}

RowShare RowsOnGPU::severalOfShort() const {
  if (inputs == 2)
    return severalOfTwo();
  if (widestBytes > 2)
    return severalWords();
  if (once)
    return severalOnce();
  bool isKnown = hasDeviations || hasExp || isLight;
  if (isKnown && narrowestBytes > 1)
    if (RowShare share = severalShortest(); share.threads > 0)
      return share;
  if (hasDeviations)
    return severalDeviations();
  if (hasExp)
    return severalExp();
  if (!isLight)
    return elsewhere;
  return narrowestBytes == 1 ? severalNarrowed() : severalLight();
}

/// Null where another rule has such rows, as it has those that blocks which
/// stay take one after the other.
RowsScheduleAttr RowsOnGPU::proposeSeveral() const {
  if (length % fullVector == 0 || length > longestSeveral || isSmall() ||
      !segment.across.empty())
    return {};
  RowShare share = severalOfShort();
  if (share.threads == 0)
    return {};
  RowsScheduleAttr schedule = holdShort(share.wide, share.threads);
  return schedule.withRowsPerThread(share.rows)
      .withLeastBlocks(boundedHeldThreads / schedule.getThreads());
}
