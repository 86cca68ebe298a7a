//===- ProposeTiled.cpp - Tiles of contractions on ordinary cores ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a CPU the sums in registers are as many as leave some for operands, and of
// all tiles whose panels stay in the second-level cache the one is taken with
// which the busiest core has the least to do, packing included. On a GPU the
// tile is taken with which the busiest multiprocessor has the least to multiply
// and to bring to shared memory, or to wait for; where tiles are few, several
// groups of threads take the steps of one in turn.
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Scheduler.h"

#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/TileSpace.h"
#include "fuse/Schedule/TiledModel.h"
#include "fuse/Target/CPUTarget.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Sizes of a kernel's contractions, dynamic ones as they are assumed.
struct TileProblem {
  double rows, columns, batches, depth;
  std::optional<int64_t> staticRows, staticColumns, staticDepth;
  bool turnsColumns, isWide;
};
} // namespace

static TileProblem problemOf(const TileSpace &space, const DimClasses &dims) {
  SmallVector<Extent> rows = space.rowExtents(dims);
  Extent columns = space.columnExtent(dims);
  TileProblem problem;
  problem.rows = estimatedElements(rows, dims);
  problem.columns = estimatedElements(columns, dims);
  problem.batches = estimatedElements(space.outerExtents(dims), dims);
  problem.staticRows = staticProduct(rows);
  problem.staticColumns = staticProduct(columns);
  problem.isWide = getElementTypeOrSelf(space.shape().getType()).isF64();
  problem.staticDepth = 0;
  problem.depth = 0;
  for (const TileContraction &contraction : space.contractions) {
    auto depth = staticProduct(contraction.summedExtents(dims));
    problem.depth += estimatedElements(contraction.summedExtents(dims), dims);
    problem.staticDepth =
        depth && problem.staticDepth
            ? std::optional(std::max(*depth, *problem.staticDepth))
            : std::nullopt;
  }
  problem.turnsColumns =
      llvm::any_of(space.contractions, [&](const TileContraction &contraction) {
        return contraction.columns.endsIn(contraction.summed.back(), dims);
      });
  return problem;
}

/// Vector operations of the busiest core for each place of the summed axis.
static double busiestCore(const TileProblem &problem, double tileM,
                          double tileN, double lanes, double cores) {
  double rows = std::min(tileM, problem.rows);
  double columns = std::min(tileN, problem.columns);
  double tiles = std::ceil(problem.rows / tileM) *
                 std::ceil(problem.columns / tileN) * problem.batches;
  double packing = rows * hostNumbers.packedOps +
                   columns * (problem.turnsColumns ? hostNumbers.turnedOps
                                                   : hostNumbers.packedOps);
  return std::ceil(tiles / cores) * (rows * columns + packing) / lanes;
}

static ScheduleAttrInterface proposePanels(KernelOp kernel,
                                           const TileSpace &space,
                                           const DimClasses &dims,
                                           const ScheduleTarget &target) {
  CPUTarget host = CPUTarget::host();
  TileProblem problem = problemOf(space, dims);
  int64_t bits =
      getElementTypeOrSelf(space.shape().getType()).getIntOrFloatBitWidth();
  int64_t bytes = std::max<int64_t>(32, bits) / 8;
  int64_t lanes = target.vectorBits / (8 * bytes);
  auto fits = [](std::optional<int64_t> size, int64_t wanted) {
    return size ? std::clamp<int64_t>(*size, 1, wanted) : wanted;
  };
  while (lanes > 1 && fits(problem.staticColumns, lanes) <= lanes / 2)
    lanes /= 2;
  int64_t vectors = fits(problem.staticColumns, 2 * lanes) > lanes ? 2 : 1;
  int64_t columns = vectors * lanes;
  // Beside the sums, a vector of each column and one of a row.
  int64_t sums = host.vectorRegisters - vectors - 2;
  int64_t rows = sums / vectors / 2 * 2;
  // Pieces of one size, not a few large ones and an edge.
  if (problem.staticRows && *problem.staticRows > 0)
    rows = llvm::divideCeil(*problem.staticRows,
                            llvm::divideCeil(*problem.staticRows, rows));
  int64_t tileK = llvm::bit_ceil(static_cast<uint64_t>(
      fits(problem.staticDepth, TiledScheduleAttr::kMostInSequence)));
  int64_t most = std::max<int64_t>(columns, host.l2Bytes / 2 / (tileK * bytes));
  int64_t tileM = rows, tileN = columns;
  double least = HUGE_VAL;
  for (int64_t n = columns; n <= std::min(most, hostNumbers.mostOfTile);
       n += columns)
    for (int64_t m = rows; m <= hostNumbers.mostOfTile; m += rows) {
      double work = busiestCore(problem, m, n, lanes, host.cores);
      if (work < least) {
        least = work;
        tileM = m;
        tileN = n;
      }
    }
  return TiledScheduleAttr::get(kernel.getContext(), /*threads=*/1, lanes,
                                tileM, tileN, tileK, rows, columns,
                                /*mma_k=*/0);
}

/// Tiles of groups of `threads`, whose pieces are `rows` x `columns`; some are
/// for f64 only, whose larger pieces have fewer reads of shared memory.
static constexpr struct {
  int64_t threads, tileM, tileN, rows, columns;
  bool isWide = false;
} sharedTiles[] = {
    {256, 128, 128, 8, 8},     {256, 128, 64, 8, 4}, {256, 64, 128, 4, 8},
    {128, 64, 64, 8, 4, true}, {256, 64, 64, 4, 4},  {128, 32, 64, 4, 4},
    {128, 16, 128, 4, 4},      {64, 16, 64, 4, 4},   {32, 16, 32, 4, 4}};
/// Groups of a block, and the most threads that they have.
static constexpr int64_t groupsOfBlock[] = {1, 2, 4, 8, 16};
static constexpr int64_t mostThreads = 512;

namespace {
/// Clocks of the busiest multiprocessor: it multiplies and brings operands, or
/// its blocks wait for them; and adds the totals of groups.
struct BusiestClocks {
  double multiplying, waiting, adding;

  double all() const { return std::max(multiplying, waiting) + adding; }
};
} // namespace

static BusiestClocks busiestMultiprocessor(const TileProblem &problem,
                                           TiledScheduleAttr schedule,
                                           const SharedTileLayout &layout,
                                           const GPUTarget &gpu) {
  double tileM = schedule.getTileM(), tileN = schedule.getTileN();
  double tiles = std::ceil(problem.rows / tileM) *
                 std::ceil(problem.columns / tileN) * problem.batches;
  double each = std::ceil(tiles / gpu.multiprocessors);
  double resident =
      std::max<int64_t>(1, std::min(gpu.maxThreadsPerSM / schedule.getThreads(),
                                    gpu.sharedBytesPerSM / layout.bytes()));
  double perClock = gpu.float32PerClock, words = 1;
  if (problem.isWide) {
    constexpr double ofWide = 0.5;
    words = 2;
    perClock = schedule.getMmaK() ? gpu.mmaSyncFloat64PerClock
                                  : gpu.float32PerClock * ofWide;
  }
  double multiplying = (tileM * tileN / perClock +
                        (tileM + tileN) * words * gpu.tiled.productsOfBringing /
                            gpu.float32PerClock) *
                       problem.depth;
  double steps =
      std::ceil(problem.depth / (schedule.getTileK() * schedule.groups()));
  // Each group writes and reads its totals.
  double totals = 2 * schedule.groups() * layout.totalElements();
  return {each * multiplying,
          std::ceil(each / resident) * steps * gpu.tiled.waitingClocks,
          each * totals * words * sizeof(float) / gpu.sharedBytesPerClock};
}

TimeEstimate mlir::fuse::estimateTiled(TiledScheduleAttr schedule,
                                       const TileSpace &space,
                                       const DimClasses &dims, double bytes,
                                       const GPUTarget &gpu) {
  BusiestClocks clocks =
      busiestMultiprocessor(problemOf(space, dims), schedule,
                            SharedTileLayout(schedule, space, dims), gpu);
  double busy = clocks.all() / (gpu.tiled.efficiency * gpu.clockHertz);
  double memory =
      bytes / (gpu.time.memoryEfficiency * gpu.memoryBytesPerSecond);
  TimeEstimate estimate;
  estimate.seconds = gpu.launchSeconds + softMaximum(gpu, {busy, memory});
  estimate.limit = memory > busy ? TimeLimit::Memory
                   : clocks.waiting > clocks.multiplying
                       ? TimeLimit::Waiting
                       : TimeLimit::Instructions;
  return estimate;
}

/// All tiles, for the numbers of groups that a block has room for. f64 is
/// multiplied on tensor cores where the chip's can; these round a product once,
/// with its sum. Steps are two of their products at least, or longer where
/// loads are few.
static SmallVector<TiledScheduleAttr>
allSharedTiles(MLIRContext *context, bool isWide,
               const ScheduleTarget &target) {
  constexpr int64_t usualPlaces = 8;
  int64_t mmaK = isWide ? target.gpu->float64Places : 0;
  int64_t fewest = std::max(usualPlaces, 2 * mmaK);
  SmallVector<TiledScheduleAttr> found;
  for (const auto &tile : sharedTiles)
    for (int64_t groups : groupsOfBlock)
      for (int64_t places : {fewest, 2 * usualPlaces}) {
        // The sums of wide types take as many registers in smaller pieces.
        bool isTooWide = isWide && tile.rows * tile.columns > 32;
        if (isTooWide || (tile.isWide && !isWide) ||
            tile.threads * groups > mostThreads)
          continue;
        auto schedule = TiledScheduleAttr::get(
            context, groups * tile.threads, /*vector=*/isWide ? 2 : 4,
            tile.tileM, tile.tileN, /*tileK=*/places, tile.rows, tile.columns,
            mmaK);
        if (!llvm::is_contained(found, schedule))
          found.push_back(schedule);
      }
  return found;
}

SmallVector<TiledScheduleAttr>
mlir::fuse::sharedTilesOf(KernelOp kernel, const DimClasses &dims,
                          const ScheduleTarget &target) {
  Reason reason;
  FailureOr<TileSpace> space = tileSpaceOf(kernel, dims, reason);
  if (failed(space) || !target.gpu)
    return {};
  TileProblem problem = problemOf(*space, dims);
  SmallVector<std::pair<double, TiledScheduleAttr>> costs;
  for (TiledScheduleAttr schedule :
       allSharedTiles(kernel.getContext(), problem.isWide, target)) {
    SharedTileLayout layout(schedule, *space, dims);
    if (layout.bytes() <= target.gpu->maxSharedBytesPerBlock)
      costs.push_back(
          {busiestMultiprocessor(problem, schedule, layout, *target.gpu).all(),
           schedule});
  }
  llvm::stable_sort(costs, llvm::less_first());
  return llvm::map_to_vector(costs,
                             [](const auto &cost) { return cost.second; });
}

ScheduleAttrInterface mlir::fuse::proposeTiled(KernelOp kernel,
                                               const DimClasses &dims,
                                               const ScheduleTarget &target) {
  Reason reason;
  FailureOr<TileSpace> space = tileSpaceOf(kernel, dims, reason);
  if (failed(space))
    return {};
  if (!target.isGPU)
    return proposePanels(kernel, *space, dims, target);
  SmallVector<TiledScheduleAttr> tiles = sharedTilesOf(kernel, dims, target);
  return tiles.empty() ? TiledScheduleAttr() : tiles.front();
}
