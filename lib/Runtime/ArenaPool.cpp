//===- ArenaPool.cpp - Memory for temporaries, one arena a queue ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArenaPool.h"

using namespace llvm;
using namespace fuse::runtime;

std::unique_lock<std::mutex> ArenaPool::lockArena(std::optional<QueueId> queue,
                                                  Arena *&arena) {
  std::unique_lock<std::mutex> poolLock(mutex);
  for (Arena &candidate : arenas) {
    if (candidate.queue != queue)
      continue;
    arena = &candidate;
    if (queue) {
      // Arenas are never removed: the address holds without the pool's lock.
      poolLock.unlock();
      return std::unique_lock<std::mutex>(candidate.mutex);
    }
    std::unique_lock<std::mutex> lock(candidate.mutex, std::try_to_lock);
    if (lock)
      return lock;
  }
  arena = &arenas.emplace_back();
  arena->queue = queue;
  return std::unique_lock<std::mutex>(arena->mutex);
}

Error ArenaPool::grow(Arena &arena, int64_t bytes) {
  int64_t size = arena.buffers.empty() ? 0 : arena.buffers.back()->size();
  if (size >= bytes)
    return Error::success();
  Expected<std::unique_ptr<Buffer>> buffer =
      module.allocate(std::max(bytes, 2 * size));
  if (!buffer)
    return buffer.takeError();
  // Nothing can hold addresses of an arena without a queue.
  if (!arena.queue)
    arena.buffers.clear();
  arena.buffers.push_back(std::move(*buffer));
  return Error::success();
}

Error ArenaPool::addCounters(Arena &arena, unsigned number, Stream stream) {
  if (arena.counters)
    return Error::success();
  int64_t bytes = number * sizeof(int32_t);
  Expected<std::unique_ptr<Buffer>> buffer = module.allocate(bytes);
  if (!buffer)
    return buffer.takeError();
  if (Error error = module.clear((*buffer)->data(), bytes, stream))
    return error;
  arena.counters = std::move(*buffer);
  return Error::success();
}

Expected<ArenaPool::Lease>
ArenaPool::acquire(int64_t bytes, unsigned numCounters, Stream stream) {
  Lease lease;
  if (bytes == 0 && numCounters == 0)
    return lease;
  Expected<std::optional<QueueId>> queue = module.queueId(stream);
  if (!queue)
    return queue.takeError();
  Arena *arena = nullptr;
  lease.lock = lockArena(*queue, arena);
  if (bytes > 0) {
    if (Error error = grow(*arena, bytes))
      return std::move(error);
    lease.base = static_cast<char *>(arena->buffers.back()->data());
  }
  if (numCounters > 0) {
    if (Error error = addCounters(*arena, numCounters, stream))
      return std::move(error);
    lease.firstCounter = static_cast<int32_t *>(arena->counters->data());
  }
  return lease;
}
