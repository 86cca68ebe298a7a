//===- ClusterExchange.h - What blocks of a cluster share -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of a cluster can write to the shared memory of the others, once these
// have started and as long as they have not ended. So every block says at its
// start that it runs, without waiting; before its first write to another block
// it waits until all have said so. In each exchange it then writes to all
// blocks and reads its own memory only, when that has got what it expects: a
// block that has got it all may end.
//
//   SmallVector<Value> arrivals = startCluster(frame, exchanges, thread);
//       // mbarrier.init, fence.mbarrier_init, barrier.cluster.arrive.relaxed
//   ...                                // loads of the row
//   awaitCluster(frame);               // barrier.cluster.wait
//   expectBytes(frame, arrival, n);    // mbarrier.arrive.expect_tx, one thread
//   storeInBlock(..., arrival);        // mapa, st.async
//   awaitBytes(frame, arrival);        // mbarrier.try_wait
//
// A barrier of the cluster in place of these waits for all that a thread has
// under way, and has the multiprocessor forget its L1, twice an exchange. Only
// blocks that stay, whose exchanges are of several rows, meet so:
//
//   restartCluster(frame);             // barrier.cluster.arrive
//   awaitCluster(frame);
//   storeInBlock(...);                 // st.shared::cluster
//   meetInCluster(frame);              // barrier.cluster.arrive.release, .wait
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_CLUSTEREXCHANGE_H
#define FUSE_LIB_CONVERSION_CLUSTEREXCHANGE_H

#include "KernelFrame.h"

namespace mlir::fuse {

/// Says that this thread's block has started, and is ready for so many
/// exchanges; `thread` is its number in the block. One pointer for each.
SmallVector<Value> startCluster(KernelFrame &frame, int64_t exchanges,
                                const Index &thread);

/// Says that this thread's block is at a start again: with what the others have
/// left in its memory it is done.
void restartCluster(KernelFrame &frame);

/// Waits until all blocks of the cluster have started. Follows one
/// of the above.
void awaitCluster(KernelFrame &frame);

/// Waits until all threads of the cluster are here, and lets them see what the
/// others wrote before.
void meetInCluster(KernelFrame &frame);

/// `count` elements of `type` in the shared memory of each block; a pointer to
/// those of the thread's own. A memref would not do: its address is known as an
/// index only, which may have fewer bits.
Value addClusterSlots(KernelFrame &frame, Type type, int64_t count);

/// Writes to the slots of block `rank`, which counts the blocks of the cluster.
/// With `arrival` the value arrives there at some time.
void storeInBlock(KernelFrame &frame, Value slots, const Index &slot,
                  Value value, const Index &rank, Value arrival = {});

/// Says how many bytes an exchange brings to the thread's own block. For one of
/// its threads, and once.
void expectBytes(KernelFrame &frame, Value arrival, int64_t bytes);

/// Waits for all of them, and lets the thread see them, but nothing else that
/// other blocks have written.
void awaitBytes(KernelFrame &frame, Value arrival);

/// Reads from the slots of the thread's own block.
Value loadFromOwn(KernelFrame &frame, Value slots, const Index &slot,
                  Type type);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_CLUSTEREXCHANGE_H
