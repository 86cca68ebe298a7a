//===- TileRing.h - Slots of shared memory in a ring ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread fills the slots of a ring by asynchronous copies, warpgroups empty
// them. Each slot has two barriers: `full` counts one arrival and the bytes of
// the copies, `empty` an arrival of each consumer. A phase of a barrier ends
// when all have arrived, and has a parity; waiting for a parity of a barrier
// waits for the end of the phase that has it.
//
//   producer: awaitEmpty(place), expect(place, bytes), copies   place = next
//   consumer: awaitFull(place), multiply, release(place)        place = next
//
// A place is a slot and a parity, which changes when the ring starts again. The
// producer starts with parity 1: the phase before the first counts as ended.
// Where blocks share operands each copies a part of these for all, and `empty`
// counts the consumers of all: a block copies when the slot is empty
// everywhere. Bytes that another block sends may arrive before `expect`.
//
// Nobody is more than one phase behind: a consumer sees each phase of `full`,
// and the producer each of `empty`.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_TILERING_H
#define FUSE_LIB_CONVERSION_MMA_TILERING_H

#include "MmaBuilder.h"

namespace mlir::fuse {

/// Two words.
struct RingPlace {
  Value slot, parity;
};

class TileRing {
public:
  /// `memory`: where the slots start, in shared memory; the barriers lie
  /// `barriers` bytes behind.
  TileRing(MmaBuilder &b, MmaScheduleAttr schedule, Value memory,
           int64_t barriers)
      : TileRing(b, schedule.getStages(), schedule.slotBytes(),
                 schedule.getConsumers(), memory, barriers,
                 schedule.getClusterM() * schedule.getClusterN()) {}
  TileRing(MmaBuilder &b, int64_t slots, int64_t slotBytes, int64_t consumers,
           Value memory, int64_t barriers, int64_t sharers = 1)
      : b(b), slots(slots), slotBytes(slotBytes), consumers(consumers),
        memory(memory), barriers(barriers), sharers(sharers) {}

  int64_t barriersBytes() const { return 2 * slots * barrierBytes; }

  /// By one thread, before all threads meet.
  void initialize();

  RingPlace start(int64_t parity) { return {b.word(0), b.word(parity)}; }
  RingPlace next(const RingPlace &place);
  Value previousSlot(const RingPlace &place);

  Value memoryAt(Value offset) { return b.behind(memory, offset); }
  /// Offset of a slot.
  Value offset(Value slot) { return b.mul(slot, slotBytes); }
  void awaitFull(const RingPlace &place) {
    b.awaitPhase(full(place.slot), place.parity);
  }
  void awaitEmpty(const RingPlace &place) {
    b.awaitPhase(empty(place.slot), place.parity);
  }
  /// The barrier at which copies into the slot count their bytes, `bytes` in
  /// all.
  Value expect(const RingPlace &place, int64_t bytes);
  /// The same barrier, for which all bytes are expected already.
  Value expected(const RingPlace &place) { return full(place.slot); }
  /// Starts a copy of a box of `map`, to so many bytes behind the start of the
  /// slots, that counts at `barrier`; with `everywhere` to the same places of
  /// all blocks that share operands, where it counts at theirs.
  void copy(Value offset, Value map, ValueRange coordinates, Value barrier,
            bool everywhere = false);
  /// By threads of each consumer, numbered from 0 on: says that it has read the
  /// slot, to all blocks that copy into it. `condition` may be null for always.
  void release(Value slot, Value thread, Value condition = {});

private:
  Value full(Value slot) {
    return b.behind(memory, b.add(b.mul(slot, barrierBytes), barriers));
  }
  Value empty(Value slot) {
    return b.behind(memory, b.add(b.mul(slot, barrierBytes),
                                  barriers + slots * barrierBytes));
  }

  static constexpr int64_t barrierBytes = 8;

  MmaBuilder &b;
  int64_t slots, slotBytes, consumers;
  Value memory;
  int64_t barriers;
  /// Blocks that copy into each other's slots.
  int64_t sharers;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_TILERING_H
