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
#include <condition_variable>
#include <cstdlib>
#include <memory>
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

namespace {
/// The ranges of one grid. Whoever takes a range runs it, so the caller need
/// not wait for helpers that have not woken up: it shares the job with them,
/// and those that come late find nothing left and leave the body alone.
class Job {
public:
  Job(int64_t grid, int64_t step, function_ref<void(int64_t, int64_t)> body)
      : grid(grid), step(step), ranges(grid / step + (grid % step != 0)),
        body(body) {}

  bool anyLeft() const { return next.load(std::memory_order_relaxed) < ranges; }
  int64_t numRanges() const { return ranges; }

  /// Runs ranges until none is left.
  void drain() {
    // Counts ranges, not blocks, so that it cannot overflow past the grid's
    // end.
    for (int64_t range; anyLeft() && (range = next.fetch_add(1)) < ranges;) {
      int64_t first = range * step;
      body(first, first + std::min(step, grid - first));
      if (done.fetch_add(1, std::memory_order_acq_rel) + 1 == ranges) {
        std::lock_guard<std::mutex> guard(mutex);
        finished.notify_one();
      }
    }
  }

  /// Waits for the ranges that others still run.
  void wait() {
    for (int spin = 0; spin < 1000; ++spin)
      if (isDone())
        return;
    std::unique_lock<std::mutex> lock(mutex);
    finished.wait(lock, [&] { return isDone(); });
  }

private:
  bool isDone() const { return done.load(std::memory_order_acquire) == ranges; }

  const int64_t grid, step, ranges;
  const function_ref<void(int64_t, int64_t)> body;
  std::atomic<int64_t> next{0}, done{0};
  std::mutex mutex;
  std::condition_variable finished;
};
} // namespace

/// Puts a helper on the pool, which wakes the next one before it sets to work:
/// waking all of them would keep the caller longer than many a kernel takes.
static void startHelper(ThreadPoolInterface &pool, std::shared_ptr<Job> job,
                        int64_t helpers) {
  if (helpers == 0 || !job->anyLeft())
    return;
  pool.async([&pool, job = std::move(job), helpers] {
    startHelper(pool, job, helpers - 1);
    job->drain();
  });
}

void fuse::runtime::forEachBlock(
    int64_t grid, unsigned threads,
    function_ref<void(int64_t first, int64_t end)> body) {
  if (grid <= 0)
    return;
  if (grid == 1 || threads <= 1)
    return body(0, grid);
  int64_t step = std::max<int64_t>(1, grid / (threads * rangesPerThread));
  auto job = std::make_shared<Job>(grid, step, body);
  startHelper(Pool::get().threads(), job,
              std::min<int64_t>(threads, job->numRanges()) - 1);
  job->drain();
  job->wait();
}
