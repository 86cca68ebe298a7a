//===- EmulatorMbarrier.h - Barriers with phases ----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase of an mbarrier ends when as many threads have arrived as the barrier
// was made for, and all bytes that they expect have. Then the next one starts:
//
//   producer: arrive.expect_tx 16384, two copies of 8192   phase 0 is going on
//   consumer: try_wait.parity 0                            ... until it has
//   ended producer: arrive.expect_tx 16384, ...                  phase 1
//
// A wait names its phase by parity alone, and passes if the phase that ended
// last has it. So a thread whose wait is for a phase that a later one has
// followed already waits for the wrong one: no waiter may be two behind. Which
// phase a wait is for follows from what its thread knows of the barrier. That
// nobody can be behind is checked as phases end: all waits for the phase before
// come before the arrivals of this one. It does not depend on the order of
// threads, and neither does any error here.
//
// The barrier is also the engine of the copies that complete there: step n of
// the engine is phase n.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATORMBARRIER_H
#define FUSE_LIB_RUNTIME_EMULATORMBARRIER_H

#include "EmulatorClocks.h"
#include "fuse/Runtime/EmulatorModule.h"
#include "llvm/ADT/StringRef.h"
#include <map>

namespace fuse::runtime {
class EmulatorGrid;

/// Those of the blocks that run together. What takes a site is called on the
/// fiber of a thread, and does not return if a rule is broken.
class Mbarriers {
public:
  explicit Mbarriers(EmulatorGrid &grid) : grid(grid) {}

  void reset() { barriers.clear(); }

  /// Makes the 8 bytes at `address` a barrier whose phases take `count`
  /// arrivals.
  void init(uint64_t address, uint32_t count, const EmulatorSite *site);
  void invalidate(uint64_t address, const EmulatorSite *site);
  /// Lets copies use the barriers that the thread has made.
  void fenceInits();

  struct Arrival {
    llvm::StringRef name;
    uint64_t address = 0;
    uint32_t count = 1;
    /// More that the phase waits for.
    uint32_t bytes = 0;
  };
  /// Returns the number of the phase, which stands for it in waitForPhase().
  uint64_t arrive(const Arrival &arrival, const EmulatorSite *site);
  /// Expects bytes without an arrival.
  void expect(uint64_t address, uint32_t bytes, const EmulatorSite *site);

  /// Whether the phase has ended. It has when this returns, but PTX lets a wait
  /// give up early: at random it does, so that a wait without a loop shows.
  bool waitForParity(uint64_t address, uint32_t parity,
                     const EmulatorSite *site);
  bool waitForPhase(uint64_t address, uint64_t phase, const EmulatorSite *site);

  /// The phase that a copy's bytes belong to.
  struct Ticket {
    uint64_t address = 0;
    uint64_t phase = 0;
    unsigned engine = 0;
  };
  /// That of a copy which the running thread issues now.
  Ticket issueCopy(uint64_t address, const EmulatorSite *site);
  /// Bytes of a copy that `thread` issued have come. May be called on no fiber;
  /// notes a complaint if they are too many.
  void complete(const Ticket &ticket, int64_t bytes, unsigned thread,
                const EmulatorSite *site);
  /// Whether a thread waits for the copy's phase.
  bool isAwaited(const Ticket &ticket) const;

  /// Complains of copies that nobody has waited for.
  void checkEnd() const;

private:
  struct Barrier {
    unsigned engine = 0;
    unsigned owner = 0;
    bool isFenced = false;
    uint32_t count = 0;
    /// Arrivals and bytes that the phase still waits for.
    uint32_t pending = 0;
    int64_t bytes = 0;
    /// Phases that have ended.
    uint64_t phase = 0;
    /// What the arrivals know, and what those up to the last end did.
    Past arriving;
    Past ended;
    /// The waits for the phase that ended last, by thread: the step, the site.
    llvm::DenseMap<unsigned, std::pair<uint32_t, const EmulatorSite *>> waits;
    /// Who waits now.
    unsigned waiting = 0;
    /// Phases, from 1, that copies came for, and that a thread waited for.
    uint64_t copied = 0;
    uint64_t awaited = 0;
    /// Who issued the last copy.
    unsigned copier = 0;
    const EmulatorSite *copySite = nullptr;
  };

  Barrier &barrierAt(uint64_t address, llvm::StringRef name,
                     const EmulatorSite *site);
  void endPhase(uint64_t address, Barrier &barrier);
  bool pass(uint64_t address, Barrier &barrier, int64_t phase,
            const EmulatorSite *site);
  void refuseLate(uint64_t address, const Barrier &barrier, int64_t phase,
                  const EmulatorSite *site);
  std::string shortage(uint64_t address, const Barrier &barrier) const;

  EmulatorGrid &grid;
  std::map<uint64_t, Barrier> barriers;
};

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_EMULATORMBARRIER_H
