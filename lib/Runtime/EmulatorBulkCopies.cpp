//===- EmulatorBulkCopies.cpp - Copies of boxes of tensors ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorBulkCopies.h"
#include "EmulatorGrid.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace llvm;
using namespace fuse::runtime;

/// Units that a swizzle moves and a store writes.
static constexpr int64_t chunkBytes = 16;
static constexpr int64_t boxAlignment = 128;

void BulkCopies::reset() {
  loads.clear();
  groups.clear();
  loaded.clear();
}

//===----------------------------------------------------------------------===//
// Checks when a copy is issued
//===----------------------------------------------------------------------===//

const EmulatorTensorMap &BulkCopies::mapOf(const void *argument,
                                           const EmulatorSite *site) {
  const Launch &launch = grid.getLaunch();
  bool isArgument =
      is_contained(ArrayRef(launch.params, launch.numParams), argument);
  const EmulatorTensorMap *map =
      isArgument ? EmulatorTensorMap::of(argument) : nullptr;
  if (!map)
    grid.refuse("expected a tensor map that is an argument of the kernel, but "
                "got another address; pass the map by value, and use its "
                "address as it is",
                site);
  return *map;
}

/// The parts of [offset, offset + bytes) in chunks.
template <typename Function>
static void forEachChunk(int64_t offset, int64_t bytes, Function function) {
  for (int64_t end = offset + bytes; offset < end;) {
    int64_t next = std::min(end, (offset / chunkBytes + 1) * chunkBytes);
    function(offset, next - offset);
    offset = next;
  }
}

void BulkCopies::markShared(Copy &copy, AccessKind kind, unsigned engine,
                            uint32_t step) {
  auto access = [&](uint64_t address, int64_t bytes, int64_t alignment) {
    return static_cast<char *>(grid.accessBy(
        engine, step, {address, bytes, alignment, kind}, copy.site));
  };
  int64_t bytes = copy.map->boxBytes();
  // A load writes the whole box, zeros outside of the tensor.
  if (kind == AccessKind::Store) {
    copy.sharedHost = access(copy.shared, bytes, boxAlignment);
    return;
  }
  copy.sharedHost = access(copy.shared, 0, boxAlignment);
  for (const Piece &piece : copy.pieces)
    forEachChunk(piece.offset, piece.bytes, [&](int64_t offset, int64_t count) {
      access(swizzled(copy.shared + offset, copy.map->swizzle()), count, 1);
    });
}

void BulkCopies::markGlobal(const Box &box, Copy &copy, AccessKind kind,
                            unsigned engine, uint32_t step) {
  const Segment *segment = grid.getMemory().segmentOfHost(copy.map->base());
  if (!segment)
    grid.refuse("expected a tensor map of one of the launch's buffers, but got "
                "another address; pass the buffer to the kernel, too",
                copy.site);
  uint64_t first = segment->base + (copy.map->base() - segment->host);
  for (const TensorRow &row : copy.map->rows(box.origin)) {
    void *host = grid.accessBy(
        engine, step, {first + row.global, row.bytes, 1, kind}, copy.site);
    copy.pieces.push_back({static_cast<char *>(host), row.shared, row.bytes});
  }
}

/// The hardware writes whole chunks, beyond the end of a row.
void BulkCopies::checkChunks(const Copy &copy) {
  for (const Piece &piece : copy.pieces)
    if (piece.offset % chunkBytes != 0 || piece.bytes % chunkBytes != 0)
      grid.refuse(
          formatv("expected the rows of a TMA store to end with a whole "
                  "chunk of {0} bytes, since it writes whole ones, but "
                  "got {1} bytes of a row in the tensor; store such "
                  "rows by element",
                  chunkBytes, piece.bytes),
          copy.site);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

void BulkCopies::load(const Box &box, uint64_t mbarrier,
                      std::optional<uint16_t> ranks, const EmulatorSite *site) {
  EmulatorMemory &memory = grid.getMemory();
  if (!grid.isOwnShared(mbarrier) && ranks)
    grid.refuse(formatv("expected a multicast with an mbarrier of the block's "
                        "own, but got {0}; name the block's own",
                        grid.describe(mbarrier)),
                site);
  SmallVector<std::pair<uint64_t, uint64_t>, 2> targets;
  if (!ranks)
    targets.emplace_back(box.shared, mbarrier);
  for (unsigned rank = 0; ranks && rank < 16; ++rank) {
    if (!(*ranks >> rank & 1))
      continue;
    targets.emplace_back(grid.addressInBlock(box.shared, rank, site),
                         grid.addressInBlock(mbarrier, rank, site));
  }
  for (auto [shared, barrier] : targets) {
    const Segment *to = memory.segmentAt(shared);
    const Segment *at = memory.segmentAt(barrier);
    if (!to || !at || to->kind != SegmentKind::Shared || to->rank != at->rank)
      grid.refuse(formatv("expected a TMA load to shared memory of the block "
                          "whose mbarrier counts it, but got {0} and {1}; name "
                          "both in one block",
                          grid.describe(shared), grid.describe(barrier)),
                  site);
    Load load;
    load.map = &mapOf(box.map, site);
    load.shared = shared;
    load.thread = grid.id();
    load.site = site;
    load.ticket = barriers.issueCopy(barrier, site);
    markGlobal(box, load, AccessKind::Load, load.ticket.engine,
               load.ticket.phase);
    markShared(load, AccessKind::Store, load.ticket.engine, load.ticket.phase);
    noteLoaded(load);
    loads.push_back(std::move(load));
    if (grid.happensNow())
      land(loads.size() - 1);
    grid.stopIfRefused();
  }
}

void BulkCopies::noteLoaded(const Load &load) {
  uint64_t end = load.shared + load.map->boxBytes();
  auto at = loaded.lower_bound(load.shared);
  if (at != loaded.begin() && std::prev(at)->second.first > load.shared)
    --at;
  while (at != loaded.end() && at->first < end)
    at = loaded.erase(at);
  loaded[load.shared] = {end, load.map->swizzle()};
}

std::optional<TensorSwizzle> BulkCopies::swizzleAt(uint64_t address) const {
  auto after = loaded.upper_bound(address);
  if (after == loaded.begin() || std::prev(after)->second.first <= address)
    return std::nullopt;
  return std::prev(after)->second.second;
}

void BulkCopies::carryOut(const Load &load) {
  std::memset(load.sharedHost, 0, load.map->boxBytes());
  for (const Piece &piece : load.pieces)
    forEachChunk(piece.offset, piece.bytes, [&](int64_t offset, int64_t count) {
      uint64_t at = swizzled(load.shared + offset, load.map->swizzle());
      std::memcpy(load.sharedHost + (at - load.shared),
                  piece.global + (offset - piece.offset), count);
    });
}

void BulkCopies::land(size_t number) {
  Load load = std::move(loads[number]);
  loads.erase(loads.begin() + number);
  carryOut(load);
  barriers.complete(load.ticket, load.map->boxBytes(), load.thread, load.site);
}

bool BulkCopies::advance() {
  if (loads.empty())
    return false;
  SmallVector<size_t> candidates;
  for (auto [number, load] : enumerate(loads))
    if (barriers.isAwaited(load.ticket))
      candidates.push_back(number);
  land(candidates.empty() ? grid.draw(loads.size())
                          : candidates[grid.draw(candidates.size())]);
  return true;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void BulkCopies::store(const Box &box, const EmulatorSite *site) {
  grid.requireClocks("TMA stores", site);
  auto [found, isNew] = groups.try_emplace(grid.id());
  Groups &mine = found->second;
  if (isNew) {
    EmulatorClocks &clocks = grid.getClocks();
    mine.reader = clocks.addEngine(
        {"a TMA store", "cp.async.bulk.wait_group.read and a barrier"});
    mine.writer = clocks.addEngine(
        {"a TMA store", "cp.async.bulk.wait_group and a barrier"});
  }
  if (!grid.isOwnShared(box.shared))
    grid.refuse(formatv("expected a TMA store from the block's own shared "
                        "memory, but got {0}; name the block's own",
                        grid.describe(box.shared)),
                site);
  Store store;
  store.map = &mapOf(box.map, site);
  store.shared = box.shared;
  store.thread = grid.id();
  store.site = mine.site = site;
  store.group = mine.committed;
  mine.isOpen = true;
  markGlobal(box, store, AccessKind::Store, mine.writer, store.group);
  checkChunks(store);
  markShared(store, AccessKind::Load, mine.reader, store.group);
  if (grid.happensNow())
    carryOut(store);
  else
    mine.stores.push_back(std::move(store));
}

void BulkCopies::carryOut(const Store &store) {
  for (const Piece &piece : store.pieces)
    forEachChunk(piece.offset, piece.bytes, [&](int64_t offset, int64_t count) {
      uint64_t at = swizzled(store.shared + offset, store.map->swizzle());
      std::memcpy(piece.global + (offset - piece.offset),
                  store.sharedHost + (at - store.shared), count);
    });
}

void BulkCopies::commit() {
  auto found = groups.find(grid.id());
  if (found != groups.end()) {
    ++found->second.committed;
    found->second.isOpen = false;
  }
}

void BulkCopies::wait(unsigned pending, bool isRead, const EmulatorSite *site) {
  auto found = groups.find(grid.id());
  if (found == groups.end())
    return;
  Groups &mine = found->second;
  uint32_t done = mine.committed - std::min(pending, mine.committed);
  for (; !mine.stores.empty() && mine.stores.front().group < done;
       mine.stores.pop_front())
    carryOut(mine.stores.front());
  mine.read = std::max(mine.read, done);
  EmulatorClocks &clocks = grid.getClocks();
  clocks.acquire(grid.id(), mine.reader, done);
  if (!isRead)
    clocks.acquire(grid.id(), mine.writer, done);
}

void BulkCopies::checkThreadEnd() {
  auto found = groups.find(grid.id());
  if (found == groups.end())
    return;
  Groups &mine = found->second;
  if (!mine.isOpen && mine.read == mine.committed)
    return;
  grid.complain(
      formatv(
          "expected {0} between this TMA store and the thread's end, but got "
          "none, so that the block may have ended before its source is read; "
          "let the thread that stores wait",
          mine.isOpen ? "cp.async.bulk.commit_group and wait_group 0"
                      : "cp.async.bulk.wait_group 0"),
      mine.site);
}
