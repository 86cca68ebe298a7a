//===- ArenaPool.h - Memory for temporaries, one arena a queue --*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_ARENAPOOL_H
#define FUSE_LIB_RUNTIME_ARENAPOOL_H

#include "fuse/Runtime/Module.h"
#include <list>
#include <mutex>

namespace fuse::runtime {

/// The arenas of one program. On a queue of a device, work runs in order, so
/// the calls on it can share an arena as long as each enqueues its steps
/// without another's in between; a captured graph has one of its own. Without
/// queues (the CPU) each call that runs at the same time has an arena of its
/// own.
class ArenaPool {
  struct Arena {
    std::optional<QueueId> queue;
    std::mutex mutex;
    /// The last is in use. The ones before stay: a captured graph may hold
    /// their addresses. They double in size, so they take no more than it.
    std::vector<std::unique_ptr<Buffer>> buffers;
    /// Made once, since their number is the program's.
    std::unique_ptr<Buffer> counters;
  };

public:
  /// An arena that is the caller's until the lease ends.
  class Lease {
  public:
    Lease() = default;
    char *data() const { return base; }
    int32_t *counters() const { return firstCounter; }

  private:
    friend class ArenaPool;
    std::unique_lock<std::mutex> lock;
    char *base = nullptr;
    int32_t *firstCounter = nullptr;
  };

  explicit ArenaPool(Module &module) : module(module) {}

  /// At least `bytes` bytes for work on `stream`, and `numCounters` counters,
  /// which are 0 when they are made and keep what kernels leave; none of what
  /// is 0.
  llvm::Expected<Lease> acquire(int64_t bytes, unsigned numCounters,
                                Stream stream);

private:
  llvm::Error grow(Arena &arena, int64_t bytes);
  llvm::Error addCounters(Arena &arena, unsigned number, Stream stream);
  std::unique_lock<std::mutex> lockArena(std::optional<QueueId> queue,
                                         Arena *&arena);

  Module &module;
  std::mutex mutex;
  std::list<Arena> arenas;
};

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_ARENAPOOL_H
