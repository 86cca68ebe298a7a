//===- TiledModel.h - Time of tiles on ordinary cores -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions on ordinary cores take as long as their busiest multiprocessor
// does, or as memory. tools/tuning/fit_tiled_model.py fits the numbers.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_TILEDMODEL_H
#define FUSE_SCHEDULE_TILEDMODEL_H

#include "fuse/Analysis/TileSpace.h"
#include "fuse/Schedule/TimeModel.h"

namespace mlir::fuse {

/// The time of a kernel of such contractions, which moves so many bytes to and
/// from memory; without the blocks that a multiprocessor holds.
TimeEstimate estimateTiled(TiledScheduleAttr schedule, const TileSpace &space,
                           const DimClasses &dims, double bytes,
                           const GPUTarget &gpu);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_TILEDMODEL_H
