//===- LowerMmaSync.h - Contractions by the warps' own products -*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_LOWERMMASYNC_H
#define FUSE_LIB_CONVERSION_MMA_LOWERMMASYNC_H

#include "KernelFrame.h"
#include "fuse/Analysis/MmaSpace.h"

namespace mlir::fuse {

/// Fills the frame as a verified schedule with isa = mma_sync says.
Grid lowerMmaSync(KernelFrame &frame, MmaScheduleAttr schedule,
                  const MmaSpace &space, TensorFacts facts);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_LOWERMMASYNC_H
