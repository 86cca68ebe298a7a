//===- EmulatorOrder.h - What comes before what -----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moments of threads, and which of them the blocks of a cooperative launch know
// to be past: by release and acquire at a counter in global memory.
//
//   block A: stores of all threads     block B: barrier, a thread acquires
//            barrier, one releases              barrier
//            at the counter                     loads of all threads
//
// A release covers what a barrier of the block puts before it, the releasing
// thread's own accesses, and all that these have acquired. It does not cover
// other threads' accesses since that barrier, even in the same warp. An acquire
// is known to the acquiring thread at once, and to its block after the block's
// next barrier.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATORORDER_H
#define FUSE_LIB_RUNTIME_EMULATORORDER_H

#include "EmulatorClocks.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace fuse::runtime {

/// When a thread did something. Phases count the barriers of all blocks of a
/// launch, from 1; phase 0 is never.
struct Moment {
  /// Since the last barrier of the thread's block.
  uint32_t phase = 0;
  /// Counts the syncs of the thread's warp.
  uint32_t warpPhase = 0;
  /// Number among the threads that run together, or of an engine.
  uint16_t thread = 0;
  /// How often the thread has arrived at a barrier of the cluster or, in a
  /// cooperative launch, released.
  uint16_t arrivals = 0;
  /// Of the thread, or of the engine that acted for it: EmulatorClocks.h.
  uint32_t step = 0;

  explicit operator bool() const { return phase != 0; }
};

/// The moment of the running thread.
struct Present : Moment {
  /// What other threads of the cluster did before their arrival of this number,
  /// from 1, comes before this moment.
  uint16_t clusterOrdered = 0;
  /// Of a write that arrives later: the transaction barrier, from 1, that says
  /// when. 0 for every other access.
  uint16_t completion = 0;
  /// The transaction barriers that the thread has waited at, by number.
  const llvm::SmallBitVector *completions = nullptr;
  /// What the thread knows to be past; null where clocks do not run.
  const Past *past = nullptr;
  /// The engine that acts for the thread, in its step; 0 if it acts itself.
  uint16_t engine = 0;
  uint32_t engineStep = 0;

  /// What a byte remembers.
  Moment mark() const {
    Moment moment = *this;
    if (engine) {
      moment.thread = engine;
      moment.step = engineStep;
    }
    return moment;
  }

  bool hasWaitedFor(uint16_t barrier) const {
    return completions && barrier < completions->size() &&
           completions->test(barrier);
  }
};

/// What the blocks of a cooperative launch know of each other.
class GridOrder {
public:
  GridOrder(unsigned blocks, unsigned blockThreads);

  /// `thread` sees what was released at `counter`.
  void acquire(unsigned thread, uint64_t counter);

  /// `thread`, in `phase` of its block, writes to `counter` with release. An
  /// update adds to what others have released there, a store replaces it.
  void release(unsigned thread, uint32_t phase, uint64_t counter,
               bool isUpdate);

  /// A store to `counter` without release.
  void forget(uint64_t counter) { counters.erase(counter); }

  /// All threads of the block have met.
  void passBarrier(unsigned block);

  /// For Moment::arrivals.
  uint16_t releases(unsigned thread) const { return threads[thread].releases; }

  /// Whether what another thread did at `before` is known to `thread`.
  bool isOrdered(const Moment &before, unsigned thread) const;

  /// Whether all of `phase` of `block` is known to `thread`, of another block.
  bool isOver(unsigned block, uint32_t phase, unsigned thread) const;

private:
  /// What is known of a block.
  struct Past {
    /// All phases before this one.
    uint32_t phase = 0;
    /// And in this phase the accesses of a thread before its release of a
    /// number, from 1.
    llvm::SmallVector<std::pair<uint16_t, uint16_t>, 1> threads;

    bool contains(const Moment &moment) const;
    void add(const Past &other);
    void add(uint16_t thread, uint16_t releases);
  };

  /// By block; empty if nothing is known.
  using Knowledge = std::vector<Past>;
  using Released = std::shared_ptr<const Knowledge>;

  struct Thread {
    uint16_t releases = 0;
    /// What it has acquired since the last barrier of its block.
    Knowledge known;
    /// The last that it acquired, to do so once.
    Released acquired;
  };

  static void add(Knowledge &known, const Knowledge &other);
  template <typename Predicate>
  bool knows(unsigned thread, unsigned block, Predicate predicate) const;

  unsigned blockThreads;
  std::vector<Thread> threads;
  /// What all threads of each block know.
  std::vector<Knowledge> blocks;
  llvm::DenseMap<uint64_t, Released> counters;
};

/// Sets of the blocks that have read a byte, each with the phase of its last
/// read. Most bytes have the same few sets, so that a byte keeps a number.
class ReaderSets {
public:
  /// The number of `set` with `block`'s read in `phase`; set 0 is empty.
  uint32_t add(uint32_t set, unsigned block, uint32_t phase);

  /// The phase of each block's last read; 0 where it has not. Blocks from
  /// size() on have not either.
  llvm::ArrayRef<uint32_t> phases(uint32_t set) const { return sets[set]; }

private:
  std::vector<std::vector<uint32_t>> sets = {{}};
  /// By set, block and phase.
  llvm::DenseMap<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> unions;
};

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_EMULATORORDER_H
