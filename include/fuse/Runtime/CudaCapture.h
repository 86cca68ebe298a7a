//===- CudaCapture.h - What a recorded graph keeps alive --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph holds the addresses of code and memory, but not their owner. So the
// owner becomes a user object of the graph. The driver destroys it after the
// graph, all that was made executable of it and their last replay, on a thread
// that must not use CUDA. There it is only put on a list, which the next call
// drops.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_CUDACAPTURE_H
#define FUSE_RUNTIME_CUDACAPTURE_H

#include "fuse/Runtime/CudaApi.h"
#include "fuse/Runtime/Module.h"

namespace fuse::runtime {

/// Gives the graph that `stream` is captured into a share of `owner`. If it is
/// not captured, drops what graphs that are gone have kept.
cuda::Result keepForCapture(const cuda::Api &api,
                            const std::shared_ptr<void> &owner, Stream stream);

/// Drops the owners that no graph needs any more. Waits for the device if one
/// of them has memory.
void dropFinishedCaptures();

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_CUDACAPTURE_H
