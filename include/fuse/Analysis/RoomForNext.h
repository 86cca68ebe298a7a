//===- RoomForNext.h - Blocks beside those of the next launch ---*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_ROOMFORNEXT_H
#define FUSE_ANALYSIS_ROOMFORNEXT_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

/// Whether two blocks of the schedule fit in a multiprocessor, of which a block
/// may have so much shared memory: one of a launch and one of the next, which
/// copies its first weights while this one still multiplies. A thread has then
/// half as many registers, which few sums leave free.
inline bool leavesRoomForNext(MmaScheduleAttr schedule, int64_t sharedBytes) {
  // The system's share of each block.
  constexpr int64_t mostSums = 32, reserved = 1024;
  int64_t sums = schedule.getTileM() * schedule.getTileN() /
                 (schedule.getConsumers() * MmaScheduleAttr::kGroup);
  return schedule.getConsumers() == 1 && sums <= mostSums &&
         2 * (schedule.sharedBytes() + reserved) <= sharedBytes + reserved;
}

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_ROOMFORNEXT_H
