//===- EmulatorMbarrier.cpp - Barriers with phases ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorMbarrier.h"
#include "EmulatorGrid.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace fuse::runtime;

static constexpr int64_t barrierBytes = 8;
static constexpr uint32_t maxCount = (1u << 20) - 1;

/// "phase 3"; a wait may be for the one that ended before there was any.
static std::string phaseName(int64_t phase) {
  if (phase < 0)
    return "the phase before the first";
  return formatv("phase {0}", phase);
}

//===----------------------------------------------------------------------===//
// Barriers come and go
//===----------------------------------------------------------------------===//

void Mbarriers::init(uint64_t address, uint32_t count,
                     const EmulatorSite *site) {
  grid.requireClocks("mbarriers", site);
  if (!grid.isOwnShared(address))
    grid.refuse(formatv("expected mbarrier.init in the block's own shared "
                        "memory, but got {0}; name the block's own barrier",
                        grid.describe(address)),
                site);
  if (count == 0 || count > maxCount)
    grid.refuse(
        formatv("expected mbarrier.init with 1 to {0} arrivals, but got "
                "{1}; count the threads that arrive",
                maxCount, count),
        site);
  if (barriers.count(address))
    grid.refuse(formatv("expected mbarrier.init once for the mbarrier at {0}, "
                        "but got it again; let one thread do it, or run "
                        "mbarrier.inval before",
                        grid.describe(address)),
                site);
  grid.access({address, barrierBytes, barrierBytes, AccessKind::Store}, site);
  Barrier &added = barriers[address];
  added.engine = grid.getClocks().addEngine(
      {"a TMA load", "wait for the phase of its mbarrier"});
  added.owner = grid.id();
  added.count = added.pending = count;
}

/// Uses need the barrier, and an order behind its init like any access.
Mbarriers::Barrier &Mbarriers::barrierAt(uint64_t address, StringRef name,
                                         const EmulatorSite *site) {
  auto found = barriers.find(address);
  if (found == barriers.end())
    grid.refuse(formatv("expected {0} at an mbarrier, but got {1}, where there "
                        "was no mbarrier.init; check the address, and put a "
                        "barrier of the block behind the init",
                        name, grid.describe(address)),
                site);
  grid.checkOrder(address, barrierBytes, site);
  grid.noteProgress();
  return found->second;
}

void Mbarriers::invalidate(uint64_t address, const EmulatorSite *site) {
  barrierAt(address, "mbarrier.inval", site);
  barriers.erase(address);
}

void Mbarriers::fenceInits() {
  for (auto &[address, barrier] : barriers)
    barrier.isFenced |= barrier.owner == grid.id();
}

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

/// Ends the phase if nothing is missing. Who waited for the phase before must
/// have done so by now, in every order of threads.
void Mbarriers::endPhase(uint64_t address, Barrier &barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0)
    return;
  for (auto [thread, wait] : barrier.waits) {
    if (barrier.arriving.all.contains(thread, wait.first))
      continue;
    grid.complainOf(
        thread,
        formatv("expected this wait for {0} of the mbarrier at {1} to "
                "come before phase {2} ends, but got nothing that orders it; "
                "no waiter may be two phases behind: let it arrive, or meet "
                "one that does, before the barrier is used again",
                phaseName(int64_t(barrier.phase) - 1), grid.describe(address),
                barrier.phase),
        wait.second);
    return;
  }
  barrier.waits.clear();
  barrier.pending = barrier.count;
  ++barrier.phase;
  barrier.arriving.all.raise(barrier.engine, barrier.phase);
  barrier.ended = barrier.arriving;
}

uint64_t Mbarriers::arrive(const Arrival &arrival, const EmulatorSite *site) {
  Barrier &barrier = barrierAt(arrival.address, arrival.name, site);
  uint64_t phase = barrier.phase;
  if (arrival.count > barrier.pending)
    grid.refuse(formatv("expected {0} arrivals in phase {1} of the mbarrier at "
                        "{2}, as mbarrier.init says, but got one more by {3}; "
                        "count the threads that arrive",
                        barrier.count, phase, grid.describe(arrival.address),
                        arrival.name),
                site);
  barrier.pending -= arrival.count;
  barrier.bytes += arrival.bytes;
  grid.getClocks().release(grid.id(), barrier.arriving);
  endPhase(arrival.address, barrier);
  grid.stopIfRefused();
  grid.mayYield(site);
  return phase;
}

void Mbarriers::expect(uint64_t address, uint32_t bytes,
                       const EmulatorSite *site) {
  barrierAt(address, "mbarrier.expect_tx", site).bytes += bytes;
}

Mbarriers::Ticket Mbarriers::issueCopy(uint64_t address,
                                       const EmulatorSite *site) {
  Barrier &barrier = barrierAt(address, "a TMA load", site);
  if (!barrier.isFenced)
    grid.refuse(
        formatv("expected fence.mbarrier_init between mbarrier.init and "
                "the first copy that completes at the mbarrier at {0}, "
                "but got none; let the thread that makes it run it "
                "before the barrier of the block",
                grid.describe(address)),
        site);
  barrier.copied = barrier.phase + 1;
  barrier.copier = grid.id();
  barrier.copySite = site;
  return {address, barrier.phase, barrier.engine};
}

void Mbarriers::complete(const Ticket &ticket, int64_t bytes, unsigned thread,
                         const EmulatorSite *site) {
  auto found = barriers.find(ticket.address);
  if (found == barriers.end() || found->second.phase != ticket.phase) {
    grid.complainOf(
        thread,
        formatv("expected all bytes of phase {0} of the mbarrier at {1} to be "
                "announced, but got a copy of {2} bytes after the phase had "
                "ended; let mbarrier.arrive.expect_tx count the bytes of all "
                "copies",
                ticket.phase, grid.describe(ticket.address), bytes),
        site);
    return;
  }
  found->second.bytes -= bytes;
  endPhase(ticket.address, found->second);
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

void Mbarriers::refuseLate(uint64_t address, const Barrier &barrier,
                           int64_t phase, const EmulatorSite *site) {
  grid.refuse(formatv("expected the wait for {0} of the mbarrier at {1} "
                      "to come before phase {2} ends, but got it when {3} "
                      "phases had ended; no waiter may be two phases behind: "
                      "check the parity, and let each wait come before the "
                      "barrier is used again",
                      phaseName(phase), grid.describe(address), phase + 1,
                      barrier.phase),
              site);
}

/// Waits for a phase, -1 for the one that ended before there was any.
bool Mbarriers::pass(uint64_t address, Barrier &barrier, int64_t phase,
                     const EmulatorSite *site) {
  if (int64_t(barrier.phase) > phase + 1)
    refuseLate(address, barrier, phase, site);
  auto hasEnded = [&] { return int64_t(barrier.phase) > phase; };
  ++barrier.waiting;
  grid.waitUntil({"mbarrier.try_wait", hasEnded,
                  [&, address] { return shortage(address, barrier); }},
                 site);
  --barrier.waiting;
  if (int64_t(barrier.phase) > phase + 1)
    refuseLate(address, barrier, phase, site);
  if (grid.mayGiveUp())
    return false;
  barrier.awaited = std::max(barrier.awaited, barrier.phase);
  barrier.waits[grid.id()] = {grid.getClocks().step(grid.id()), site};
  grid.getClocks().acquire(grid.id(), barrier.ended);
  return true;
}

bool Mbarriers::waitForParity(uint64_t address, uint32_t parity,
                              const EmulatorSite *site) {
  Barrier &barrier = barrierAt(address, "mbarrier.try_wait", site);
  if (parity > 1)
    grid.refuse(formatv("expected mbarrier.try_wait with a parity of 0 or 1, "
                        "but got {0}; use the lowest bit of the phase",
                        parity),
                site);
  // The phase that goes on, as far as the thread knows, or the one before.
  int64_t known = grid.getClocks().past(grid.id()).all[barrier.engine];
  return pass(address, barrier, known % 2 == parity ? known : known - 1, site);
}

bool Mbarriers::waitForPhase(uint64_t address, uint64_t phase,
                             const EmulatorSite *site) {
  Barrier &barrier = barrierAt(address, "mbarrier.try_wait", site);
  return pass(address, barrier, phase, site);
}

bool Mbarriers::isAwaited(const Ticket &ticket) const {
  auto found = barriers.find(ticket.address);
  return found != barriers.end() && found->second.waiting > 0 &&
         found->second.phase == ticket.phase;
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

/// What the phase that goes on waits for.
std::string Mbarriers::shortage(uint64_t address,
                                const Barrier &barrier) const {
  std::string where = formatv("phase {0} of the mbarrier at {1}", barrier.phase,
                              grid.describe(address));
  if (barrier.pending > 0)
    return formatv("expected {0} arrivals in {1}, as mbarrier.init says, but "
                   "got {2}; check who arrives, and the parity of the waits",
                   barrier.count, where, barrier.count - barrier.pending);
  if (barrier.bytes > 0)
    return formatv(
        "expected {0} bytes more in {1}, as "
        "mbarrier.arrive.expect_tx says, but got no copy that brings "
        "them; expect the bytes of the copies' boxes",
        barrier.bytes, where);
  return formatv(
      "expected no more bytes in {0} than mbarrier.arrive.expect_tx "
      "says, but got {1} more; expect the bytes of the copies' boxes",
      where, -barrier.bytes);
}

void Mbarriers::checkEnd() const {
  for (const auto &[address, barrier] : barriers)
    if (barrier.copied > barrier.awaited)
      return grid.complainOf(
          barrier.copier,
          formatv("expected a thread to wait for phase {0} of the mbarrier at "
                  "{1}, which this copy belongs to, but got none, so that the "
                  "block may have ended before the bytes arrive; copy only "
                  "what is used",
                  barrier.copied - 1, grid.describe(address)),
          barrier.copySite);
}
