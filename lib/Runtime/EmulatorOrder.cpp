//===- EmulatorOrder.cpp - What comes before what -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorOrder.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace llvm;
using namespace fuse::runtime;

//===----------------------------------------------------------------------===//
// What is known of a block
//===----------------------------------------------------------------------===//

bool GridOrder::Past::contains(const Moment &moment) const {
  if (moment.phase != phase)
    return moment.phase < phase;
  return any_of(threads, [&](auto &each) {
    return each.first == moment.thread && moment.arrivals < each.second;
  });
}

void GridOrder::Past::add(uint16_t thread, uint16_t releases) {
  for (auto &[known, last] : threads)
    if (known == thread) {
      last = std::max(last, releases);
      return;
    }
  threads.emplace_back(thread, releases);
}

void GridOrder::Past::add(const Past &other) {
  if (other.phase < phase)
    return;
  if (other.phase > phase) {
    *this = other;
    return;
  }
  for (auto [thread, releases] : other.threads)
    add(thread, releases);
}

//===----------------------------------------------------------------------===//
// Release and acquire
//===----------------------------------------------------------------------===//

GridOrder::GridOrder(unsigned blockCount, unsigned blockThreads)
    : blockThreads(blockThreads), threads(blockCount * blockThreads),
      blocks(blockCount) {}

void GridOrder::add(Knowledge &known, const Knowledge &other) {
  if (known.size() < other.size())
    known.resize(other.size());
  for (auto [block, past] : enumerate(other))
    known[block].add(past);
}

void GridOrder::acquire(unsigned thread, uint64_t counter) {
  Released released = counters.lookup(counter);
  Thread &self = threads[thread];
  if (!released || released == self.acquired)
    return;
  add(self.known, *released);
  self.acquired = std::move(released);
}

void GridOrder::release(unsigned thread, uint32_t phase, uint64_t counter,
                        bool isUpdate) {
  Thread &self = threads[thread];
  unsigned block = thread / blockThreads;
  auto all = std::make_shared<Knowledge>(blocks[block]);
  add(*all, self.known);
  Released &released = counters[counter];
  if (isUpdate && released)
    add(*all, *released);
  // Where the count ends, the last accesses stay unordered.
  if (self.releases < std::numeric_limits<uint16_t>::max())
    ++self.releases;
  all->resize(blocks.size());
  Past own;
  own.phase = phase;
  own.add(thread, self.releases);
  (*all)[block].add(own);
  released = std::move(all);
}

void GridOrder::passBarrier(unsigned block) {
  for (Thread &thread :
       MutableArrayRef(threads).slice(block * blockThreads, blockThreads)) {
    if (thread.known.empty())
      continue;
    add(blocks[block], thread.known);
    thread.known = {};
  }
}

template <typename Predicate>
bool GridOrder::knows(unsigned thread, unsigned block,
                      Predicate predicate) const {
  auto isKnown = [&](const Knowledge &known) {
    return !known.empty() && predicate(known[block]);
  };
  return isKnown(blocks[thread / blockThreads]) ||
         isKnown(threads[thread].known);
}

bool GridOrder::isOrdered(const Moment &before, unsigned thread) const {
  return knows(thread, before.thread / blockThreads,
               [&](const Past &past) { return past.contains(before); });
}

bool GridOrder::isOver(unsigned block, uint32_t phase, unsigned thread) const {
  return knows(thread, block,
               [&](const Past &past) { return phase < past.phase; });
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

uint32_t ReaderSets::add(uint32_t set, unsigned block, uint32_t phase) {
  ArrayRef<uint32_t> known = sets[set];
  if (block < known.size() && known[block] == phase)
    return set;
  auto [it, isNew] = unions.try_emplace({set, block, phase}, sets.size());
  if (isNew) {
    std::vector<uint32_t> phases = sets[set];
    phases.resize(std::max<size_t>(phases.size(), block + 1));
    phases[block] = phase;
    sets.push_back(std::move(phases));
  }
  return it->second;
}
