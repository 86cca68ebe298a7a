//===- StreamedClusters.cpp - Who combines parts of keys ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/StreamedClusters.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

SmallVector<Extent> mlir::fuse::outerTilesOf(const StreamedSpace &space,
                                             int64_t heads,
                                             const DimClasses &dims) {
  SmallVector<Extent> sizes;
  for (char axis : space.product.outer) {
    bool isShared = space.heads && space.productAxis(*space.heads) == axis;
    if (isShared && heads > 1)
      sizes.push_back({static_cast<int64_t>(
          llvm::divideCeil(space.headCount(dims), heads))});
    else
      llvm::append_range(sizes, space.product.extents(axis, dims));
  }
  return sizes;
}

int64_t mlir::fuse::clusterForParts(int64_t parts, int64_t most) {
  return llvm::isPowerOf2_64(parts) && parts <= most ? parts : 0;
}

/// The parts of each tile, where they are known; keys of an unknown number are
/// enough for all.
static std::optional<int64_t> keyPartsOf(const StreamedSpace &space,
                                         StreamedScheduleAttr schedule,
                                         const DimClasses &dims) {
  if (schedule.getSplit() == 1)
    return 1;
  std::optional<int64_t> outer =
      staticProduct(outerTilesOf(space, schedule.getHeads(), dims));
  std::optional<int64_t> queries =
      staticProduct(space.product.extents(space.product.m, dims));
  if (!outer || !queries)
    return std::nullopt;
  int64_t tiles =
      *outer * llvm::divideCeil(*queries, schedule.queriesPerTile());
  int64_t parts = schedule.getSplit() / std::max<int64_t>(1, tiles);
  if (Extent keys = space.keyExtent(dims); keys.isStatic())
    parts = std::min<int64_t>(parts,
                              llvm::divideCeil(keys.size, schedule.getTileK()));
  return std::max<int64_t>(1, parts);
}

int64_t mlir::fuse::clusterOf(const StreamedSpace &space,
                              StreamedScheduleAttr schedule,
                              const DimClasses &dims, int64_t most) {
  int64_t slots =
      schedule.queryBytes() +
      schedule.getStages() * (schedule.keyBytes() + schedule.valueBytes());
  bool hasRoom =
      LeftStates::bytes(schedule.getTileM(), schedule.getTileN()) <= slots;
  if (!schedule.leavesParts() || !hasRoom)
    return 0;
  std::optional<int64_t> parts = keyPartsOf(space, schedule, dims);
  return parts ? clusterForParts(*parts, most) : 0;
}
