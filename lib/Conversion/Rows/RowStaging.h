//===- RowStaging.h - Rows that stay near the multiprocessor ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row that a kernel walks several times may stay in other places than the
// registers.
//
// In shared memory each thread has places of its own: it starts asynchronous
// copies into them, waits for its own copies and reads them back. No thread
// reads another's, so that no barrier is needed. An input of 16 bytes a vector
// takes slots x threads x 16 bytes, slot by slot; a wider vector is cut into
// planes of 16 bytes, one behind the other, so that the threads of a warp
// always read neighbouring 16 bytes and never meet in a bank:
//
//   plane 0: slot 0: thread 0, thread 1, .. | slot 1: .. | ..
//   plane 1: ..
//
// In the caches the row stays on its own where nothing evicts it. Loads of
// the first passes ask to be kept, those of the last pass to be dropped, which
// leaves the L2 to what the kernel writes.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWSTAGING_H
#define FUSE_LIB_CONVERSION_ROWSTAGING_H

#include "KernelFrame.h"

#include "fuse/Analysis/ReductionSegments.h"

namespace mlir::fuse {

/// The start of the block's dynamic shared memory.
Value dynamicSharedMemory(KernelFrame &frame);

/// The streamed inputs of the segment that are read at the points that it walks
/// and not elsewhere, and whose vectors at such a point are accesses of 4 to 16
/// aligned bytes.
SmallVector<BlockArgument> stageableInputs(KernelFrame &frame,
                                           const ReductionSegment &segment,
                                           const Point &point);

/// Those of `inputs` that may be copied at the points of a walk, also where
/// they are read elsewhere, which reads memory.
SmallVector<BlockArgument> copyableInputs(KernelFrame &frame,
                                          ArrayRef<BlockArgument> inputs,
                                          const Point &point);

class RowStaging {
public:
  /// Room for `slots` vectors of `lanes` elements of each of the
  /// stageableInputs() and thread. `thread` is this thread's number among
  /// `threads`.
  RowStaging(KernelFrame &frame, ArrayRef<BlockArgument> inputs,
             int64_t threads, Index thread, int64_t slots, int64_t lanes);

  /// Shared memory of a block, in bytes.
  int64_t bytes() const { return total; }

  /// Starts copies of all inputs at the point into a slot.
  void copy(const Point &point, const Index &slot);
  /// Ends a group of copies.
  void commit();
  /// Waits until at most `pending` groups, the youngest, are on their way.
  void wait(int64_t pending);

  /// Reads the inputs at points[i] from slot first + i; others from memory.
  PointEmitter::Loader loader(ArrayRef<Point> points, const Index &first);

private:
  struct Input {
    BlockArgument argument;
    /// Of the first plane, in bytes.
    int64_t offset;
    /// Of one thread's part of a plane.
    int64_t width;
    int64_t planes;
  };

  Value place(const Input &input, const Index &slot, int64_t plane);
  Value read(const Input &input, const Index &slot);

  KernelFrame &frame;
  PointEmitter &emitter;
  int64_t threads;
  Index thread;
  int64_t slots, lanes;
  SmallVector<Input> inputs;
  int64_t total = 0;
  Value base;
};

/// When the caches may let a line go.
enum class CacheUse { again, last };

/// Reads the stageableInputs() with a hint for the caches.
PointEmitter::Loader cacheLoader(PointEmitter &emitter,
                                 ArrayRef<BlockArgument> inputs, CacheUse use);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWSTAGING_H
