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
// and to bring to shared memory.
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Scheduler.h"

#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/TileSpace.h"
#include "fuse/Target/CPUTarget.h"

using namespace mlir;
using namespace mlir::fuse;

/// Vector operations in the time that packing a vector takes, which comes from
/// a farther cache than what is multiplied; more where it is turned.
static constexpr double packedOps = 8, turnedOps = 12;
/// Rows and columns of the largest tile.
static constexpr int64_t mostOfTile = 512;

namespace {
/// Sizes of a kernel's contractions, dynamic ones as they are assumed.
struct TileProblem {
  double rows, columns, batches;
  std::optional<int64_t> staticRows, staticColumns, staticDepth;
  bool turnsColumns;
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
  problem.staticDepth = 0;
  for (const TileContraction &contraction : space.contractions) {
    auto depth = staticProduct(contraction.summedExtents(dims));
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
  double packing = rows * packedOps +
                   columns * (problem.turnsColumns ? turnedOps : packedOps);
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
  for (int64_t n = columns; n <= std::min(most, mostOfTile); n += columns)
    for (int64_t m = rows; m <= mostOfTile; m += rows) {
      double work = busiestCore(problem, m, n, lanes, host.cores);
      if (work < least) {
        least = work;
        tileM = m;
        tileN = n;
      }
    }
  return TiledScheduleAttr::get(kernel.getContext(), /*threads=*/1, lanes,
                                tileM, tileN, tileK, rows, columns);
}

/// Tiles of blocks of `threads`, whose pieces are `rows` x `columns`.
static constexpr struct {
  int64_t threads, tileM, tileN, rows, columns;
} sharedTiles[] = {{256, 128, 128, 8, 8}, {256, 128, 64, 8, 4},
                   {256, 64, 128, 4, 8},  {256, 64, 64, 4, 4},
                   {128, 32, 64, 4, 4},   {128, 16, 128, 4, 4},
                   {64, 16, 64, 4, 4}};

/// Elements that a multiprocessor brings to shared memory in the time of a
/// product, from the L2 and through registers.
static constexpr double broughtPerProduct = 1.0 / 16;

/// Products of the busiest multiprocessor for each place of the summed axis.
static double busiestMultiprocessor(const TileProblem &problem, double tileM,
                                    double tileN, double multiprocessors) {
  double tiles = std::ceil(problem.rows / tileM) *
                 std::ceil(problem.columns / tileN) * problem.batches;
  return std::ceil(tiles / multiprocessors) *
         (tileM * tileN + (tileM + tileN) / broughtPerProduct);
}

SmallVector<TiledScheduleAttr>
mlir::fuse::sharedTilesOf(KernelOp kernel, const DimClasses &dims,
                          const ScheduleTarget &target) {
  constexpr int64_t tileK = 8;
  Reason reason;
  FailureOr<TileSpace> space = tileSpaceOf(kernel, dims, reason);
  if (failed(space) || !target.gpu)
    return {};
  bool isWide = getElementTypeOrSelf(space->shape().getType()).isF64();
  SmallVector<TiledScheduleAttr> found;
  for (const auto &tile : sharedTiles) {
    // The sums of wide types take as many registers in smaller pieces.
    if (isWide && tile.rows * tile.columns > 32)
      continue;
    auto schedule = TiledScheduleAttr::get(
        kernel.getContext(), tile.threads, /*vector=*/isWide ? 2 : 4,
        tile.tileM, tile.tileN, tileK, tile.rows, tile.columns);
    if (SharedTileLayout(schedule, *space, dims).bytes() <=
        target.gpu->maxSharedBytesPerBlock)
      found.push_back(schedule);
  }
  return found;
}

static ScheduleAttrInterface proposeShared(KernelOp kernel,
                                           const TileSpace &space,
                                           const DimClasses &dims,
                                           const ScheduleTarget &target) {
  TileProblem problem = problemOf(space, dims);
  TiledScheduleAttr fastest;
  double least = HUGE_VAL;
  for (TiledScheduleAttr schedule : sharedTilesOf(kernel, dims, target)) {
    double work =
        busiestMultiprocessor(problem, schedule.getTileM(), schedule.getTileN(),
                              target.gpu->multiprocessors);
    if (work < least) {
      fastest = schedule;
      least = work;
    }
  }
  return fastest;
}

ScheduleAttrInterface mlir::fuse::proposeTiled(KernelOp kernel,
                                               const DimClasses &dims,
                                               const ScheduleTarget &target) {
  Reason reason;
  FailureOr<TileSpace> space = tileSpaceOf(kernel, dims, reason);
  if (failed(space))
    return {};
  return target.isGPU ? proposeShared(kernel, *space, dims, target)
                      : proposePanels(kernel, *space, dims, target);
}
