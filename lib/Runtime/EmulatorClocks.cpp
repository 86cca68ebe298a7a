//===- EmulatorClocks.cpp - Vector clocks of a cluster --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorClocks.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace fuse::runtime;

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

void StepCounts::raise(unsigned agent, uint32_t count) {
  if (counts.size() <= agent)
    counts.resize(agent + 1);
  counts[agent] = std::max(counts[agent], count);
}

void StepCounts::add(const StepCounts &other) {
  if (counts.size() < other.counts.size())
    counts.resize(other.counts.size());
  for (size_t i = 0; i < other.counts.size(); ++i)
    counts[i] = std::max(counts[i], other.counts[i]);
}

void StepCounts::keepCommon(const StepCounts &other) {
  if (counts.size() > other.counts.size())
    counts.resize(other.counts.size());
  for (size_t i = 0; i < counts.size(); ++i)
    counts[i] = std::min(counts[i], other.counts[i]);
}

//===----------------------------------------------------------------------===//
// Agents
//===----------------------------------------------------------------------===//

void EmulatorClocks::reset(unsigned count, unsigned threadsOfBlock) {
  threadCount = count;
  blockThreads = threadsOfBlock;
  barriers.assign(count / threadsOfBlock, 0);
  engines.clear();
  pasts.clear();
}

void EmulatorClocks::run() {
  if (isRunning())
    return;
  pasts.resize(threadCount);
  for (unsigned thread = 0; thread < threadCount; ++thread) {
    unsigned block = thread / blockThreads;
    for (unsigned i = 0; i < blockThreads; ++i)
      pasts[thread].all.raise(block * blockThreads + i, barriers[block]);
  }
}

unsigned EmulatorClocks::addEngine(Engine engine) {
  run();
  engines.push_back(std::move(engine));
  return threadCount + engines.size() - 1;
}

void EmulatorClocks::advance(unsigned thread) {
  pasts[thread].all.raise(thread, step(thread) + 1);
}

void EmulatorClocks::release(unsigned thread, Past &into) {
  run();
  advance(thread);
  into.add(pasts[thread]);
}

void EmulatorClocks::acquire(unsigned thread, unsigned engine, uint32_t count) {
  run();
  pasts[thread].all.raise(engine, count);
}

void EmulatorClocks::fence(unsigned thread) {
  run();
  advance(thread);
  pasts[thread].fenced = pasts[thread].all;
}

void EmulatorClocks::meet(ArrayRef<unsigned> threads, Past met) {
  for (unsigned thread : threads)
    release(thread, met);
  for (unsigned thread : threads)
    pasts[thread].add(met);
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

void StepSets::reset() {
  sets.resize(1);
  unions.clear();
}

uint32_t StepSets::add(uint32_t set, uint16_t agent, uint32_t step) {
  auto isIt = [&](auto &each) { return each.first == agent; };
  const auto *known = find_if(sets[set], isIt);
  if (known != sets[set].end() && known->second == step)
    return set;
  auto [it, isNew] = unions.try_emplace({set, agent, step}, sets.size());
  if (isNew) {
    Steps steps = sets[set];
    auto *mine = find_if(steps, isIt);
    if (mine == steps.end())
      steps.emplace_back(agent, step);
    else
      mine->second = step;
    sets.push_back(std::move(steps));
  }
  return it->second;
}
