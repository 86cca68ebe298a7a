//===- ProposeColumns.cpp - Schedules of other reductions -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/ReductionSegments.h"
#include "fuse/Schedule/ColumnFacts.h"
#include "fuse/Schedule/Scheduler.h"

#include "fuse/Analysis/ColumnSegments.h"
#include "fuse/Analysis/OpCost.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

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
/// Elements of a row up to which a cluster reads it in one launch: 32 in each
/// of the threads of eight blocks.
static constexpr int64_t longestInCluster = 256 << 10;
/// For a dynamic number of columns.
static constexpr int64_t dynamicSize = 4096;

/// Places, or columns, from which on a vector need not divide their number.
static constexpr int64_t shortestWithEdges = 1024;

/// Elements of an operand that a thread may keep in registers.
static constexpr int64_t heldElements = 32;

/// Bytes of the partial results of one column.
static int64_t stateBytes(const ReductionSpace &space) {
  int64_t bytes = 0;
  for (ArrayRef<Operation *> level : space.levels)
    for (Operation *op : level) {
      Type element = getElementTypeOrSelf(op->getOperand(0).getType());
      bytes += numStateComponents(op) *
               (element.getIntOrFloatBitWidth() == 64 ? 8 : 4);
    }
  return bytes;
}

namespace {
/// A vector, and how many rows are walked as one for it.
struct VectorChoice {
  int64_t vector, fold = 1;
};

/// The numbers of a proposal, for one vector of columns a thread.
class Proposal {
public:
  /// `joinedBytes`: of the states of a column, where the space is that of
  /// several segments.
  Proposal(KernelOp kernel, const DimClasses &dims, const ReductionSpace &space,
           VectorChoice chosen, const ScheduleTarget &target,
           int64_t joinedBytes = 0)
      : kernel(kernel), dims(dims), space(space), target(target),
        vector(chosen.vector), fold(chosen.fold), isJoined(joinedBytes > 0),
        columnBytes(isJoined ? joinedBytes : stateBytes(space)),
        isWalkedOnce(isJoined || isOneWalk(kernel, space, dims)),
        alongPlaces(space.isReduced(space.domain.size() - 1)),
        calls(callSize(kernel, target)),
        columns(staticProduct(space.keptExtents())),
        places(staticProduct(space.reducedExtents())) {
    if (fold == 1)
      return;
    columns = *columns * fold;
    if (places)
      places = *places / fold;
  }

  ScheduleAttrInterface schedule();
  bool hasParts() {
    chooseBlock();
    chooseParts();
    return parts > 1 || fold > 1;
  }

private:
  void chooseBlock();
  int64_t foldedRow() const;
  void chooseParts();
  bool chooseCluster();
  bool suits(int64_t row, int64_t size) const;
  bool evictsFirst();
  void chooseStages();
  int64_t inputs() const {
    return streamedInputs(kernel, dims, space.domain).size();
  }
  bool isHeld() const;

  KernelOp kernel;
  const DimClasses &dims;
  const ReductionSpace &space;
  const ScheduleTarget &target;
  int64_t vector, fold;
  bool isJoined;
  int64_t columnBytes;
  bool isWalkedOnce;
  /// Whether a vector's lanes are places of one column.
  bool alongPlaces;
  CallSize calls;
  /// Of `fold` rows that are walked as one.
  std::optional<int64_t> columns, places;
  int64_t threads = 1, splits = 1, unroll = 4, parts = 1;
  int64_t clustered = 1, stages = 1;
};
} // namespace

/// Vectors beside each other of rows that are walked as one: many, so that few
/// rows are read at a time, but not where most would be past the end.
int64_t Proposal::foldedRow() const {
  int64_t row = calls >= CallSize::small ? widestSmallFold : widestFold;
  int64_t vectors = llvm::divideCeil(*columns, vector);
  while (row > widestRow && llvm::alignTo(vectors, row) > mostPastEnd * vectors)
    row /= 2;
  return row;
}

/// Neighbouring threads side by side as far as there are columns, the others
/// behind each other, as many as shared memory has room for.
void Proposal::chooseBlock() {
  auto shareLoads = [&](int64_t loads) {
    unroll = std::max<int64_t>(1, loads / std::max<int64_t>(1, inputs()));
  };
  // A vector that is cut out of two has two loads.
  bool isCut = !alongPlaces && columns && *columns % vector != 0;
  shareLoads(isCut || fold > 1 ? loadsInFlight / 2 : loadsInFlight);
  if (places && *places <= fewPlaces) {
    threads = unsplitThreads;
    return;
  }
  // Columns whose places are neighbours have a block each.
  int64_t row = alongPlaces ? 1 : fold > 1 ? foldedRow() : widestRow;
  while (columns && !alongPlaces && row > 1 && vector * row / 2 >= *columns)
    row /= 2;
  // Where blocks cannot share columns, fewer columns make more blocks.
  bool shares = isWalkedOnce;
  while (!alongPlaces && !shares && target.gpu && row > narrowestRow &&
         columns.value_or(dynamicSize) <
             row * vector * fewBlocks * target.gpu->multiprocessors)
    row /= 2;
  threads = gpuThreads;
  // Where one block spans all columns, more threads with fewer loads each leave
  // no multiprocessor with a block more than the others.
  if (alongPlaces ||
      (columns && row * vector >= *columns && row >= narrowestRow)) {
    threads = 2 * gpuThreads;
    shareLoads(loadsInFlight / 2);
  }
  int64_t lanes = alongPlaces ? 1 : vector;
  while (threads > row && threads * lanes * columnBytes > sharedBytes)
    threads /= 2;
  splits = threads / row;
  while (places && unroll > 1 && splits * unroll * vector / lanes > *places)
    unroll /= 2;
}

void Proposal::chooseParts() {
  if (!target.gpu || !isWalkedOnce)
    return;
  int64_t lanes = alongPlaces ? vector : 1;
  int64_t row = threads / splits * (vector / lanes);
  // An empty result has no columns.
  int64_t across = std::max<int64_t>(
      1, llvm::divideCeil(columns.value_or(dynamicSize), row));
  int64_t few = fewBlocks * target.gpu->multiprocessors;
  int64_t many = manyBlocks * target.gpu->multiprocessors;
  Type element = getElementTypeOrSelf(
      space.levels.front().front()->getOperand(0).getType());
  int64_t bytes = std::max<unsigned>(8, element.getIntOrFloatBitWidth()) / 8;
  // A dynamic number of places may be any; the launch knows, and makes no more
  // parts than there are steps.
  if (across >= few || chooseCluster() ||
      (places && *places * row * bytes <= kBytesPerLaunch))
    return;
  // Blocks of more threads that sum more lanes each have more registers than
  // all can have at a time.
  bool areFewer = !alongPlaces && threads > gpuThreads && vector > wordLanes;
  parts = (areFewer ? many / 2 : many) / across;
  if (places)
    parts = std::min<int64_t>(
        parts, llvm::divideCeil(*places, splits * unroll * lanes));
}

/// Whether clusters of rows of so many vectors make enough blocks, and hardly
/// more than are resident together, and have room for what they exchange. In a
/// small call few will do, for a second launch costs more than idle
/// multiprocessors.
bool Proposal::suits(int64_t row, int64_t size) const {
  int64_t exchanged = exchangedStates(gpuThreads, gpuThreads / row, size) *
                          vector * stateBytes(space) +
                      arrivalBytes;
  if (exchanged > target.gpu->defaultSharedBytesPerBlock)
    return false;
  double blocks = llvm::divideCeil(*columns, row * vector) * size;
  double each = blocks / target.gpu->multiprocessors;
  if (each > mostClustered || (places && size * placesInCluster > *places))
    return false;
  // Clusters that are not portable are a last resort.
  if (size > target.gpu->portableClusterSize && row > narrowestRow)
    return false;
  return calls >= CallSize::small ||
         (row >= narrowestClustered &&
          each >= (size >= largeCluster ? leastInLarge : leastClustered));
}

/// One launch in place of two, if there are clusters that suit: those that make
/// the most blocks, of the widest rows.
bool Proposal::chooseCluster() {
  bool isCut = columns && *columns % vector != 0;
  if (alongPlaces || !columns || isCut || fold > 1 || isJoined ||
      splits * widestRow < gpuThreads)
    return false;
  int64_t most = calls >= CallSize::small ? target.gpu->maxClusterSize
                                          : target.gpu->portableClusterSize;
  int64_t blocks = 0;
  for (int64_t row = widestRow; row >= narrowestRow; row /= 2)
    for (int64_t size = 2; size <= most; size *= 2) {
      int64_t all = llvm::divideCeil(*columns, row * vector) * size;
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
bool Proposal::evictsFirst() {
  if (isJoined)
    return false;
  bool areWords = narrowestBits(kernel, dims, space.domain) * vector >= 32;
  return calls == CallSize::small && areWords && !isHeld() && isWalkedOnce &&
         llvm::all_of(kernel.getYield().getValues(), [&](Value value) {
           return space.isReducedShape(dims.extents(value));
         });
}

/// Copies that run ahead, where rows are whole lines and blocks share columns.
/// Parts gain nothing where elements are words, and no loads that leave the L2
/// at once, which as many threads have in flight, do.
void Proposal::chooseStages() {
  if (evictsFirst() || isJoined)
    return;
  bool isLoop = !isHeld() && isWalkedOnce;
  bool areLines =
      columns && *columns * std::max<int64_t>(1, 16 / vector) % lineBytes == 0;
  bool areShared = parts > 1 || clustered > 1;
  if (alongPlaces || !isLoop || !areShared || !areLines ||
      threads != gpuThreads || (clustered == 1 && vector <= wordLanes))
    return;
  int64_t vectors = clustered > 1 ? clusterVectors : partVectors;
  if (inputs() == 0 || inputs() > vectors)
    return;
  unroll = vectors / inputs();
  stages = clustered > 1 ? clusterStages : partStages;
}

/// Whether all places of a thread stay in its registers.
bool Proposal::isHeld() const {
  bool fits =
      places && llvm::divideCeil(*places, splits) * vector <= heldElements;
  return fits && !isWalkedOnce;
}

ScheduleAttrInterface Proposal::schedule() {
  if (target.isGPU)
    chooseBlock();
  chooseParts();
  chooseStages();
  // A step for each block of a cluster.
  while (places && clustered > 1 && unroll > 1 &&
         splits * unroll * clustered > *places)
    unroll /= 2;
  MLIRContext *context = kernel.getContext();
  HoldAttrInterface hold = RegistersHoldAttr::get(context);
  if (!isHeld())
    hold = LoopHoldAttr::get(context, unroll, stages);
  return ColumnsScheduleAttr::get(context, threads, vector, splits, hold,
                                  clustered > 1 ? clusterOf(context, clustered)
                                                : partsOf(context, parts),
                                  fold, target.isGPU && evictsFirst());
}

/// Whether the vectors of a column whose places are neighbours may start at the
/// first that is aligned and leave its edges over. What several columns share
/// would have to be cut out of aligned vectors, which has not been measured.
static bool leavesEdges(KernelOp kernel, const DimClasses &dims,
                        const ReductionSpace &space,
                        const ScheduleTarget &target) {
  if (!target.isGPU || space.reduced.size() != 1 ||
      !space.isReduced(space.domain.size() - 1) ||
      !isOneWalk(kernel, space, dims))
    return false;
  Extent places = space.domain.back();
  bool isLong =
      places.isStatic() ? places.size >= shortestWithEdges : !target.divisible;
  bool isOneColumn = staticProduct(space.keptExtents()) == 1;
  auto isShared = [&](BlockArgument input) {
    SmallVector<Extent> extents = dims.extents(input);
    return ArrayRef(extents) != ArrayRef(space.domain) && !extents.empty() &&
           extents.back() == places;
  };
  return isLong && (isOneColumn ||
                    llvm::none_of(kernel.getBody().getArguments(), isShared));
}

/// Whether vectors of columns may be cut out of aligned ones, in rows that none
/// divides. The rows must be all that the kernel streams: a full result would
/// be written in single elements, and what rows share has its own end.
static bool cutsVectors(KernelOp kernel, const DimClasses &dims,
                        const ReductionSpace &space,
                        const ScheduleTarget &target) {
  SmallVector<Extent> kept = space.keptExtents();
  std::optional<int64_t> places = staticProduct(space.reducedExtents());
  if (!target.isGPU || space.isReduced(space.domain.size() - 1) ||
      kept.size() != 1 || kept.front().size < shortestWithEdges ||
      (places && *places <= fewPlaces) || !isOneWalk(kernel, space, dims))
    return false;
  auto isShared = [&](BlockArgument input) {
    SmallVector<Extent> extents = dims.extents(input);
    return extents != space.domain && !extents.empty() &&
           extents.back() == kept.front();
  };
  return llvm::none_of(kernel.getBody().getArguments(), isShared) &&
         llvm::all_of(kernel.getYield().getValues(), [&](Value value) {
           return space.isReducedShape(dims.extents(value));
         });
}

/// How many rows are walked as one so that a vector divides them: 1 where there
/// is nothing to gain, or lanes of different rows would read what is not of the
/// rows' shape one by one.
static int64_t foldFor(int64_t vector, KernelOp kernel, const DimClasses &dims,
                       const ReductionSpace &space,
                       const ScheduleTarget &target) {
  if (!target.gpu || !foldsRows(kernel, space, dims))
    return 1;
  int64_t columns = space.keptExtents().front().size;
  int64_t fold = vector / std::gcd(columns, vector);
  std::optional<int64_t> places = staticProduct(space.reducedExtents());
  bool isShort = places && *places / fold <= fewPlaces;
  auto isOfLanes = [&](BlockArgument input) {
    SmallVector<Extent> extents = dims.extents(input);
    return extents == space.domain ||
           llvm::all_of(extents, [](const Extent &e) { return e.size == 1; });
  };
  return !isShort && llvm::all_of(kernel.getBody().getArguments(), isOfLanes)
             ? fold
             : 1;
}

static VectorChoice chooseVector(KernelOp kernel, const DimClasses &dims,
                                 const ReductionSpace &space,
                                 const ScheduleTarget &target) {
  int64_t widest = widestVector(kernel, dims, space.domain, target);
  int64_t dividing =
      innermostVector(kernel, dims, space.domain, widest, target);
  if (dividing == widest)
    return {widest};
  if (int64_t fold = foldFor(widest, kernel, dims, space, target); fold > 1)
    return {widest, fold};
  bool isWidest =
      leavesEdges(kernel, dims, space, target) ||
      (2 * dividing < widest && cutsVectors(kernel, dims, space, target));
  return {isWidest ? widest : dividing};
}

ScheduleAttrInterface mlir::fuse::proposeColumns(KernelOp kernel,
                                                 const DimClasses &dims,
                                                 const ScheduleTarget &target) {
  if (!kernel.getBody().getOps<ContractOp>().empty())
    return {};
  Reason reason;
  auto segments = columnSegmentsOf(kernel, dims, reason);
  if (failed(segments) || segments->front().space.hasGroups())
    return {};
  ReductionSpace space = joinedColumns(*segments);
  if (segments->size() == 1)
    return Proposal(kernel, dims, space,
                    chooseVector(kernel, dims, space, target), target)
        .schedule();
  int64_t widest = 1, bytes = 1;
  for (const ReductionSegment &segment : *segments) {
    int64_t own = narrowestBytes(segment, dims),
            columns = segment.space.domain.back().size;
    int64_t limit = widestVector(kernel, dims, segment.space.domain, target);
    bytes = std::max(bytes, dividingVector(limit, columns) * own);
    widest = std::max(widest, own);
  }
  int64_t vector = std::max<int64_t>(1, bytes / widest);
  int64_t states = 0;
  auto vectors = columnVectors(*segments, vector, dims);
  for (auto [segment, own] : llvm::zip_equal(*segments, vectors))
    states = std::max(states, own * stateBytes(segment.space));
  return Proposal(kernel, dims, space, {vector}, target,
                  llvm::divideCeil(states, vector))
      .schedule();
}

bool mlir::fuse::wantsParts(KernelOp kernel, const DimClasses &dims,
                            const ReductionSpace &space,
                            const ScheduleTarget &target) {
  std::optional<int64_t> places = staticProduct(space.reducedExtents());
  if (target.gpu && target.gpu->maxClusterSize > 1 && space.overLastDims() &&
      places && *places <= longestInCluster)
    return false;
  return Proposal(kernel, dims, space,
                  chooseVector(kernel, dims, space, target), target)
      .hasParts();
}
