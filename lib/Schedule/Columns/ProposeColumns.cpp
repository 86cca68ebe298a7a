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

/// Lanes of the widest vector of 32-bit elements.
static constexpr int64_t wordLanes = 4;
static constexpr int64_t lineBytes = 128;

namespace {
/// The numbers of a proposal.
class Proposal {
public:
  Proposal(MLIRContext *context, const ColumnFacts &facts, CallSize calls,
           const ScheduleTarget &target)
      : context(context), facts(facts), target(target),
        numbers(target.numbers().columns), calls(calls), columns(facts.columns),
        places(facts.places) {
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
  const decltype(ModelNumbers::columns) &numbers;
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
  int64_t row =
      calls >= CallSize::small ? numbers.widestSmallFold : numbers.widestFold;
  int64_t vectors = llvm::divideCeil(columns, vector);
  while (row > numbers.widestRow &&
         llvm::alignTo(vectors, row) > numbers.mostPastEnd * vectors)
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
  shareLoads(isCut() || fold > 1 ? numbers.loadsInFlight / 2
                                 : numbers.loadsInFlight);
  if (places && places <= numbers.fewPlaces) {
    threads = numbers.unsplitThreads;
    return;
  }
  // Columns whose places are neighbours have a block each.
  int64_t row = facts.alongPlaces ? 1
                : fold > 1        ? foldedRow()
                                  : numbers.widestRow;
  row = std::min(row, numbers.threads);
  while (columns && !facts.alongPlaces && row > 1 &&
         vector * row / 2 >= columns)
    row /= 2;
  // Where blocks cannot share columns, fewer columns make more blocks.
  while (!facts.alongPlaces && !facts.once && row > numbers.narrowestRow &&
         (columns ? columns : kAssumedSize) <
             row * vector * numbers.fewBlocks * target.gpu->multiprocessors)
    row /= 2;
  threads = numbers.threads;
  // Where one block spans all columns, more threads with fewer loads each leave
  // no multiprocessor with a block more than the others.
  if (facts.alongPlaces ||
      (columns && row * vector >= columns && row >= numbers.narrowestRow)) {
    threads = std::min(2 * numbers.threads, target.maxThreads);
    shareLoads(numbers.loadsInFlight / 2);
  }
  int64_t lanes = facts.alongPlaces ? 1 : vector;
  while (threads > row &&
         threads * lanes * facts.stateBytes > numbers.exchangedBytes)
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
      1, llvm::divideCeil(columns ? columns : kAssumedSize, row));
  int64_t few = numbers.fewBlocks * target.gpu->multiprocessors;
  int64_t many = numbers.manyBlocks * target.gpu->multiprocessors;
  // A dynamic number of places may be any; the launch knows, and makes no more
  // parts than there are steps.
  if (across >= few || chooseCluster() ||
      (places && places * row * facts.reducedBytes <= kBytesPerLaunch))
    return;
  // Blocks of more threads that sum more lanes each have more registers than
  // all can have at a time.
  bool areFewer =
      !facts.alongPlaces && threads > numbers.threads && vector > wordLanes;
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
  int64_t exchanged =
      exchangedStates(numbers.threads, numbers.threads / row, size) * vector *
          facts.stateBytes +
      arrivalBytes;
  if (exchanged > target.gpu->defaultSharedBytesPerBlock)
    return false;
  double blocks = llvm::divideCeil(columns, row * vector) * size;
  double each = blocks / target.gpu->multiprocessors;
  if (each > numbers.mostClustered ||
      (places && size * numbers.placesInCluster > places))
    return false;
  // Clusters that are not portable are a last resort.
  if (size > target.gpu->portableClusterSize && row > numbers.narrowestRow)
    return false;
  if (calls >= CallSize::small)
    return movedBytes() <= blocks * kBytesPerLaunch;
  return row >= numbers.narrowestClustered &&
         each >= (size >= numbers.largeCluster ? numbers.leastInLarge
                                               : numbers.leastClustered);
}

/// One launch in place of two, if there are clusters that suit: those that make
/// the most blocks, of the widest rows.
bool Proposal::chooseCluster() {
  if (facts.alongPlaces || !columns || isCut() || fold > 1 || facts.isJoined ||
      splits * numbers.widestRow < numbers.threads)
    return false;
  int64_t most = calls >= CallSize::small ? target.gpu->maxClusterSize
                                          : target.gpu->portableClusterSize;
  int64_t blocks = 0;
  for (int64_t row = std::min(numbers.widestRow, numbers.threads);
       row >= numbers.narrowestRow; row /= 2)
    for (int64_t size = 2; size <= most; size *= 2) {
      int64_t all = llvm::divideCeil(columns, row * vector) * size;
      if (!suits(row, size) || all <= blocks)
        continue;
      blocks = all;
      clustered = size;
      splits = numbers.threads / row;
    }
  if (clustered > 1)
    threads = numbers.threads;
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
      threads != numbers.threads || (clustered == 1 && vector <= wordLanes))
    return;
  int64_t vectors =
      clustered > 1 ? numbers.clusterVectors : numbers.partVectors;
  if (facts.inputs == 0 || facts.inputs > vectors)
    return;
  unroll = vectors / facts.inputs;
  stages = clustered > 1 ? numbers.clusterStages : numbers.partStages;
}

/// Whether all places of a thread stay in its registers.
bool Proposal::isHeld() const {
  int64_t held = llvm::divideCeil(places, splits) * vector;
  bool fits = places && held <= numbers.heldElements;
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
  if (!target.gpu || !space.overLastDims() || !isOneWalk(kernel, space, dims))
    return false;
  const auto &numbers = target.gpu->columns;
  std::optional<int64_t> rows = staticProduct(space.keptExtents()),
                         length = staticProduct(space.reducedExtents());
  Type element = getElementTypeOrSelf(
      space.levels.front().front()->getOperand(0).getType());
  int64_t bytes = std::max<unsigned>(8, element.getIntOrFloatBitWidth()) / 8;
  bool isShort =
      length &&
      (*length * bytes <= kBytesPerLaunch ||
       (target.gpu->maxClusterSize > 1 && *length <= numbers.longestInCluster));
  return rows && *rows < numbers.fewBlocks * target.gpu->multiprocessors &&
         !isShort;
}
