//===- ProposeColumns.cpp - Schedules of other reductions -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/ColumnFacts.h"
#include "fuse/Schedule/Scheduler.h"

#include "fuse/Analysis/OpCost.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t gpuThreads = 256;
/// Lanes of the widest vector of 32-bit elements.
static constexpr int64_t wordLanes = 4;
/// Vectors of columns beside each other: a warp reads 512 bytes of one place.
static constexpr int64_t widestRow = 32, narrowestRow = 8;
/// The same of rows that are walked as one, and in small calls, and places for
/// each vector where some would be past the end.
static constexpr int64_t widestFold = 128, widestSmallFold = 64;
static constexpr double mostPastEnd = 1.35;
static constexpr int64_t fewPlaces = 64;
static constexpr int64_t unsplitThreads = 128;
static constexpr int64_t sharedBytes = 32 * 1024;
/// Vectors that a thread loads before it uses the first.
static constexpr int64_t loadsInFlight = 8;
/// Blocks for each multiprocessor: with fewer, several share a column. Four of
/// `gpuThreads` are resident together, end together, and have enough loads in
/// flight; on an H200 that is as fast as any other number.
static constexpr int64_t fewBlocks = 2, manyBlocks = 4;
/// For each multiprocessor, the most blocks of clusters: all should be resident
/// together, with room to spare, since a cluster has to fit a part of the chip
/// and one that comes later reads alone. With fewer than the least, of large
/// clusters and of others, parts are faster, which are any number.
static constexpr double mostClustered = 4.5;
static constexpr double leastInLarge = 3.6, leastClustered = 2.4;
static constexpr int64_t largeCluster = 8;
/// In large calls, since narrower rows take more of memory's pages.
static constexpr int64_t narrowestClustered = 16;
/// Places that each block of a cluster should have.
static constexpr int64_t placesInCluster = 64;
/// Steps whose copies are on their way, with the one that is reduced, and the
/// vectors of one. Of clusters six blocks are resident together, of parts four.
static constexpr int64_t clusterStages = 4, clusterVectors = 2;
static constexpr int64_t partStages = 3, partVectors = 4;
static constexpr int64_t lineBytes = 128;
/// For a dynamic number of columns.
static constexpr int64_t dynamicSize = 4096;

/// Elements of an operand that a thread may keep in registers.
static constexpr int64_t heldElements = 32;

namespace {
/// The numbers of a proposal.
class Proposal {
public:
  Proposal(MLIRContext *context, const ColumnFacts &facts, CallSize calls,
           const ScheduleTarget &target)
      : context(context), facts(facts), target(target), calls(calls),
        columns(facts.columns), places(facts.places) {
    chooseVector();
    columns *= fold;
    places /= fold;
  }

  ScheduleAttrInterface schedule();

private:
  void chooseVector();
  void chooseBlock();
  int64_t foldedRow() const;
  void chooseParts();
  bool chooseCluster();
  double movedBytes() const;
  bool suits(int64_t row, int64_t size) const;
  bool evictsFirst() const;
  void chooseStages();
  bool isHeld() const;
  /// Whether vectors are cut out of others.
  bool isCut() const {
    return !facts.alongPlaces && columns && columns % vector != 0;
  }

  MLIRContext *context;
  const ColumnFacts &facts;
  const ScheduleTarget &target;
  CallSize calls;
  int64_t vector = 1, fold = 1;
  /// Of `fold` rows that are walked as one; 0 where they are not known.
  int64_t columns, places;
  int64_t threads = 1, splits = 1, unroll = 4, parts = 1;
  int64_t clustered = 1, stages = 1;
};
} // namespace

void Proposal::chooseVector() {
  vector = facts.dividing;
  fold = facts.fold;
  bool isWidest = facts.mayLeaveEdges ||
                  (2 * facts.dividing < facts.widest && facts.mayCut);
  if (fold > 1 || isWidest)
    vector = facts.widest;
}

/// Vectors beside each other of rows that are walked as one: many, so that few
/// rows are read at a time, but not where most would be past the end.
int64_t Proposal::foldedRow() const {
  int64_t row = calls >= CallSize::small ? widestSmallFold : widestFold;
  int64_t vectors = llvm::divideCeil(columns, vector);
  while (row > widestRow && llvm::alignTo(vectors, row) > mostPastEnd * vectors)
    row /= 2;
  return row;
}

/// Neighbouring threads side by side as far as there are columns, the others
/// behind each other, as many as shared memory has room for.
void Proposal::chooseBlock() {
  auto shareLoads = [&](int64_t loads) {
    unroll = std::max<int64_t>(1, loads / std::max<int64_t>(1, facts.inputs));
  };
  // A vector that is cut out of two has two loads.
  shareLoads(isCut() || fold > 1 ? loadsInFlight / 2 : loadsInFlight);
  if (places && places <= fewPlaces) {
    threads = unsplitThreads;
    return;
  }
  // Columns whose places are neighbours have a block each.
  int64_t row = facts.alongPlaces ? 1 : fold > 1 ? foldedRow() : widestRow;
  while (columns && !facts.alongPlaces && row > 1 &&
         vector * row / 2 >= columns)
    row /= 2;
  // Where blocks cannot share columns, fewer columns make more blocks.
  while (!facts.alongPlaces && !facts.once && row > narrowestRow &&
         (columns ? columns : dynamicSize) <
             row * vector * fewBlocks * target.gpu->multiprocessors)
    row /= 2;
  threads = gpuThreads;
  // Where one block spans all columns, more threads with fewer loads each leave
  // no multiprocessor with a block more than the others.
  if (facts.alongPlaces ||
      (columns && row * vector >= columns && row >= narrowestRow)) {
    threads = 2 * gpuThreads;
    shareLoads(loadsInFlight / 2);
  }
  int64_t lanes = facts.alongPlaces ? 1 : vector;
  while (threads > row && threads * lanes * facts.stateBytes > sharedBytes)
    threads /= 2;
  splits = threads / row;
  while (places && unroll > 1 && splits * unroll * vector / lanes > places)
    unroll /= 2;
}

void Proposal::chooseParts() {
  if (!target.gpu || !facts.once)
    return;
  int64_t lanes = facts.alongPlaces ? vector : 1;
  int64_t row = threads / splits * (vector / lanes);
  // An empty result has no columns.
  int64_t across = std::max<int64_t>(
      1, llvm::divideCeil(columns ? columns : dynamicSize, row));
  int64_t few = fewBlocks * target.gpu->multiprocessors;
  int64_t many = manyBlocks * target.gpu->multiprocessors;
  // A dynamic number of places may be any; the launch knows, and makes no more
  // parts than there are steps.
  if (across >= few || chooseCluster() ||
      (places && places * row * facts.reducedBytes <= kBytesPerLaunch))
    return;
  // Blocks of more threads that sum more lanes each have more registers than
  // all can have at a time.
  bool areFewer =
      !facts.alongPlaces && threads > gpuThreads && vector > wordLanes;
  parts = (areFewer ? many / 2 : many) / across;
  if (places)
    parts = std::min<int64_t>(
        parts, llvm::divideCeil(places, splits * unroll * lanes));
}

/// What calls move: of known sizes, or halfway between the size's bounds, as
/// factors go.
double Proposal::movedBytes() const {
  if (columns && places)
    return facts.bytesOf(facts.callOf(0));
  double high = target.mostBytes(calls);
  double low = calls == CallSize::few
                   ? high / 8
                   : target.mostBytes(CallSize(unsigned(calls) + 1));
  return std::sqrt(low * high);
}

/// Whether clusters of rows of so many vectors make enough blocks, and hardly
/// more than are resident together, and have room for what they exchange. Below
/// large calls few will do, for a second launch costs more than idle
/// multiprocessors, as long as none reads more than the launch takes.
bool Proposal::suits(int64_t row, int64_t size) const {
  int64_t exchanged = exchangedStates(gpuThreads, gpuThreads / row, size) *
                          vector * facts.stateBytes +
                      arrivalBytes;
  if (exchanged > target.gpu->defaultSharedBytesPerBlock)
    return false;
  double blocks = llvm::divideCeil(columns, row * vector) * size;
  double each = blocks / target.gpu->multiprocessors;
  if (each > mostClustered || (places && size * placesInCluster > places))
    return false;
  // Clusters that are not portable are a last resort.
  if (size > target.gpu->portableClusterSize && row > narrowestRow)
    return false;
  if (calls >= CallSize::small)
    return movedBytes() <= blocks * kBytesPerLaunch;
  return row >= narrowestClustered &&
         each >= (size >= largeCluster ? leastInLarge : leastClustered);
}

/// One launch in place of two, if there are clusters that suit: those that make
/// the most blocks, of the widest rows.
bool Proposal::chooseCluster() {
  if (facts.alongPlaces || !columns || isCut() || fold > 1 || facts.isJoined ||
      splits * widestRow < gpuThreads)
    return false;
  int64_t most = calls >= CallSize::small ? target.gpu->maxClusterSize
                                          : target.gpu->portableClusterSize;
  int64_t blocks = 0;
  for (int64_t row = widestRow; row >= narrowestRow; row /= 2)
    for (int64_t size = 2; size <= most; size *= 2) {
      int64_t all = llvm::divideCeil(columns, row * vector) * size;
      if (!suits(row, size) || all <= blocks)
        continue;
      blocks = all;
      clustered = size;
      splits = gpuThreads / row;
    }
  if (clustered > 1)
    threads = gpuThreads;
  return clustered > 1;
}

/// Whether what is read once should leave the L2 at once: in calls of a few
/// times its size, where what others left there would have to be written back
/// first. Brief ones find their inputs there, results of the full shape push
/// out as much as is read, and only whole words can say so.
bool Proposal::evictsFirst() const {
  bool areWords = facts.thinnestBytes * vector >= 4;
  return target.isGPU && calls == CallSize::small && areWords && facts.once &&
         !facts.isJoined && facts.outputs == 0;
}

/// Copies that run ahead, where rows are whole lines and blocks share columns.
/// Parts gain nothing where elements are words, and no loads that leave the L2
/// at once, which as many threads have in flight, do.
void Proposal::chooseStages() {
  if (evictsFirst() || facts.isJoined)
    return;
  bool areLines =
      columns && columns * std::max<int64_t>(1, 16 / vector) % lineBytes == 0;
  bool areShared = parts > 1 || clustered > 1;
  if (facts.alongPlaces || !facts.once || !areShared || !areLines ||
      threads != gpuThreads || (clustered == 1 && vector <= wordLanes))
    return;
  int64_t vectors = clustered > 1 ? clusterVectors : partVectors;
  if (facts.inputs == 0 || facts.inputs > vectors)
    return;
  unroll = vectors / facts.inputs;
  stages = clustered > 1 ? clusterStages : partStages;
}

/// Whether all places of a thread stay in its registers.
bool Proposal::isHeld() const {
  bool fits =
      places && llvm::divideCeil(places, splits) * vector <= heldElements;
  return fits && !facts.once;
}

ScheduleAttrInterface Proposal::schedule() {
  if (target.isGPU)
    chooseBlock();
  chooseParts();
  chooseStages();
  // A step for each block of a cluster.
  while (places && clustered > 1 && unroll > 1 &&
         splits * unroll * clustered > places)
    unroll /= 2;
  HoldAttrInterface hold = RegistersHoldAttr::get(context);
  if (!isHeld())
    hold = LoopHoldAttr::get(context, unroll, stages);
  return ColumnsScheduleAttr::get(context, threads, vector, splits, hold,
                                  clustered > 1 ? clusterOf(context, clustered)
                                                : partsOf(context, parts),
                                  fold, evictsFirst());
}

ScheduleAttrInterface mlir::fuse::proposeColumns(KernelOp kernel,
                                                 const DimClasses &dims,
                                                 const ScheduleTarget &target) {
  std::optional<ColumnFacts> facts = columnFactsOf(kernel, dims, target);
  if (!facts)
    return {};
  return Proposal(kernel.getContext(), *facts, callSize(kernel, target), target)
      .schedule();
}

bool mlir::fuse::wantsParts(KernelOp kernel, const DimClasses &dims,
                            const ReductionSpace &space,
                            const ScheduleTarget &target) {
  /// Elements of a row up to which a cluster reads it in one launch: 32 in each
  /// of the threads of eight blocks.
  constexpr int64_t longestInCluster = 256 << 10;
  if (!target.gpu || !space.overLastDims() || !isOneWalk(kernel, space, dims))
    return false;
  std::optional<int64_t> rows = staticProduct(space.keptExtents()),
                         length = staticProduct(space.reducedExtents());
  Type element = getElementTypeOrSelf(
      space.levels.front().front()->getOperand(0).getType());
  int64_t bytes = std::max<unsigned>(8, element.getIntOrFloatBitWidth()) / 8;
  bool isShort =
      length &&
      (*length * bytes <= kBytesPerLaunch ||
       (target.gpu->maxClusterSize > 1 && *length <= longestInCluster));
  return rows && *rows < fewBlocks * target.gpu->multiprocessors && !isShort;
}
