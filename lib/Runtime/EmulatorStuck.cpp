//===- EmulatorStuck.cpp - Why nobody can go on ---------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorGrid.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace fuse::runtime;

static constexpr unsigned warpSize = 32;

/// What a thread does that others wait for.
std::string EmulatorGrid::describe(const Thread &thread) const {
  std::string where;
  if (thread.site && thread.site->line)
    where = formatv(" at {0}:{1}", thread.site->file, thread.site->line);
  switch (thread.state) {
  case State::Ended:
    return "its end";
  case State::AtBarrier:
    return "a barrier" + where;
  case State::AtClusterBarrier:
    return "barrier.cluster.wait" + where;
  case State::AtTransactions:
    return "mbarrier.try_wait" + where;
  case State::Waiting:
    return thread.condition.name.str() + where;
  case State::InWarpOperation:
    return formatv("{0} with mask {1:x8}{2}", thread.operation.name,
                   thread.operation.mask, where);
  case State::Ready:
    // It gets its turns, and waits nevertheless.
    return "a loop of atomic accesses" + where;
  }
  llvm_unreachable("covered switch");
}

void EmulatorGrid::explainStuckWarp(const Thread &waiting) {
  unsigned first = waiting.id - waiting.id % warpSize;
  const WarpOperation &operation = waiting.operation;
  for (unsigned i = 0; i < warpSize; ++i) {
    if (!(operation.mask >> i & 1) ||
        isSameOperation(threads[first + i], operation))
      continue;
    const Thread &other = threads[first + i];
    return complainOf(
        waiting,
        formatv("expected every lane in the mask {0:x8} of {1} to take part, "
                "but got lane {2} at {3}; name only the lanes that take part, "
                "or let all of them",
                operation.mask, operation.name, i, describe(other)),
        operation.site);
  }
}

void EmulatorGrid::explainStuckBarrier(const Thread &waiting) {
  for (const Thread &other : threadsOfBlock(waiting.rank)) {
    if (other.state == State::AtBarrier && other.barrier == waiting.barrier)
      continue;
    return complainOf(
        waiting,
        formatv("expected all threads of the block at barrier {0}, but got "
                "thread {1} at {2}; move the barrier out of the branch",
                waiting.barrier, inBlock(other), describe(other)),
        waiting.site);
  }
  complainOf(waiting,
             formatv("expected enough threads at barrier {0}, but got only "
                     "those of the block; lower its count",
                     waiting.barrier),
             waiting.site);
}

/// Whether a thread waits for one that itself waits for an engine, which then
/// says more.
bool EmulatorGrid::waitsForWaiting(const Thread &thread) const {
  auto isWaiting = [](const Thread &other) {
    return other.state == State::Waiting;
  };
  ArrayRef<Thread> all(threads);
  if (thread.state == State::InWarpOperation)
    return any_of(
        all.slice(thread.id - thread.id % warpSize).take_front(warpSize),
        isWaiting);
  return any_of(all.slice(thread.rank * launch.threads, launch.threads),
                isWaiting);
}

void EmulatorGrid::explainStuck() {
  // A warp that waits for a lane says more than a barrier behind it.
  for (const Thread &thread : threads)
    if (thread.state == State::InWarpOperation && !waitsForWaiting(thread))
      return explainStuckWarp(thread);
  for (const Thread &thread : threads)
    if (thread.state == State::AtBarrier && !waitsForWaiting(thread))
      return explainStuckBarrier(thread);
  if (explainStuckWaiting() || explainStuckTransactions())
    return;
  for (const Thread &thread : threads)
    if (thread.state == State::AtClusterBarrier)
      return explainStuckCluster(thread);
}
