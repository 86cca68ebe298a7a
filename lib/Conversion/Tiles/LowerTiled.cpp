//===- LowerTiled.cpp - Tiles of contractions on ordinary cores -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerTiled.h"
#include "Tiles.h"

using namespace mlir;
using namespace mlir::fuse;

FailureOr<Grid> mlir::fuse::lowerTiled(KernelFrame &frame,
                                       TiledScheduleAttr schedule) {
  Reason reason;
  FailureOr<TileSpace> space = tileSpaceOf(frame.kernel, frame.dims, reason);
  if (failed(space))
    return frame.kernel.emitError()
           << "expected a kernel of contractions in tiles for #fuse.tiled, but "
              "got another: "
           << reason.sentence() << "; use another schedule, or several kernels";
  if (schedule.getThreads() > 1)
    return lowerSharedTiles(frame, schedule, *space);
  return lowerPanels(frame, schedule, *space);
}
