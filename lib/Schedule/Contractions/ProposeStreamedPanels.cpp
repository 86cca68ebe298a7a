//===- ProposeStreamedPanels.cpp - Schedules of a softmax streamed by a CPU
//===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums in registers are as many as leave some for operands. Of all tiles whose
// panels stay in the second-level cache the one is taken with which the busiest
// core has the least to do: packing of keys and values, which large tiles of
// queries share, and what tiles have beside what a mask lets them see.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ContractionSpace.h"
#include "fuse/Schedule/Scheduler.h"

#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/ScoreMasks.h"
#include "fuse/Target/CPUTarget.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct Sizes {
  double rows, batches, keys, width;
  int64_t bytes, lanes;
  /// Whether masks hide about half of the keys.
  bool areHidden;
};
} // namespace

static Sizes sizesOf(const StreamedSpace &space, const DimClasses &dims,
                     const ScheduleTarget &target) {
  Sizes sizes;
  ContractionSpace scores =
      contractionSpaceOf(space.scores, RowAxis::innermost);
  sizes.rows = estimatedElements({space.rowExtent(dims)}, dims) *
               static_cast<double>(space.headCount(dims));
  sizes.batches = 1;
  for (char axis : scores.outer)
    if (axis != space.heads)
      sizes.batches *= estimatedElements({scores.extent(axis, dims)}, dims);
  sizes.keys = estimatedElements({space.keyExtent(dims)}, dims);
  sizes.width = static_cast<double>(space.depthExtent(dims).size +
                                    space.columnExtent(dims).size);
  int64_t bits =
      getElementTypeOrSelf(space.weights.getType()).getIntOrFloatBitWidth();
  sizes.bytes = std::max<int64_t>(32, bits) / 8;
  sizes.lanes = target.vectorBits / (8 * sizes.bytes);
  sizes.areHidden = hidesTiles(scoreMasksOf(space, dims));
  return sizes;
}

/// Products of the busiest core.
static double busiestCore(const Sizes &sizes, double tileM, double tileK,
                          double cores) {
  double rows = std::min(tileM, sizes.rows);
  double tiles = std::ceil(sizes.rows / tileM) * sizes.batches;
  const HostNumbers &host = hostNumbers;
  double ofKey = rows * (sizes.width + host.scoreOps + host.rowOps / tileK) +
                 sizes.width * host.packedKeyOps;
  double keys = sizes.keys;
  if (sizes.areHidden)
    keys = std::min(keys, keys / 2 + (rows + tileK) / 2);
  return std::ceil(tiles / cores) * ofKey * keys;
}

ScheduleAttrInterface
mlir::fuse::proposeStreamedPanels(KernelOp kernel, const DimClasses &dims,
                                  const ScheduleTarget &target) {
  Reason reason;
  if (target.isGPU)
    return {};
  FailureOr<StreamedSpace> space = panelStreamedSpaceOf(kernel, dims, reason);
  if (failed(space))
    return {};
  CPUTarget host = CPUTarget::host();
  Sizes sizes = sizesOf(*space, dims, target);
  int64_t vectors = 2, columns = vectors * sizes.lanes;
  // Beside the sums, a vector of each column and one of a row.
  int64_t rows = (host.vectorRegisters - vectors - 2) / vectors / 2 * 2;
  Extent ofRows = space->rowExtent(dims);
  if (ofRows.isStatic() && ofRows.size > 0) {
    // Pieces of one size, not a few large ones and an edge.
    int64_t all = ofRows.size * space->headCount(dims);
    rows = llvm::divideCeil(all, llvm::divideCeil(all, rows));
  }
  // Half of the cache for the panels.
  int64_t bytesOfKey = static_cast<int64_t>(sizes.width) * sizes.bytes;
  auto most = static_cast<int64_t>(host.l2Bytes) / 2 / bytesOfKey;
  int64_t tileM = rows, tileK = columns;
  double least = HUGE_VAL;
  for (int64_t k : {256, 128, 64})
    for (int64_t m = rows; m <= hostNumbers.mostStreamedRows && k <= most;
         m += rows)
      if (double work = busiestCore(sizes, m, k, host.cores); work < least) {
        least = work;
        tileM = m;
        tileK = std::max(k, columns);
      }
  return StreamedPanelsScheduleAttr::get(kernel.getContext(), sizes.lanes,
                                         tileM, tileK, rows, columns);
}
