//===- EmulatorClocks.h - Vector clocks of a cluster ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What comes before what where threads meet in other ways than at a barrier of
// the whole block: at mbarriers, at barriers of some threads, at wgmma. Each
// agent counts its steps, and each thread knows of every agent how many of its
// steps are past:
//
//   producer, step 1: store x       past of the consumer: {producer: 0}
//   producer, step 1: arrive        the barrier keeps {producer: 2}
//   consumer: wait                  past of the consumer: {producer: 2}
//   consumer: load x                step 1 < 2: ordered
//
// Agents are the threads of the cluster, and engines: what works on memory on
// its own and says when it is done. Those are the copies that complete a phase
// of an mbarrier (step n is phase n), the bulk stores of a thread, and the
// multiplications of a warpgroup (step n is group n).
//
// Engines touch memory through the async proxy. What a thread wrote before is
// there for them only behind a proxy fence, so that each thread also knows
// which steps lie behind one: PTX's proxy-preserved base causality order.
//
// Clocks cost time and memory for each pair of threads. They start with the
// first operation that needs them. Before that, steps are the barriers that the
// whole block has passed.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATORCLOCKS_H
#define FUSE_LIB_RUNTIME_EMULATORCLOCKS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>
#include <vector>

namespace fuse::runtime {

/// Of each agent, how many of its steps are known; agents beyond the end are
/// not known at all.
class StepCounts {
public:
  uint32_t operator[](unsigned agent) const {
    return agent < counts.size() ? counts[agent] : 0;
  }
  bool contains(unsigned agent, uint32_t step) const {
    return step < (*this)[agent];
  }
  /// Makes all steps before `count` known.
  void raise(unsigned agent, uint32_t count);
  /// Adds what `other` knows.
  void add(const StepCounts &other);
  /// Leaves what `other` knows, too.
  void keepCommon(const StepCounts &other);

private:
  std::vector<uint32_t> counts;
};

/// What a thread, or what it left at a barrier, knows to be past.
struct Past {
  StepCounts all;
  /// Those of the steps that lie behind a proxy fence.
  StepCounts fenced;

  void add(const Past &other) {
    all.add(other.all);
    fenced.add(other.fenced);
  }
};

class EmulatorClocks {
public:
  /// For a cluster of so many threads. Nothing but barriers is counted yet.
  void reset(unsigned threadCount, unsigned blockThreads);

  bool isRunning() const { return !pasts.empty(); }
  /// Counts from now on.
  void run();

  /// What works on memory on its own.
  struct Engine {
    /// "a TMA load", for messages.
    std::string name;
    /// What another access must wait for.
    std::string wait;
  };
  /// The agent's number.
  unsigned addEngine(Engine engine);
  bool isEngine(unsigned agent) const { return agent >= threadCount; }
  const Engine &engine(unsigned agent) const {
    return engines[agent - threadCount];
  }

  const Past &past(unsigned thread) const { return pasts[thread]; }
  /// The step of a thread that is going on.
  uint32_t step(unsigned thread) const {
    return isRunning() ? pasts[thread].all[thread]
                       : barriers[thread / blockThreads];
  }
  /// The whole block has met before clocks run.
  void passBarrier(unsigned block) { ++barriers[block]; }

  /// What `thread` did and knows goes to `into`.
  void release(unsigned thread, Past &into);
  void acquire(unsigned thread, const Past &from) { pasts[thread].add(from); }
  /// `thread` knows the steps of an engine before `count`.
  void acquire(unsigned thread, unsigned engine, uint32_t count);
  /// Puts what `thread` did and knows behind a proxy fence.
  void fence(unsigned thread);
  /// All of these threads know what each of them did and knows, and `more`.
  void meet(llvm::ArrayRef<unsigned> threads, Past more = Past());

private:
  void advance(unsigned thread);

  unsigned threadCount = 0;
  unsigned blockThreads = 1;
  /// By block, passed before clocks run.
  std::vector<uint32_t> barriers;
  std::vector<Engine> engines;
  std::vector<Past> pasts;
};

/// Sets of the steps that have read a byte, the last of each agent. Most bytes
/// have the same few sets, so that a byte keeps a number.
class StepSets {
public:
  using Steps = llvm::SmallVector<std::pair<uint16_t, uint32_t>, 2>;

  void reset();
  /// The number of `set` with a step; set 0 is empty.
  uint32_t add(uint32_t set, uint16_t agent, uint32_t step);
  llvm::ArrayRef<std::pair<uint16_t, uint32_t>> steps(uint32_t set) const {
    return sets[set];
  }

private:
  std::vector<Steps> sets = {{}};
  llvm::DenseMap<std::tuple<uint32_t, uint16_t, uint32_t>, uint32_t> unions;
};

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_EMULATORCLOCKS_H
