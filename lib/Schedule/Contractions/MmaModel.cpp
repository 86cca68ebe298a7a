//===- MmaModel.cpp - How long tiles on tensor cores take -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/MmaModel.h"

#include "ProposeMmaSync.h"
#include "fuse/Analysis/MmaSpace.h"
#include "fuse/Analysis/RoomForNext.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// What the enumeration takes. Columns of a tile have many widths, so that some
/// number of tiles is just below a multiple of the multiprocessors, and a few
/// for narrow results.
static constexpr int64_t tileColumns[] = {8,   16,  32,  48,  64,  80,
                                          96,  112, 128, 144, 160, 176,
                                          192, 208, 224, 240, 256};
static constexpr int64_t splitsOfK[] = {1, 2, 4, 8};
/// Blocks that share operands.
static constexpr int64_t clusterSizes[] = {2, 4};
/// The fewest slots that overlap copies with products.
static constexpr int64_t fewestStages = 3;

double mlir::fuse::mmaPerClock(MmaScheduleAttr schedule, const GPUTarget &gpu) {
  int64_t bits = schedule.getOperandBits();
  if (schedule.isMmaSync() && bits == 8)
    return gpu.mmaSyncFloat8PerClock;
  if (bits == 64)
    return gpu.mmaSyncFloat64PerClock;
  constexpr double ofNumbers = 16;
  return (schedule.isMmaSync() ? gpu.mmaSyncPerClock : gpu.mmaPerClock) *
         ofNumbers / bits;
}

/// Groups of neighbouring tiles that cover all columns.
static double columnTiles(MmaScheduleAttr schedule, const MmaProduct &product,
                          int64_t neighbours) {
  double width = schedule.resultColumns() * neighbours;
  if (product.segments.empty())
    return std::ceil(product.n / width);
  double tiles = 0;
  for (const MmaColumns &segment : product.segments)
    tiles += std::ceil(segment.columns * segment.contractions / width);
  return tiles;
}

double mlir::fuse::mmaColumnTiles(MmaScheduleAttr schedule,
                                  const MmaProduct &product) {
  return columnTiles(schedule, product, /*neighbours=*/1);
}

double mlir::fuse::mmaTilesOf(MmaScheduleAttr schedule,
                              const MmaProduct &product) {
  return product.batches * std::ceil(product.m / schedule.resultRows()) *
         mmaColumnTiles(schedule, product);
}

/// What blocks take in turn: tiles, or parts of them; also tiles beyond an
/// edge, where a cluster has one.
static double turnsOf(MmaScheduleAttr schedule, const MmaProduct &product) {
  double rows = schedule.resultRows() * schedule.clusterRows();
  return product.batches * std::ceil(product.m / rows) *
         columnTiles(schedule, product, schedule.clusterColumns()) *
         schedule.clusterSize();
}

/// Blocks that run at the same time.
static double blocksOf(MmaScheduleAttr schedule, const MmaProduct &product,
                       const GPUTarget &gpu) {
  double cluster = schedule.clusterSize();
  double most = std::min<double>(schedule.getPersistent(),
                                 gpu.clustersAtOnce(cluster) * cluster);
  return std::max(cluster, std::min(turnsOf(schedule, product), most));
}

/// Turns of the block with the most.
static double wavesOf(MmaScheduleAttr schedule, const MmaProduct &product,
                      const GPUTarget &gpu) {
  return std::ceil(turnsOf(schedule, product) /
                   blocksOf(schedule, product, gpu));
}

/// For one place of the summed axis in one tile.
static TileClocks clocksOf(MmaScheduleAttr schedule, const MmaProduct &product,
                           double blocks, const GPUTarget &gpu) {
  double m = schedule.getTileM(), n = schedule.getTileN();
  double bytes = schedule.operandBytes(), loaded = (m + n) * bytes;
  // What blocks share the L2 delivers once.
  double ofRows = product.rowLines, ofColumns = product.columnLines;
  if (schedule.getSwap())
    std::swap(ofRows, ofColumns);
  double delivered = (m * ofRows / schedule.getClusterN() +
                      n * ofColumns / schedule.getClusterM()) *
                     bytes;
  // Each instruction reads its rows and its columns.
  double rows = MmaScheduleAttr::kRows;
  double columns = double(schedule.columnsPerConsumer()) / product.runs;
  double read = m * n / (rows * columns) * (rows + columns) * bytes;
  const auto &numbers = gpu.wgmma;
  return {m * n / mmaPerClock(schedule, gpu),
          (loaded + read) / numbers.sharedBytesPerClock,
          std::max(loaded / numbers.l2PortBytesPerClock,
                   delivered * blocks / numbers.l2BytesPerClock)};
}

double mlir::fuse::mmaEpilogueClocks(MmaScheduleAttr schedule,
                                     const MmaProduct &product,
                                     const GPUTarget &gpu) {
  double lanes =
      gpu.operationsPerSecond() / (gpu.multiprocessors * gpu.clockHertz);
  double places =
      schedule.getTileM() * schedule.getTileN() / schedule.exchangingBlocks();
  return places * (product.instructions / lanes +
                   product.readBytes / gpu.sharedBytesPerClock);
}

double mlir::fuse::mmaCombiningSeconds(MmaScheduleAttr schedule,
                                       const MmaProduct &product,
                                       const GPUTarget &gpu) {
  if (product.states == 0)
    return 0;
  constexpr double stateBytes = 4;
  double parts = std::ceil(product.n / columnsReducedBy(schedule));
  double bytes = product.states * stateBytes * product.batches * product.m *
                 (2 * parts + 1);
  return gpu.launchSeconds + bytes / gpu.memoryBytesPerSecond;
}

/// Clocks in which a block leaves its share of a tile's results: in shared
/// memory, from where they are copied beside the next tile's products, or in
/// memory.
static double resultClocks(MmaScheduleAttr schedule, const MmaProduct &product,
                           const GPUTarget &gpu) {
  double bytes = schedule.getTileM() * schedule.getTileN() *
                 product.resultBytes / schedule.getSplitK();
  // Threads write the columns that fill no row of a buffer.
  int64_t columns = schedule.columnsPerConsumer();
  double copied =
      schedule.getStore() != MmaStore::tma
          ? 0
          : 1 - double(columns % MmaScheduleAttr::kRowElements) / columns;
  return bytes * (copied / gpu.sharedBytesPerClock +
                  (1 - copied) / gpu.l2PortBytesPerClock);
}

/// Clocks in which sums go through shared memory, of other blocks, too.
static double gatherClocks(MmaScheduleAttr schedule, const GPUTarget &gpu) {
  if (!schedule.gathersSums())
    return 0;
  double bytes =
      schedule.getTileM() * schedule.getTileN() * schedule.sumBytes();
  double written = bytes / gpu.sharedBytesPerClock;
  if (schedule.getSplitK() == 1)
    return 2 * written;
  double blocks = schedule.getSplitK();
  double ofOthers = bytes * (blocks - 1) / blocks;
  double meeting = blocks == 2 ? gpu.wgmma.pairMeetingClocks
                               : gpu.wgmma.clusterMeetingClocks;
  return written + ofOthers / gpu.wgmma.clusterBytesPerClock + meeting;
}

/// Clocks of a step of k that its barriers take.
static double barrierClocks(MmaScheduleAttr schedule, const GPUTarget &gpu) {
  double sharers = schedule.getClusterM() * schedule.getClusterN();
  return gpu.wgmma.stepClocks +
         gpu.wgmma.multicastStepClocks * std::log2(sharers);
}

/// Clocks of a step of k: of its copies and products, or of waiting for copies
/// where few are under way. One slot is being read, and another one freed.
static double stepClocks(MmaScheduleAttr schedule, double placeClocks,
                         const GPUTarget &gpu) {
  constexpr int64_t slotsInUse = 2;
  double underWay = std::max<int64_t>(1, schedule.getStages() - slotsInUse);
  return std::max(schedule.getTileK() * placeClocks +
                      barrierClocks(schedule, gpu),
                  gpu.wgmma.copyClocks / underWay);
}

/// Clocks of one block for its share of a tile.
static double tileClocks(MmaScheduleAttr schedule, const MmaProduct &product,
                         const GPUTarget &gpu) {
  double blocks = blocksOf(schedule, product, gpu);
  // The block with the most steps.
  double steps = std::ceil(std::ceil(product.k / schedule.getTileK()) /
                           schedule.getSplitK());
  double places = std::min<double>(product.k, steps * schedule.getTileK());
  double place = clocksOf(schedule, product, blocks, gpu).most();
  return places / schedule.getTileK() * stepClocks(schedule, place, gpu) +
         gatherClocks(schedule, gpu) +
         mmaEpilogueClocks(schedule, product, gpu) +
         resultClocks(schedule, product, gpu);
}

double mlir::fuse::mmaClocks(MmaScheduleAttr schedule,
                             const MmaProduct &product, const GPUTarget &gpu) {
  if (schedule.isMmaSync())
    return mmaSyncClocks(schedule, product, gpu);
  return wavesOf(schedule, product, gpu) * tileClocks(schedule, product, gpu);
}

/// Seconds of the multiprocessor with the most tiles, or of all of them within
/// the board's power.
static double busySeconds(MmaScheduleAttr schedule, const MmaProduct &product,
                          const GPUTarget &gpu) {
  double all = turnsOf(schedule, product) * tileClocks(schedule, product, gpu);
  return std::max(mmaClocks(schedule, product, gpu) / gpu.wgmma.clockHertz,
                  all / gpu.multiprocessors / gpu.wgmma.sustainedClockHertz);
}

/// Seconds of memory for all that the kernel reads and writes, a little more
/// where multiprocessors are idle. Exchanges of sums do not overlap with it,
/// nor do the last results.
static double memorySeconds(MmaScheduleAttr schedule, const MmaProduct &product,
                            const GPUTarget &gpu) {
  double bytes =
      product.batches *
      (schedule.operandBytes() * product.k * (product.m + product.n) +
       (product.resultBytes + product.readBytes) * product.m * product.n);
  double waves = wavesOf(schedule, product, gpu);
  double idle = std::max(0.0, 1 - turnsOf(schedule, product) /
                                      (waves * gpu.multiprocessors));
  double exchanges = schedule.exchangingBlocks() > 1 ? waves : 1;
  double waiting = exchanges * gatherClocks(schedule, gpu) +
                   resultClocks(schedule, product, gpu);
  return bytes / gpu.wgmma.memoryBytesPerSecond *
             (1 + gpu.wgmma.idleShare * idle) +
         waiting / gpu.wgmma.clockHertz;
}

TimeLimit mlir::fuse::mmaLimit(double seconds, double busy, double memory,
                               const TileClocks &clocks, const GPUTarget &gpu) {
  if (seconds < 2 * gpu.launchSeconds)
    return TimeLimit::Launch;
  if (memory >= busy)
    return TimeLimit::Memory;
  if (clocks.cache >= clocks.most())
    return TimeLimit::Cache;
  return clocks.sharedMemory > clocks.tensorCores ? TimeLimit::SharedMemory
                                                  : TimeLimit::TensorCores;
}

TimeEstimate mlir::fuse::estimateMma(MmaScheduleAttr schedule,
                                     const MmaProduct &product,
                                     const GPUTarget &gpu) {
  if (schedule.isMmaSync())
    return estimateMmaSync(schedule, product, gpu);
  double busy = busySeconds(schedule, product, gpu);
  double memory = memorySeconds(schedule, product, gpu);

  TimeEstimate estimate;
  estimate.residentBlocks = 1;
  estimate.seconds = gpu.launchSeconds + softMaximum(gpu, {busy, memory}) +
                     mmaCombiningSeconds(schedule, product, gpu);
  TileClocks clocks =
      clocksOf(schedule, product, blocksOf(schedule, product, gpu), gpu);
  estimate.limit = mmaLimit(estimate.seconds, busy, memory, clocks, gpu);
  return estimate;
}

/// Whether a tile of swapped operands may have a part of each side of pairs.
static bool mayHavePartsOfHeads(MmaScheduleAttr schedule, const MmaForm &form) {
  int64_t together = schedule.resultColumns();
  bool isAlone = schedule.getClusterM() == 1 && schedule.getClusterN() == 1;
  return form.pairSides > 1 && form.columnsAreAlongK && isAlone &&
         !form.reducesRows && form.wholeColumns % together == 0 &&
         together % (8 * form.contractions * form.pairSides) == 0;
}

/// Whether warps can compute the rows of a tile of swapped operands, 64 of each
/// place in memory.
static bool mayComputeRows(MmaScheduleAttr schedule, const MmaForm &form) {
  int64_t places = form.contractions;
  if (schedule.resultColumns() % form.wholeColumns != 0)
    places *= std::max<int64_t>(form.pairSides, 1);
  return form.rowsAreAlongK && form.columnsAreAlongK &&
         schedule.getTileM() % (MmaScheduleAttr::kRows * places) == 0;
}

bool mlir::fuse::isLegalMma(MmaScheduleAttr schedule, const MmaForm &form) {
  // Copies take blocks of columns that are as wide as a row in shared memory;
  // a swizzle repeats after 8 columns.
  bool swap = schedule.getSwap();
  int64_t sharers = swap ? 1 : form.contractions;
  auto isShared = [&](int64_t unit) {
    return schedule.columnsPerConsumer() % (unit * sharers) == 0;
  };
  if ((swap && !form.mayBeSwapped) ||
      (schedule.gathersSums() && !form.mayGather) ||
      (schedule.leavesParts() && (!form.mayLeaveParts || form.reducesRows)))
    return false;
  bool areBlocks = isShared(schedule.rowElements());
  bool hasBlock =
      schedule.columnsPerConsumer() >= MmaScheduleAttr::kRowElements * sharers;
  bool isAlongK = swap ? form.rowsAreAlongK : form.columnsAreAlongK;
  // Blocks that share columns each copy some rows of a box of one contraction.
  int64_t boxRows = sharers == 1 ? schedule.getTileN()
                                 : schedule.columnsPerConsumer() / sharers;
  if (isAlongK && boxRows % (8 * schedule.getClusterM()) != 0)
    return false;
  // So do those that share the rows of several.
  int64_t unit = form.columnsAreAlongK ? 8 * schedule.getClusterN()
                                       : schedule.rowElements();
  if (swap && form.contractions > 1 &&
      schedule.getTileM() % (unit * form.contractions) != 0)
    return false;
  if (swap && schedule.leftBits() && !mayComputeRows(schedule, form))
    return false;
  // A tile beyond the last column would leave a state.
  if (schedule.getClusterN() > 1 && form.reducesRows)
    return false;
  if (schedule.gathersSums() && form.reducesRows &&
      !canReduceGathered(schedule.resultColumns() / form.contractions))
    return false;
  bool copiesResults = schedule.getStore() == MmaStore::tma;
  // Gathered sums are there for the whole tile; blocks are scaled before.
  bool isGathered = schedule.gathersSums() && !form.hasBlocks;
  int64_t together =
      isGathered ? schedule.resultColumns() : schedule.columnsPerConsumer();
  bool isPart = swap && isGathered && mayHavePartsOfHeads(schedule, form);
  if ((isGathered || !swap) && together % form.wholeColumns != 0 && !isPart)
    return false;
  return isShared(/*unit=*/8) && (areBlocks || isAlongK) &&
         (!copiesResults || (hasBlock && form.mayCopyResults));
}

/// Of a wave, the rows and columns that are read are then the fewest.
int64_t mlir::fuse::mmaRasterOf(int64_t tileM, int64_t tileN,
                                double tilesAtOnce) {
  constexpr int64_t most = 32;
  auto read = [&](double raster) {
    return raster * tileM + tilesAtOnce / raster * tileN;
  };
  int64_t best = 1;
  for (int64_t raster = 2; raster <= most; raster *= 2)
    if (read(raster) < read(best))
      best = raster;
  return best;
}

namespace {
/// Enumerates the schedules for a form.
class ScheduleList {
public:
  ScheduleList(MLIRContext *context, int64_t operandBits, const MmaForm &form,
               const GPUTarget &gpu)
      : context(context), operandBits(operandBits), form(form), gpu(gpu) {}

  /// Each tile for each number of consumers, with all ways to gather its sums.
  SmallVector<MmaScheduleAttr> all();

private:
  struct Shape {
    int64_t tileM, tileN, consumers;
    MmaStore store = MmaStore::direct;
    int64_t splitK = 1;
    bool swap = false;
    int64_t clusterM = 1, clusterN = 1;

    int64_t clusterSize() const { return splitK * clusterM * clusterN; }
  };
  /// With as many stages as there is room for; null if there are too few.
  MmaScheduleAttr withMostStages(const Shape &shape);
  MmaScheduleAttr
  withRoomForNext(MmaScheduleAttr schedule,
                  llvm::function_ref<MmaScheduleAttr(int64_t)> with);
  bool add(const Shape &shape);
  void addShape(Shape shape);
  void addWithClusters(Shape shape);

  MLIRContext *context;
  int64_t operandBits;
  const MmaForm &form;
  const GPUTarget &gpu;
  SmallVector<MmaScheduleAttr> found;
};
} // namespace

MmaScheduleAttr ScheduleList::withMostStages(const Shape &shape) {
  int64_t clusters = gpu.clustersAtOnce(shape.clusterSize());
  if (clusters == 0)
    return {};
  auto with = [&](int64_t stages) {
    return MmaScheduleAttr::getIfLegal(
        context, MmaIsa::wgmma, shape.tileM, shape.tileN,
        MmaScheduleAttr::kRowBytes * 8 / operandBits, stages, shape.consumers,
        mmaRasterOf(shape.tileM * shape.clusterM, shape.tileN * shape.clusterN,
                    clusters),
        shape.store, clusters * shape.clusterSize(), shape.splitK, shape.swap,
        operandBits, shape.clusterM, shape.clusterN);
  };
  MmaScheduleAttr best = with(fewestStages);
  if (!best)
    return {};
  // Barriers take a little beside the slots.
  int64_t room = gpu.maxSharedBytesPerBlock - best.sharedBytes();
  int64_t stages =
      std::min(gpu.choice.mostStages, fewestStages + room / best.slotBytes());
  for (; stages > fewestStages; --stages)
    if (MmaScheduleAttr more = with(stages))
      return withRoomForNext(more, with);
  return best;
}

/// Few rows wait for their weights: that the next launch starts in time counts
/// for more than further slots.
MmaScheduleAttr ScheduleList::withRoomForNext(
    MmaScheduleAttr schedule,
    llvm::function_ref<MmaScheduleAttr(int64_t)> with) {
  if (schedule.getSwap())
    for (int64_t stages = schedule.getStages();
         stages >= gpu.choice.stagesBesideNext; --stages)
      if (MmaScheduleAttr fewer = with(stages);
          fewer && leavesRoomForNext(fewer, gpu.maxSharedBytesPerBlock))
        return fewer;
  return schedule;
}

bool ScheduleList::add(const Shape &shape) {
  MmaScheduleAttr schedule = withMostStages(shape);
  if (!schedule || !isLegalMma(schedule, form))
    return false;
  found.push_back(schedule);
  return true;
}

/// Results are copied where they can be: the next tile's products then go on
/// meanwhile.
void ScheduleList::addShape(Shape shape) {
  addWithClusters(shape);
  // Of two that are predicted to take the same time the first is taken: a
  // product with split sums is faster swapped.
  for (bool swap : {true, false})
    for (int64_t splitK : splitsOfK) {
      shape.swap = swap;
      shape.splitK = splitK;
      if (swap && splitK == 1)
        addWithClusters(shape);
      else if (splitK > 1)
        add(shape);
    }
}

void ScheduleList::addWithClusters(Shape shape) {
  auto addStored = [&] {
    shape.store = MmaStore::tma;
    if (!shape.swap && add(shape))
      return;
    shape.store = MmaStore::direct;
    add(shape);
  };
  addStored();
  for (int64_t size : clusterSizes) {
    shape.clusterM = size;
    addStored();
    shape.clusterM = 1;
    shape.clusterN = size;
    addStored();
    shape.clusterN = 1;
  }
}

SmallVector<int64_t> mlir::fuse::mmaTileColumns(ArrayRef<int64_t> usual,
                                                const MmaForm &form) {
  SmallVector<int64_t> columns(usual);
  int64_t whole = form.wholeColumns, most = columns.back();
  for (int64_t heads = whole; whole > 1 && heads <= most; heads += whole)
    if (!llvm::is_contained(columns, heads))
      columns.push_back(heads);
  return columns;
}

SmallVector<MmaScheduleAttr> ScheduleList::all() {
  SmallVector<int64_t> columns = mmaTileColumns(tileColumns, form);
  // Of two that are predicted to take the same time the first is taken. Steps
  // of few columns are short, and the second warpgroup only waits.
  for (int64_t tileM : tileRows)
    for (int64_t tileN : columns)
      for (int64_t number = 1; number <= mostConsumers; ++number)
        addShape({tileM, tileN,
                  tileN <= gpu.choice.fewColumns ? number
                                                 : mostConsumers + 1 - number});
  return std::move(found);
}

/// Seconds and clocks.
static std::pair<double, double> costOf(MmaScheduleAttr schedule,
                                        const MmaProduct &product,
                                        const GPUTarget &gpu) {
  return {estimateMma(schedule, product, gpu).seconds,
          mmaClocks(schedule, product, gpu)};
}

SmallVector<MmaScheduleAttr>
mlir::fuse::rankMmaSchedules(MLIRContext *context, const MmaProduct &product,
                             const MmaForm &form, const GPUTarget &gpu) {
  if (!gpu.multiplies(product.operandBits) || (form.hasBlocks && !gpu.hasWgmma))
    return {};
  constexpr int64_t wide = 64;
  bool byGroups =
      gpu.hasWgmma && !form.computesOperands() && product.operandBits != wide;
  SmallVector<MmaScheduleAttr> all =
      byGroups ? ScheduleList(context, product.operandBits, form, gpu).all()
               : mmaSyncSchedules(context, product.operandBits, form, gpu);
  // Costs, and the place in `all`.
  SmallVector<std::pair<std::pair<double, double>, size_t>> costs;
  for (auto [number, schedule] : llvm::enumerate(all))
    costs.push_back({costOf(schedule, product, gpu), number});
  llvm::sort(costs);
  return llvm::map_to_vector(
      costs, [&](const auto &cost) { return all[cost.second]; });
}

MmaScheduleAttr mlir::fuse::firstMmaFor(const MmaProduct &product,
                                        ArrayRef<MmaScheduleAttr> schedules,
                                        const GPUTarget &gpu) {
  auto costs = llvm::map_to_vector(schedules, [&](MmaScheduleAttr schedule) {
    return costOf(schedule, product, gpu);
  });
  return schedules[llvm::min_element(costs) - costs.begin()];
}
