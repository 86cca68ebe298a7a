//===- ProposeTranspose.cpp - Schedules of kernels that read across -------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of a tile take a line of the cache, which on a GPU is also the 32 banks
// of shared memory. On a CPU a tile of that size stays in the first cache while
// it is turned: a 2048 x 4096 matrix took a seventh of the time of a walk along
// the result's rows.
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Scheduler.h"

#include "fuse/Analysis/TransposeSpace.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t rowBytes = 128;
static constexpr int64_t gpuAccessBytes = 16;
static constexpr int64_t cpuAccessBytes = 32;
/// What every chip gives a block unasked; of a CPU's first cache, most.
static constexpr int64_t stagedBytes = 48 * 1024;

/// Bytes of the widest element that is staged or written.
static int64_t widestBytes(KernelOp kernel, const TransposeSpace &space) {
  int64_t widest = 1;
  auto visit = [&](Value value) {
    widest = std::max(widest,
                      getElementBytes(getElementTypeOrSelf(value.getType())));
  };
  for (const CrossedValue &crossed : space.values)
    visit(crossed.value);
  for (Value value : kernel.getYield().getValues())
    visit(value);
  return widest;
}

/// What a dynamic last dimension is a multiple of where that is known.
static constexpr int64_t divisibleBytes = 16;

/// The largest vector up to `limit` that divides the two dimensions of tiles.
static int64_t tileVector(const TransposeSpace &space, int64_t limit,
                          int64_t widest, const DimClasses &dims,
                          const ScheduleTarget &target) {
  // What is known of dynamic sizes is known of the last dimensions of inputs
  // and results, as a whole; a part of a concatenation is shorter than it.
  const Extent &across = space.segment.extents[space.across];
  bool readsWhole = llvm::all_of(space.values, [&](auto &crossed) {
    int64_t rank = cast<RankedTensorType>(crossed.value.getType()).getRank();
    return isa<BlockArgument>(crossed.value) && crossed.offset == 0 &&
           crossed.along + 1 == rank &&
           dims.extent(crossed.value, crossed.along) == across;
  });
  bool isKnown = target.divisible && readsWhole;
  int64_t vector = limit;
  for (const CrossedValue &crossed : space.values)
    vector = dividingVector(vector, crossed.seam);
  for (const Extent &extent :
       {space.segment.extents[space.across], space.segment.extents.back()}) {
    if (extent.isStatic())
      vector = dividingVector(vector, extent.size);
    else if (!isKnown)
      return 1;
    else
      vector = std::min(vector, divisibleBytes / widest);
  }
  return vector;
}

ScheduleAttrInterface
mlir::fuse::proposeTranspose(KernelOp kernel, const DimClasses &dims,
                             const ScheduleTarget &target) {
  std::optional<TransposeSpace> space = transposeSpaceOf(kernel, dims);
  if (!space)
    return {};
  for (const Extent &extent :
       {space->segment.extents[space->across], space->segment.extents.back()})
    if (extent.isStatic() && extent.size < kLeastTileSide)
      return {};
  int64_t widest = widestBytes(kernel, *space);
  int64_t accessBytes = target.isGPU ? gpuAccessBytes : cpuAccessBytes;
  int64_t vector =
      tileVector(*space, accessBytes / widest, widest, dims, target);
  int64_t tile = rowBytes / widest;
  int64_t tiles = space->values.size();
  if (tiles * tile * tile * widest > stagedBytes)
    return {};
  int64_t vectors = tile * tile / vector;
  int64_t threads =
      target.isGPU
          ? std::min(target.numbers().transpose.mostThreads,
                     vectors / target.numbers().transpose.vectorsPerThread)
          : 1;
  return TransposeScheduleAttr::get(kernel.getContext(), threads, tile, vector);
}
