//===- BlockPool.cpp - Running a grid of blocks on the CPU ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/BlockPool.h"
#include "FormatError.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <pthread.h>

using namespace llvm;
using namespace fuse::runtime;

/// Ranges a thread takes on average: enough that a slow one is made up for,
/// few enough that taking them costs nothing.
static constexpr int64_t rangesPerThread = 8;

Expected<unsigned> fuse::runtime::cpuThreads() {
  const char *text = std::getenv("FUSE_NUM_THREADS");
  if (!text || !*text)
    return hardware_concurrency().compute_thread_count();
  unsigned threads;
  if (StringRef(text).getAsInteger(10, threads) || threads == 0)
    return formatError("expected FUSE_NUM_THREADS to be a positive number, but "
                       "got '{0}'; unset it to use all hardware threads",
                       text);
  return threads;
}

namespace {
/// The process's pool. It is never destroyed: at exit its threads may still be
/// needed by others' destructors, and after fork() they do not exist.
class Pool {
public:
  static Pool &get() {
    static Pool *instance = new Pool;
    return *instance;
  }

  ThreadPoolInterface &threads() {
    std::lock_guard<std::mutex> guard(mutex);
    if (!pool)
      pool = new DefaultThreadPool(hardware_concurrency(size));
    return *pool;
  }

private:
  Pool() : size(workers()) {
    pthread_atfork([] { get().mutex.lock(); }, [] { get().mutex.unlock(); },
                   [] {
                     get().pool = nullptr;
                     get().mutex.unlock();
                   });
  }

  /// The caller of forEachBlock works too. A bad FUSE_NUM_THREADS was refused
  /// when the module was made.
  static unsigned workers() {
    Expected<unsigned> threads = cpuThreads();
    if (threads)
      return std::max(*threads, 2u) - 1;
    consumeError(threads.takeError());
    return 1;
  }

  std::mutex mutex;
  ThreadPoolInterface *pool = nullptr;
  unsigned size;
};
} // namespace

void fuse::runtime::forEachBlock(
    int64_t grid, unsigned threads,
    function_ref<void(int64_t first, int64_t end)> body) {
  if (grid <= 0)
    return;
  if (grid == 1 || threads <= 1)
    return body(0, grid);

  int64_t step = std::max<int64_t>(1, grid / (threads * rangesPerThread));
  int64_t ranges = grid / step + (grid % step != 0);
  // Counts ranges, not blocks, so that it cannot overflow past the grid's end.
  std::atomic<int64_t> next{0};
  auto drain = [&] {
    for (int64_t range; (range = next.fetch_add(1)) < ranges;) {
      int64_t first = range * step;
      body(first, first + std::min(step, grid - first));
    }
  };

  ThreadPoolInterface &pool = Pool::get().threads();
  ThreadPoolTaskGroup group(pool);
  int64_t helpers = std::min<int64_t>(threads, ranges) - 1;
  for (int64_t i = 0; i < helpers; ++i)
    pool.async(group, drain);
  drain();
  group.wait();
}
