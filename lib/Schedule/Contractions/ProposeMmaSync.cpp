//===- ProposeMmaSync.cpp - Tiles multiplied by the warps themselves ------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProposeMmaSync.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// What the enumeration takes.
static constexpr int64_t tileColumns[] = {8,   16,  32,  48,  64,  80, 96,
                                          112, 128, 160, 192, 224, 256};
static constexpr int64_t ringStages[] = {5, 4, 3, 2};
static constexpr int64_t splitsOfK[] = {2, 4, 8};
/// The rows of a warp that follow each other, and words of operands: 16 rows
/// have four, 8 columns two.
static constexpr int64_t warpRows = 16, groupWarps = 4;
/// Of operands whose sums are as wide.
static constexpr int64_t wideBits = 64;

/// Whether warps compute the rows of a tile in registers.
static bool computesRows(MmaScheduleAttr schedule) {
  return schedule.getSwap() && schedule.leftBits() != 0;
}

/// What a thread needs, whether the chip has it or not.
static int64_t neededRegisters(MmaScheduleAttr schedule, const GPUTarget &gpu) {
  int64_t parts = schedule.partsPerConsumer();
  int64_t columns = schedule.columnsPerConsumer();
  int64_t sums = parts * columns / 2;
  int64_t fragments = 2 * (4 * parts + columns / 4),
          others = gpu.mmaSync.otherRegisters;
  if (schedule.computesOperands())
    others += gpu.mmaSync.computingRegisters;
  // A row's elements of a step are read at once.
  if (computesRows(schedule))
    others += parts * schedule.leftBits();
  // Of two registers each, also in fragments, of which a step has as many.
  if (schedule.getOperandBits() == wideBits) {
    sums *= 2;
    fragments *= 2;
  }
  if (schedule.getOperandBits() == 8) {
    // The sums of a step are apart from the others. Some chips unpack
    // fragments, of which ptxas 13.0 keeps more than a step's.
    sums *= 2;
    if (gpu.mmaSyncFloat8PerClock <= gpu.mmaSyncPerClock) {
      fragments *= 2;
      others *= 2;
    }
  }
  return sums + fragments + others;
}

int64_t mlir::fuse::mmaSyncRegisters(MmaScheduleAttr schedule,
                                     const GPUTarget &gpu) {
  return std::min<int64_t>(neededRegisters(schedule, gpu),
                           gpu.maxRegistersPerThread);
}

int64_t mlir::fuse::mmaSyncResidentBlocks(MmaScheduleAttr schedule,
                                          const GPUTarget &gpu) {
  int64_t shared = schedule.sharedBytes() + gpu.reservedSharedBytesPerBlock;
  return std::min<int64_t>(
      gpu.blocksWith(schedule.getThreads(), mmaSyncRegisters(schedule, gpu)),
      gpu.sharedBytesPerSM / shared);
}

/// Steps of the summed axis, and parts that these are shared by.
static double stepsOf(MmaScheduleAttr schedule, const MmaProduct &product) {
  return std::ceil(product.k / schedule.getTileK());
}

static double partsOf(MmaScheduleAttr schedule, const MmaProduct &product) {
  return std::max(
      1.0, std::min<double>(stepsOf(schedule, product), schedule.getSplitK()));
}

/// What blocks take in turn: tiles, or parts of them.
static double turnsOf(MmaScheduleAttr schedule, const MmaProduct &product) {
  return mmaTilesOf(schedule, product) * partsOf(schedule, product);
}

/// Of an element of a tile's rows, or columns, as memory has it.
static double storedBytes(MmaScheduleAttr schedule, int64_t computedBits) {
  constexpr double byte = 8;
  return computedBits ? computedBits / byte : schedule.operandBytes();
}

/// For one step of the summed axis.
static TileClocks stepClocks(MmaScheduleAttr schedule,
                             const MmaProduct &product, const GPUTarget &gpu) {
  double m = schedule.getTileM(), n = schedule.getTileN();
  double places = std::min<double>(product.k, schedule.getTileK());
  double bytes = schedule.operandBytes();
  double loaded = m * storedBytes(schedule, schedule.leftBits()) +
                  n * storedBytes(schedule, schedule.rightBits());
  double ofRows = product.rowInstructions,
         ofColumns = product.columnInstructions;
  if (schedule.getSwap())
    std::swap(ofRows, ofColumns);
  // Elements are read again, and what they become is written, unless it stays
  // in registers; then each consumer computes it.
  bool inRegisters = computesRows(schedule);
  double computed = 0;
  for (auto [count, bits] :
       {std::pair(inRegisters ? 0 : m, schedule.leftBits()),
        {n, schedule.rightBits()}})
    computed += bits ? count * (storedBytes(schedule, bits) + bytes) : 0;
  if (inRegisters)
    ofRows *= schedule.getConsumers();
  double lanes =
      gpu.operationsPerSecond() / (gpu.multiprocessors * gpu.clockHertz);
  double rows = warpRows * schedule.partsPerConsumer();
  double rowBytes =
      inRegisters ? storedBytes(schedule, schedule.leftBits()) : bytes;
  double read = groupWarps * schedule.getConsumers() *
                (rows * rowBytes + schedule.columnsPerConsumer() * bytes);
  double busy =
      std::min<double>(turnsOf(schedule, product), gpu.multiprocessors);
  // A warp that computes what it multiplies does so in turn.
  double multiplying = places * m * n / mmaPerClock(schedule, gpu);
  if (inRegisters)
    multiplying += (places * m * ofRows + gpu.mmaSync.stepInstructions *
                                              double(schedule.getThreads())) /
                   lanes;
  return {
      multiplying,
      places * (loaded + read + computed) / gpu.sharedBytesPerClock,
      places * loaded /
          std::min<double>(gpu.l2PortBytesPerClock, gpu.l2BytesPerClock / busy),
      places * ((inRegisters ? 0 : m * ofRows) + n * ofColumns) / lanes};
}

/// Clocks in which results leave: a warp's sums of a row are half of what
/// memory moves at once, unless they are put together in shared memory.
static double resultClocks(MmaScheduleAttr schedule, const MmaProduct &product,
                           const GPUTarget &gpu) {
  double bytes = schedule.getTileM() * schedule.getTileN() *
                 (schedule.leavesParts() ? schedule.sumBytes()
                                         : double(product.resultBytes));
  if (schedule.gathersSums())
    return 2.0 * schedule.getTileM() * schedule.getTileN() *
               schedule.sumBytes() / gpu.sharedBytesPerClock +
           bytes / gpu.l2PortBytesPerClock;
  // Those of f64 are all of it.
  if (schedule.getStore() == MmaStore::direct)
    return (product.resultBytes >= wideBits / 8 ? 1 : 2) * bytes /
           gpu.l2PortBytesPerClock;
  return 2 * bytes / gpu.sharedBytesPerClock + bytes / gpu.l2PortBytesPerClock;
}

static double epilogueClocks(MmaScheduleAttr schedule,
                             const MmaProduct &product, const GPUTarget &gpu) {
  double following =
      schedule.leavesParts() ? 0 : mmaEpilogueClocks(schedule, product, gpu);
  return following + resultClocks(schedule, product, gpu);
}

/// Steps of the block with the most.
static double stepsOfPart(MmaScheduleAttr schedule, const MmaProduct &product) {
  return std::ceil(stepsOf(schedule, product) / partsOf(schedule, product));
}

/// Seconds of the launch that adds the sums of parts, which the L2 has if they
/// are no more than half of it, and computes what follows.
static double addingSeconds(MmaScheduleAttr schedule, const MmaProduct &product,
                            const GPUTarget &gpu) {
  if (!schedule.leavesParts())
    return 0;
  double places = product.batches * product.m * product.n;
  double bytes = places * schedule.sumBytes() * partsOf(schedule, product);
  double rate = bytes <= gpu.l2Bytes / 2.0
                    ? gpu.l2BytesPerClock * gpu.clockHertz
                    : gpu.memoryBytesPerSecond;
  return gpu.launchSeconds + 2 * bytes / rate +
         places * product.instructions / gpu.operationsPerSecond();
}

/// Clocks of a multiprocessor for a tile beside others, which fill what it
/// waits for.
static double sharedTileClocks(MmaScheduleAttr schedule,
                               const MmaProduct &product,
                               const GPUTarget &gpu) {
  return stepsOfPart(schedule, product) *
             stepClocks(schedule, product, gpu).all(gpu) +
         epilogueClocks(schedule, product, gpu);
}

/// The same of a block that has it alone.
static double aloneTileClocks(MmaScheduleAttr schedule,
                              const MmaProduct &product, const GPUTarget &gpu) {
  double step = std::max(
      stepClocks(schedule, product, gpu).all(gpu) + gpu.mmaSync.meetingClocks,
      gpu.mmaSync.arrivalClocks / (schedule.getStages() - 1));
  return gpu.mmaSync.arrivalClocks + stepsOfPart(schedule, product) * step +
         epilogueClocks(schedule, product, gpu);
}

/// Of the multiprocessor with the most turns. Resident blocks start together,
/// and the others as these end.
double mlir::fuse::mmaSyncClocks(MmaScheduleAttr schedule,
                                 const MmaProduct &product,
                                 const GPUTarget &gpu) {
  double turns = std::ceil(turnsOf(schedule, product) / gpu.multiprocessors);
  double resident = std::max<int64_t>(1, mmaSyncResidentBlocks(schedule, gpu));
  return std::max(turns * sharedTileClocks(schedule, product, gpu),
                  std::ceil(turns / resident) *
                      aloneTileClocks(schedule, product, gpu));
}

TimeEstimate mlir::fuse::estimateMmaSync(MmaScheduleAttr schedule,
                                         const MmaProduct &product,
                                         const GPUTarget &gpu) {
  double all =
      turnsOf(schedule, product) * sharedTileClocks(schedule, product, gpu);
  double busy =
      std::max(mmaSyncClocks(schedule, product, gpu) / gpu.tensorClockHertz,
               all / gpu.multiprocessors / gpu.sustainedClockHertz);
  double bytes =
      product.batches *
      (product.k *
           (product.m * storedBytes(schedule, schedule.getRowBits()) +
            product.n * storedBytes(schedule, schedule.getColumnBits())) +
       (product.resultBytes + product.readBytes) * product.m * product.n);
  double memory = bytes / gpu.memoryBytesPerSecond;

  TimeEstimate estimate;
  estimate.residentBlocks = mmaSyncResidentBlocks(schedule, gpu);
  estimate.seconds = gpu.launchSeconds + softMaximum(gpu, {busy, memory}) +
                     mmaCombiningSeconds(schedule, product, gpu) +
                     addingSeconds(schedule, product, gpu);
  TileClocks clocks = stepClocks(schedule, product, gpu);
  estimate.limit = mmaLimit(estimate.seconds, busy, memory, clocks, gpu);
  return estimate;
}

//===----------------------------------------------------------------------===//
// Enumeration
//===----------------------------------------------------------------------===//

namespace {
/// Enumerates the schedules for a form.
class SyncSchedules {
public:
  SyncSchedules(MLIRContext *context, int64_t operandBits, const MmaForm &form,
                const GPUTarget &gpu)
      : context(context), operandBits(operandBits), form(form), gpu(gpu) {}

  SmallVector<MmaScheduleAttr> all();

private:
  struct Shape {
    int64_t tileM, tileN, consumers;
    bool swap = false;
    int64_t stages = 2, splitK = 1, rowsOfStep = 1;
  };
  MmaScheduleAttr with(const Shape &shape, int64_t blocks);
  MmaStore storeOf(const Shape &shape) const;
  void add(const Shape &shape);
  void addShape(Shape shape);
  void addParts(Shape shape);
  void addComputedRows(Shape shape);
  void addWide(Shape shape);

  MLIRContext *context;
  int64_t operandBits;
  const MmaForm &form;
  const GPUTarget &gpu;
  SmallVector<MmaScheduleAttr> found;
  /// The fewest that a tile can have, once it is known.
  int64_t computedRows = tileRows[std::size(tileRows) - 1];
};
} // namespace

/// Threads write 16 bytes of rows that tensor maps could write, too.
MmaStore SyncSchedules::storeOf(const Shape &shape) const {
  constexpr int64_t fewest = 16;
  int64_t width = shape.tileN / shape.consumers / form.contractions;
  bool buffers = !shape.swap && shape.splitK == 1 && form.mayCopyResults &&
                 width % fewest == 0;
  return buffers ? MmaStore::rows : MmaStore::direct;
}

MmaScheduleAttr SyncSchedules::with(const Shape &shape, int64_t blocks) {
  return MmaScheduleAttr::getIfLegal(
      context, MmaIsa::mma_sync, shape.tileM, shape.tileN,
      shape.rowsOfStep * MmaScheduleAttr::kRowBytes * 8 / operandBits,
      shape.stages, shape.consumers,
      mmaRasterOf(shape.tileM, shape.tileN, blocks), storeOf(shape),
      blocks / shape.splitK * shape.splitK, shape.splitK, shape.swap,
      operandBits, /*clusterM=*/1, /*clusterN=*/1, form.rowBits,
      form.columnBits);
}

void SyncSchedules::add(const Shape &shape) {
  MmaScheduleAttr one = with(shape, gpu.multiprocessors);
  if (!one || one.sharedBytes() > gpu.maxSharedBytesPerBlock ||
      neededRegisters(one, gpu) > gpu.maxRegistersPerThread ||
      !isLegalMma(one, form))
    return;
  if (int64_t resident = mmaSyncResidentBlocks(one, gpu))
    found.push_back(with(shape, resident * gpu.multiprocessors));
}

/// Parts of the summed axis are for few tiles, which have room for all stages.
void SyncSchedules::addShape(Shape shape) {
  for (int64_t stages : ringStages) {
    shape.stages = stages;
    add(shape);
  }
  shape.stages = ringStages[0];
  addParts(shape);
}

void SyncSchedules::addParts(Shape shape) {
  for (int64_t splitK : splitsOfK) {
    shape.splitK = splitK;
    add(shape);
  }
}

/// A longer step has fewer instructions beside those for its elements, as long
/// as columns do not take the room of other blocks.
void SyncSchedules::addComputedRows(Shape shape) {
  size_t before = found.size();
  addShape(shape);
  if (shape.tileN * operandBits <= shape.tileM * form.columnBits) {
    shape.rowsOfStep = 2;
    addShape(shape);
  }
  if (found.size() > before && shape.tileN <= gpu.choice.fewColumns)
    computedRows = shape.tileM;
}

/// A step of 128 bytes has a quarter of the places that it has in 16 bits.
void SyncSchedules::addWide(Shape shape) {
  for (int64_t rows : {1, 2}) {
    shape.rowsOfStep = rows;
    addShape(shape);
  }
}

SmallVector<MmaScheduleAttr> SyncSchedules::all() {
  SmallVector<int64_t> columns = mmaTileColumns(tileColumns, form);
  for (int64_t tileM : tileRows)
    for (int64_t tileN : columns)
      for (int64_t consumers = mostConsumers; consumers > 0; --consumers)
        for (bool swap : {false, true}) {
          Shape shape{tileM, tileN, consumers, swap};
          if (operandBits == wideBits)
            addWide(shape);
          else if (!swap || !form.columnBits)
            addShape(shape);
          else if (tileN > gpu.choice.fewColumns || tileM <= computedRows)
            addComputedRows(shape);
        }
  return std::move(found);
}

SmallVector<MmaScheduleAttr>
mlir::fuse::mmaSyncSchedules(MLIRContext *context, int64_t operandBits,
                             const MmaForm &form, const GPUTarget &gpu) {
  return SyncSchedules(context, operandBits, form, gpu).all();
}
