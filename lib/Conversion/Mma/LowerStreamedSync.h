//===- LowerStreamedSync.h - Streamed rows by the warps' products -*- C++ -*-=//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_LOWERSTREAMEDSYNC_H
#define FUSE_LIB_CONVERSION_MMA_LOWERSTREAMEDSYNC_H

#include "KernelFrame.h"
#include "fuse/Analysis/StreamedSpace.h"

namespace mlir::fuse {

/// Fills the frame as a verified schedule with isa = mma_sync says.
Grid lowerStreamedSync(KernelFrame &frame, StreamedScheduleAttr schedule,
                       const StreamedSpace &space, TensorFacts facts);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_LOWERSTREAMEDSYNC_H
