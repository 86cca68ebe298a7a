//===- RowsOnGPU.cpp - Where a GPU keeps a row ----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a row stays between its passes depends on its length. In registers as
// long as two vectors a thread are enough; then in the caches, which take no
// registers, so that more threads have loads in flight; then in the shared
// memory of a cluster's blocks and, as far as it goes, in registers: while one
// block of a multiprocessor computes, those of others load. A row that is
// longer still, or of unknown length, is read once a pass; so is one that has a
// single pass. Short rows share a block, several to a warp. Calls that
// move few bytes have other schedules, see RowsInSmallCalls.cpp, and so have
// rows that no full vector divides, see RowsWithEdges.cpp.
//
// The numbers are those that won on an H200 (results/sweeps.json.xz).
//
//===----------------------------------------------------------------------===//

#include "RowsOnGPU.h"
#include "fuse/Analysis/KernelEdge.h"

#include "fuse/Analysis/OpCost.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// The longest row in the registers of a block.
static constexpr int64_t longestHeld = widestHeldGroup * heldElements;
static constexpr int64_t narrowElements = 32;
/// Vectors of a thread of longer rows of 16-bit elements that are read once.
static constexpr int64_t longOnceVectors = 8;
static constexpr int64_t longOnceRow = 32;
/// The fewest threads beside each other where instructions bind.
static constexpr int64_t fewestNeighbours = 4;
/// The fewest threads of a row that is no shorter.
static constexpr int64_t smallestGroup = 16;
/// The same in short rows: of those with exponentials, of other heavy ones, and
/// of the rest; the vectors of a thread from which on empty ones do not matter.
static constexpr double emptyWithExp = 0.48, emptyWithDeviations = 0.27;
static constexpr double emptyOfOne = 0.15;
static constexpr int64_t shortVectors = 4;
/// Vectors of such rows: hardly more than two for each of a warp's threads.
static constexpr int64_t shortRow = 72;
/// Threads that hold a row whose vectors of two accesses are divided; the
/// vectors beyond which they do, and up to which nothing spills.
static constexpr int64_t dividedThreads = 384;
static constexpr int64_t fewestDivided = 512, mostDivided = 1536;
/// A row that is read once is no longer in registers than this.
static constexpr int64_t streamedElements = 8192;
/// Threads that stream it. Fewer full-width accesses than these are for half of
/// them if elements have 16 bits; of others a step takes twice as many.
static constexpr int64_t streamThreads = 256;
static constexpr int64_t streamAccesses = 8192;
/// Elements from which on such a row has several steps, whose copies run ahead,
/// and from which on these may be large; stages of large and of small ones, and
/// the inputs that these have room for.
static constexpr int64_t stagedElements = 12288, stagedWords = 16384;
static constexpr int64_t longStaged = 32768;
static constexpr int64_t largeStages = 3, smallStages = 4;
static constexpr int64_t mostStagedInputs = 2;
/// Of 16-bit elements in shared memory, those below which half the threads read
/// them, and those beyond which twice as many do.
static constexpr int64_t narrowStreamed = 12032, wideStreamed = 28672;
/// Words of a thread where several blocks share such a row: those that these
/// blocks are chosen for, and the most of few threads and of many.
static constexpr int64_t streamedWords = 32;
static constexpr int64_t mostStreamedWords = 64, mostOfManyThreads = 48;
/// Elements from which on a staged walk's threads are those that leave the
/// least of a step over.
static constexpr int64_t longestStaged = 98304;
/// Blocks a multiprocessor of a launch whose blocks share the only row.
static constexpr int64_t gridBlocks = 2;

int64_t mlir::fuse::aboutPowerOf2(int64_t number) {
  int64_t below = llvm::PowerOf2Ceil(number) / 2;
  bool isHardlyMore = below > 0 && number <= below + below / 8;
  return isHardlyMore ? below : llvm::PowerOf2Ceil(number);
}

double mlir::fuse::placesForEach(int64_t vectors, int64_t threads) {
  return static_cast<double>(llvm::alignTo(vectors, threads)) / vectors;
}

int64_t RowsOnGPU::groupWith(int64_t vectors, int64_t each) {
  int64_t fewest =
      std::min<int64_t>(fewestNeighbours, llvm::PowerOf2Ceil(vectors));
  return std::max(aboutPowerOf2(llvm::divideCeil(vectors, each)), fewest);
}

RowsOnGPU::RowsOnGPU(KernelOp kernel, const ReductionSegment &segment,
                     const DimClasses &dims, const RowShape &shape,
                     const ScheduleTarget &target)
    : kernel(kernel), segment(segment), dims(dims), target(target),
      knownLength(shape.length), vector(shape.vector), fullVector(shape.widest),
      narrowestBytes(shape.narrowestBytes), once(isReadOnce(segment, dims)) {
  const ReductionSpace &space = segment.space;
  writesRow = llvm::any_of(segment.stored, [&](Value stored) {
    return !space.isReducedShape(dims.extents(stored));
  });
  hasExp =
      llvm::any_of(segment.ops, llvm::IsaPred<ExpOp, TanhOp, ErfOp, LogOp>);
  // At every element, which costs more than what is moved.
  divides = llvm::any_of(segment.ops, [&](Operation *op) {
    return isa<DivOp>(op) &&
           !space.isReducedShape(dims.extents(op->getResult(0)));
  });
  // So that a second pass costs little.
  hasDeviations = llvm::any_of(segment.ops, llvm::IsaPred<WelfordOp>);
  isLight = !hasExp && !hasDeviations && space.levels.size() == 1;
  SmallVector<BlockArgument> streamed = streamedInputs(kernel, dims, segment);
  inputs = streamed.size();
  for (BlockArgument input : streamed) {
    auto bytes = static_cast<int64_t>(std::ceil(elementBytes(input)));
    inputBytes += bytes;
    widestBytes = std::max(widestBytes, bytes);
  }
  hasWeights = readsWeights(kernel, dims, segment);
  vectorBytes = std::max(accessBytes, widestBytes * vector);
  if (!knownLength)
    return;
  length = *knownLength;
  vectors = std::max<int64_t>(1, llvm::divideCeil(length, vector));
  accesses = vectors * vectorBytes / accessBytes;
}

RowsScheduleAttr RowsOnGPU::hold(int64_t group) const {
  if (length % vector != 0)
    group = std::max(group, 2 * vector);
  // Where much is to be computed and some threads have a vector less, blocks of
  // two warps end sooner.
  bool areUneven = !isLight && vector > 4 && length % vector == 0 &&
                   vectors > group && vectors % group != 0 && !once &&
                   !isSmall();
  int64_t threads =
      std::max(group, areUneven ? smallestWholeBlock : smallestBlock);
  return make(threads, threads / group, HoldKind::registers);
}

/// Whether all blocks should share the only row: it is too long for those that
/// hold it, or may be, and is needed twice.
bool RowsOnGPU::wantsGrid() const {
  int64_t held = smallThreads * smallHeld * target.gpu->portableClusterSize;
  return !once && staticProduct(segment.space.rows()) == 1 &&
         knownLength.value_or(INT64_MAX) > held;
}

/// A walk over a row of any length. Steps that find deviations of vectors of
/// eight take the registers of half as many vectors.
RowsScheduleAttr RowsOnGPU::proposeUnknown() const {
  int64_t unroll = hasDeviations && vector > 4 ? rowUnroll / 2 : rowUnroll;
  return RowsScheduleAttr::get(
      kernel.getContext(), once ? streamThreads : loopThreads, vector,
      /*rows_per_block=*/1, HoldKind::loop, unroll, /*in_registers=*/0,
      /*preload=*/false, rowCopyGroups);
}

/// A walk over a row that is so long that only what no step takes has to wait:
/// the threads, and stages that leave room for another block, that leave the
/// least part of a step over.
RowsScheduleAttr RowsOnGPU::proposeLongestStaged() const {
  auto partLeft = [&](int64_t threads) {
    int64_t step = threads * rowUnroll;
    return static_cast<double>(vectors % step) / step;
  };
  int64_t threads = streamThreads, stages = largeStages;
  for (auto [others, ahead] : {std::pair<int64_t, int64_t>{512, largeStages},
                               {448, largeStages},
                               {384, smallStages}})
    if (2 * others * rowUnroll * ahead * vectorBytes <= target.sharedBytes &&
        partLeft(others) < partLeft(threads)) {
      threads = others;
      stages = ahead;
    }
  return make(threads, 1, HoldKind::loop).withStages(stages);
}

/// In the registers of several blocks, where all loads start at once: long rows
/// of words that full vectors divide. Null for others, and where registers have
/// no room for them.
RowsScheduleAttr RowsOnGPU::proposeStreamedSpread() const {
  if (widestBytes * vector != accessBytes || vector > 4 || inputs != 1 ||
      length % vector != 0 || length < longStaged || !segment.across.empty())
    return {};
  int64_t most = std::min<int64_t>(target.gpu->portableClusterSize,
                                   target.gpu->maxClusterSize);
  for (auto [threads, held] : {std::pair(streamThreads, mostStreamedWords),
                               {2 * streamThreads, mostOfManyThreads}}) {
    auto wanted = static_cast<int64_t>(
        llvm::PowerOf2Ceil(llvm::divideCeil(length, threads * streamedWords)));
    int64_t blocks = std::min(wanted, most);
    if (length <= blocks * threads * held)
      return make(threads, 1, HoldKind::registers).withBlocksPerRow(blocks);
  }
  return {};
}

/// A walk whose copies run ahead: steps are small where the row has few of
/// them, unless these are whole, so that little is left for loads of their own.
RowsScheduleAttr RowsOnGPU::proposeStaged() const {
  bool areWords = vector <= 4;
  if (RowsScheduleAttr spread = proposeStreamedSpread())
    return spread;
  if (length >= longestStaged && inputs == 1)
    return proposeLongestStaged();
  int64_t step = streamThreads * rowUnroll * vector;
  bool isLong = length >= longStaged;
  bool areLarge = isLong || (areWords && length % step == 0);
  bool areHalf = !areWords && !isLong && length % (step / 2) != 0;
  int64_t unroll = areLarge ? rowUnroll : rowUnroll / 2;
  return RowsScheduleAttr::get(kernel.getContext(),
                               areHalf ? streamThreads / 2 : streamThreads,
                               vector, /*rows_per_block=*/1, HoldKind::loop,
                               unroll / inputs, /*in_registers=*/0,
                               /*preload=*/false, rowCopyGroups)
      .withStages(areLarge ? largeStages : smallStages);
}

/// A row that is read once and too long for registers: all of its copies into
/// shared memory start at once, and none is left for loads of its own, whatever
/// its length. Null where several blocks have no room for it.
RowsScheduleAttr RowsOnGPU::proposeStreamedInShared() const {
  bool areWords = vector <= 4;
  if (!segment.across.empty() || inputs != 1 ||
      widestBytes * vector != accessBytes || length % vector != 0 ||
      length > longStaged || 2 * length * inputBytes > target.sharedBytes)
    return {};
  int64_t threads = streamThreads;
  if (areWords || length > wideStreamed)
    threads = 2 * streamThreads;
  else if (length < narrowStreamed)
    threads = streamThreads / 2;
  return make(threads, 1, HoldKind::shared);
}

/// A walk over a row that is read once and too long for registers.
RowsScheduleAttr RowsOnGPU::proposeStream() const {
  bool areWords = vector <= 4;
  if (RowsScheduleAttr shared = proposeStreamedInShared())
    return shared;
  if (inputs > 0 && inputs <= mostStagedInputs &&
      length >= (areWords ? stagedWords : stagedElements))
    return proposeStaged();
  int64_t threads = !areWords && accesses < streamAccesses ? streamThreads / 2
                                                           : streamThreads;
  return RowsScheduleAttr::get(kernel.getContext(), threads, vector,
                               /*rows_per_block=*/1, HoldKind::loop,
                               areWords ? 2 * rowUnroll : rowUnroll,
                               /*in_registers=*/0, /*preload=*/false,
                               rowCopyGroups);
}

/// Whether registers hold vectors of two accesses that are divided, where the
/// caches' threads have not as many vectors each.
bool RowsOnGPU::holdsDivided() const {
  return divides && inputs == 1 && vector > 4 && vectorBytes > accessBytes &&
         length % vector == 0 && vectors > fewestDivided &&
         vectors <= mostDivided;
}

/// Whether there is much to compute on one input of 16-bit elements.
bool RowsOnGPU::isHeavyAlone() const {
  return !isLight && inputs == 1 && vector > 4 && vectorBytes == accessBytes;
}

/// Threads of a row of up to a warp's vectors, or of a short one. One vector
/// each leaves nothing to do while it is loaded; where that counts, fewer
/// threads have two or more each, of which few are empty.
int64_t RowsOnGPU::shortGroup() const {
  int64_t group = std::min<int64_t>(warpSize, llvm::PowerOf2Ceil(vectors));
  if (!isHeavyAlone()) {
    bool isEmpty =
        vectors < group && placesForEach(vectors, group) > 1 + emptyOfOne;
    return isEmpty && (inputs == 1 || !isLight) ? group / 2 : group;
  }
  double most = 1 + (hasExp ? emptyWithExp : emptyWithDeviations);
  while (group > fewestNeighbours &&
         llvm::divideCeil(vectors, group) < shortVectors &&
         (vectors < group || placesForEach(vectors, group) > most))
    group /= 2;
  return group;
}

/// Threads of a row that registers hold: a warp, or more with two vectors each.
/// Where instructions bind, since nothing is written meanwhile or every element
/// is divided, what each thread does once for the row, such as shuffles, is
/// shared by several vectors.
int64_t RowsOnGPU::heldGroup() const {
  bool isNarrow = vector > 4 && vectorBytes == accessBytes;
  if (once) {
    bool isLong = vector > 4 && vectors >= longOnceRow;
    int64_t group =
        std::min(groupWith(vectors, isLong ? longOnceVectors : onceVectors),
                 registerVectors);
    // Up to three of four places for a third vector would stay empty, and
    // exponentials of nothing cost as much.
    bool isHalfEmpty = hasExp && isNarrow && length % vector == 0 &&
                       group == fewestNeighbours && vectors > 2 * group &&
                       vectors < 3 * group;
    // A second vector that most threads have not costs them as much.
    bool areFewWords = hasExp && widestBytes * vector == accessBytes &&
                       vector == 4 && length % vector == 0 &&
                       group == fewestNeighbours && vectors > group &&
                       vectors < 2 * group;
    return isHalfEmpty || areFewWords ? group / 2 : group;
  }
  if (divides && !hasExp && isNarrow) {
    int64_t group = std::min(groupWith(vectors, onceVectors), registerVectors);
    // As few places stay empty, and neighbours read a whole line.
    if (group == fewestNeighbours && vectors > 2 * group &&
        vectors % group != 0 &&
        placesForEach(vectors, 2 * group) <= placesForEach(vectors, group))
      return 2 * group;
    bool isHalfWhole = length % vector == 0 && vectors % group != 0 &&
                       vectors % (group / 2) == 0 &&
                       2 * vectors <= mostHeldVectors * group;
    return isHalfWhole ? group / 2 : group;
  }
  if (vectors <= warpSize || (vectors <= shortRow && isHeavyAlone()))
    return shortGroup();
  int64_t group = warpSize;
  while (group < registerVectors && group * 2 < vectors)
    group *= 2;
  // Half as many threads with three vectors or four, or five of the shortest
  // rows, instead of one or two that many have not.
  bool isNarrowHeavy = !isLight && isNarrow;
  double most = 1 + (isNarrowHeavy ? emptyPlaces : 2 * emptyPlaces + 0.1);
  // Whole warps that have not cost exponentials nothing, and several inputs
  // have enough loads in flight.
  bool isRare = isNarrowHeavy && hasExp && vectors % warpSize == 0;
  bool isEmpty = length % vector == 0 && group > smallestGroup &&
                 placesForEach(vectors, group) > (isRare ? 1.5 : most) &&
                 (inputs == 1 || !isLight);
  return isEmpty ? group / 2 : group;
}

/// Of a row that is needed twice and too long for the registers of a few
/// threads. Null where there is no place for it.
RowsScheduleAttr RowsOnGPU::proposeLong() const {
  if (RowsScheduleAttr shared = proposeHeavyUnaligned())
    return shared;
  if (RowsScheduleAttr shared = proposeLightUnaligned())
    return shared;
  if (RowsScheduleAttr bounded = proposeBoundedDeviations())
    return bounded;
  if (RowsScheduleAttr shared = proposeWholePart())
    return shared;
  if (RowsScheduleAttr shared = proposeDividedShared())
    return shared;
  if (RowsScheduleAttr spread = proposeMaskedExponentials())
    return spread;
  int64_t cached = cacheThreads();
  if (cached > 0 && vectors % cached != 0 && holdsDivided())
    return hold(dividedThreads);
  if (cached > 0)
    return make(cached, 1, HoldKind::cache)
        .withLeastBlocks(boundOfCached(cached));
  bool isPlain =
      accesses > 2 * cacheAccesses && isLight && inputs == 1 && !divides;
  int64_t threads = isPlain ? 1024 : 512;
  if (accesses >= cacheAccesses / 2 || accesses > mostCachedAccesses()) {
    if (RowsScheduleAttr spread = proposeSpread())
      return spread;
    if (inputs > 1 && accesses <= cacheAccesses)
      return hold(std::min<int64_t>(
          llvm::PowerOf2Ceil(llvm::divideCeil(length, sharedHeld)),
          target.maxThreads));
    if (RowsScheduleAttr shared = proposeShared(/*blocks=*/1, threads))
      return shared;
  }
  if (length > longestHeld)
    for (int64_t blocks = 2; blocks <= target.gpu->maxClusterSize; blocks *= 2)
      if (RowsScheduleAttr shared = proposeShared(blocks, threads))
        return shared;
  return {};
}

/// Rows of 16 bits that are multiplied with one that all share, and summed, as
/// a matrix with a vector: ptxas takes few registers, and starts few loads
/// ahead, unless it is told how many blocks there is to be room for.
RowsScheduleAttr RowsOnGPU::propose() const {
  RowsScheduleAttr schedule =
      segment.across.empty() ? proposeAlone() : proposeAcross();
  bool isProduct = once && hasWeights && !writesRow && vector > 4;
  if (!schedule || !isProduct || schedule.getLeastBlocks() != 0 ||
      schedule.getThreads() > boundedHeldThreads ||
      (schedule.getHold() != HoldKind::cache &&
       schedule.getHold() != HoldKind::registers))
    return schedule;
  return schedule.withLeastBlocks(boundedHeldThreads / schedule.getThreads());
}

RowsScheduleAttr RowsOnGPU::proposeAlone() const {
  if (wantsGrid())
    return make(loopThreads, 1, HoldKind::loop)
        .withWholeGrid(gridBlocks * target.gpu->multiprocessors);
  if (!knownLength)
    return proposeUnknown();
  if (RowsScheduleAttr held = proposeShort())
    return held;
  RowsScheduleAttr repeated = proposeRepeatedWork();
  if (isSmall())
    if (RowsScheduleAttr small = proposeSmall())
      if (!repeated || isBrief() || small.getHold() == HoldKind::registers)
        return small;
  if (repeated)
    return repeated;
  // Words that leave edges are worth more registers.
  bool areWords = length % vector != 0 && vector <= 4;
  if (once && length > (areWords ? 2 : 1) * streamedElements)
    return proposeStream();
  if (length % vector != 0 && (!once || length <= shortUnaligned))
    if (int64_t group = unalignedGroup())
      return hold(group);
  if (!once && vectors > registerVectors)
    if (RowsScheduleAttr held = proposeLong())
      return held;
  if (length > longestHeld)
    return make(vector > 1 ? 1024 : loopThreads, 1, HoldKind::loop);
  int64_t group = heldGroup();
  int64_t most = std::min(heldElements / vector,
                          std::max<int64_t>(8, narrowElements / vector));
  while (group * most + group * most / 8 < vectors)
    group *= 2;
  return hold(group);
}

RowsScheduleAttr mlir::fuse::proposeRowsOnGPU(KernelOp kernel,
                                              const ReductionSegment &segment,
                                              const DimClasses &dims,
                                              const RowShape &shape,
                                              const ScheduleTarget &target) {
  return RowsOnGPU(kernel, segment, dims, shape, target).propose();
}
