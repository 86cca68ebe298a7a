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
/// Of a multiprocessor of any chip.
static constexpr int64_t kMaxThreadsPerSM = 2048;
/// Lanes that exchange values by shuffles.
static constexpr int64_t kWarpSize = 32;
/// A CPU thread walks a stretch of many vectors.
static constexpr int64_t kMaxUnroll = 4096;
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

LogicalResult PointwiseScheduleAttr::verify(EmitError emitError,
                                            int64_t threads, int64_t vector,
                                            int64_t unroll, int64_t heads) {
  if (failed(verifyThreadsAndVector(emitError, threads, vector)) ||
      failed(verifyRange(emitError, "heads", heads, kMaxFactor)))
    return failure();
  return verifyRange(emitError, "unroll", unroll, kMaxUnroll);
}

/// A part as it is written, or none.
static std::string textOf(Attribute part) {
  if (!part)
    return "none";
  std::string text;
  llvm::raw_string_ostream stream(text);
  part.print(stream);
  return StringRef(text).substr(text.find('.') + 1).str();
}

static LogicalResult verifyRowsPerThread(EmitError emitError, int64_t threads,
                                         int64_t rowsPerBlock,
                                         int64_t rowsPerThread,
                                         ShareAttrInterface share,
                                         int64_t persistent) {
  if (rowsPerThread == 1)
    return success();
  if (rowsPerBlock % rowsPerThread != 0 ||
      threads % (rowsPerBlock / rowsPerThread) != 0)
    return emitError() << "expected rows_per_block to be rows_per_thread = "
                       << rowsPerThread << " times a divisor of the " << threads
                       << " threads, but got " << rowsPerBlock
                       << "; choose such a multiple";
  if (!share && persistent == 0)
    return success();
  return emitError() << "expected no share and no persistent blocks with "
                        "rows_per_thread > 1, but got share = "
                     << textOf(share) << " and persistent = " << persistent
                     << "; leave rows_per_thread out";
}

/// Blocks that share a row.
static LogicalResult verifySharedRow(EmitError emitError, int64_t threads,
                                     int64_t rowsPerBlock,
                                     HoldAttrInterface hold,
                                     ShareAttrInterface share) {
  if (!share)
    return success();
  if (!isa<ClusterShareAttr, GridShareAttr>(share))
    return emitError() << "expected share = cluster<N> or share = grid<N> for "
                          "rows, but got "
                       << textOf(share) << "; leave it out";
  if (isa<GridShareAttr>(share) && !isa<LoopHoldAttr>(hold))
    return emitError() << "expected hold = loop where the whole grid shares a "
                          "row, but got hold = "
                       << hold.getKeyword() << "; use hold = loop";
  if (share.getBlocks() == 1 || (rowsPerBlock == 1 && threads % kWarpSize == 0))
    return success();
  return emitError() << "expected rows_per_block = 1 and whole warps of "
                     << kWarpSize << " where blocks share a row, but got "
                     << rowsPerBlock << " and " << threads
                     << " threads; leave share out";
}

static LogicalResult verifyPersistentRows(EmitError emitError,
                                          HoldAttrInterface hold,
                                          ShareAttrInterface share,
                                          int64_t persistent) {
  auto shared = dyn_cast<SharedHoldAttr>(hold);
  if (shared && shared.getStages() > 1 && persistent == 0)
    return emitError() << "expected persistent blocks for stages with hold = "
                          "shared, but got persistent = 0; leave stages out";
  if (persistent == 0)
    return success();
  if (failed(verifyRange(emitError, "persistent", persistent, kMaxPersistent)))
    return failure();
  int64_t blocks = share ? share.getBlocks() : 1;
  if (!isa_and_nonnull<GridShareAttr>(share) && persistent % blocks == 0)
    return success();
  return emitError() << "expected persistent blocks to be whole clusters of "
                     << blocks
                     << " blocks that have rows, but got persistent = "
                     << persistent << "; leave it out";
}

LogicalResult RowsScheduleAttr::verify(EmitError emitError, int64_t threads,
                                       int64_t vector, int64_t rowsPerBlock,
                                       HoldAttrInterface hold,
                                       ShareAttrInterface share,
                                       int64_t persistent,
                                       int64_t leastBlocks) {
  if (failed(verifyThreadsAndVector(emitError, threads, vector)) ||
      failed(
          verifyRange(emitError, "rows_per_block", rowsPerBlock, kMaxThreads)))
    return failure();
  if (isa<SharedHoldAttr>(hold) && rowsPerBlock != 1)
    return emitError() << "expected rows_per_block = 1 with hold = shared, but "
                          "got "
                       << rowsPerBlock << "; use hold = registers";
  auto registers = dyn_cast<RegistersHoldAttr>(hold);
  int64_t rowsPerThread = registers ? registers.getRowsPerThread() : 1;
  if (rowsPerThread == 1 && threads % rowsPerBlock != 0)
    return emitError() << "expected rows_per_block to divide the " << threads
                       << " threads, but got " << rowsPerBlock
                       << "; choose a divisor";
  if (failed(verifyRowsPerThread(emitError, threads, rowsPerBlock,
                                 rowsPerThread, share, persistent)) ||
      failed(verifySharedRow(emitError, threads, rowsPerBlock, hold, share)) ||
      failed(verifyPersistentRows(emitError, hold, share, persistent)))
    return failure();
  if (leastBlocks < 0 || leastBlocks * threads > kMaxThreadsPerSM)
    return emitError() << "expected least_blocks of up to " << kMaxThreadsPerSM
                       << " threads together, but got " << leastBlocks
                       << " blocks of " << threads << "; use "
                       << kMaxThreadsPerSM / threads << " at most";
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

int64_t RowsScheduleAttr::blocksPerRow() const {
  return getShare() ? getShare().getBlocks() : 1;
}

bool RowsScheduleAttr::sharesGrid() const {
  return isa_and_nonnull<GridShareAttr>(getShare());
}

int64_t RowsScheduleAttr::rowsPerThread() const {
  auto registers = dyn_cast<RegistersHoldAttr>(getHold());
  return registers ? registers.getRowsPerThread() : 1;
}

RowsScheduleAttr RowsScheduleAttr::withHold(HoldAttrInterface hold) const {
  return get(getContext(), getThreads(), getVector(), getRowsPerBlock(), hold,
             getShare(), getPersistent(), getLeastBlocks());
}

RowsScheduleAttr RowsScheduleAttr::withPersistent(int64_t blocks) const {
  return get(getContext(), getThreads(), getVector(), getRowsPerBlock(),
             getHold(), getShare(), blocks, getLeastBlocks());
}

RowsScheduleAttr RowsScheduleAttr::withLeastBlocks(int64_t blocks) const {
  return get(getContext(), getThreads(), getVector(), getRowsPerBlock(),
             getHold(), getShare(), getPersistent(), blocks);
}

/// Blocks that share a column.
static LogicalResult verifySharedColumn(EmitError emitError, int64_t threads,
                                        HoldAttrInterface hold,
                                        ShareAttrInterface share) {
  if (!share)
    return success();
  if (!isa<ClusterShareAttr, PartsShareAttr>(share))
    return emitError() << "expected share = cluster<N> or share = parts<N> for "
                          "columns, but got "
                       << textOf(share) << "; use share = parts<N>";
  if (!isa<LoopHoldAttr>(hold))
    return emitError() << "expected hold = loop where blocks share a column, "
                          "but got share = "
                       << textOf(share) << " with hold = " << hold.getKeyword()
                       << "; leave share out";
  if (isa<ClusterShareAttr>(share) && threads % kWarpSize != 0)
    return emitError() << "expected whole warps of " << kWarpSize
                       << " where a cluster shares a column, but got "
                       << threads << " threads; leave share out";
  return success();
}

LogicalResult ColumnsScheduleAttr::verify(EmitError emitError, int64_t threads,
                                          int64_t vector, int64_t splits,
                                          HoldAttrInterface hold,
                                          ShareAttrInterface share,
                                          int64_t fold, bool evictFirst) {
  if (failed(verifyThreadsAndVector(emitError, threads, vector)) ||
      failed(verifyRange(emitError, "fold", fold, kMaxFactor)) ||
      failed(verifyRange(emitError, "splits", splits, threads)))
    return failure();
  // What registers may have beside is of rows.
  if (!isa<LoopHoldAttr>(hold) &&
      hold != RegistersHoldAttr::get(hold.getContext()))
    return emitError() << "expected hold = registers or hold = loop<...> for "
                          "columns, but got "
                       << textOf(hold) << "; use hold = loop";
  if (failed(verifySharedColumn(emitError, threads, hold, share)))
    return failure();
  // Copies into shared memory say nothing of the kind.
  if (evictFirst && hold.getStages() > 1)
    return emitError() << "expected evict_first with stages = 1, but got "
                          "stages = "
                       << hold.getStages() << "; leave it out";
  if (fold > 1 &&
      (!isa<LoopHoldAttr>(hold) || isa_and_nonnull<ClusterShareAttr>(share)))
    return emitError() << "expected hold = loop and no cluster where rows are "
                          "walked together, but got hold = "
                       << hold.getKeyword() << " and share = " << textOf(share)
                       << " with fold = " << fold << "; leave fold out";
  if (threads % splits == 0)
    return success();
  return emitError() << "expected splits to divide the " << threads
                     << " threads, but got " << splits << "; choose a divisor";
}

int64_t ColumnsScheduleAttr::parts() const {
  auto parts = dyn_cast_or_null<PartsShareAttr>(getShare());
  return parts ? parts.getBlocks() : 1;
}

int64_t ColumnsScheduleAttr::clusterSize() const {
  auto cluster = dyn_cast_or_null<ClusterShareAttr>(getShare());
  return cluster ? cluster.getBlocks() : 1;
}

LogicalResult OrderedScheduleAttr::verify(EmitError emitError, int64_t threads,
                                          int64_t vector, int64_t unroll,
                                          int64_t splits) {
  if (failed(verifyThreadsAndVector(emitError, threads, vector)) ||
      failed(verifyRange(emitError, "unroll", unroll, kMaxFactor)) ||
      failed(verifyRange(emitError, "splits", splits, threads)))
    return failure();
  if (threads % splits != 0)
    return emitError() << "expected splits to divide threads, but got "
                       << splits << " and " << threads
                       << "; choose a power of two up to that";
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
