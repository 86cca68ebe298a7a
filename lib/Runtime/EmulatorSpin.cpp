//===- EmulatorSpin.cpp - Threads that wait in a loop ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorGrid.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace llvm;
using namespace fuse::runtime;

//===----------------------------------------------------------------------===//
// Atomic accesses
//===----------------------------------------------------------------------===//

void EmulatorGrid::letOthersRun(const EmulatorSite *site) {
  running->site = site;
  running->fiber.pause();
}

/// A turn that starts as an earlier one did gets nobody on, unless it stores
/// something.
void EmulatorGrid::noteSeen(const Access &access, const void *host,
                            const EmulatorSite *site) {
  uint64_t content = 0;
  std::memcpy(&content, host, std::min<size_t>(access.bytes, sizeof(content)));
  isIdle = !running->seen.insert({site, access.address, content}).second;
}

void EmulatorGrid::orderAtomic(uint64_t address, AtomicKind kind,
                               AtomicOrder how) {
  unsigned self = running->id;
  if (how.isAcquire)
    order->acquire(self, address);
  if (how.isRelease)
    order->release(self, phases[running->rank], address,
                   kind == AtomicKind::Update);
  else if (kind == AtomicKind::Store)
    order->forget(address);
}

void *EmulatorGrid::accessAtomic(const Access &access, AtomicKind kind,
                                 AtomicOrder how, const EmulatorSite *site) {
  const Segment *segment = memory.segmentAt(access.address);
  bool isCounter = segment && segment->kind == SegmentKind::Counter;
  // A loop waits with loads, or with any access to what is there for it.
  bool mayWait = segment && (isCounter || kind == AtomicKind::Load);
  if (mayWait)
    letOthersRun(site);
  void *host = this->access(access, site);
  if (mayWait)
    noteSeen(access, host, site);
  if (isCounter && order)
    orderAtomic(access.address, kind, how);
  return host;
}

//===----------------------------------------------------------------------===//
// Loops that do not end
//===----------------------------------------------------------------------===//

/// A thread that may be what `spinning` waits for: of another block that does
/// not wait at the same place.
const EmulatorGrid::Thread *
EmulatorGrid::findOther(const Thread &spinning) const {
  for (unsigned rank = 0; rank < together; ++rank) {
    auto block = ArrayRef(threads).slice(rank * launch.threads, launch.threads);
    if (none_of(block, [&](const Thread &thread) {
          return thread.state == State::Ready && thread.site == spinning.site;
        }))
      return &block.front();
  }
  return nullptr;
}

void EmulatorGrid::explainSpinning() {
  const Thread &spinning = *find_if(threads, [](const Thread &thread) {
    return thread.state == State::Ready;
  });
  std::string start = formatv("expected all blocks to arrive at a barrier of "
                              "the grid, but got this thread at {0}, where "
                              "nothing changes any more",
                              describe(spinning));
  std::string reason =
      "; check the counter's value before the launch, and what "
      "ends the loop";
  if (!launch.cooperative && launch.grid > int64_t(together))
    reason =
        ", because the other blocks do not run at the same time; launch the "
        "kernel cooperatively";
  else if (const Thread *other = findOther(spinning))
    reason = formatv(", and thread {0} of block {1} at {2}; let every block "
                     "arrive as often as the others",
                     inBlock(*other), blockOf(*other), describe(*other));
  complainOf(spinning, start + reason, spinning.site);
}
