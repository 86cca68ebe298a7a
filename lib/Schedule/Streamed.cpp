//===- Streamed.cpp - Schedules of a softmax between contractions ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has 128 rows of queries, and as many rows of keys and values at a
// time as leave registers and shared memory for two stages. It takes them in
// turn, so that its time is that of a row of tiles: of each, the products of
// both contractions, or the exponentials where these take longer; the two run
// side by side.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/StreamedSpace.h"
#include "fuse/Schedule/Candidates.h"

using namespace mlir;
using namespace mlir::fuse;

/// Special functions of a multiprocessor and clock, on all chips with wgmma.
static constexpr double specialsPerClock = 16;
/// Rows of a block, and warpgroups that share them.
static constexpr int64_t rowsOfBlock = 128, consumersOfBlock = 2;

static int64_t wholeRows(const Extent &extent) {
  return llvm::alignTo(extent.size, MmaScheduleAttr::kRowElements);
}

SmallVector<StreamedScheduleAttr>
mlir::fuse::streamedSchedulesOf(KernelOp kernel, const DimClasses &dims,
                                const ScheduleTarget &target) {
  if (!target.gpu || !target.gpu->hasWgmma)
    return {};
  Reason reason;
  FailureOr<StreamedSpace> space =
      streamedSpaceOf(kernel, dims, {target.aligned, target.divisible}, reason);
  if (failed(space))
    return {};
  int64_t columns = wholeRows(space->columnExtent(dims));
  int64_t depth = wholeRows(space->depthExtent(dims));
  SmallVector<StreamedScheduleAttr> found;
  for (MmaStore store : {MmaStore::tma, MmaStore::direct})
    for (int64_t keys : {128, 64})
      for (int64_t stages : {2, 3})
        if (auto schedule = StreamedScheduleAttr::getIfLegal(
                kernel.getContext(), MmaIsa::wgmma, rowsOfBlock, columns, keys,
                depth, stages, consumersOfBlock, store))
          found.push_back(schedule);
  return found;
}

ScheduleAttrInterface
mlir::fuse::proposeStreamed(KernelOp kernel, const DimClasses &dims,
                            const ScheduleTarget &target) {
  SmallVector<StreamedScheduleAttr> schedules =
      streamedSchedulesOf(kernel, dims, target);
  return schedules.empty() ? StreamedScheduleAttr() : schedules.front();
}

double mlir::fuse::streamedSeconds(const StreamedSpace &space,
                                   const DimClasses &dims, const GPUTarget &gpu,
                                   ArrayRef<AssumedSize> assumed) {
  auto sizeOf = [&](const Extent &extent) {
    return estimatedSize(dynamicSizeOf({extent}, dims), assumed);
  };
  ContractionSpace scores = contractionSpaceOf(space.scores);
  double batches = 1;
  for (char axis : scores.outer)
    batches *= sizeOf(scores.extent(axis, dims));
  double rows = sizeOf(space.rowExtent(dims));
  double keys = sizeOf(space.keyExtent(dims));
  double depth = wholeRows(space.depthExtent(dims));
  double columns = wholeRows(space.columnExtent(dims));
  double blocks = batches * std::ceil(rows / rowsOfBlock);
  double products = rowsOfBlock * keys * (depth + columns) / gpu.mmaPerClock;
  double exponentials = rowsOfBlock * keys / specialsPerClock;
  double clocks = softMaximum({products, exponentials});
  double waves = std::max(1.0, blocks / gpu.multiprocessors);
  double hertz = waves > 1 ? gpu.sustainedClockHertz : gpu.tensorClockHertz;
  double bytes = elementBytes(ContractOp(space.scores).getLhs()) * batches *
                 (rows * (depth + columns) + keys * (depth + columns));
  return gpu.launchSeconds +
         std::max(waves * clocks / hertz, bytes / gpu.memoryBytesPerSecond);
}
