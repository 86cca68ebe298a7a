//===- Schedule.cpp - Verifiers of schedules ------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

using EmitError = function_ref<InFlightDiagnostic()>;

/// Bounds of every schedule: a block has at most 1024 threads on all targets,
/// and a lane count above 64 is a typing error.
static constexpr int64_t kMaxThreads = 1024;
static constexpr int64_t kMaxFactor = 64;
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
/// More blocks than the largest chips run at the same time.
static constexpr int64_t kMaxPersistent = 8192;
/// All are code of their own.
static constexpr int64_t kMaxRowsPerThread = 16;
/// A tile of bytes then takes 64 KiB.
static constexpr int64_t kMaxTile = 256;
/// Of a copy's box, see cuTensorMapEncodeTiled.
static constexpr int64_t kMaxBox = 256;
/// Registers of a thread for sums, beside addresses and what an epilogue needs.
static constexpr int64_t kMaxSums = 160;
/// Where fragments of operands are in registers, too.
static constexpr int64_t kMaxSumsBesideFragments = 128;
/// Where those of tensor cores are added to others.
static constexpr int64_t kMaxPromotedSums = 96;
/// Shared memory of a block on the chips with wgmma.
static constexpr int64_t kWgmmaSharedBytes = 227 * 1024;
/// The sums of two consumers leave registers for no third.
static constexpr int64_t kMaxConsumers = 2;
/// Slots of a ring; each has two barriers.
static constexpr int64_t kMaxSlots = 16;
static constexpr int64_t kBarrierBytes = 8;
/// Barriers with which the blocks of a cluster exchange their sums.
static constexpr int64_t kClusterBarriers = 2;
/// What every chip with clusters takes.
static constexpr int64_t kPortableCluster = 8;
/// Where swizzled rows may start, see the matrix descriptor of wgmma.
static constexpr int64_t kSwizzleBytes = 1024;

static LogicalResult verifyRange(EmitError emitError, StringRef name,
                                 int64_t value, int64_t high) {
  if (value >= 1 && value <= high)
    return success();
  return emitError() << "expected " << name << " from 1 to " << high
                     << ", but got " << value << "; choose one in that range";
}

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

/// Those of rows may also be whole rows, in blocks that stay.
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

LogicalResult TiledScheduleAttr::verify(EmitError emitError, int64_t threads,
                                        int64_t vector, int64_t tileM,
                                        int64_t tileN, int64_t tileK,
                                        int64_t rows, int64_t columns) {
  if (failed(verifyThreadsAndVector(emitError, threads, vector)) ||
      failed(verifyPieces(emitError, "tile_m", tileM, "rows", rows)) ||
      failed(verifyPieces(emitError, "tile_n", tileN, "columns", columns)) ||
      failed(verifyPieces(emitError, "columns", columns, "vector", vector)) ||
      failed(verifyRange(emitError, "tile_k", tileK, kMostInSequence)))
    return failure();
  if (kMostInSequence % tileK != 0)
    return emitError() << "expected tile_k to divide " << kMostInSequence
                       << ", but got " << tileK << "; choose "
                       << llvm::bit_floor(static_cast<uint64_t>(tileK));
  bool isCPU = threads == 1;
  int64_t sums = rows * columns / (isCPU ? vector : 1);
  if (sums > kMaxSums)
    return emitError() << "expected rows and columns of at most " << kMaxSums
                       << (isCPU ? " vectors of sums" : " sums")
                       << " a thread, but got " << sums
                       << "; choose fewer rows";
  int64_t pieces = tileM / rows * (tileN / columns);
  if (!isCPU && pieces != threads)
    return emitError() << "expected threads to be the " << pieces
                       << " pieces of a tile, but got " << threads
                       << "; choose " << pieces;
  return success();
}

int64_t MmaScheduleAttr::getThreads() const {
  int64_t producers = isMmaSync() ? 0 : 1;
  return (producers + getConsumers()) * kGroup;
}

/// Neighbours along a row that a thread has of the sums.
int64_t MmaScheduleAttr::getVector() const { return 2; }

static int64_t slotBytesOf(int64_t tileM, int64_t tileN, int64_t tileK,
                           int64_t operandBits) {
  return (tileM + tileN) * tileK * operandBits / 8;
}

static int64_t resultBytesOf(MmaStore store, int64_t consumers) {
  return store == MmaStore::direct ? 0
                                   : consumers * MmaScheduleAttr::kBuffers *
                                         MmaScheduleAttr::kBufferBytes;
}

/// So that the threads of a warp, which write pairs of 8 rows, or single sums
/// of 8 columns where the operands are swapped, meet in no bank.
static int64_t sumsPitchOf(int64_t tileM, int64_t tileN, bool swap) {
  return swap ? tileM + 4 : tileN + 8;
}

static int64_t sumsBytesOf(int64_t tileM, int64_t tileN, int64_t splitK,
                           bool swap) {
  constexpr int64_t sumBytes = 4;
  bool gathers = swap || splitK > 1;
  return gathers ? (swap ? tileN : tileM) * sumsPitchOf(tileM, tileN, swap) *
                       sumBytes
                 : 0;
}

/// Two barriers a slot, those of the cluster, and what aligning the first slot
/// takes.
static int64_t sharedBytesOf(MmaIsa isa, int64_t stages, int64_t slot,
                             int64_t results, int64_t sums, int64_t splitK) {
  if (isa == MmaIsa::mma_sync)
    return std::max({stages * slot, results, sums}) + kSwizzleBytes;
  int64_t barriers = 2 * stages + (splitK > 1 ? kClusterBarriers : 0);
  return stages * slot + barriers * kBarrierBytes + results + sums +
         kSwizzleBytes;
}

int64_t MmaScheduleAttr::slotBytes() const {
  return slotBytesOf(getTileM(), getTileN(), getTileK(), getOperandBits());
}

int64_t MmaScheduleAttr::resultBytes() const {
  return resultBytesOf(getStore(), getConsumers());
}

int64_t MmaScheduleAttr::sumsPitch() const {
  return sumsPitchOf(getTileM(), getTileN(), getSwap());
}

int64_t MmaScheduleAttr::sumsBytes() const {
  return sumsBytesOf(getTileM(), getTileN(), getSplitK(), getSwap());
}

int64_t MmaScheduleAttr::sharedBytes() const {
  return sharedBytesOf(getIsa(), getStages(), slotBytes(), resultBytes(),
                       sumsBytes(), getSplitK());
}

MmaScheduleAttr MmaScheduleAttr::getIfLegal(
    MLIRContext *context, MmaIsa isa, int64_t tileM, int64_t tileN,
    int64_t tileK, int64_t stages, int64_t consumers, int64_t raster,
    MmaStore store, int64_t persistent, int64_t splitK, bool swap,
    int64_t operandBits, int64_t clusterM, int64_t clusterN) {
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  return getChecked([&] { return emitError(UnknownLoc::get(context)); },
                    context, isa, tileM, tileN, tileK, stages, consumers,
                    raster, store, persistent, splitK, swap, operandBits,
                    clusterM, clusterN);
}

static LogicalResult verifyTile(EmitError emitError, MmaIsa isa, int64_t tileM,
                                int64_t tileN, int64_t tileK, int64_t consumers,
                                int64_t operandBits) {
  constexpr int64_t rows = MmaScheduleAttr::kRows;
  bool isSync = isa == MmaIsa::mma_sync;
  bool sharesColumns = consumers > 1 && (isSync || tileM == rows);
  if (isSync && tileM % rows != 0)
    return emitError() << "expected tile_m to be a multiple of " << rows
                       << ", 16 rows of each of 4 warps, but got " << tileM
                       << "; choose " << llvm::alignTo(tileM, rows);
  if (tileM < rows || tileM > kMaxBox ||
      (!sharesColumns && tileM % (rows * consumers) != 0))
    return emitError()
           << "expected tile_m of 64 or a multiple of " << rows * consumers
           << " (64 rows of an instruction for each consumer) up to " << kMaxBox
           << ", but got " << tileM << "; choose " << rows * consumers;
  int64_t sharers = sharesColumns ? consumers : 1;
  if (tileN < 8 * sharers || tileN > kMaxBox || tileN % (8 * sharers) != 0)
    return emitError() << "expected tile_n to be a multiple of " << 8 * sharers
                       << " up to " << kMaxBox
                       << ", of which m64nNk16 exists, but got " << tileN
                       << "; choose 128";
  int64_t row = MmaScheduleAttr::kRowBytes * 8 / operandBits;
  // The error of sums of tensor cores is stated for so many places.
  int64_t most = operandBits == 8 ? row : kMaxBox;
  if (tileK >= row && tileK <= most && tileK % row == 0)
    return success();
  return emitError() << "expected tile_k to be a multiple of " << row
                     << " (128 bytes) up to " << most << ", but got " << tileK
                     << "; choose " << row;
}

/// Blocks that share tiles or operands.
static LogicalResult verifySharers(EmitError emitError, int64_t persistent,
                                   int64_t splitK, int64_t clusterM,
                                   int64_t clusterN) {
  auto sizes = {std::pair("split_k", splitK), std::pair("cluster_m", clusterM),
                std::pair("cluster_n", clusterN)};
  for (auto [name, size] : sizes)
    if (failed(verifyRange(emitError, name, size, kPortableCluster)))
      return failure();
  if (llvm::count_if(sizes, [](auto named) { return named.second > 1; }) > 1)
    return emitError() << "expected one of split_k, cluster_m and cluster_n "
                          "above 1, but got "
                       << splitK << ", " << clusterM << " and " << clusterN
                       << "; use 1 for the others";
  if (!llvm::isPowerOf2_64(clusterM) || !llvm::isPowerOf2_64(clusterN))
    return emitError()
           << "expected cluster_m and cluster_n to be 1, 2, 4 or 8, "
              "but got "
           << clusterM << " and " << clusterN << "; choose 2";
  int64_t blocks = splitK * clusterM * clusterN;
  if (persistent % blocks == 0)
    return success();
  return emitError() << "expected persistent blocks to be whole clusters of "
                     << blocks << " blocks, but got " << persistent
                     << "; use persistent = "
                     << std::max(blocks, persistent / blocks * blocks);
}

/// What only one of the instructions' kernels does.
static LogicalResult verifyIsa(EmitError emitError, MmaIsa isa, MmaStore store,
                               int64_t clusterSize, int64_t operandBits) {
  auto refuse = [&](const Twine &what, const Twine &got, const Twine &remedy) {
    return emitError() << "expected " << what
                       << " for isa = " << stringifyMmaIsa(isa) << ", but got "
                       << got << "; use " << remedy;
  };
  if (isa == MmaIsa::wgmma && store == MmaStore::rows)
    return refuse("store = direct or tma", "store = rows", "store = tma");
  if (isa == MmaIsa::wgmma)
    return success();
  if (store == MmaStore::tma)
    return refuse("store = direct or rows", "store = tma", "store = rows");
  if (clusterSize != 1)
    return refuse("no cluster", "one of " + Twine(clusterSize) + " blocks",
                  "split_k, cluster_m and cluster_n of 1");
  if (operandBits != 16)
    return refuse("operand_bits = 16", "operand_bits = " + Twine(operandBits),
                  "operand_bits = 16");
  return success();
}

/// Sums that go through shared memory.
static LogicalResult verifyGathered(EmitError emitError, MmaStore store,
                                    int64_t splitK, bool swap) {
  if (store != MmaStore::direct && (swap || splitK > 1))
    return emitError() << "expected store = direct where the sums are read "
                          "from shared memory, but got store = "
                       << stringifyMmaStore(store) << " with "
                       << (swap ? "swap = true" : "split_k > 1")
                       << "; use store = direct";
  return success();
}

LogicalResult MmaScheduleAttr::verify(
    EmitError emitError, MmaIsa isa, int64_t tileM, int64_t tileN,
    int64_t tileK, int64_t stages, int64_t consumers, int64_t raster,
    MmaStore store, int64_t persistent, int64_t splitK, bool swap,
    int64_t operandBits, int64_t clusterM, int64_t clusterN) {
  if (operandBits != 8 && operandBits != 16)
    return emitError() << "expected operand_bits of 8 or 16, but got "
                       << operandBits << "; use 16";
  if (failed(verifyRange(emitError, "consumers", consumers, kMaxConsumers)) ||
      failed(
          verifySharers(emitError, persistent, splitK, clusterM, clusterN)) ||
      failed(verifyIsa(emitError, isa, store, splitK * clusterM * clusterN,
                       operandBits)) ||
      failed(verifyTile(emitError, isa, tileM, tileN, tileK, consumers,
                        operandBits)) ||
      failed(verifyRange(emitError, "raster", raster, kMaxFactor)) ||
      failed(
          verifyRange(emitError, "persistent", persistent, kMaxPersistent)) ||
      failed(verifyGathered(emitError, store, splitK, swap)))
    return failure();
  if (stages < 2 || stages > kMaxSlots)
    return emitError() << "expected stages from 2 to " << kMaxSlots
                       << ", one to multiply and one to fill, but got "
                       << stages << "; choose 4";
  int64_t sums = tileM * tileN / (MmaScheduleAttr::kGroup * consumers);
  int64_t most = operandBits == 8          ? kMaxPromotedSums
                 : isa == MmaIsa::mma_sync ? kMaxSumsBesideFragments
                                           : kMaxSums;
  if (sums > most)
    return emitError() << "expected at most " << most
                       << " sums a thread, but got " << sums
                       << " for a tile of " << tileM << " x " << tileN
                       << " with " << consumers
                       << (consumers == 1 ? " consumer" : " consumers")
                       << "; use a smaller tile or more consumers";
  int64_t slot = slotBytesOf(tileM, tileN, tileK, operandBits);
  int64_t results = resultBytesOf(store, consumers);
  int64_t gathered = sumsBytesOf(tileM, tileN, splitK, swap);
  auto bytesWith = [&](int64_t slots) {
    return sharedBytesOf(isa, slots, slot, results, gathered, splitK);
  };
  if (bytesWith(stages) <= kWgmmaSharedBytes)
    return success();
  int64_t fitting = stages;
  while (fitting > 1 && bytesWith(fitting) > kWgmmaSharedBytes)
    --fitting;
  InFlightDiagnostic error =
      emitError() << "expected at most " << kWgmmaSharedBytes
                  << " bytes of shared memory, but got " << bytesWith(stages)
                  << " for " << stages << " stages of " << slot << " bytes and "
                  << results + gathered << " of results; ";
  if (fitting < 2)
    return error << "use a smaller tile";
  return error << "use stages = " << fitting;
}
