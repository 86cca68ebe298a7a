//===- MmaModel.cpp - How long tiles on tensor cores take -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/MmaModel.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

static constexpr double elementBytes = MmaScheduleAttr::kElementBytes;

/// What the enumeration takes: rows and columns of a tile, beside multiples of
/// the 64 columns of a copy a few for narrow results.
static constexpr int64_t tileRows[] = {64, 128, 192, 256};
static constexpr int64_t tileColumns[] = {8, 16, 32, 64, 128, 192, 256};
static constexpr int64_t mostConsumers = 2;
/// Slots beyond which none waits any more, and the fewest that overlap copies
/// with products.
static constexpr int64_t mostStages = 8, fewestStages = 3;

namespace {
/// Clocks for one place of the summed axis in one tile.
struct TileClocks {
  double tensorCores, sharedMemory, cache;

  double most() const { return std::max({tensorCores, sharedMemory, cache}); }
};
} // namespace

double mlir::fuse::mmaColumnTiles(MmaScheduleAttr schedule,
                                  const MmaProduct &product) {
  if (product.segments.empty())
    return std::ceil(product.n / schedule.getTileN());
  double tiles = 0;
  for (const MmaColumns &segment : product.segments)
    tiles +=
        std::ceil(segment.columns * segment.contractions / schedule.getTileN());
  return tiles;
}

static double tilesOf(MmaScheduleAttr schedule, const MmaProduct &product) {
  return product.batches * std::ceil(product.m / schedule.getTileM()) *
         mmaColumnTiles(schedule, product);
}

static double blocksOf(MmaScheduleAttr schedule, const MmaProduct &product,
                       const GPUTarget &gpu) {
  double most = std::min<double>(schedule.getPersistent(), gpu.multiprocessors);
  return std::max(1.0, std::min(tilesOf(schedule, product), most));
}

static TileClocks clocksOf(MmaScheduleAttr schedule, double blocks,
                           int64_t runs, const GPUTarget &gpu) {
  double m = schedule.getTileM(), n = schedule.getTileN();
  double loaded = (m + n) * elementBytes;
  // Each instruction reads its rows and its columns.
  double rows = MmaScheduleAttr::kRows;
  double columns = double(schedule.columnsPerConsumer()) / runs;
  double read = m * n / (rows * columns) * (rows + columns) * elementBytes;
  return {m * n / gpu.mmaPerClock, (loaded + read) / gpu.sharedBytesPerClock,
          loaded / std::min<double>(gpu.l2PortBytesPerClock,
                                    gpu.l2BytesPerClock / blocks)};
}

/// Clocks in which a tile computes what follows.
static double epilogueClocks(MmaScheduleAttr schedule,
                             const MmaProduct &product, const GPUTarget &gpu) {
  double lanes =
      gpu.operationsPerSecond() / (gpu.multiprocessors * gpu.clockHertz);
  return schedule.getTileM() * schedule.getTileN() *
         (product.instructions / lanes +
          product.readBytes / gpu.sharedBytesPerClock);
}

/// Seconds of the launch that combines what tiles leave of rows.
static double combiningSeconds(MmaScheduleAttr schedule,
                               const MmaProduct &product,
                               const GPUTarget &gpu) {
  if (product.states == 0)
    return 0;
  constexpr double stateBytes = 4;
  double parts = std::ceil(product.n / schedule.columnsPerConsumer());
  double bytes = product.states * stateBytes * product.batches * product.m *
                 (2 * parts + 1);
  return gpu.launchSeconds + bytes / gpu.memoryBytesPerSecond;
}

/// Clocks in which a tile leaves its results: in shared memory, from where they
/// are copied beside the next tile's products, or in memory.
static double resultClocks(MmaScheduleAttr schedule, const MmaProduct &product,
                           const GPUTarget &gpu) {
  double bytes =
      schedule.getTileM() * schedule.getTileN() * product.resultBytes;
  return bytes / (schedule.getStore() == MmaStore::tma
                      ? gpu.sharedBytesPerClock
                      : gpu.l2PortBytesPerClock);
}

double mlir::fuse::mmaClocks(MmaScheduleAttr schedule,
                             const MmaProduct &product, const GPUTarget &gpu) {
  double blocks = blocksOf(schedule, product, gpu);
  double waves = std::ceil(tilesOf(schedule, product) / blocks);
  return waves *
         (product.k * clocksOf(schedule, blocks, product.runs, gpu).most() +
          epilogueClocks(schedule, product, gpu) +
          resultClocks(schedule, product, gpu));
}

TimeEstimate mlir::fuse::estimateMma(MmaScheduleAttr schedule,
                                     const MmaProduct &product,
                                     const GPUTarget &gpu) {
  double busy = mmaClocks(schedule, product, gpu) / gpu.clockHertz;
  double bytes =
      product.batches *
      (elementBytes * product.k * (product.m + product.n) +
       (product.resultBytes + product.readBytes) * product.m * product.n);
  double memory = bytes / gpu.memoryBytesPerSecond;

  TimeEstimate estimate;
  estimate.residentBlocks = 1;
  estimate.seconds = gpu.launchSeconds + std::max(busy, memory) +
                     combiningSeconds(schedule, product, gpu);
  TileClocks clocks =
      clocksOf(schedule, blocksOf(schedule, product, gpu), product.runs, gpu);
  if (memory >= busy)
    estimate.limit = TimeLimit::Memory;
  else if (clocks.cache >= clocks.most())
    estimate.limit = TimeLimit::Cache;
  else if (clocks.sharedMemory > clocks.tensorCores)
    estimate.limit = TimeLimit::SharedMemory;
  else
    estimate.limit = TimeLimit::TensorCores;
  if (estimate.seconds < 2 * gpu.launchSeconds)
    estimate.limit = TimeLimit::Launch;
  return estimate;
}

bool mlir::fuse::isLegalMma(MmaScheduleAttr schedule, const MmaForm &form) {
  // Copies take blocks of columns that are as wide as a row in shared memory;
  // a swizzle repeats after 8 columns.
  auto isShared = [&](int64_t unit) {
    return schedule.columnsPerConsumer() % (unit * form.contractions) == 0;
  };
  bool areBlocks = isShared(MmaScheduleAttr::kRowElements);
  bool copiesResults = schedule.getStore() == MmaStore::tma;
  return isShared(/*unit=*/8) && (areBlocks || form.columnsAreAlongK) &&
         (!copiesResults || (areBlocks && form.mayCopyResults));
}

/// Rows of tiles that are walked together: of a wave, the rows and columns that
/// are read are then the fewest.
static int64_t rasterOf(int64_t tileM, int64_t tileN, const GPUTarget &gpu) {
  constexpr int64_t most = 32;
  double blocks = gpu.multiprocessors;
  auto read = [&](double raster) {
    return raster * tileM + blocks / raster * tileN;
  };
  int64_t best = 1;
  for (int64_t raster = 2; raster <= most; raster *= 2)
    if (read(raster) < read(best))
      best = raster;
  return best;
}

/// With as many stages as there is room for; null if there are too few.
static MmaScheduleAttr withMostStages(MLIRContext *context, int64_t tileM,
                                      int64_t tileN, int64_t consumers,
                                      MmaStore store, const GPUTarget &gpu) {
  for (int64_t stages = mostStages; stages >= fewestStages; --stages)
    if (auto schedule = MmaScheduleAttr::getIfLegal(
            context, MmaIsa::wgmma, tileM, tileN, MmaScheduleAttr::kRowElements,
            stages, consumers, rasterOf(tileM, tileN, gpu), store,
            gpu.multiprocessors))
      return schedule;
  return {};
}

/// Each tile for each number of consumers. Results are copied where they can
/// be: the next tile's products then go on meanwhile.
static SmallVector<MmaScheduleAttr>
allSchedules(MLIRContext *context, const MmaForm &form, const GPUTarget &gpu) {
  SmallVector<MmaScheduleAttr> found;
  auto tryStore = [&](int64_t tileM, int64_t tileN, int64_t consumers,
                      MmaStore store) {
    MmaScheduleAttr schedule =
        withMostStages(context, tileM, tileN, consumers, store, gpu);
    if (!schedule || !isLegalMma(schedule, form))
      return false;
    found.push_back(schedule);
    return true;
  };
  for (int64_t tileM : tileRows)
    for (int64_t tileN : tileColumns)
      for (int64_t consumers = mostConsumers; consumers > 0; --consumers)
        if (!tryStore(tileM, tileN, consumers, MmaStore::tma))
          tryStore(tileM, tileN, consumers, MmaStore::direct);
  return found;
}

SmallVector<MmaScheduleAttr>
mlir::fuse::rankMmaSchedules(MLIRContext *context, const MmaProduct &product,
                             const MmaForm &form, const GPUTarget &gpu) {
  if (!gpu.hasWgmma)
    return {};
  SmallVector<MmaScheduleAttr> all = allSchedules(context, form, gpu);
  // Seconds, clocks, and the place in `all`.
  SmallVector<std::tuple<double, double, size_t>> costs;
  for (auto [number, schedule] : llvm::enumerate(all))
    costs.push_back({estimateMma(schedule, product, gpu).seconds,
                     mmaClocks(schedule, product, gpu), number});
  llvm::sort(costs);
  return llvm::map_to_vector(
      costs, [&](const auto &cost) { return all[std::get<2>(cost)]; });
}
