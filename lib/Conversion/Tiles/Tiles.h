//===- Tiles.h - Tiles of contractions on ordinary cores --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_TILES_TILES_H
#define FUSE_LIB_CONVERSION_TILES_TILES_H

#include "KernelFrame.h"

#include "fuse/Analysis/TileSpace.h"

namespace mlir::fuse {

/// For blocks of one thread, as a CPU runs them.
Grid lowerPanels(KernelFrame &frame, TiledScheduleAttr schedule,
                 const TileSpace &space);

/// For blocks of whole warps on a GPU.
FailureOr<Grid> lowerSharedTiles(KernelFrame &frame, TiledScheduleAttr schedule,
                                 const TileSpace &space);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_TILES_TILES_H
