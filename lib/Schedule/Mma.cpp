//===- Mma.cpp - Schedules of contractions on tensor cores ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile takes as many clocks as the slowest of three things: its products, the
// operands that these read from shared memory, and those that come from the L2.
// Tiles come in waves of one a multiprocessor; behind the last one its results
// are written while nothing is multiplied. Of the tiles that there are
// instructions for the fastest is taken, of equally fast ones the first.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/MmaSpace.h"
#include "fuse/Analysis/OpCost.h"
#include "fuse/Schedule/Scheduler.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Of a product.
struct ProductSizes {
  double batches, m, n, k;
  /// Of a result's element, all results together.
  double resultBytes;
};
} // namespace

static double ceilDiv(double a, double b) { return std::ceil(a / b); }

/// Clocks that a multiprocessor needs for the products of a tile.
static double clocksOf(MmaScheduleAttr schedule, const ProductSizes &sizes,
                       const GPUTarget &gpu) {
  double m = schedule.getTileM(), n = schedule.getTileN();
  constexpr double bytes = MmaScheduleAttr::kElementBytes;
  double products = m * n / gpu.mmaPerClock;
  // Each instruction reads its rows and all of its columns.
  double rows = MmaScheduleAttr::kRows, columns = schedule.columnsPerConsumer();
  double shared = m * n / (rows * columns) * (rows + columns) * bytes /
                  gpu.sharedBytesPerClock;
  double cached = (m + n) * bytes * gpu.multiprocessors / gpu.l2BytesPerClock;
  return sizes.k * std::max({products, shared, cached});
}

static double estimatedClocks(MmaScheduleAttr schedule,
                              const ProductSizes &sizes, const GPUTarget &gpu) {
  double m = schedule.getTileM(), n = schedule.getTileN();
  double tiles = sizes.batches * ceilDiv(sizes.m, m) * ceilDiv(sizes.n, n);
  double waves = ceilDiv(tiles, schedule.getPersistent());
  double written =
      m * n * sizes.resultBytes * gpu.multiprocessors / gpu.l2BytesPerClock;
  double memory =
      sizes.batches *
      (MmaScheduleAttr::kElementBytes * sizes.k * (sizes.m + sizes.n) +
       sizes.resultBytes * sizes.m * sizes.n) /
      gpu.memoryBytesPerSecond * gpu.clockHertz;
  return std::max(waves * clocksOf(schedule, sizes, gpu), memory) + written;
}

/// Rows of tiles that are walked together: of a wave, the rows and columns that
/// are read are then the fewest.
static int64_t rasterOf(int64_t tileM, int64_t tileN, const GPUTarget &gpu) {
  double waves = gpu.multiprocessors;
  int64_t best = 1;
  auto read = [&](double raster) {
    return raster * tileM + waves / raster * tileN;
  };
  for (int64_t raster = 2; raster <= 32; raster *= 2)
    if (read(raster) < read(best))
      best = raster;
  return best;
}

/// With as many stages as there is room for. Null if there are too few.
static MmaScheduleAttr scheduleOf(MLIRContext *context, int64_t tileM,
                                  int64_t tileN, MmaStore store,
                                  const GPUTarget &gpu) {
  constexpr int64_t tileK = MmaScheduleAttr::kRowElements, consumers = 2;
  constexpr int64_t mostStages = 8;
  for (int64_t stages = mostStages; stages >= 3; --stages)
    if (auto schedule = MmaScheduleAttr::getIfLegal(
            context, MmaIsa::wgmma, tileM, tileN, tileK, stages, consumers,
            rasterOf(tileM, tileN, gpu), store, gpu.multiprocessors))
      return schedule;
  return {};
}

ScheduleAttrInterface mlir::fuse::proposeMma(KernelOp kernel,
                                             const DimClasses &dims,
                                             const ScheduleTarget &target) {
  if (!target.gpu || !target.gpu->hasWgmma)
    return {};
  TensorFacts facts{target.aligned, target.divisible};
  std::string reason;
  FailureOr<MmaSpace> space = mmaSpaceOf(kernel, dims, facts, reason);
  if (failed(space))
    return {};
  auto sizeOf = [&](char axis) {
    return estimatedElements(space->extents(axis, dims), dims);
  };
  ProductSizes sizes{1, sizeOf(space->m), sizeOf(space->n), sizeOf(space->k),
                     0};
  for (char axis : space->outer)
    sizes.batches *= sizeOf(axis);
  bool mayCopy = false;
  for (Value value : kernel.getYield().getValues()) {
    sizes.resultBytes +=
        getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() / 8.0;
    mayCopy |= fitsTensorMap(kernel, dims, value, facts);
  }
  MmaStore store = mayCopy ? MmaStore::tma : MmaStore::direct;
  MmaScheduleAttr best;
  std::pair<int64_t, int64_t> tiles[] = {{128, 256}, {256, 128}, {128, 192},
                                         {128, 128}, {128, 64},  {64, 256},
                                         {64, 128}};
  for (auto [tileM, tileN] : tiles) {
    MmaScheduleAttr schedule =
        scheduleOf(kernel.getContext(), tileM, tileN, store, *target.gpu);
    if (schedule && (!best || estimatedClocks(schedule, sizes, *target.gpu) <
                                  estimatedClocks(best, sizes, *target.gpu)))
      best = schedule;
  }
  return best;
}
