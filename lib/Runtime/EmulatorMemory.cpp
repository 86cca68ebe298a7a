//===- EmulatorMemory.cpp - What an emulated kernel may touch -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace fuse::runtime;

static constexpr unsigned segmentShift = 44;
static constexpr uint64_t emulatedTag = uint64_t(1) << 62;
static constexpr uint64_t middle = uint64_t(1) << (segmentShift - 1);
static constexpr unsigned warpSize = 32;

unsigned EmulatorMemory::add(SegmentKind kind, std::string name, char *host,
                             int64_t bytes, unsigned misalignment,
                             unsigned rank) {
  uint64_t number = segments.size();
  Segment segment;
  segment.kind = kind;
  segment.name = std::move(name);
  segment.host = host;
  segment.bytes = bytes;
  segment.rank = rank;
  segment.base = emulatedTag | number << segmentShift | (middle + misalignment);
  shadows.emplace_back(segment.isWritable() ? bytes : 0);
  segments.push_back(std::move(segment));
  return number;
}

void EmulatorMemory::markGaps(unsigned number, int64_t elementBytes,
                              ArrayRef<std::pair<int64_t, int64_t>> steps) {
  // A later kernel may read what an earlier one has written between the gaps.
  if (!segments[number].isWritable())
    return;
  std::vector<ByteState> &states = shadows[number];
  for (ByteState &state : states)
    state.isGap = true;
  auto visit = [&](auto &self, int64_t start,
                   ArrayRef<std::pair<int64_t, int64_t>> inner) -> void {
    if (inner.empty()) {
      for (int64_t byte = start; byte < start + elementBytes; ++byte)
        states[byte].isGap = false;
      return;
    }
    auto [size, stride] = inner.front();
    for (int64_t index = 0; index < size; ++index)
      self(self, start + index * stride, inner.drop_front());
  };
  visit(visit, 0, steps);
}

uint64_t EmulatorMemory::inBlock(uint64_t address, unsigned rank) const {
  uint64_t ranks = uint64_t(rank) - segmentAt(address)->rank;
  return address + (ranks << segmentShift);
}

void EmulatorMemory::startCluster(uint32_t phase, int64_t block) {
  firstPhase = phase;
  firstBlock = block;
  stepSets.reset();
  for (auto [segment, shadow] : zip_equal(segments, shadows))
    if (segment.kind == SegmentKind::Shared)
      shadow.assign(shadow.size(), ByteState());
}

void *EmulatorMemory::refuse(std::string text) {
  message = std::move(text);
  return nullptr;
}

static StringRef nameOf(AccessKind kind) {
  switch (kind) {
  case AccessKind::Load:
    return "load";
  case AccessKind::Store:
    return "store";
  case AccessKind::Atomic:
    return "atomic access";
  }
  llvm_unreachable("covered switch");
}

const Segment *EmulatorMemory::segmentAt(uint64_t address) const {
  uint64_t number = (address & ~emulatedTag) >> segmentShift;
  if (isEmulated(address) && number < segments.size())
    return &segments[number];
  return nullptr;
}

const Segment *EmulatorMemory::segmentOfHost(const char *host) const {
  for (const Segment &segment : segments)
    if (segment.isGlobal() && host >= segment.host &&
        host < segment.host + segment.bytes)
      return &segment;
  return nullptr;
}

std::optional<unsigned> EmulatorMemory::writerOf(uint64_t address) const {
  const Segment *segment = segmentAt(address);
  if (!segment || !segment->isWritable() || address < segment->base ||
      address >= segment->base + segment->bytes)
    return std::nullopt;
  const Moment &writer =
      shadows[segment - segments.data()][address - segment->base].writer;
  return writer ? std::optional<unsigned>(writer.thread) : std::nullopt;
}

const Segment *EmulatorMemory::find(const Access &access) {
  if (const Segment *segment = segmentAt(access.address))
    return segment;
  refuse(formatv("expected a {0} of {1} bytes at an address in a buffer, but "
                 "got address {2:x}; check the arithmetic of the address",
                 nameOf(access.kind), access.bytes, access.address));
  return nullptr;
}

bool EmulatorMemory::isInside(const Access &access, const Segment &segment) {
  int64_t offset = access.address - segment.base;
  if (offset < 0 || offset + access.bytes > segment.bytes) {
    refuse(formatv("expected a {0} inside {1} of {2} bytes, but got bytes {3} "
                   "to {4}; check the index and the mask",
                   nameOf(access.kind), segment.name, segment.bytes, offset,
                   offset + access.bytes - 1));
    return false;
  }
  if (access.address % access.alignment != 0) {
    refuse(formatv("expected a {0} of {1} bytes from {2} to be aligned to {3} "
                   "bytes, but got byte {4} of a buffer that starts {5} bytes "
                   "past a multiple of 32; use a narrower access or another "
                   "layout",
                   nameOf(access.kind), access.bytes, segment.name,
                   access.alignment, offset, segment.base % 32));
    return false;
  }
  if (access.kind != AccessKind::Load && !segment.isWritable()) {
    refuse(formatv("expected {0} to be read only, but got a {1} to bytes {2} "
                   "to {3}; write results only, or prove that they may be in "
                   "place",
                   segment.name, nameOf(access.kind), offset,
                   offset + access.bytes - 1));
    return false;
  }
  return true;
}

bool EmulatorMemory::areInOneBlock(const Moment &one,
                                   const Moment &other) const {
  return together == 1 ||
         one.thread / blockThreads == other.thread / blockThreads;
}

static bool areInOneWarp(const Moment &one, const Moment &other) {
  return one.thread / warpSize == other.thread / warpSize;
}

bool EmulatorMemory::isEngine(const Moment &moment) const {
  return clocks.isRunning() && clocks.isEngine(moment.thread);
}

bool EmulatorMemory::isOrdered(const Moment &before, const Present &now) const {
  if (before.phase < firstPhase)
    return false;
  if (now.past && now.past->all.contains(before.thread, before.step))
    return true;
  if (isEngine(before))
    return false;
  bool isInBlock = areInOneBlock(before, now);
  if (isInBlock && (before.phase < now.phase || before.thread == now.thread))
    return true;
  return before.arrivals < now.clusterOrdered ||
         (areInOneWarp(before, now) && before.warpPhase < now.warpPhase) ||
         (order && order->isOrdered(before, now.thread));
}

/// What arrives at some time is there for who has waited for it, even where a
/// barrier comes after the thread that sent it.
bool EmulatorMemory::isWriteOrdered(const ByteState &state,
                                    const Present &now) const {
  return state.completion ? now.hasWaitedFor(state.completion)
                          : isOrdered(state.writer, now);
}

bool EmulatorMemory::areReadsOrdered(const ByteState &state,
                                     const Present &now) const {
  const Moment &reader = state.reader;
  if (!reader)
    return true;
  if (state.isReadBefore || reader.phase < firstPhase)
    return false;
  if (state.readers == Readers::OneThread)
    return isOrdered(reader, now);
  if (reader.arrivals < now.clusterOrdered)
    return true;
  if (state.readers == Readers::Cluster || !areInOneBlock(reader, now))
    return false;
  if (reader.phase < now.phase)
    return true;
  return state.readers == Readers::OneWarp && areInOneWarp(reader, now) &&
         reader.warpPhase < now.warpPhase;
}

/// Whether a read adds nothing to what is known: one more of a whole block's.
bool EmulatorMemory::isOneMore(const ByteState &state,
                               const Moment &now) const {
  return state.readers == Readers::OneBlock &&
         state.reader.phase == now.phase &&
         state.reader.arrivals == now.arrivals &&
         areInOneBlock(state.reader, now);
}

/// Reads that come before this one come before what this one comes before.
void EmulatorMemory::noteRead(ByteState &state, const Present &now) {
  const Moment &reader = state.reader;
  uint16_t arrivals = now.arrivals;
  if (areReadsOrdered(state, now)) {
    state.readers = Readers::OneThread;
  } else if (reader.phase < firstPhase) {
    state.isReadBefore = true;
    state.readers = Readers::OneThread;
  } else {
    Readers together = Readers::Cluster;
    if (areInOneWarp(reader, now))
      together = Readers::OneWarp;
    else if (areInOneBlock(reader, now))
      together = Readers::OneBlock;
    state.readers = std::max(state.readers, together);
    arrivals = std::max(arrivals, reader.arrivals);
  }
  state.reader = now;
  state.reader.arrivals = arrivals;
}

/// "thread 3", or "thread 3 of another block".
std::string EmulatorMemory::describeOther(const Moment &other) const {
  if (other.thread >= together * blockThreads)
    return other.phase < firstPhase ? "another block"
                                    : clocks.engine(other.thread).name;
  unsigned thread = other.thread % blockThreads;
  if (other.phase < firstPhase)
    return formatv("thread {0} of another block", thread);
  if (together == 1)
    return formatv("thread {0}", thread);
  return formatv("thread {0} of block {1}", thread,
                 firstBlock + other.thread / blockThreads);
}

std::string EmulatorMemory::describeReaders(const ByteState &state) const {
  if (state.isReadBefore || state.readers != Readers::OneThread)
    return "several threads";
  return describeOther(state.reader);
}

static constexpr StringRef clusterBarrier = "cluster barrier with release";

static constexpr StringRef gridBarrier =
    "grid barrier (block barrier, release, acquire, block barrier)";

/// What would order the two.
std::string EmulatorMemory::barrierAfter(const Moment &other,
                                         const Moment &now) const {
  if (other.phase >= firstPhase && isEngine(other))
    return clocks.engine(other.thread).wait;
  if (other.phase < firstPhase || areInOneBlock(other, now))
    return "barrier";
  return (order ? gridBarrier : clusterBarrier).str();
}

std::string EmulatorMemory::barrierAfterWrite(const ByteState &state,
                                              const Moment &now) const {
  return state.completion ? "wait at the transaction barrier"
                          : barrierAfter(state.writer, now);
}

/// Whether the buffer holds an input before the launch.
static bool hasContent(const Segment &segment) {
  return segment.kind == SegmentKind::InPlace ||
         segment.kind == SegmentKind::Partial;
}

//===----------------------------------------------------------------------===//
// Global memory in a cooperative launch
//===----------------------------------------------------------------------===//

/// Whether the two need release and acquire between them.
bool EmulatorMemory::isOfOtherBlock(const Moment &other,
                                    const Moment &now) const {
  return order && !areInOneBlock(other, now);
}

/// Whether bytes know which blocks have read them, and not which threads.
bool EmulatorMemory::tracksBlocks(const Segment &segment) const {
  return order && segment.isGlobal();
}

/// Other blocks' reads must be over; those of the block itself too, unless the
/// result is in place.
bool EmulatorMemory::checkReaderBlocks(const Segment &segment, int64_t offset,
                                       const ByteState &state,
                                       const Present &now) {
  unsigned own = now.thread / blockThreads;
  for (auto [block, phase] : enumerate(readerSets.phases(state.readerSet))) {
    bool isOver =
        !phase || (block == own ? hasContent(segment) || phase < now.phase
                                : order->isOver(block, phase, now.thread));
    if (isOver)
      continue;
    refuse(formatv("expected a {3} between the load and the store of byte {0} "
                   "of {1}, but got none since block {2} read it; add a {3} "
                   "before the store",
                   offset, segment.name, block,
                   block == own ? "barrier" : gridBarrier));
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Where clocks run
//===----------------------------------------------------------------------===//

bool EmulatorMemory::tracksSteps(const Segment &segment,
                                 const Present &now) const {
  return now.past && segment.kind == SegmentKind::Shared;
}

/// What a thread wrote is there for an engine only behind a proxy fence.
bool EmulatorMemory::checkFence(const Segment &segment, int64_t offset,
                                const ByteState &state, const Present &now,
                                AccessKind kind) {
  const Moment &writer = state.writer;
  if (!now.engine || !writer || writer.phase < firstPhase || isEngine(writer) ||
      now.past->fenced.contains(writer.thread, writer.step))
    return true;
  refuse(formatv("expected fence.proxy.async between the store and the {0} by "
                 "{1} of byte {2} of {3}, but got none since {4} wrote it; let "
                 "each thread that writes run it before the barrier",
                 nameOf(kind), clocks.engine(now.engine).name, offset,
                 segment.name, describeOther(writer)));
  return false;
}

bool EmulatorMemory::checkReaderSteps(const Segment &segment, int64_t offset,
                                      const ByteState &state,
                                      const Present &now) {
  for (auto [agent, step] : stepSets.steps(state.readerSet)) {
    if (now.past->all.contains(agent, step) || agent == now.thread)
      continue;
    Moment reader = now;
    reader.thread = agent;
    refuse(formatv("expected a {3} between the load and the store of byte {0} "
                   "of {1}, but got none since {2} read it; add a {3} before "
                   "the store",
                   offset, segment.name, describeOther(reader),
                   barrierAfter(reader, now)));
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// A thread may add to what it has left for the end of the launch.
static bool isOwnScratch(const Segment &segment, const Moment &writer,
                         const Present &now) {
  return segment.kind == SegmentKind::Scratch && writer &&
         writer.thread == now.thread;
}

EmulatorMemory::Loaded EmulatorMemory::load(const Segment &segment,
                                            int64_t offset, ByteState &state,
                                            const Present &now) {
  bool isInPlace = hasContent(segment);
  if (!state.writer && !isInPlace) {
    refuse(formatv("expected a load of what was written, but got byte {0} of "
                   "{1}, which nothing has written; check the mask of the "
                   "store and the barriers before the load",
                   offset, segment.name));
    return Loaded::Refused;
  }
  bool isOther = state.writer && isOfOtherBlock(state.writer, now);
  bool mayMeet = !state.writer || (state.isAtomic && !isOther);
  if (!mayMeet && !isWriteOrdered(state, now)) {
    if (isInPlace && !isOther)
      return Loaded::Lost;
    refuse(formatv("expected a {3} between the store and the load of byte "
                   "{0} of {1}, but got none since {2} wrote it; add a "
                   "{3}, or give each byte to one thread",
                   offset, segment.name, describeOther(state.writer),
                   barrierAfterWrite(state, now)));
    return Loaded::Refused;
  }
  if (!checkFence(segment, offset, state, now, AccessKind::Load))
    return Loaded::Refused;
  if (isOwnScratch(segment, state.writer, now))
    return Loaded::Content;
  if (tracksSteps(segment, now)) {
    Moment reader = now.mark();
    state.readerSet = stepSets.add(state.readerSet, reader.thread, reader.step);
  } else if (tracksBlocks(segment)) {
    state.readerSet =
        readerSets.add(state.readerSet, now.thread / blockThreads, now.phase);
  } else if (!isOneMore(state, now)) {
    noteRead(state, now);
  }
  return Loaded::Content;
}

bool EmulatorMemory::checkWriteOrdered(uint64_t address, const Present &now) {
  const Segment *segment = find({address, 1, 1, AccessKind::Load});
  if (!segment || !isInside({address, 1, 1, AccessKind::Load}, *segment))
    return false;
  int64_t offset = address - segment->base;
  const ByteState &state = shadows[segment - segments.data()][offset];
  if (isWriteOrdered(state, now))
    return true;
  refuse(formatv("expected a {2} between mbarrier.init and the use of the "
                 "mbarrier at byte {0} of {1}, but got none; add a {2}",
                 offset, segment->name, barrierAfterWrite(state, now)));
  return false;
}

bool EmulatorMemory::store(const Segment &segment, int64_t offset,
                           ByteState &state, const Present &now,
                           bool isAtomic) {
  if (state.isGap) {
    refuse(formatv("expected a store to elements of {0} only, but got one to "
                   "byte {1}, which lies between them; check the strides and "
                   "the width of the store",
                   segment.name, offset));
    return false;
  }
  bool isShared = segment.kind == SegmentKind::Shared;
  bool mayMeet = segment.kind == SegmentKind::Partial;
  bool mayRepeat =
      isShared || mayMeet || isOwnScratch(segment, state.writer, now);
  if (state.writer && !isAtomic && !mayRepeat) {
    refuse(formatv("expected one store to each byte of {0}, but got byte {1} "
                   "again, which {2} has written; check the mask, or let one "
                   "thread store",
                   segment.name, offset, describeOther(state.writer)));
    return false;
  }
  bool bothAtomic = isAtomic && state.isAtomic;
  if (state.writer && !bothAtomic && !mayMeet && !isWriteOrdered(state, now)) {
    refuse(formatv("expected a {3} between two stores to byte {0} of {1}, "
                   "but got none since {2} wrote it; add a {3}, or give "
                   "each byte to one thread",
                   offset, segment.name, describeOther(state.writer),
                   barrierAfterWrite(state, now)));
    return false;
  }
  if (!checkFence(segment, offset, state, now, AccessKind::Store))
    return false;
  if (state.readerSet &&
      !(tracksSteps(segment, now)
            ? checkReaderSteps(segment, offset, state, now)
            : checkReaderBlocks(segment, offset, state, now)))
    return false;
  if (!hasContent(segment) && !areReadsOrdered(state, now)) {
    std::string barrier = state.readers == Readers::Cluster
                              ? clusterBarrier.str()
                              : barrierAfter(state.reader, now);
    refuse(formatv("expected a {3} between the load and the store of byte "
                   "{0} of {1}, but got none since {2} read it; add a {3} "
                   "before the store",
                   offset, segment.name, describeReaders(state), barrier));
    return false;
  }
  state = ByteState();
  state.writer = now.mark();
  state.completion = now.completion;
  state.isAtomic = isAtomic;
  return true;
}

bool EmulatorMemory::mayStore(const Access &access, const Present &now) {
  const Segment *segment = find(access);
  if (!segment || !isInside(access, *segment))
    return false;
  if (!segment->isWritable() || segment->kind == SegmentKind::Counter)
    return true;
  int64_t offset = access.address - segment->base;
  ArrayRef<ByteState> states = shadows[segment - segments.data()];
  for (int64_t byte = offset; byte < offset + access.bytes; ++byte) {
    ByteState state = states[byte];
    if (!store(*segment, byte, state, now, /*isAtomic=*/false))
      return false;
  }
  return true;
}

void *EmulatorMemory::translate(const Access &access, const Present &now) {
  const Segment *segment = find(access);
  if (!segment || !isInside(access, *segment))
    return nullptr;
  int64_t offset = access.address - segment->base;
  if (!segment->isWritable())
    return segment->host + offset;
  if (segment->kind == SegmentKind::Counter) {
    if (access.kind == AccessKind::Atomic)
      return segment->host + offset;
    return refuse(formatv("expected atomic accesses to {0}, on which blocks "
                          "wait for each other, but got a {1} of bytes {2} to "
                          "{3}; make it atomic",
                          segment->name, nameOf(access.kind), offset,
                          offset + access.bytes - 1));
  }
  MutableArrayRef<ByteState> states = shadows[segment - segments.data()];
  bool isLost = false;
  for (int64_t byte = offset; byte < offset + access.bytes; ++byte) {
    if (access.kind != AccessKind::Load) {
      if (!store(*segment, byte, states[byte], now,
                 access.kind == AccessKind::Atomic))
        return nullptr;
      continue;
    }
    Loaded loaded = load(*segment, byte, states[byte], now);
    if (loaded == Loaded::Refused)
      return nullptr;
    isLost |= loaded == Loaded::Lost;
  }
  if (!isLost)
    return segment->host + offset;
  lost.assign(access.bytes, '\xff');
  return lost.data();
}

std::optional<std::string> EmulatorMemory::checkWritten() const {
  for (auto [segment, shadow] : zip_equal(segments, shadows)) {
    if (segment.kind != SegmentKind::Result)
      continue;
    auto isMissing = [](const ByteState &state) {
      return !state.writer && !state.isGap;
    };
    auto missing = find_if(shadow, isMissing);
    if (missing == shadow.end())
      continue;
    int64_t count = count_if(shadow, isMissing);
    return formatv("expected every byte of {0} to be written, but got {1} of "
                   "{2} bytes that nothing has written, the first at {3}; "
                   "check the mask, the tail and the number of blocks",
                   segment.name, count, segment.bytes,
                   missing - shadow.begin());
  }
  return std::nullopt;
}
