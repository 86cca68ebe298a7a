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
// it waits until all have said so. Then, for each exchange, it writes to all
// blocks, meets them at the cluster's barrier and reads its own memory only: a
// block that has passed its last barrier may end.
//
//   startCluster(frame);       // barrier.cluster.arrive.relaxed
//   ...                        // loads of the row
//   awaitCluster(frame);       // barrier.cluster.wait
//   storeInBlock(...);         // mapa, st.shared::cluster
//   meetInCluster(frame);      // barrier.cluster.arrive.release, .wait.acquire
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_CLUSTEREXCHANGE_H
#define FUSE_LIB_CONVERSION_CLUSTEREXCHANGE_H

#include "KernelFrame.h"

namespace mlir::fuse {

/// Says that this thread's block has started, or is `again` at a start: with
/// what the others have left in its memory it is done.
void startCluster(KernelFrame &frame, bool again = false);

/// Waits until all blocks of the cluster have started. Follows startCluster().
void awaitCluster(KernelFrame &frame);

/// Waits until all threads of the cluster are here, and lets them see what the
/// others wrote before.
void meetInCluster(KernelFrame &frame);

/// `count` elements of `type` in the shared memory of each block; a pointer to
/// those of the thread's own. A memref would not do: its address is known as an
/// index only, which may have fewer bits.
Value addClusterSlots(KernelFrame &frame, Type type, int64_t count);

/// Writes to the slots of block `rank`, which counts the blocks of the cluster.
void storeInBlock(KernelFrame &frame, Value slots, const Index &slot,
                  Value value, const Index &rank);

/// Reads from the slots of the thread's own block.
Value loadFromOwn(KernelFrame &frame, Value slots, const Index &slot,
                  Type type);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_CLUSTEREXCHANGE_H
