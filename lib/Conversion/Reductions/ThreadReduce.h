//===- ThreadReduce.h - Combining states across threads ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_THREADREDUCE_H
#define FUSE_LIB_CONVERSION_THREADREDUCE_H

#include "KernelFrame.h"
#include "Reducer.h"

namespace mlir::fuse {

/// Lanes that exchange values by shuffles.
inline constexpr int64_t warpSize = 32;

/// The scalar of the lane whose number differs in `distance`, a power of two.
Value shuffleXor(OpBuilder &builder, Location loc, Value value,
                 int64_t distance);
/// The scalar of the lane of that number, an i32.
Value shuffleFrom(OpBuilder &builder, Location loc, Value value, Value lane);

/// Static shared memory for `count` scalars; on a CPU they are the thread's.
Value addSlots(KernelFrame &frame, Type type, int64_t count);
void storeSlot(KernelFrame &frame, Value slots, const Index &slot, Value value);
Value loadSlot(KernelFrame &frame, Value slots, const Index &slot, Type type);

/// The threads that share a row: `width` neighbours, of which there are
/// `groups` in a block. `width` is a power of two up to a warp, or a multiple
/// of a warp. All threads of the block take part in every exchange.
struct ThreadGroup {
  int64_t width;
  int64_t groups;
  /// This thread's place in its group, and its group's in the block.
  Index lane, group;
  /// The group has all threads of so many blocks, which are a cluster.
  int64_t blocks = 1;
  /// This thread's number in its block, of a cluster.
  Index thread = {};
  /// What the blocks of a cluster wait at in the next exchange; null where they
  /// meet at their barrier.
  Value arrival = {};
};

/// Gives every thread of a group the combination of all their states, in an
/// order that does not change from run to run: a butterfly in each warp, then
/// the warps one after another through shared memory. The states are those of
/// `reducers`, one each; they share one exchange. Before the first exchange of
/// a cluster all its blocks must have started; see ClusterExchange.h.
SmallVector<ReductionState> combineThreads(KernelFrame &frame,
                                           MutableArrayRef<Reducer> reducers,
                                           SmallVector<ReductionState> states,
                                           const ThreadGroup &group);

/// `slices` groups of `vectors` threads each, one behind the other; the threads
/// of one `vector` number hold parts of the same vector of results.
struct SliceGroup {
  int64_t vectors;
  int64_t slices;
  /// This thread's places.
  Index vector, slice;
  /// Where each slice is a block of a cluster: what the first waits at.
  Value arrival = {};
};

/// Gives every thread the combination, from the first slice to the last, of the
/// states of its vector. The states may be vectors.
SmallVector<ReductionState> combineSlices(KernelFrame &frame,
                                          MutableArrayRef<Reducer> reducers,
                                          SmallVector<ReductionState> states,
                                          const SliceGroup &group);

/// The same for the threads where `wanted` (an i1, or null for all) holds,
/// which run `then` with it.
void combineSlices(
    KernelFrame &frame, MutableArrayRef<Reducer> reducers,
    SmallVector<ReductionState> states, const SliceGroup &group, Value wanted,
    llvm::function_ref<void(const SmallVector<ReductionState> &)> then);

/// The same by the lanes of a vector: as many threads, which are numbered from
/// `thread` = 0 on, run `then` with the states of one lane of one vector each,
/// those of lane 0 of all vectors first. Wants as many slices as lanes.
void combineLanes(
    KernelFrame &frame, MutableArrayRef<Reducer> reducers,
    ArrayRef<ReductionState> states, const SliceGroup &group,
    const Index &thread, int64_t lanes,
    llvm::function_ref<void(const SmallVector<ReductionState> &)> then);

/// The same where each slice is a block of a cluster, all of which have
/// started; `group.vectors` threads of each call it. Those of the first block
/// for which `wanted` holds run `then`.
void combineInCluster(
    KernelFrame &frame, MutableArrayRef<Reducer> reducers,
    ArrayRef<ReductionState> states, const SliceGroup &group, Value wanted,
    llvm::function_ref<void(const SmallVector<ReductionState> &)> then);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_THREADREDUCE_H
