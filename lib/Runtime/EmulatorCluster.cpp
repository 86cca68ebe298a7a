//===- EmulatorCluster.cpp - What the blocks of a cluster share -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorGrid.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>

using namespace llvm;
using namespace fuse::runtime;

//===----------------------------------------------------------------------===//
// Shared memory of other blocks
//===----------------------------------------------------------------------===//

/// Blocks that run together are then those of the grid.
void EmulatorGrid::refuseClusters(const EmulatorSite *site) {
  if (!launch.cooperative)
    return;
  complain(
      "expected a cooperative launch without clusters, but got what blocks "
      "of a cluster do; use barriers of the block, or launch clusters",
      site);
  abandon();
}

uint64_t EmulatorGrid::mapToBlock(uint64_t address, unsigned rank,
                                  const EmulatorSite *site) {
  refuseClusters(site);
  const Segment *segment = memory.segmentAt(address);
  if (!isOwnShared(segment))
    complain(formatv("expected mapa of an address in the block's own shared "
                     "memory, but got {0}; map the address of a shared array",
                     segment ? segment->name : formatv("{0:x}", address).str()),
             site);
  else if (rank >= launch.cluster)
    complain(formatv("expected mapa to a rank below {0}, the blocks of the "
                     "cluster, but got {1}; check the rank",
                     launch.cluster, int32_t(rank)),
             site);
  else
    return memory.inBlock(address, rank);
  abandon();
}

bool EmulatorGrid::isOwnShared(const Segment *segment) const {
  return segment && segment->kind == SegmentKind::Shared &&
         segment->rank == running->rank;
}

/// Another block's memory is there once that block has started.
void EmulatorGrid::checkHasStarted(const Segment &segment,
                                   const EmulatorSite *site) {
  if (running->waits != 0 || segment.rank == running->rank)
    return;
  complain(formatv("expected a cluster barrier before the first access to "
                   "another block's shared memory, but got one to {0} before "
                   "it, when that block may not have started; put "
                   "barrier.cluster.arrive and .wait at the kernel's start",
                   segment.name),
           site);
  abandon();
}

/// And until all its threads have ended.
void EmulatorGrid::checkOtherBlock(uint64_t address, const EmulatorSite *site) {
  const Segment *segment = memory.segmentAt(address);
  if (!segment || segment->kind != SegmentKind::Shared ||
      segment->rank == running->rank)
    return;
  checkHasStarted(*segment, site);
  Lifetime &lifetime = lifetimes[segment->rank];
  if (lifetime.barrier <= running->arrivals)
    lifetime = {running->arrivals + 1u, running, site};
}

/// An access must not be possible after the end of the block whose memory it
/// touches: that block waits for a barrier that the access comes before. This
/// does not depend on the order of threads.
void EmulatorGrid::checkLifetimes() {
  for (auto [rank, lifetime] : enumerate(lifetimes)) {
    auto waits = [&, needed = lifetime.barrier](const Thread &thread) {
      return thread.clusterOrdered >= needed;
    };
    if (any_of(threadsOfBlock(rank), waits))
      continue;
    return complainOf(
        *lifetime.thread,
        formatv("expected a cluster barrier with release between an access to "
                "the shared memory of block {0} and that block's end, but got "
                "none, so that the block may have ended; let all blocks of the "
                "cluster pass one before they end",
                firstBlock + rank),
        lifetime.site);
  }
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void EmulatorGrid::arriveAtCluster(bool isRelease, const EmulatorSite *site) {
  refuseClusters(site);
  Thread &self = *running;
  if (self.arrivals != self.waits) {
    complain("expected barrier.cluster.wait between two arrivals at cluster "
             "barriers, but got none; wait for each barrier",
             site);
    abandon();
  }
  if (self.arrivals == std::numeric_limits<uint16_t>::max()) {
    complain(formatv("expected at most {0} cluster barriers in a kernel, but "
                     "got one more; use fewer rows or a larger grid",
                     self.arrivals),
             site);
    abandon();
  }
  ++self.arrivals;
  isClusterRelease &= isRelease;
  if (isRelease && clocks.isRunning())
    clocks.release(self.id, clusterArriving);
  if (++clusterArrivals < threads.size())
    return;
  ++clusterBarriers;
  if (isClusterRelease)
    lastClusterRelease = clusterBarriers;
  clusterArrivals = 0;
  isClusterRelease = true;
  clusterReleased = clusterArriving;
  for (Thread &thread : threads)
    if (thread.state == State::AtClusterBarrier)
      thread.state = State::Ready;
}

void EmulatorGrid::waitForCluster(const EmulatorSite *site) {
  refuseClusters(site);
  Thread &self = *running;
  if (self.arrivals == self.waits) {
    complain("expected barrier.cluster.arrive before barrier.cluster.wait, but "
             "got none since the last wait; arrive first",
             site);
    abandon();
  }
  if (clusterBarriers < self.arrivals) {
    self.state = State::AtClusterBarrier;
    self.site = site;
    self.fiber.pause();
  }
  ++self.waits;
  // No later barrier can be complete: this thread has not arrived there.
  self.clusterOrdered = lastClusterRelease;
  if (clocks.isRunning())
    clocks.acquire(self.id, clusterReleased);
}

//===----------------------------------------------------------------------===//
// Clusters that are stuck
//===----------------------------------------------------------------------===//

/// PTX waits for no thread that has ended, but what such a thread did would not
/// be ordered.
void EmulatorGrid::explainStuckCluster(const Thread &waiting) {
  for (const Thread &other : threads) {
    if (other.arrivals >= waiting.arrivals)
      continue;
    return complainOf(
        waiting,
        formatv("expected all threads of the cluster to arrive at its barrier, "
                "but got thread {0} of block {1} at {2}; move the arrival out "
                "of the branch",
                inBlock(other), blockOf(other), describe(other)),
        waiting.site);
  }
  llvm_unreachable("a barrier that all have arrived at is open");
}
