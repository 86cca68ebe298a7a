//===- Schedule.cpp - Verifiers of schedules ------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleVerifiers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// A block has at most 1024 threads on all targets.
static constexpr int64_t kMaxThreads = 1024;
/// What the largest chips take.
static constexpr int64_t kMaxCluster = 16;
/// Copies wait for groups by their number, which is a constant of the code.
static constexpr int64_t kMaxStages = 8;
/// Of a multiprocessor of any chip.
static constexpr int64_t kMaxThreadsPerSM = 2048;
/// Lanes that exchange values by shuffles.
static constexpr int64_t kWarpSize = 32;
/// A CPU thread walks a stretch of many vectors.
static constexpr int64_t kMaxUnroll = 4096;
/// Some blocks for every multiprocessor of the largest chips.
static constexpr int64_t kMaxParts = 4096;
/// All are code of their own.
static constexpr int64_t kMaxRowsPerThread = 16;
/// A tile of bytes then takes 64 KiB.
static constexpr int64_t kMaxTile = 256;

static LogicalResult verifyThreadsAndVector(EmitError emitError,
                                            int64_t threads, int64_t vector) {
  if (failed(verifyRange(emitError, "threads", threads, kMaxThreads)) ||
      failed(verifyRange(emitError, "vector", vector, kMaxFactor)))
    return failure();
  if (llvm::isPowerOf2_64(vector))
    return success();
  return emitError() << "expected vector to be a power of two, but got "
                     << vector << "; choose "
                     << llvm::bit_floor(static_cast<uint64_t>(vector));
}

static LogicalResult verifyCluster(EmitError emitError, StringRef name,
                                   int64_t blocks) {
  if (blocks >= 1 && blocks <= kMaxCluster && llvm::isPowerOf2_64(blocks))
    return success();
  return emitError() << "expected " << name
                     << " to be a power of two from 1 to " << kMaxCluster
                     << ", but got " << blocks << "; choose one of those";
}

static LogicalResult verifyStages(EmitError emitError, int64_t stages,
                                  HoldKind hold) {
  if (failed(verifyRange(emitError, "stages", stages, kMaxStages)))
    return failure();
  if (stages == 1 || hold == HoldKind::loop)
    return success();
  return emitError() << "expected stages with hold = loop, but got hold = "
                     << stringifyHoldKind(hold) << "; leave them out";
}

/// Those of rows may also be whole rows, in persistent blocks.
static LogicalResult verifyStagesOfRows(EmitError emitError, int64_t stages,
                                        HoldKind hold, bool preload,
                                        int64_t persistent) {
  if (hold != HoldKind::shared || stages == 1)
    return verifyStages(emitError, stages, hold);
  if (failed(verifyRange(emitError, "stages", stages, kMaxStages)))
    return failure();
  if (preload && persistent > 0)
    return success();
  return emitError() << "expected preload and persistent blocks for stages "
                        "with hold = shared, but got persistent = "
                     << persistent << "; leave them out";
}

LogicalResult PointwiseScheduleAttr::verify(EmitError emitError,
                                            int64_t threads, int64_t vector,
                                            int64_t unroll, int64_t heads) {
  if (failed(verifyThreadsAndVector(emitError, threads, vector)) ||
      failed(verifyRange(emitError, "heads", heads, kMaxFactor)))
    return failure();
  return verifyRange(emitError, "unroll", unroll, kMaxUnroll);
}

static LogicalResult verifyRowsPerThread(EmitError emitError, int64_t threads,
                                         int64_t rowsPerBlock, HoldKind hold,
                                         int64_t blocksPerRow, bool wholeGrid,
                                         int64_t persistent,
                                         int64_t rowsPerThread) {
  if (failed(verifyRange(emitError, "rows_per_thread", rowsPerThread,
                         kMaxRowsPerThread)))
    return failure();
  if (rowsPerThread == 1)
    return success();
  if (rowsPerBlock % rowsPerThread != 0 ||
      threads % (rowsPerBlock / rowsPerThread) != 0)
    return emitError() << "expected rows_per_block to be rows_per_thread = "
                       << rowsPerThread << " times a divisor of the " << threads
                       << " threads, but got " << rowsPerBlock
                       << "; choose such a multiple";
  if (hold == HoldKind::registers && blocksPerRow == 1 && !wholeGrid &&
      persistent == 0)
    return success();
  return emitError() << "expected hold = registers, one block a row and no "
                        "persistent blocks with rows_per_thread > 1, but got "
                        "hold = "
                     << stringifyHoldKind(hold)
                     << ", blocks_per_row = " << blocksPerRow
                     << " and persistent = " << persistent
                     << "; use rows_per_thread = 1";
}

LogicalResult RowsScheduleAttr::verify(EmitError emitError, int64_t threads,
                                       int64_t vector, int64_t rowsPerBlock,
                                       HoldKind hold, int64_t unroll,
                                       int64_t inRegisters, bool preload,
                                       int64_t copyGroups, int64_t blocksPerRow,
                                       bool wholeGrid, int64_t persistent,
                                       int64_t stages, int64_t leastBlocks,
                                       int64_t rowsPerThread) {
  if (failed(verifyThreadsAndVector(emitError, threads, vector)) ||
      failed(verifyRange(emitError, "unroll", unroll, kMaxFactor)) ||
      failed(verifyRange(emitError, "copy_groups", copyGroups, kMaxFactor)) ||
      failed(verifyRange(emitError, "rows_per_block", rowsPerBlock,
                         kMaxThreads)) ||
      failed(verifyStagesOfRows(emitError, stages, hold, preload, persistent)))
    return failure();
  if (inRegisters < 0 || (inRegisters > 0 && hold != HoldKind::shared))
    return emitError() << "expected in_registers from 0 on, and only with hold "
                          "= shared, but got "
                       << inRegisters << "; leave it out";
  if (preload && hold != HoldKind::registers && hold != HoldKind::shared)
    return emitError() << "expected preload with hold = registers or hold = "
                          "shared, but got hold = "
                       << stringifyHoldKind(hold) << "; leave it out";
  if (hold == HoldKind::shared && rowsPerBlock != 1)
    return emitError() << "expected rows_per_block = 1 with hold = shared, but "
                          "got "
                       << rowsPerBlock << "; use hold = registers";
  if (rowsPerThread == 1 && threads % rowsPerBlock != 0)
    return emitError() << "expected rows_per_block to divide the " << threads
                       << " threads, but got " << rowsPerBlock
                       << "; choose a divisor";
  if (failed(verifyRowsPerThread(emitError, threads, rowsPerBlock, hold,
                                 blocksPerRow, wholeGrid, persistent,
                                 rowsPerThread)))
    return failure();
  if (wholeGrid && hold != HoldKind::loop)
    return emitError() << "expected hold = loop where the whole grid shares a "
                          "row, but got hold = "
                       << stringifyHoldKind(hold) << "; use hold = loop";
  if (wholeGrid &&
      failed(verifyRange(emitError, "blocks_per_row", blocksPerRow, kMaxParts)))
    return failure();
  if (!wholeGrid &&
      failed(verifyCluster(emitError, "blocks_per_row", blocksPerRow)))
    return failure();
  if (blocksPerRow > 1 && (rowsPerBlock != 1 || threads % kWarpSize != 0))
    return emitError() << "expected rows_per_block = 1 and whole warps of "
                       << kWarpSize << " where blocks share a row, but got "
                       << rowsPerBlock << " and " << threads
                       << " threads; use blocks_per_row = 1";
  if (persistent != 0 &&
      failed(verifyRange(emitError, "persistent", persistent, kMaxPersistent)))
    return failure();
  if (leastBlocks < 0 || leastBlocks * threads > kMaxThreadsPerSM)
    return emitError() << "expected least_blocks of up to " << kMaxThreadsPerSM
                       << " threads together, but got " << leastBlocks
                       << " blocks of " << threads << "; use "
                       << kMaxThreadsPerSM / threads << " at most";
  if (persistent != 0 && (wholeGrid || persistent % blocksPerRow != 0))
    return emitError() << "expected persistent blocks to be whole clusters of "
                       << blocksPerRow
                       << " blocks that have rows, but got persistent = "
                       << persistent << "; leave it out";
  // The butterfly of shuffles that combines them would read lanes of another
  // row, or lanes that are not there.
  int64_t group = threads / (rowsPerBlock / rowsPerThread);
  if (group % kWarpSize == 0 ||
      (group < kWarpSize && llvm::isPowerOf2_64(group)))
    return success();
  return emitError() << "expected the threads of a row to be whole warps of "
                     << kWarpSize << " or a power of two, but got " << group
                     << "; choose other threads or rows_per_block";
}

RowsScheduleAttr RowsScheduleAttr::withBlocksPerRow(int64_t blocks) const {
  return get(getContext(), getThreads(), getVector(), getRowsPerBlock(),
             getHold(), getUnroll(), getInRegisters(), getPreload(),
             getCopyGroups(), blocks, getWholeGrid(), getPersistent(),
             getStages(), getLeastBlocks(), getRowsPerThread());
}

RowsScheduleAttr RowsScheduleAttr::withWholeGrid(int64_t blocks) const {
  return get(getContext(), getThreads(), getVector(), getRowsPerBlock(),
             getHold(), getUnroll(), getInRegisters(), getPreload(),
             getCopyGroups(), blocks, /*whole_grid=*/true,
             /*persistent=*/0, getStages(), getLeastBlocks(),
             getRowsPerThread());
}

RowsScheduleAttr RowsScheduleAttr::withPersistent(int64_t blocks) const {
  return get(getContext(), getThreads(), getVector(), getRowsPerBlock(),
             getHold(), getUnroll(), getInRegisters(), getPreload(),
             getCopyGroups(), getBlocksPerRow(), getWholeGrid(), blocks,
             getStages(), getLeastBlocks(), getRowsPerThread());
}

RowsScheduleAttr RowsScheduleAttr::withPreload(bool preload) const {
  return get(getContext(), getThreads(), getVector(), getRowsPerBlock(),
             getHold(), getUnroll(), getInRegisters(), preload, getCopyGroups(),
             getBlocksPerRow(), getWholeGrid(), getPersistent(), getStages(),
             getLeastBlocks(), getRowsPerThread());
}

RowsScheduleAttr RowsScheduleAttr::withStages(int64_t stages) const {
  return get(getContext(), getThreads(), getVector(), getRowsPerBlock(),
             getHold(), getUnroll(), getInRegisters(), getPreload(),
             getCopyGroups(), getBlocksPerRow(), getWholeGrid(),
             getPersistent(), stages, getLeastBlocks(), getRowsPerThread());
}

RowsScheduleAttr RowsScheduleAttr::withLeastBlocks(int64_t blocks) const {
  return get(getContext(), getThreads(), getVector(), getRowsPerBlock(),
             getHold(), getUnroll(), getInRegisters(), getPreload(),
             getCopyGroups(), getBlocksPerRow(), getWholeGrid(),
             getPersistent(), getStages(), blocks, getRowsPerThread());
}

RowsScheduleAttr RowsScheduleAttr::withRowsPerThread(int64_t rows) const {
  return get(getContext(), getThreads(), getVector(), groupsPerBlock() * rows,
             getHold(), getUnroll(), getInRegisters(), getPreload(),
             getCopyGroups(), getBlocksPerRow(), getWholeGrid(),
             getPersistent(), getStages(), getLeastBlocks(), rows);
}

LogicalResult ColumnsScheduleAttr::verify(
    EmitError emitError, int64_t threads, int64_t vector, int64_t splits,
    HoldKind hold, int64_t unroll, int64_t parts, int64_t blocksPerColumn,
    int64_t stages, int64_t fold, bool evictFirst) {
  if (failed(verifyThreadsAndVector(emitError, threads, vector)) ||
      failed(verifyRange(emitError, "unroll", unroll, kMaxFactor)) ||
      failed(verifyRange(emitError, "fold", fold, kMaxFactor)) ||
      failed(verifyRange(emitError, "splits", splits, threads)) ||
      failed(verifyRange(emitError, "parts", parts, kMaxParts)) ||
      failed(verifyCluster(emitError, "blocks_per_column", blocksPerColumn)) ||
      failed(verifyStages(emitError, stages, hold)))
    return failure();
  // Copies into shared memory say nothing of the kind.
  if (evictFirst && stages > 1)
    return emitError() << "expected evict_first with stages = 1, but got "
                          "stages = "
                       << stages << "; leave it out";
  if (parts > 1 && hold != HoldKind::loop)
    return emitError() << "expected hold = loop where blocks share a column, "
                          "but got parts = "
                       << parts << " with hold = registers; use parts = 1";
  if (blocksPerColumn > 1 && (hold != HoldKind::loop || parts > 1))
    return emitError() << "expected hold = loop and parts = 1 where a cluster "
                          "shares a column, but got hold = "
                       << stringifyHoldKind(hold) << " and parts = " << parts
                       << "; use blocks_per_column = 1";
  if (fold > 1 && (hold != HoldKind::loop || blocksPerColumn > 1))
    return emitError() << "expected hold = loop and blocks_per_column = 1 "
                          "where rows are walked together, but got hold = "
                       << stringifyHoldKind(hold)
                       << " and blocks_per_column = " << blocksPerColumn
                       << " with fold = " << fold << "; use fold = 1";
  if (blocksPerColumn > 1 && threads % kWarpSize != 0)
    return emitError() << "expected whole warps of " << kWarpSize
                       << " where a cluster shares a column, but got "
                       << threads << " threads; use blocks_per_column = 1";
  if (hold != HoldKind::registers && hold != HoldKind::loop)
    return emitError() << "expected hold = registers or hold = loop, but got "
                       << stringifyHoldKind(hold) << "; use hold = loop";
  if (threads % splits == 0)
    return success();
  return emitError() << "expected splits to divide the " << threads
                     << " threads, but got " << splits << "; choose a divisor";
}

ColumnsScheduleAttr
ColumnsScheduleAttr::withBlocksPerColumn(int64_t blocks) const {
  return get(getContext(), getThreads(), getVector(), getSplits(), getHold(),
             getUnroll(), blocks > 1 ? 1 : getParts(), blocks, getStages(),
             blocks > 1 ? 1 : getFold(), getEvictFirst());
}

ColumnsScheduleAttr ColumnsScheduleAttr::withStages(int64_t stages) const {
  return get(getContext(), getThreads(), getVector(), getSplits(), getHold(),
             getUnroll(), getParts(), getBlocksPerColumn(), stages, getFold(),
             getEvictFirst() && stages == 1);
}

ColumnsScheduleAttr ColumnsScheduleAttr::withFold(int64_t fold) const {
  return get(getContext(), getThreads(), getVector(), getSplits(), getHold(),
             getUnroll(), getParts(), getBlocksPerColumn(), getStages(), fold,
             getEvictFirst());
}

ColumnsScheduleAttr ColumnsScheduleAttr::withEvictFirst(bool evictFirst) const {
  return get(getContext(), getThreads(), getVector(), getSplits(), getHold(),
             getUnroll(), getParts(), getBlocksPerColumn(), getStages(),
             getFold(), evictFirst);
}

LogicalResult OrderedScheduleAttr::verify(EmitError emitError, int64_t threads,
                                          int64_t vector, int64_t unroll) {
  if (failed(verifyThreadsAndVector(emitError, threads, vector)) ||
      failed(verifyRange(emitError, "unroll", unroll, kMaxFactor)))
    return failure();
  if (threads == 1 || threads % kWarpSize == 0)
    return success();
  return emitError() << "expected threads to be 1 or a multiple of "
                     << kWarpSize << ", but got " << threads << "; choose "
                     << llvm::alignTo(threads, kWarpSize);
}

LogicalResult TransposeScheduleAttr::verify(EmitError emitError,
                                            int64_t threads, int64_t tile,
                                            int64_t vector) {
  if (failed(verifyThreadsAndVector(emitError, threads, vector)) ||
      failed(verifyRange(emitError, "tile", tile, kMaxTile)))
    return failure();
  if (!llvm::isPowerOf2_64(tile) || tile < vector)
    return emitError() << "expected tile to be a power of two of at least "
                          "vector = "
                       << vector << ", but got " << tile << "; choose "
                       << 8 * vector;
  if (tile * tile / vector % threads == 0)
    return success();
  return emitError() << "expected threads to divide the "
                     << tile * tile / vector << " vectors of a tile, but got "
                     << threads << "; choose a power of two up to that";
}

LogicalResult ContractionScheduleAttr::verify(EmitError emitError,
                                              int64_t threads, int64_t tileM,
                                              int64_t tileN, int64_t vector,
                                              LaneAxis along) {
  if (failed(verifyThreadsAndVector(emitError, threads, vector)) ||
      failed(verifyRange(emitError, "tile_m", tileM, kMaxFactor)))
    return failure();
  return verifyRange(emitError, "tile_n", tileN, kMaxFactor);
}

/// Of results; a tile of f32 sums then takes 4 MiB.
static constexpr int64_t kMaxTiled = 1024;

static LogicalResult verifyPieces(EmitError emitError, StringRef tileName,
                                  int64_t tile, StringRef pieceName,
                                  int64_t piece) {
  if (failed(verifyRange(emitError, tileName, tile, kMaxTiled)) ||
      failed(verifyRange(emitError, pieceName, piece, kMaxTiled)))
    return failure();
  if (tile % piece == 0)
    return success();
  return emitError() << "expected " << tileName << " to be a multiple of "
                     << pieceName << " = " << piece << ", but got " << tile
                     << "; choose " << llvm::alignTo(tile, piece);
}

static LogicalResult verifyDepth(EmitError emitError, int64_t tileK) {
  constexpr int64_t most = TiledScheduleAttr::kMostInSequence;
  if (failed(verifyRange(emitError, "tile_k", tileK, most)))
    return failure();
  if (most % tileK == 0)
    return success();
  return emitError() << "expected tile_k to divide " << most << ", but got "
                     << tileK << "; choose "
                     << llvm::bit_floor(static_cast<uint64_t>(tileK));
}

int64_t StreamedPanelsScheduleAttr::getThreads() const { return 1; }

LogicalResult StreamedPanelsScheduleAttr::verify(EmitError emitError,
                                                 int64_t vector, int64_t tileM,
                                                 int64_t tileK, int64_t rows,
                                                 int64_t columns) {
  if (failed(verifyThreadsAndVector(emitError, /*threads=*/1, vector)) ||
      failed(verifyPieces(emitError, "tile_m", tileM, "rows", rows)) ||
      failed(verifyPieces(emitError, "tile_k", tileK, "columns", columns)) ||
      failed(verifyPieces(emitError, "columns", columns, "vector", vector)) ||
      failed(verifyDepth(emitError, tileK)))
    return failure();
  constexpr int64_t mostSums = 128;
  int64_t sums = rows * columns / vector;
  if (sums <= mostSums)
    return success();
  return emitError() << "expected rows and columns of at most " << mostSums
                     << " vectors of sums a thread, but got " << sums
                     << "; choose fewer rows";
}

/// Of f64 on tensor cores. A warp has 4 x rows, of which an instruction takes 8
/// or 16, and half a step is multiplied at a time.
static LogicalResult verifyWideProducts(EmitError emitError, int64_t threads,
                                        int64_t vector, int64_t tileK,
                                        int64_t rows, int64_t mmaK) {
  if (mmaK == 0)
    return success();
  if (mmaK != 4 && mmaK != 8)
    return emitError() << "expected mma_k to be 0, 4 or 8, but got " << mmaK
                       << "; choose 8";
  if (threads == 1 || vector != 2)
    return emitError() << "expected several threads and vector = 2 with mma_k, "
                          "but got threads = "
                       << threads << " and vector = " << vector
                       << "; leave mma_k out";
  if (failed(verifyPieces(emitError, "tile_k", tileK, "2 x mma_k", 2 * mmaK)))
    return failure();
  return verifyPieces(emitError, "rows", rows, "mma_k / 2", mmaK / 2);
}

LogicalResult TiledScheduleAttr::verify(EmitError emitError, int64_t threads,
                                        int64_t vector, int64_t tileM,
                                        int64_t tileN, int64_t tileK,
                                        int64_t rows, int64_t columns,
                                        int64_t mmaK) {
  if (failed(verifyThreadsAndVector(emitError, threads, vector)) ||
      failed(verifyPieces(emitError, "tile_m", tileM, "rows", rows)) ||
      failed(verifyPieces(emitError, "tile_n", tileN, "columns", columns)) ||
      failed(verifyPieces(emitError, "columns", columns, "vector", vector)) ||
      failed(verifyDepth(emitError, tileK)) ||
      failed(verifyWideProducts(emitError, threads, vector, tileK, rows, mmaK)))
    return failure();
  bool isCPU = threads == 1;
  int64_t sums = rows * columns / (isCPU ? vector : 1);
  if (sums > kMaxSums)
    return emitError() << "expected rows and columns of at most " << kMaxSums
                       << (isCPU ? " vectors of sums" : " sums")
                       << " a thread, but got " << sums
                       << "; choose fewer rows";
  int64_t pieces = tileM / rows * (tileN / columns);
  if (!isCPU && threads % pieces != 0)
    return emitError() << "expected threads to be a multiple of the " << pieces
                       << " pieces of a tile, but got " << threads
                       << "; choose " << llvm::alignTo(threads, pieces);
  return success();
}
