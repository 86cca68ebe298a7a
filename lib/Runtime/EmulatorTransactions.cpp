//===- EmulatorTransactions.cpp - Stores that arrive at a barrier ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transaction barriers (mbarrier), and st.async, which stores to the memory of
// a block of the cluster and counts its bytes at a barrier of that block. Each
// barrier completes once:
//
//   owner:   mbarrier.init, fence.mbarrier_init, barrier.cluster.arrive
//   all:     barrier.cluster.wait
//   owner:   mbarrier.arrive.expect_tx    // may come after the bytes
//   senders: st.async
//   readers: mbarrier.try_wait            // those of the block, each for
//   itself
//
// A byte knows its barrier from the st.async on, so that a reader that has not
// waited there is refused in every order of threads.
//
//===----------------------------------------------------------------------===//

#include "EmulatorGrid.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>
#include <limits>

using namespace llvm;
using namespace fuse::runtime;

static constexpr int64_t barrierBytes = 8;

/// "byte 8 of shared memory 'slots'".
std::string EmulatorGrid::describe(uint64_t address) const {
  const Segment *segment = memory.segmentAt(address);
  if (!segment)
    return formatv("address {0:x}", address);
  return formatv("byte {0} of {1}", int64_t(address - segment->base),
                 segment->name);
}

//===----------------------------------------------------------------------===//
// Who may use a barrier
//===----------------------------------------------------------------------===//

void EmulatorGrid::checkOwnShared(uint64_t address, StringRef what,
                                  const EmulatorSite *site) {
  if (isOwnShared(memory.segmentAt(address)))
    return;
  complain(formatv("expected {0} of a transaction barrier in the block's own "
                   "shared memory, but got {1}; name the block's own barrier",
                   what, describe(address)),
           site);
  abandon();
}

/// What the running thread must not do without; empty if nothing is missing.
StringRef EmulatorGrid::missingBefore(const Transactions *transactions) const {
  if (!transactions)
    return "no mbarrier.init";
  if (transactions->owner == running)
    return "";
  if (!transactions->fenced)
    return "no fence.mbarrier_init";
  // The owner's next arrival is that of the barrier which this one waited for.
  if (running->waits <= *transactions->fenced)
    return "no cluster barrier after them";
  return "";
}

/// The barrier, for a use by the running thread. One rule for all that may be
/// missing, since what is depends on the order of threads.
EmulatorGrid::Transactions &
EmulatorGrid::transactionsAt(uint64_t address, StringRef what,
                             const EmulatorSite *site) {
  auto found = transactions.find(address);
  Transactions *here = found == transactions.end() ? nullptr : &found->second;
  StringRef missing = missingBefore(here);
  if (missing.empty())
    return *here;
  complain(formatv("expected mbarrier.init, fence.mbarrier_init and a cluster "
                   "barrier before {0} at the transaction barrier at {1}, but "
                   "got {2}; let the thread that makes it fence it and then "
                   "arrive, and all others wait",
                   what, describe(address), missing),
           site);
  abandon();
}

void EmulatorGrid::initTransactions(uint64_t address, uint32_t count,
                                    const EmulatorSite *site) {
  refuseClusters(site);
  checkOwnShared(address, "mbarrier.init", site);
  if (count == 0) {
    complain(
        "expected mbarrier.init with one arrival or more, but got 0; count "
        "the threads that run mbarrier.arrive.expect_tx",
        site);
    abandon();
  }
  if (transactions.count(address)) {
    complain(formatv("expected mbarrier.init once for the transaction barrier "
                     "at {0}, but got it again; make a barrier for each phase",
                     describe(address)),
             site);
    abandon();
  }
  if (transactions.size() == std::numeric_limits<uint16_t>::max()) {
    complain(formatv("expected at most {0} transaction barriers in a cluster, "
                     "but got one more; use fewer",
                     transactions.size()),
             site);
    abandon();
  }
  access({address, barrierBytes, barrierBytes, AccessKind::Store}, site);
  // Before the element, which counts.
  uint16_t number = transactions.size() + 1;
  Transactions &added = transactions[address];
  added.number = number;
  added.owner = running;
  added.count = count;
}

void EmulatorGrid::fenceTransactions(const EmulatorSite *site) {
  refuseClusters(site);
  for (auto &[address, made] : transactions)
    if (made.owner == running && !made.fenced)
      made.fenced = running->arrivals;
}

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

/// Carries out what has arrived, if all has.
void EmulatorGrid::complete(uint64_t address, Transactions &transactions) {
  if (transactions.arrived < transactions.count)
    return;
  if (transactions.bytesArrived > transactions.bytesExpected)
    refuseMore(address, transactions);
  if (transactions.bytesArrived < transactions.bytesExpected)
    return;
  transactions.isComplete = true;
  for (auto [to, value, bytes] : transactions.stores)
    std::memcpy(to, &value, bytes);
  for (Thread &thread : threads)
    if (thread.state == State::AtTransactions && thread.arrival == address)
      thread.state = State::Ready;
}

/// The same text before and after the completion, which depends on the order of
/// threads.
void EmulatorGrid::refuseMore(uint64_t address,
                              const Transactions &transactions) {
  complain(formatv("expected no more than {0} bytes at the transaction barrier "
                   "at {1}, as mbarrier.arrive.expect_tx says, but got {2}; "
                   "expect all bytes that the blocks send there",
                   transactions.bytesExpected, describe(address),
                   transactions.bytesArrived),
           transactions.site);
  abandon();
}

void EmulatorGrid::expectBytes(uint64_t address, uint32_t bytes,
                               const EmulatorSite *site) {
  refuseClusters(site);
  static constexpr StringLiteral name = "mbarrier.arrive.expect_tx";
  checkOwnShared(address, name, site);
  Transactions &here = transactionsAt(address, name, site);
  if (here.arrived == here.count) {
    complain(formatv("expected {0} of {1} at the transaction barrier at {2}, "
                     "as mbarrier.init says, but got one more; make a barrier "
                     "for each phase, and let one thread arrive",
                     here.count, name, describe(address)),
             site);
    abandon();
  }
  isIdle = false;
  ++here.arrived;
  here.bytesExpected += bytes;
  here.thread = running;
  here.site = site;
  complete(address, here);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// A store counts where it arrives.
void EmulatorGrid::checkSameBlock(const AsyncStore &store) {
  const Segment *to = memory.segmentAt(store.to);
  const Segment *arrival = memory.segmentAt(store.arrival);
  bool isShared = to && to->kind == SegmentKind::Shared && arrival &&
                  arrival->kind == SegmentKind::Shared;
  if (!isShared || to->rank != arrival->rank) {
    complain(formatv("expected st.async to shared memory and a transaction "
                     "barrier of one block, but got {0} and {1}; map both to "
                     "the same rank",
                     describe(store.to), describe(store.arrival)),
             store.site);
    abandon();
  }
  checkHasStarted(*to, store.site);
}

void EmulatorGrid::storeAsync(const AsyncStore &store) {
  refuseClusters(store.site);
  checkSameBlock(store);
  Transactions &here = transactionsAt(store.arrival, "st.async", store.site);
  here.bytesArrived += store.bytes;
  here.thread = running;
  here.site = store.site;
  Present moment = now();
  moment.completion = here.number;
  void *to = memory.translate(
      {store.to, store.bytes, store.bytes, AccessKind::Store}, moment);
  if (!to) {
    complain(memory.complaint(), store.site);
    abandon();
  }
  isIdle = false;
  here.stores.emplace_back(to, store.value, store.bytes);
  complete(store.arrival, here);
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

void EmulatorGrid::waitForBytes(uint64_t address, const EmulatorSite *site) {
  refuseClusters(site);
  static constexpr StringLiteral name = "mbarrier.try_wait";
  checkOwnShared(address, name, site);
  Transactions &here = transactionsAt(address, name, site);
  Thread &self = *running;
  if (!here.isComplete) {
    self.state = State::AtTransactions;
    self.site = site;
    self.arrival = address;
    self.fiber.pause();
  }
  here.isAwaited = true;
  if (self.completions.size() <= here.number)
    self.completions.resize(here.number + 1);
  self.completions.set(here.number);
}

/// Why a barrier is not complete.
std::string EmulatorGrid::shortage(uint64_t address,
                                   const Transactions &transactions) {
  if (transactions.arrived < transactions.count)
    return formatv("expected {0} of mbarrier.arrive.expect_tx at the "
                   "transaction barrier at {1}, as mbarrier.init says, but got "
                   "{2}; let a thread of its block arrive",
                   transactions.count, describe(address), transactions.arrived);
  return formatv("expected {0} bytes at the transaction barrier at {1}, as "
                 "mbarrier.arrive.expect_tx says, but got {2}; let the blocks "
                 "of the cluster send all bytes, or expect fewer",
                 transactions.bytesExpected, describe(address),
                 transactions.bytesArrived);
}

/// Bytes that arrive in a block keep it from ending only where it waits.
void EmulatorGrid::checkTransactions() {
  for (const auto &[address, made] : transactions) {
    if (!made.thread || made.isAwaited)
      continue;
    if (!made.isComplete)
      return complainOf(*made.thread, shortage(address, made), made.site);
    return complainOf(
        *made.thread,
        formatv("expected a thread of block {0} to wait at the transaction "
                "barrier at {1}, but got none, so that the block may have "
                "ended before the bytes arrive; let it wait with "
                "mbarrier.try_wait",
                blockOf(*made.owner), describe(address)),
        made.site);
  }
}

/// The thread that has waited least says most: others may wait for what its
/// block has not sent. Whether there is one.
bool EmulatorGrid::explainStuckTransactions() {
  const Thread *last = nullptr;
  for (const Thread &thread : threads)
    if (thread.state == State::AtTransactions &&
        (!last || thread.completions.count() < last->completions.count()))
      last = &thread;
  if (!last)
    return false;
  complainOf(*last, shortage(last->arrival, transactions.at(last->arrival)),
             last->site);
  return true;
}
