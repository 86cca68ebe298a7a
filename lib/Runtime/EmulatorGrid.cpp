//===- EmulatorGrid.cpp - One emulated launch -----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorGrid.h"
#include "FormatError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"
#include <cstring>
#include <numeric>

using namespace llvm;
using namespace fuse::runtime;

static constexpr unsigned warpSize = 32;

/// Blocks run on the caller's thread of the host.
static thread_local EmulatorGrid *currentGrid;

EmulatorGrid &EmulatorGrid::current() { return *currentGrid; }

EmulatorGrid::EmulatorGrid(const Launch &launch, EmulatorKernel kernel,
                           const FiberStacks &stacks, uint64_t seed)
    : launch(launch), kernel(kernel), stacks(stacks), random(seed),
      together(blocksTogether(launch)),
      order(launch.cooperative
                ? std::optional(GridOrder(together, launch.threads))
                : std::nullopt),
      timing(Timing(seed % 3)), elector(seed / 3),
      memory(together, launch.threads, clocks, order ? &*order : nullptr),
      mbarriers(*this), bulkCopies(*this, mbarriers),
      warpgroups(*this, bulkCopies), threads(together * launch.threads),
      warpPhases((threads.size() + warpSize - 1) / warpSize), phases(together),
      lifetimes(together) {
  addOperands();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// How a buffer is used, from all operands that are the same memory.
static SegmentKind kindOf(ArrayRef<LaunchOperand> operands, void *pointer,
                          int64_t bytes, ArrayRef<void *> pointers) {
  bool isRead = false, isWritten = false, isPartial = false;
  bool isCounter = false, isScratch = false;
  for (auto [operand, other] : zip_equal(operands, pointers)) {
    if (other != pointer || operand.bytes != bytes)
      continue;
    (operand.isResult ? isWritten : isRead) = true;
    isPartial |= operand.isPartial;
    isCounter |= operand.isCounter;
    isScratch |= operand.isScratch;
  }
  if (isCounter)
    return SegmentKind::Counter;
  if (!isWritten)
    return SegmentKind::Input;
  if (isPartial)
    return SegmentKind::Partial;
  if (isScratch)
    return SegmentKind::Scratch;
  return isRead ? SegmentKind::InPlace : SegmentKind::Result;
}

void EmulatorGrid::addOperands() {
  SmallVector<void *, 16> pointers;
  for (unsigned i = 0; i < launch.operands.size(); ++i)
    pointers.push_back(*static_cast<void **>(launch.params[i]));
  SmallVector<unsigned, 16> numbers;
  for (auto [index, operand] : enumerate(launch.operands)) {
    // In place, or one buffer as two inputs: the same memory has one address.
    unsigned same = 0;
    while (pointers[same] != pointers[index] ||
           launch.operands[same].bytes != operand.bytes)
      ++same;
    if (same < index) {
      numbers.push_back(numbers[same]);
    } else {
      auto host = reinterpret_cast<uintptr_t>(pointers[index]);
      numbers.push_back(memory.add(
          kindOf(launch.operands, pointers[index], operand.bytes, pointers),
          formatv("{0} '{1}'",
                  operand.isCounter  ? "counter"
                  : operand.isResult ? "result"
                                     : "input",
                  operand.name),
          static_cast<char *>(pointers[index]), operand.bytes,
          // Aligned to 16 bytes, and no more, if it is.
          16 + host % 16));
    }
    if (!operand.steps.empty())
      memory.markGaps(numbers.back(), operand.elementBytes, operand.steps);
    values.push_back(memory.segment(numbers.back()).base);
  }
  for (auto [index, value] : enumerate(values))
    params.push_back(&values[index]);
  for (unsigned i = values.size(); i < launch.numParams; ++i)
    params.push_back(launch.params[i]);
}

uint64_t EmulatorGrid::global(const EmulatorGlobal &global) {
  bool isShared = !global.content;
  unsigned rank = isShared ? running->rank : 0;
  for (auto [known, number] : globals)
    if (known == &global)
      return memory.segment(number + rank).base;
  int64_t bytes = global.bytes ? global.bytes : launch.sharedBytes;
  std::string name = global.bytes == 0 ? "the dynamic shared memory"
                     : isShared
                         ? formatv("shared memory '{0}'", global.name).str()
                         : formatv("constant '{0}'", global.name).str();
  uint64_t place =
      isShared ? placeShared(bytes, global.alignment) : global.alignment % 256;
  SmallVector<unsigned, 1> numbers;
  for (unsigned block = 0; block < (isShared ? together : 1); ++block) {
    char *host = static_cast<char *>(global.content);
    if (isShared)
      host = sharedArrays.emplace_back(new char[bytes]()).get();
    bool hasOthers = isShared && together > 1;
    numbers.push_back(memory.add(
        isShared ? SegmentKind::Shared : SegmentKind::Constant,
        hasOthers ? formatv("{0} of {1} {2}", name,
                            launch.cooperative ? "block" : "rank", block)
                        .str()
                  : name,
        host, bytes, place, block));
  }
  globals.emplace_back(&global, numbers.front());
  return memory.segment(numbers[rank]).base;
}

//===----------------------------------------------------------------------===//
// Complaints
//===----------------------------------------------------------------------===//

void EmulatorGrid::complainOf(const Thread &thread, std::string text,
                              const EmulatorSite *site) {
  std::string where;
  if (site && site->line)
    where = formatv(" ({0}:{1}:{2})", site->file, site->line, site->column);
  failure = formatv("kernel '{0}', block {1}, thread {2}{3}: {4}", launch.name,
                    blockOf(thread), inBlock(thread), where, text);
}

void EmulatorGrid::complain(std::string text, const EmulatorSite *site) {
  complainOf(*running, std::move(text), site);
}

void EmulatorGrid::complainOfLane(unsigned other, std::string text,
                                  const EmulatorSite *site) {
  complainOf(threads[running->id - lane() + other], std::move(text), site);
}

void EmulatorGrid::abandon() {
  running->fiber.pause();
  llvm_unreachable("a failed launch resumes no thread");
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// A step that visits each of `count` clusters once. Both have 31 bits.
uint64_t EmulatorGrid::drawStep(uint64_t count) {
  for (;;)
    if (uint64_t step = 1 + random() % count; std::gcd(step, count) == 1)
      return step;
}

Error EmulatorGrid::run() {
  EmulatorGrid *outer = std::exchange(currentGrid, this);
  uint64_t clusters = static_cast<uint64_t>(launch.grid) / together;
  uint64_t step = drawStep(clusters), first = random() % clusters;
  for (uint64_t i = 0; i < clusters && failure.empty(); ++i) {
    firstBlock = (first + i * step) % clusters * together;
    runCluster();
  }
  currentGrid = outer;
  if (failure.empty())
    if (std::optional<std::string> missing = memory.checkWritten())
      failure = formatv("kernel '{0}': {1}", launch.name, *missing);
  if (failure.empty())
    return Error::success();
  return formatError("{0}", failure);
}

void EmulatorGrid::runCluster() {
  fill(phases, ++lastPhase);
  memory.startCluster(lastPhase, firstBlock);
  clusterArrivals = clusterBarriers = lastClusterRelease = 0;
  isClusterRelease = true;
  fill(lifetimes, Lifetime());
  transactions.clear();
  clocks.reset(threads.size(), launch.threads);
  clusterArriving = clusterReleased = Past();
  barrierArrivals.clear();
  mbarriers.reset();
  bulkCopies.reset();
  warpgroups.reset();
  startThreads();
  schedule();
  for (auto check :
       {&EmulatorGrid::explainStuck, &EmulatorGrid::checkLifetimes,
        &EmulatorGrid::checkTransactions, &EmulatorGrid::checkEngines})
    if (failure.empty())
      (this->*check)();
}

/// Warps in any order, and lanes in any order within their warp.
void EmulatorGrid::startThreads() {
  fill(warpPhases, 1);
  SmallVector<unsigned> warps = to_vector(seq<unsigned>(warpPhases.size()));
  llvm::shuffle(warps.begin(), warps.end(), random);
  turns.clear();
  for (unsigned warp : warps) {
    size_t first = turns.size();
    unsigned end = std::min<unsigned>((warp + 1) * warpSize, threads.size());
    for (unsigned id = warp * warpSize; id < end; ++id)
      turns.push_back(id);
    llvm::shuffle(turns.begin() + first, turns.end(), random);
  }
  for (auto [id, thread] : enumerate(threads)) {
    thread.id = id;
    thread.rank = id / launch.threads;
    thread.state = State::Ready;
    thread.hasWaited = false;
    thread.copies.clear();
    thread.copyGroups.clear();
    thread.seen.clear();
    thread.arrivals = thread.waits = thread.clusterOrdered = 0;
    thread.completions.clear();
    thread.fiber.start(stacks[id], runThread, this);
  }
}

void EmulatorGrid::runThread(void *data) {
  auto *grid = static_cast<EmulatorGrid *>(data);
  grid->kernel(grid->params.data());
  // Otherwise the kernel could end before what precedes it.
  if (grid->launch.waits && !grid->running->hasWaited)
    grid->complain("expected every thread to run griddepcontrol.wait, but got "
                   "one that ends without; move it to the kernel's start",
                   /*site=*/nullptr);
  // What nobody waits for reads and writes all the same.
  grid->commitCopies();
  grid->waitForCopies(/*pending=*/0);
  grid->bulkCopies.checkThreadEnd();
  grid->running->state = State::Ended;
}

/// Gives turns until nobody can use one. What is asynchronous happens when
/// nobody can go on without.
void EmulatorGrid::schedule() {
  // A loop may give up on its own, though not soon.
  static constexpr unsigned maxIdleRounds = 64;
  for (unsigned idle = 0; failure.empty();) {
    bool progress = runRound();
    if (!failure.empty())
      return;
    progress |= wakeWaiting();
    if (progress || bulkCopies.advance()) {
      idle = 0;
      continue;
    }
    if (none_of(threads, [](const Thread &thread) {
          return thread.state == State::Ready;
        }))
      return;
    if (++idle == maxIdleRounds)
      explainSpinning();
  }
}

/// Gives each thread that can use it a turn. Whether one got on.
bool EmulatorGrid::runRound() {
  bool progress = false;
  for (unsigned id : turns) {
    if (threads[id].state != State::Ready)
      continue;
    running = &threads[id];
    isIdle = false;
    running->fiber.resume();
    progress |= !isIdle || running->state != State::Ready;
    if (!failure.empty())
      break;
  }
  return progress;
}

Present EmulatorGrid::presentOf(const Thread &thread) const {
  Present moment;
  moment.phase = phases[thread.rank];
  moment.warpPhase = warpPhases[thread.id / warpSize];
  moment.thread = thread.id;
  moment.arrivals = order ? order->releases(thread.id) : thread.arrivals;
  moment.clusterOrdered = thread.clusterOrdered;
  moment.completions = &thread.completions;
  moment.step = clocks.step(thread.id);
  moment.past = clocks.isRunning() ? &clocks.past(thread.id) : nullptr;
  return moment;
}

/// Whether the segment has its content before the wait: each launch before the
/// last one has ended by then, since that one has waited for it.
bool EmulatorGrid::mayBeEarly(const Segment &segment) const {
  return before && segment.kind == SegmentKind::Input &&
         !is_contained(*before, segment.host);
}

/// What an earlier launch writes may be there only after the wait, and what it
/// reads may be overwritten only then.
void EmulatorGrid::checkHasWaited(uint64_t address, AccessKind kind,
                                  const EmulatorSite *site) {
  if (!launch.waits || running->hasWaited)
    return;
  const Segment *segment = memory.segmentAt(address);
  if (!segment || !segment->isGlobal())
    return;
  if (kind == AccessKind::Load && mayBeEarly(*segment))
    return;
  complain(formatv("expected griddepcontrol.wait before the first access to "
                   "global memory, but got one to {0} before it; move the wait "
                   "to the kernel's start",
                   segment->name),
           site);
  abandon();
}

void *EmulatorGrid::access(const Access &access, const EmulatorSite *site) {
  if (!EmulatorMemory::isEmulated(access.address)) {
    // A thread's own variables.
    auto *host = reinterpret_cast<void *>(access.address);
    if (running->fiber.stack().contains(host))
      return host;
  }
  if (access.kind != AccessKind::Load)
    isIdle = false;
  void *place = tryAccess(access, now(), site);
  stopIfRefused();
  return place;
}

void *EmulatorGrid::tryAccess(const Access &access, const Present &present,
                              const EmulatorSite *site) {
  checkHasWaited(access.address, access.kind, site);
  if (together > 1)
    checkOtherBlock(access.address, site);
  void *place = memory.translate(access, present);
  if (!place)
    complainOf(threads[present.thread], memory.complaint(), site);
  return place;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

void EmulatorGrid::copyAsync(const AsyncCopy &copy) {
  // It may read and write at once.
  if (copy.read > 0)
    checkHasWaited(copy.from, AccessKind::Load, copy.site);
  Access write{copy.to, copy.bytes, copy.bytes, AccessKind::Store};
  if (!memory.mayStore(write, now()))
    refuse(memory.complaint(), copy.site);
  running->copies.push_back(copy);
}

void EmulatorGrid::commitCopies() {
  running->copyGroups.push_back(std::move(running->copies));
  running->copies.clear();
}

void EmulatorGrid::waitForCopies(unsigned pending) {
  auto &groups = running->copyGroups;
  for (; groups.size() > pending; groups.pop_front())
    for (const AsyncCopy &copy : groups.front()) {
      void *to = access({copy.to, copy.bytes, copy.bytes, AccessKind::Store},
                        copy.site);
      std::memset(to, 0, copy.bytes);
      if (copy.read > 0)
        std::memcpy(to,
                    access({copy.from, copy.read, copy.bytes, AccessKind::Load},
                           copy.site),
                    copy.read);
    }
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void EmulatorGrid::barrier(unsigned number, unsigned count,
                           const EmulatorSite *site) {
  Thread &self = *running;
  self.state = State::AtBarrier;
  self.barrier = number;
  self.site = site;
  auto isHere = [&](const Thread &thread) {
    return thread.state == State::AtBarrier && thread.barrier == number;
  };
  unsigned arrived = count_if(threadsOfBlock(self.rank), isHere);
  if (count)
    arrived += barrierArrivals[{self.rank, number}].count;
  if (arrived == (count ? count : launch.threads)) {
    if (!count && !isSameBarrier(number))
      abandon();
    return releaseBarrier(number);
  }
  self.fiber.pause();
}

void EmulatorGrid::arriveAtBarrier(unsigned number, unsigned count,
                                   const EmulatorSite *site) {
  Arrivals &arrivals = barrierArrivals[{running->rank, number}];
  ++arrivals.count;
  if (mayRunClocks())
    clocks.release(running->id, arrivals.past);
  isIdle = false;
  unsigned waiting =
      count_if(threadsOfBlock(running->rank), [&](const Thread &thread) {
        return thread.state == State::AtBarrier && thread.barrier == number;
      });
  if (waiting + arrivals.count == count)
    releaseBarrier(number);
}

/// A barrier for all is one place in the code.
bool EmulatorGrid::isSameBarrier(unsigned number) {
  for (const Thread &thread : threadsOfBlock(running->rank))
    if (thread.site != running->site) {
      complain(formatv("expected all threads of the block to wait at this "
                       "barrier, but got thread {0} at {1}; move the barrier "
                       "out of the branch",
                       inBlock(thread), describe(thread)),
               running->site);
      return false;
    }
  return true;
}

void EmulatorGrid::releaseBarrier(unsigned number) {
  SmallVector<unsigned> released;
  for (Thread &thread : threadsOfBlock(running->rank))
    if (thread.state == State::AtBarrier && thread.barrier == number) {
      thread.state = State::Ready;
      released.push_back(thread.id);
    }
  bool isWhole = released.size() == launch.threads;
  // Phases can't express the order of some threads.
  if (clocks.isRunning() || (!isWhole && mayRunClocks()))
    clocks.meet(released,
                std::move(barrierArrivals[{running->rank, number}].past));
  barrierArrivals.erase({running->rank, number});
  if (!isWhole)
    return;
  phases[running->rank] = ++lastPhase;
  if (!clocks.isRunning())
    clocks.passBarrier(running->rank);
  if (order)
    order->passBarrier(running->rank);
}

//===----------------------------------------------------------------------===//
// Operations of a warp
//===----------------------------------------------------------------------===//

uint32_t EmulatorGrid::warpMask() const {
  size_t lanes = threads.size() - (running->id - lane());
  return lanes >= warpSize ? ~0u : (1u << lanes) - 1;
}

bool EmulatorGrid::checkMask(const WarpOperation &operation) {
  if (!(operation.mask >> lane() & 1))
    complain(formatv("expected {0} with a mask that names the caller, but got "
                     "{1:x8} from lane {2}; name all lanes that take part",
                     operation.name, operation.mask, lane()),
             operation.site);
  else if (operation.mask & ~warpMask())
    complain(formatv("expected {0} with a mask of the {1} lanes of the warp, "
                     "but got {2:x8}; use whole warps, or a smaller mask",
                     operation.name, popcount(warpMask()), operation.mask),
             operation.site);
  return failure.empty();
}

bool EmulatorGrid::isSameOperation(const Thread &thread,
                                   const WarpOperation &operation) {
  return thread.state == State::InWarpOperation &&
         thread.operation.site == operation.site &&
         thread.operation.name == operation.name &&
         thread.operation.mask == operation.mask;
}

bool EmulatorGrid::isComplete(const WarpOperation &operation) {
  unsigned first = running->id - lane();
  for (unsigned i = 0; i < warpSize; ++i) {
    bool isNamed = operation.mask >> i & 1;
    if (isNamed && !isSameOperation(threads[first + i], operation))
      return false;
  }
  return true;
}

void EmulatorGrid::warpOperation(const WarpOperation &operation,
                                 Combine combine) {
  if (!checkMask(operation))
    abandon();
  Thread &self = *running;
  self.state = State::InWarpOperation;
  self.operation = operation;
  self.site = operation.site;
  if (!isComplete(operation))
    return self.fiber.pause();
  unsigned first = self.id - lane();
  std::array<void *, warpSize> payloads = {};
  for (unsigned i = 0; i < warpSize; ++i)
    if (operation.mask >> i & 1) {
      payloads[i] = threads[first + i].operation.payload;
      threads[first + i].state = State::Ready;
    }
  if (!combine(WarpLanes(operation.mask, payloads)))
    abandon();
}
