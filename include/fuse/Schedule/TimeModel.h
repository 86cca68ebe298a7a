//===- TimeModel.h - How long a kernel would take ---------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seconds of one launch on a GPU, from plain numbers. The model is a closed
// queue: K blocks are resident, each waits (for memory, for its reductions, for
// its own instructions) T seconds in all, and all of them share memory, L2 and
// the issue slots. By Little's law K resident blocks finish one every T / K; no
// block finishes faster than the memory moves its bytes:
//
//   seconds a block ~ max(bytes / bandwidth, T / K, cached bytes / L2 rate,
//   ...)
//
// with a soft maximum, since neither side is idle while the other is slow. As
// an example, RMSNorm of 32768 x 8192 bf16 on an H200, a row a block, 32 KiB in
// and out together:
//
//   threads x vectors  registers  blocks an SM   T us   T / K   memory   total
//   128 x 8                   90             5    1.5     0.3      1.0     265
//   512 x 2                   68             1    1.5     1.5      1.0     412
//
// The second one moves no byte more. It has one block where registers for two
// are 4 too many, and memory idles while that block waits. (Measured were 263
// and 589 us: what is far from the fastest is further than the model says.)
// Added are the launch, a part of the last wave where it is not full, and what
// the last blocks do when all is loaded.
//
// Its numbers (GPUTarget::time) are fitted to measurements on an H200, most of
// them of fast schedules (docs/tuning.md); other chips scale with their clock,
// their memory and their number of multiprocessors.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_TIMEMODEL_H
#define FUSE_SCHEDULE_TIMEMODEL_H

#include "fuse/Target/GPUTarget.h"

namespace mlir::fuse {

/// What one block does, and how many there are.
struct BlockWork {
  double blocks = 1;
  int64_t threads = 128;
  /// Registers of a thread, and bytes of shared memory of a block.
  int64_t registers = 32;
  int64_t sharedBytes = 0;
  /// The part by which `registers` may be wrong, where it is an estimate: the
  /// blocks that fit are taken from all that it may be.
  double registerError = 0;

  /// Bytes that a block moves to and from memory.
  double memoryBytes = 0;
  /// Bytes that it reads again, or that other blocks have read: from L2.
  double cachedBytes = 0;
  /// Instructions of one thread, and those of them for the special functions
  /// (exp, rsqrt, ...).
  double instructions = 0;
  double specials = 0;
  /// How often a thread waits for memory, and for L2, before it can go on.
  double memoryWaits = 1;
  double cachedWaits = 0;
  /// Reductions over the block, one after the other.
  double reductions = 0;
};

/// What a kernel's time consists of most.
enum class TimeLimit {
  Memory,
  Cache,
  Waiting,
  Instructions,
  Launch,
  TensorCores,
  SharedMemory
};

llvm::StringRef name(TimeLimit limit);

struct TimeEstimate {
  double seconds = 0;
  /// Blocks that a multiprocessor holds at a time.
  int64_t residentBlocks = 0;
  TimeLimit limit = TimeLimit::Memory;
};

/// Blocks that fit on one multiprocessor; 0 if not even one does.
int64_t residentBlocks(const GPUTarget &target, const BlockWork &work);

/// The most registers that each thread of a block of `threads` can have: they
/// are handed to warps in units of GPUTarget::registerUnit.
int64_t mostRegisters(const GPUTarget &target, int64_t threads);

/// The time of what resources do side by side, from how long each is busy: that
/// of the busiest, and more where others are nearly as busy. There is one.
double softMaximum(const ModelNumbers &numbers, llvm::ArrayRef<double> seconds);

/// A block that does not fit is taken to spill what is too much.
TimeEstimate estimateTime(const GPUTarget &target, const BlockWork &work);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_TIMEMODEL_H
