//===- EmulatorEngines.cpp - What engines need of a launch ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorGrid.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace fuse::runtime;

/// Past them clocks take gigabytes.
static constexpr size_t maxClocks = 4096;
/// Of a block, as PTX counts it in descriptors.
static constexpr uint64_t sharedWindow = uint64_t(1) << 18;
/// Of a multiprocessor from sm_80 on, and of a thread.
static constexpr unsigned blockRegisters = 64 * 1024;
static constexpr unsigned threadRegisters = 248;

bool EmulatorGrid::mayRunClocks() const {
  return !order && threads.size() <= maxClocks;
}

void EmulatorGrid::requireClocks(StringRef what, const EmulatorSite *site) {
  if (!mayRunClocks())
    refuse(formatv("expected {0} in a launch that is not cooperative, of at "
                   "most {1} threads that run together, but got another; use "
                   "barriers of the block",
                   what, maxClocks),
           site);
}

unsigned EmulatorGrid::startRegisters() const {
  return std::min<unsigned>(threadRegisters,
                            alignDown(blockRegisters / launch.threads, 8));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *EmulatorGrid::accessBy(unsigned engine, uint32_t step,
                             const Access &access, const EmulatorSite *site) {
  void *place =
      tryAccessBy(engine, step, clocks.past(running->id), access, site);
  stopIfRefused();
  return place;
}

void *EmulatorGrid::tryAccessBy(unsigned engine, uint32_t step,
                                const Past &past, const Access &access,
                                const EmulatorSite *site) {
  Present present = now();
  present.engine = engine;
  present.engineStep = step;
  present.past = &past;
  return tryAccess(access, present, site);
}

void *EmulatorGrid::accessOfLane(unsigned other, const Access &access,
                                 const EmulatorSite *site) {
  const Thread &thread = threads[running->id - lane() + other];
  void *place = tryAccess(access, presentOf(thread), site);
  stopIfRefused();
  return place;
}

void EmulatorGrid::checkOrder(uint64_t address, int64_t bytes,
                              const EmulatorSite *site) {
  if (together > 1)
    checkOtherBlock(address, site);
  if (!memory.checkWriteOrdered(address, now()))
    refuse(memory.complaint(), site);
}

uint64_t EmulatorGrid::addressInBlock(uint64_t address, unsigned rank,
                                      const EmulatorSite *site) {
  if (rank >= launch.cluster)
    refuse(formatv("expected ranks below {0}, the blocks of the cluster, but "
                   "got {1}; check the mask",
                   launch.cluster, rank),
           site);
  if (!isOwnShared(address))
    refuse(formatv("expected an address in the block's own shared memory, but "
                   "got {0}; name the block's own",
                   describe(address)),
           site);
  return memory.inBlock(address, rank);
}

/// Shared arrays lie one behind the other, each aligned as it says and, below
/// 256 bytes, no better.
uint64_t EmulatorGrid::placeShared(int64_t bytes, int64_t alignment) {
  uint64_t place = alignTo(sharedEnd, alignment);
  if (alignment < 256 && place % (2 * alignment) == 0)
    place += alignment;
  sharedEnd = place + bytes;
  return place;
}

uint64_t EmulatorGrid::sharedAt(uint32_t address) const {
  for (auto [global, number] : globals) {
    if (global->content)
      continue;
    const Segment &segment = memory.segment(number + running->rank);
    uint64_t first = segment.base % sharedWindow;
    if (address >= first && address < first + segment.bytes)
      return segment.base + (address - first);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void EmulatorGrid::orderWarp(uint32_t lanes) {
  unsigned first = running->id - lane();
  // Only whole warps have a common phase.
  if (lanes == ~0u)
    ++warpPhases[first / 32];
  if (!clocks.isRunning())
    return;
  SmallVector<unsigned, 32> members;
  for (unsigned lane : WarpLanes(lanes, {}).members())
    members.push_back(first + lane);
  clocks.meet(members);
}

void EmulatorGrid::fenceProxies() {
  if (mayRunClocks())
    clocks.fence(running->id);
  mbarriers.fenceInits();
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

bool EmulatorGrid::happensNow() {
  return timing == Timing::Early || (timing == Timing::Random && draw(2) == 0);
}

void EmulatorGrid::mayYield(const EmulatorSite *site) {
  if (timing == Timing::Random && draw(4) == 0)
    letOthersRun(site);
}

void EmulatorGrid::waitUntil(Condition condition, const EmulatorSite *site) {
  isIdle = false;
  if (condition.holds())
    return;
  running->condition = std::move(condition);
  running->site = site;
  running->state = State::Waiting;
  running->fiber.pause();
}

/// Whether a thread can go on that could not.
bool EmulatorGrid::wakeWaiting() {
  bool progress = false;
  for (Thread &thread : threads)
    if (thread.state == State::Waiting && thread.condition.holds()) {
      thread.state = State::Ready;
      progress = true;
    }
  return progress;
}

//===----------------------------------------------------------------------===//
// Complaints
//===----------------------------------------------------------------------===//

void EmulatorGrid::refuse(std::string text, const EmulatorSite *site) {
  complain(std::move(text), site);
  abandon();
}

void EmulatorGrid::stopIfRefused() {
  if (!failure.empty())
    abandon();
}

/// Who waits for whom is for the reader to say: the shortage also names a
/// thread of the block that waits elsewhere.
bool EmulatorGrid::explainStuckWaiting() {
  auto waiting = find_if(threads, [](const Thread &thread) {
    return thread.state == State::Waiting;
  });
  if (waiting == threads.end())
    return false;
  std::string text = waiting->condition.shortage();
  for (const Thread &other : threadsOfBlock(waiting->rank)) {
    if (other.state == State::Ended || other.state == State::InWarpOperation ||
        other.site == waiting->site)
      continue;
    text.insert(text.rfind("; "), formatv(", and thread {0} at {1}",
                                          inBlock(other), describe(other)));
    break;
  }
  complainOf(*waiting, std::move(text), waiting->site);
  return true;
}

void EmulatorGrid::checkEngines() {
  mbarriers.checkEnd();
  if (failure.empty())
    warpgroups.checkEnd();
}
