//===- MmaSync.cpp - Tiles multiplied by the warps themselves -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaSync.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// What the enumeration takes.
static constexpr int64_t tileRows[] = {64, 128, 192, 256};
static constexpr int64_t tileColumns[] = {8,   16,  32,  48,  64,  80, 96,
                                          112, 128, 160, 192, 224, 256};
static constexpr int64_t ringStages[] = {5, 4, 3, 2};
static constexpr int64_t mostConsumers = 2;
/// Registers of a thread beside sums and two fragments of each operand.
static constexpr int64_t otherRegisters = 40;
/// Clocks for which a block's warps wait for each other and for shared memory
/// at the end of a step, and from a copy's start to its arrival from the L2.
/// From published latencies; not fitted.
static constexpr double meetingClocks = 100, arrivalClocks = 1200;
/// The rows of a warp that follow each other, and words of operands: 16 rows
/// have four, 8 columns two.
static constexpr int64_t warpRows = 16, groupWarps = 4;

namespace {
/// Clocks of a multiprocessor for one step of the summed axis. Warps wait for
/// one of these while they could use another.
struct StepClocks {
  double tensorCores, sharedMemory, cache;
  double all() const { return softMaximum({tensorCores, sharedMemory, cache}); }
};
} // namespace

int64_t mlir::fuse::mmaSyncRegisters(MmaScheduleAttr schedule,
                                     const GPUTarget &gpu) {
  int64_t parts = schedule.partsPerConsumer();
  int64_t columns = schedule.columnsPerConsumer();
  int64_t sums = parts * columns / 2;
  int64_t fragments = 2 * (4 * parts + columns / 4);
  return std::min<int64_t>(sums + fragments + otherRegisters,
                           gpu.maxRegistersPerThread);
}

int64_t mlir::fuse::mmaSyncResidentBlocks(MmaScheduleAttr schedule,
                                          const GPUTarget &gpu) {
  int64_t shared = schedule.sharedBytes() + gpu.reservedSharedBytesPerBlock;
  return std::min<int64_t>(
      gpu.blocksWith(schedule.getThreads(), mmaSyncRegisters(schedule, gpu)),
      gpu.sharedBytesPerSM / shared);
}

static StepClocks stepClocks(MmaScheduleAttr schedule,
                             const MmaProduct &product, const GPUTarget &gpu) {
  double m = schedule.getTileM(), n = schedule.getTileN();
  double places = std::min<double>(product.k, schedule.getTileK());
  double bytes = schedule.operandBytes(), loaded = (m + n) * bytes;
  double rows = warpRows * schedule.partsPerConsumer();
  double read = groupWarps * schedule.getConsumers() *
                (rows + schedule.columnsPerConsumer()) * bytes;
  double busy =
      std::min<double>(mmaTilesOf(schedule, product), gpu.multiprocessors);
  return {places * m * n / mmaPerClock(schedule, gpu),
          places * (loaded + read) / gpu.sharedBytesPerClock,
          places * loaded /
              std::min<double>(gpu.l2PortBytesPerClock,
                               gpu.l2BytesPerClock / busy)};
}

/// Clocks in which results leave: a warp's sums of a row are half of what
/// memory moves at once, unless they are put together in shared memory.
static double resultClocks(MmaScheduleAttr schedule, const MmaProduct &product,
                           const GPUTarget &gpu) {
  double bytes =
      schedule.getTileM() * schedule.getTileN() * product.resultBytes;
  constexpr double sumBytes = 4;
  if (schedule.gathersSums())
    return 2 * schedule.getTileM() * schedule.getTileN() * sumBytes /
               gpu.sharedBytesPerClock +
           bytes / gpu.l2PortBytesPerClock;
  if (schedule.getStore() == MmaStore::direct)
    return 2 * bytes / gpu.l2PortBytesPerClock;
  return 2 * bytes / gpu.sharedBytesPerClock + bytes / gpu.l2PortBytesPerClock;
}

static double stepsOf(MmaScheduleAttr schedule, const MmaProduct &product) {
  return std::ceil(product.k / schedule.getTileK());
}

static double epilogueClocks(MmaScheduleAttr schedule,
                             const MmaProduct &product, const GPUTarget &gpu) {
  return mmaEpilogueClocks(schedule, product, gpu) +
         resultClocks(schedule, product, gpu);
}

/// Clocks of a multiprocessor for a tile beside others, which fill what it
/// waits for.
static double sharedTileClocks(MmaScheduleAttr schedule,
                               const MmaProduct &product,
                               const GPUTarget &gpu) {
  return stepsOf(schedule, product) * stepClocks(schedule, product, gpu).all() +
         epilogueClocks(schedule, product, gpu);
}

/// The same of a block that has it alone.
static double aloneTileClocks(MmaScheduleAttr schedule,
                              const MmaProduct &product, const GPUTarget &gpu) {
  double step =
      std::max(stepClocks(schedule, product, gpu).all() + meetingClocks,
               arrivalClocks / (schedule.getStages() - 1));
  return arrivalClocks + stepsOf(schedule, product) * step +
         epilogueClocks(schedule, product, gpu);
}

/// Of the multiprocessor with the most tiles. Resident blocks start together,
/// and the others as these end.
double mlir::fuse::mmaSyncClocks(MmaScheduleAttr schedule,
                                 const MmaProduct &product,
                                 const GPUTarget &gpu) {
  double tiles = std::ceil(mmaTilesOf(schedule, product) / gpu.multiprocessors);
  double resident = std::max<int64_t>(1, mmaSyncResidentBlocks(schedule, gpu));
  return std::max(tiles * sharedTileClocks(schedule, product, gpu),
                  std::ceil(tiles / resident) *
                      aloneTileClocks(schedule, product, gpu));
}

TimeEstimate mlir::fuse::estimateMmaSync(MmaScheduleAttr schedule,
                                         const MmaProduct &product,
                                         const GPUTarget &gpu) {
  double all =
      mmaTilesOf(schedule, product) * sharedTileClocks(schedule, product, gpu);
  double busy =
      std::max(mmaSyncClocks(schedule, product, gpu) / gpu.tensorClockHertz,
               all / gpu.multiprocessors / gpu.sustainedClockHertz);
  double bytes =
      product.batches *
      (schedule.operandBytes() * product.k * (product.m + product.n) +
       (product.resultBytes + product.readBytes) * product.m * product.n);
  double memory = bytes / gpu.memoryBytesPerSecond;

  TimeEstimate estimate;
  estimate.residentBlocks = mmaSyncResidentBlocks(schedule, gpu);
  estimate.seconds = gpu.launchSeconds + softMaximum({busy, memory}) +
                     mmaCombiningSeconds(schedule, product, gpu);
  StepClocks clocks = stepClocks(schedule, product, gpu);
  if (estimate.seconds < 2 * gpu.launchSeconds)
    estimate.limit = TimeLimit::Launch;
  else if (memory >= busy)
    estimate.limit = TimeLimit::Memory;
  else if (clocks.cache >= std::max(clocks.sharedMemory, clocks.tensorCores))
    estimate.limit = TimeLimit::Cache;
  else if (clocks.sharedMemory > clocks.tensorCores)
    estimate.limit = TimeLimit::SharedMemory;
  else
    estimate.limit = TimeLimit::TensorCores;
  return estimate;
}

//===----------------------------------------------------------------------===//
// Enumeration
//===----------------------------------------------------------------------===//

namespace {
/// Enumerates the schedules for a form.
class SyncSchedules {
public:
  SyncSchedules(MLIRContext *context, const MmaForm &form, const GPUTarget &gpu)
      : context(context), form(form), gpu(gpu) {}

  SmallVector<MmaScheduleAttr> all();

private:
  MmaScheduleAttr with(int64_t tileM, int64_t tileN, int64_t consumers,
                       int64_t stages, bool swap, int64_t blocks);
  MmaStore storeOf(int64_t tileN, int64_t consumers, bool swap) const;
  void add(int64_t tileM, int64_t tileN, int64_t consumers, int64_t stages,
           bool swap);

  MLIRContext *context;
  const MmaForm &form;
  const GPUTarget &gpu;
  SmallVector<MmaScheduleAttr> found;
};
} // namespace

/// Threads write 16 bytes of rows that tensor maps could write, too.
MmaStore SyncSchedules::storeOf(int64_t tileN, int64_t consumers,
                                bool swap) const {
  constexpr int64_t fewest = 16;
  int64_t width = tileN / consumers / form.contractions;
  bool buffers = !swap && form.mayCopyResults && width % fewest == 0;
  return buffers ? MmaStore::rows : MmaStore::direct;
}

MmaScheduleAttr SyncSchedules::with(int64_t tileM, int64_t tileN,
                                    int64_t consumers, int64_t stages,
                                    bool swap, int64_t blocks) {
  return MmaScheduleAttr::getIfLegal(
      context, MmaIsa::mma_sync, tileM, tileN, MmaScheduleAttr::kRowElements,
      stages, consumers, mmaRasterOf(tileM, tileN, blocks),
      storeOf(tileN, consumers, swap), blocks, /*splitK=*/1, swap);
}

void SyncSchedules::add(int64_t tileM, int64_t tileN, int64_t consumers,
                        int64_t stages, bool swap) {
  MmaScheduleAttr one =
      with(tileM, tileN, consumers, stages, swap, gpu.multiprocessors);
  if (!one || one.sharedBytes() > gpu.maxSharedBytesPerBlock ||
      !isLegalMma(one, form))
    return;
  if (int64_t resident = mmaSyncResidentBlocks(one, gpu))
    found.push_back(with(tileM, tileN, consumers, stages, swap,
                         resident * gpu.multiprocessors));
}

SmallVector<MmaScheduleAttr> SyncSchedules::all() {
  SmallVector<int64_t> columns = mmaTileColumns(tileColumns, form);
  for (int64_t tileM : tileRows)
    for (int64_t tileN : columns)
      for (int64_t consumers = mostConsumers; consumers > 0; --consumers)
        for (int64_t stages : ringStages)
          for (bool swap : {false, true})
            add(tileM, tileN, consumers, stages, swap);
  return std::move(found);
}

SmallVector<MmaScheduleAttr>
mlir::fuse::mmaSyncSchedules(MLIRContext *context, const MmaForm &form,
                             const GPUTarget &gpu) {
  return SyncSchedules(context, form, gpu).all();
}
