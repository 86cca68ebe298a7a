//===- BlockPool.h - Running a grid of blocks on the CPU --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_BLOCKPOOL_H
#define FUSE_RUNTIME_BLOCKPOOL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace fuse::runtime {

/// Threads that CPU kernels run on: FUSE_NUM_THREADS, or else the hardware
/// threads this process may use.
llvm::Expected<unsigned> cpuThreads();

/// Calls `body(first, end)` on disjoint ranges that cover [0, grid) exactly
/// once, from the caller and up to `threads` - 1 workers of the process-wide
/// pool, and waits. Ranges are handed out as threads become free. A child
/// process starts a pool of its own after fork().
void forEachBlock(int64_t grid, unsigned threads,
                  llvm::function_ref<void(int64_t first, int64_t end)> body);

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_BLOCKPOOL_H
