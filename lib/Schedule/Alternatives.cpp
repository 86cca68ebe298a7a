//===- Alternatives.cpp - Other schedules of the same kind ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A proposal knows what is legal: its vector divides what it must, its kind
// runs the kernel. The alternatives change what is a matter of speed alone, in
// steps of two, and keep the rest.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ReductionSegments.h"
#include "fuse/Schedule/Candidates.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

using Schedules = SmallVector<ScheduleAttrInterface>;

static constexpr int64_t blockSizes[] = {64, 128, 256, 512, 1024};
static constexpr int64_t warpSize = 32;
static constexpr int64_t smallestBlock = 128;
/// Elements that a thread may keep in registers without spilling.
static constexpr int64_t heldElements = 128;
/// Parts of a column, of which each adds a state to combine.
static constexpr int64_t mostParts = 512;
/// Vectors that a thread reads from the cache, each of which is code of its
/// own.
static constexpr int64_t cachedVectors = 32;
/// Elements of a thread that copies them into shared memory.
static constexpr int64_t mostCopied = 128;
/// Stages of a loop whose copies run ahead, and the most of rows.
static constexpr int64_t someStages = 3;
/// Of schedules that copy nothing; the attribute's default.
static constexpr int64_t usualCopyGroups = 4;
/// Rows shorter than this are not worth reading twice.
static constexpr int64_t shortRow = 4096;
/// Tiles on tensor cores whose predicted time is so many times the fastest's
/// are not worth a measurement.
static constexpr double farSlower = 1.5;
/// Rows shorter than this are not worth several multiprocessors.
static constexpr int64_t longRow = 16384;

namespace {
/// The rows of a kernel, which may be of several shapes.
struct RowShapes {
  RowShapes(KernelOp kernel, const DimClasses &dims);

  /// The elements of the longest; nothing if those of one are not known.
  std::optional<int64_t> longest = 0;
  /// The most elements that a vector may have to divide all rows.
  int64_t divisor = 0;
  /// Whether there are weights that may be loaded ahead.
  bool haveWeights = false;
  bool areReadOnce = true, keepColumnSums = false;
};
} // namespace

RowShapes::RowShapes(KernelOp kernel, const DimClasses &dims) {
  Reason reason;
  auto segments = reductionSegmentsOf(kernel, dims, reason);
  if (failed(segments)) {
    longest = std::nullopt;
    areReadOnce = false;
    return;
  }
  for (const ReductionSegment &segment : *segments) {
    std::optional<int64_t> length = staticProduct(segment.space.columns());
    divisor = std::gcd(divisor, length.value_or(1));
    if (longest && length)
      longest = std::max(*longest, *length);
    else
      longest = std::nullopt;
    haveWeights |= readsWeights(kernel, dims, segment);
    areReadOnce &= isReadOnce(segment, dims);
    keepColumnSums |= segment.reducesToColumns();
  }
}

/// Shared memory of one stage of each thread's vector, at most.
static int64_t stageBytes(KernelOp kernel, int64_t vector) {
  int64_t bytes = 0;
  for (BlockArgument input : kernel.getBody().getArguments()) {
    Type element = getElementTypeOrSelf(input.getType());
    bytes += llvm::divideCeil(vector * element.getIntOrFloatBitWidth(), 8);
  }
  return bytes;
}

namespace {
/// Schedules of rows of `length` elements, the longest of several shapes.
class RowAlternatives {
public:
  RowAlternatives(RowsScheduleAttr proposal, KernelOp kernel,
                  const RowShapes &rows, const ScheduleTarget &target)
      : proposal(proposal), maxThreads(target.maxThreads),
        divisor(rows.divisor), leavesEdges(divisor % proposal.getVector() != 0),
        preloads({proposal.getPreload()}),
        mostStaged(
            target.sharedBytes /
            std::max<int64_t>(1, stageBytes(kernel, proposal.getVector()))),
        maxCluster(target.gpu ? target.gpu->maxClusterSize : 1),
        mostBlocks(target.gpu ? target.gpu->multiprocessors *
                                    target.gpu->maxBlocksPerSM
                              : 0) {
    if (proposal.getPersistent() == 0 && rows.haveWeights)
      preloads = {false, true};
  }

  void addHeld(int64_t length);
  void addCached(int64_t length);
  void addParts(int64_t length);
  void addClusters();
  void addShared(int64_t length);
  void addStages(int64_t length);
  void addRowsPerThread();
  void addLoops();
  void addBounds();

  Schedules found;

private:
  void add(int64_t threads, int64_t rowsPerBlock, HoldKind hold,
           int64_t unroll);

  RowsScheduleAttr proposal;
  int64_t maxThreads;
  int64_t divisor;
  /// Whether there is a row that vectors do not divide.
  bool leavesEdges;
  /// Whether weights are loaded ahead.
  SmallVector<bool, 2> preloads;
  /// Vectors of all threads and stages that shared memory has room for.
  int64_t mostStaged;
  int64_t maxCluster, mostBlocks;
};
} // namespace

void RowAlternatives::add(int64_t threads, int64_t rowsPerBlock, HoldKind hold,
                          int64_t unroll) {
  bool mayPreload = hold == HoldKind::registers || hold == HoldKind::shared;
  if (threads > maxThreads)
    return;
  // Blocks that stay have as many threads as before.
  int64_t blocks = llvm::divideCeil(
      proposal.getPersistent() * proposal.getThreads(), threads);
  blocks = std::min(blocks, mostBlocks);
  for (bool preload : preloads)
    found.push_back(RowsScheduleAttr::get(
                        proposal.getContext(), threads, proposal.getVector(),
                        rowsPerBlock, hold, unroll,
                        /*in_registers=*/0, mayPreload && preload,
                        hold == HoldKind::shared ? proposal.getCopyGroups()
                                                 : usualCopyGroups)
                        .withPersistent(blocks));
}

/// From all threads that have a vector down to as few as can hold the row, each
/// as one row a block and as a block of a usual size.
void RowAlternatives::addHeld(int64_t length) {
  int64_t vector = proposal.getVector();
  int64_t vectors = std::max<int64_t>(1, llvm::divideCeil(length, vector));
  // The first threads take what is before and behind whole vectors, an element
  // each.
  int64_t fewest = leavesEdges ? 2 * vector : 1;
  for (int64_t group = llvm::PowerOf2Ceil(vectors);
       group * heldElements >= length && group >= fewest; group /= 2)
    for (int64_t threads : {group, 2 * group, smallestBlock, 2 * smallestBlock})
      if (threads >= group && threads >= warpSize)
        add(threads, threads / group, HoldKind::registers,
            proposal.getUnroll());
}

/// Threads that hold little themselves, so that many fit.
void RowAlternatives::addCached(int64_t length) {
  for (int64_t threads : blockSizes)
    if (threads >= smallestBlock &&
        length <= threads * proposal.getVector() * cachedVectors)
      add(threads, /*rowsPerBlock=*/1, HoldKind::cache, proposal.getUnroll());
}

/// Rows in the registers or the shared memory of blocks of a cluster, which
/// have two vectors for each thread, or of one block in shared memory.
void RowAlternatives::addParts(int64_t length) {
  int64_t vector = proposal.getVector();
  auto part = [&](int64_t threads, int64_t blocks, HoldKind hold) {
    return RowsScheduleAttr::get(proposal.getContext(), threads, vector,
                                 /*rows_per_block=*/1, hold,
                                 proposal.getUnroll(), /*in_registers=*/0,
                                 preloads.back(), usualCopyGroups)
        .withBlocksPerRow(blocks);
  };
  for (int64_t threads : {128, 256, 512, 1024})
    for (int64_t blocks = 1; blocks <= maxCluster && threads <= maxThreads;
         blocks *= 2) {
      int64_t each = llvm::divideCeil(length, threads * blocks);
      int64_t vectors = llvm::divideCeil(each, vector);
      if (each < 2 * vector)
        continue;
      if (blocks > 1 && each <= heldElements / 2)
        found.push_back(part(threads, blocks, HoldKind::registers));
      if (threads <= 512 && each <= mostCopied && !leavesEdges &&
          vectors * threads <= mostStaged)
        found.push_back(part(threads, blocks, HoldKind::shared));
    }
}

/// Other clusters for what stays where it is.
void RowAlternatives::addClusters() {
  int64_t blocks = proposal.getBlocksPerRow();
  for (int64_t other : {blocks / 2, 2 * blocks, 4 * blocks}) {
    bool fits = other >= blocks || proposal.getHold() == HoldKind::loop;
    if (fits && other >= 1 && other <= maxCluster &&
        proposal.getRowsPerBlock() == 1 && other != blocks)
      found.push_back(proposal.withBlocksPerRow(other));
  }
}

/// Of rows in shared memory: other threads that share whole vectors, and other
/// numbers of rows, where these keep sums of columns, else weights that are
/// loaded ahead or are not.
void RowAlternatives::addShared(int64_t length) {
  if (proposal.getHold() != HoldKind::shared)
    return;
  if (proposal.getPersistent() == 0) {
    found.push_back(proposal.withPreload(!proposal.getPreload()));
    return;
  }
  addStages(length);
  for (int64_t threads : blockSizes)
    if (divisor % (threads * proposal.getVector()) == 0 &&
        length <= threads * heldElements)
      add(threads, /*rowsPerBlock=*/1, HoldKind::shared, proposal.getUnroll());
}

/// Room for other numbers of rows in the shared memory of blocks that stay.
void RowAlternatives::addStages(int64_t length) {
  int64_t vectors = llvm::divideCeil(length, proposal.getVector());
  for (int64_t stages = 1; stages <= someStages; ++stages)
    if (proposal.getPreload() && stages != proposal.getStages() &&
        stages * vectors <= mostStaged)
      found.push_back(proposal.withStages(stages));
}

/// The proposal with registers for other blocks: none are named, or those of
/// some threads.
void RowAlternatives::addBounds() {
  for (int64_t threads : {0, 512, 1024})
    if (int64_t blocks = threads / proposal.getThreads();
        blocks != proposal.getLeastBlocks())
      found.push_back(proposal.withLeastBlocks(blocks));
}

/// Of short rows in registers: another number for each thread.
void RowAlternatives::addRowsPerThread() {
  if (proposal.getHold() != HoldKind::registers ||
      proposal.getPersistent() > 0 || proposal.threadsPerRow() > warpSize)
    return;
  for (int64_t rows : {1, 2, 4})
    if (rows != proposal.getRowsPerThread() &&
        rows * proposal.groupsPerBlock() <= maxThreads)
      found.push_back(proposal.withRowsPerThread(rows));
}

void RowAlternatives::addLoops() {
  for (int64_t threads : blockSizes)
    for (int64_t unroll : {2, 4, 8}) {
      if (threads < smallestBlock || threads > maxThreads)
        continue;
      add(threads, /*rowsPerBlock=*/1, HoldKind::loop, unroll);
      if (threads * unroll * someStages <= mostStaged)
        found.push_back(
            cast<RowsScheduleAttr>(found.back()).withStages(someStages));
    }
}

static Schedules alternatives(RowsScheduleAttr proposal, KernelOp kernel,
                              const DimClasses &dims,
                              const ScheduleTarget &target) {
  Reason why;
  auto segments = reductionSegmentsOf(kernel, dims, why);
  if (succeeded(segments) && segments->front().space.hasGroups())
    return {};
  RowShapes shapes(kernel, dims);
  RowAlternatives rows(proposal, kernel, shapes, target);
  std::optional<int64_t> length = shapes.longest;
  if (length) {
    rows.addHeld(*length);
    rows.addShared(*length);
  }
  rows.addBounds();
  rows.addRowsPerThread();
  // Sums of columns stay in registers, whatever the rows do.
  if (shapes.keepColumnSums)
    return rows.found;
  if (!length || *length >= shortRow)
    rows.addLoops();
  if (length && *length >= shortRow)
    rows.addCached(*length);
  bool mayCluster = proposal.getPersistent() == 0;
  if (length && *length >= shortRow && mayCluster && !shapes.areReadOnce)
    rows.addParts(*length);
  if (length && *length >= longRow && mayCluster)
    rows.addClusters();
  return rows.found;
}

/// Whether what the threads exchange has room in static shared memory.
static bool hasRoom(ColumnsScheduleAttr schedule, KernelOp kernel,
                    const DimClasses &dims, const ScheduleTarget &target) {
  Reason reason;
  FailureOr<ReductionSpace> space = reductionSpaceOf(kernel, dims, reason);
  return failed(space) || !target.gpu ||
         exchangedBytes(schedule, *space) <=
             target.gpu->defaultSharedBytesPerBlock;
}

/// Rows that no vector divides, as many as one divides together walked as one,
/// or each alone.
static Schedules foldedColumns(ColumnsScheduleAttr proposal, KernelOp kernel,
                               const DimClasses &dims,
                               const ScheduleTarget &target) {
  Reason reason;
  FailureOr<ReductionSpace> space = reductionSpaceOf(kernel, dims, reason);
  if (failed(space) || !target.gpu || proposal.getHold() != HoldKind::loop ||
      !foldsRows(kernel, *space, dims))
    return {};
  int64_t columns = space->keptExtents().front().size;
  int64_t widest = widestVector(kernel, dims, space->domain, target);
  int64_t dividing = std::gcd(columns, widest);
  bool isFolded = proposal.getFold() > 1;
  auto other =
      ColumnsScheduleAttr::get(proposal.getContext(), proposal.getThreads(),
                               isFolded ? dividing : widest,
                               proposal.getSplits(), proposal.getHold(),
                               proposal.getUnroll(), proposal.getParts())
          .withFold(isFolded ? 1 : widest / dividing);
  if (dividing == widest || !hasRoom(other, kernel, dims, target))
    return {};
  return {other};
}

/// Other numbers of blocks that share a column, other stages, and loads that
/// leave the L2 first or do not.
static Schedules sharedColumns(ColumnsScheduleAttr proposal, KernelOp kernel,
                               const DimClasses &dims,
                               const ScheduleTarget &target) {
  auto with = [&](int64_t unroll, int64_t parts) {
    return ColumnsScheduleAttr::get(proposal.getContext(),
                                    proposal.getThreads(), proposal.getVector(),
                                    proposal.getSplits(), proposal.getHold(),
                                    unroll, parts)
        .withFold(proposal.getFold())
        .withEvictFirst(proposal.getEvictFirst());
  };
  Schedules found = {
      proposal.withStages(1).withEvictFirst(!proposal.getEvictFirst())};
  int64_t parts = proposal.getParts(), unroll = proposal.getUnroll();
  int64_t stages = proposal.getStages();
  if (parts > 1)
    for (int64_t number : {int64_t(1), parts / 2, 2 * parts})
      if (number <= mostParts)
        found.push_back(with(unroll, number).withStages(stages));
  int64_t most = target.gpu ? target.gpu->maxClusterSize : 1;
  int64_t blocks = std::min(most, 2 * proposal.getBlocksPerColumn());
  for (int64_t number = std::max<int64_t>(1, blocks / 4);
       number <= blocks && proposal.getFold() == 1; number *= 2)
    found.push_back(
        with(unroll, 1).withStages(stages).withBlocksPerColumn(number));
  for (int64_t number : {2, 4, 8})
    for (int64_t other : {int64_t(1), someStages})
      if (proposal.getThreads() * number * other *
              stageBytes(kernel, proposal.getVector()) <=
          target.sharedBytes)
        found.push_back(with(number, parts)
                            .withBlocksPerColumn(proposal.getBlocksPerColumn())
                            .withStages(other));
  llvm::erase_if(found, [&](ScheduleAttrInterface schedule) {
    return !hasRoom(cast<ColumnsScheduleAttr>(schedule), kernel, dims, target);
  });
  return found;
}

static Schedules alternatives(ColumnsScheduleAttr proposal, KernelOp kernel,
                              const DimClasses &dims,
                              const ScheduleTarget &target) {
  Reason reason;
  // Several spaces share their launch in one way.
  if (failed(reductionSpaceOf(kernel, dims, reason)))
    return {};
  Schedules found = foldedColumns(proposal, kernel, dims, target);
  int64_t parts = proposal.getParts();
  // Their number follows from the block, which stays.
  if (proposal.leavesParts() || proposal.getBlocksPerColumn() > 1) {
    llvm::append_range(found, sharedColumns(proposal, kernel, dims, target));
    return found;
  }
  auto add = [&](int64_t threads, int64_t splits, int64_t unroll) {
    if (threads > target.maxThreads || splits > threads || splits < 1)
      return;
    auto schedule = ColumnsScheduleAttr::get(proposal.getContext(), threads,
                                             proposal.getVector(), splits,
                                             proposal.getHold(), unroll, parts);
    if (hasRoom(schedule, kernel, dims, target))
      found.push_back(schedule);
  };
  int64_t threads = proposal.getThreads(), splits = proposal.getSplits();
  // With rows in registers fewer splits would need more of these.
  bool isLoop = proposal.getHold() == HoldKind::loop;
  for (int64_t unroll : {2, 4, 8})
    for (int64_t size : {threads / 2, threads, 2 * threads}) {
      add(size, splits, unroll);
      add(size, 2 * splits, unroll);
      if (isLoop)
        add(size, splits / 2, unroll);
    }
  return found;
}

static Schedules alternatives(PointwiseScheduleAttr proposal,
                              int64_t maxThreads) {
  Schedules found;
  // One head suits all kernels; several are proposed for rotary ones only.
  SmallVector<int64_t> someHeads = {1};
  if (proposal.getHeads() > 1)
    someHeads = {1, 2, 4};
  for (int64_t threads : blockSizes)
    for (int64_t unroll : {1, 2, 4})
      for (int64_t heads : someHeads)
        if (threads <= maxThreads)
          found.push_back(
              PointwiseScheduleAttr::get(proposal.getContext(), threads,
                                         proposal.getVector(), unroll, heads));
  return found;
}

static Schedules alternatives(TransposeScheduleAttr proposal,
                              int64_t maxThreads) {
  Schedules found;
  int64_t tile = proposal.getTile(), vector = proposal.getVector();
  for (int64_t threads : {64, 128, 256, 512})
    if (threads <= maxThreads && tile * tile / vector % threads == 0)
      found.push_back(TransposeScheduleAttr::get(proposal.getContext(), threads,
                                                 tile, vector));
  return found;
}

static Schedules alternatives(OrderedScheduleAttr proposal) {
  Schedules found;
  // The parts of so many warps and stretches have lanes of one.
  constexpr int64_t mostParts = 32;
  for (int64_t threads : {32, 64, 128, 256, 512, 1024})
    for (int64_t unroll : {1, 2, 4, 8})
      if (threads / mostParts * unroll <= mostParts)
        found.push_back(OrderedScheduleAttr::get(proposal.getContext(), threads,
                                                 proposal.getVector(), unroll));
  return found;
}

static Schedules alternatives(ContractionScheduleAttr proposal) {
  Schedules found;
  for (int64_t threads : {64, 128, 256})
    for (int64_t tileM : {1, 2, 4, 8})
      for (int64_t tileN : {1, 2, 4})
        if (tileM <= 2 * proposal.getTileM() &&
            tileN <= 2 * proposal.getTileN())
          found.push_back(ContractionScheduleAttr::get(
              proposal.getContext(), threads, tileM, tileN,
              proposal.getVector(), proposal.getAlong()));
  return found;
}

/// Of all tiles those that the model does not take for far slower.
static Schedules alternatives(MmaScheduleAttr proposal, KernelOp kernel,
                              const DimClasses &dims,
                              const ScheduleTarget &target) {
  Schedules found;
  MmaProduct product = mmaProductOf(kernel, dims, target.assumed);
  double fastest = estimateMma(proposal, product, *target.gpu).seconds;
  for (MmaScheduleAttr schedule : mmaSchedulesOf(kernel, dims, target))
    if (estimateMma(schedule, product, *target.gpu).seconds <=
        farSlower * fastest)
      found.push_back(schedule);
  return found;
}

static Schedules alternatives(StreamedScheduleAttr proposal, KernelOp kernel,
                              const DimClasses &dims,
                              const ScheduleTarget &target) {
  return Schedules(llvm::map_range(
      streamedSchedulesOf(kernel, dims, target),
      [](StreamedScheduleAttr attr) { return ScheduleAttrInterface(attr); }));
}

SmallVector<ScheduleAttrInterface>
mlir::fuse::alternativesTo(ScheduleAttrInterface proposal, KernelOp kernel,
                           const DimClasses &dims,
                           const ScheduleTarget &target) {
  int64_t maxThreads = target.maxThreads;
  Schedules found =
      llvm::TypeSwitch<Attribute, Schedules>(proposal)
          .Case([&](RowsScheduleAttr attr) {
            return alternatives(attr, kernel, dims, target);
          })
          .Case([&](ColumnsScheduleAttr attr) {
            return alternatives(attr, kernel, dims, target);
          })
          .Case<PointwiseScheduleAttr, TransposeScheduleAttr>(
              [&](auto attr) { return alternatives(attr, maxThreads); })
          .Case<OrderedScheduleAttr, ContractionScheduleAttr>(
              [](auto attr) { return alternatives(attr); })
          .Case([&](TiledScheduleAttr) {
            auto tiles = sharedTilesOf(kernel, dims, target);
            return Schedules(tiles.begin(), tiles.end());
          })
          .Case<MmaScheduleAttr, StreamedScheduleAttr>([&](auto attr) {
            return alternatives(attr, kernel, dims, target);
          });
  // In the order in which they were found.
  Schedules unique;
  for (ScheduleAttrInterface schedule : found)
    if (schedule != proposal && !llvm::is_contained(unique, schedule))
      unique.push_back(schedule);
  return unique;
}
