//===- ArenaPlan.h - Offsets of temporaries by liveness ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_ARENAPLAN_H
#define FUSE_LIB_RUNTIME_ARENAPLAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace fuse::runtime {

/// A buffer to place: live from step `first` to step `last`, both included.
struct ArenaItem {
  int64_t bytes;
  unsigned first;
  unsigned last;
};

struct ArenaPlan {
  /// One for each item, a multiple of 256.
  llvm::SmallVector<int64_t, 8> offsets;
  int64_t bytes = 0;
};

/// Places the items so that two that are live at one step share no byte:
/// largest first, each at the lowest offset that is free throughout its life.
llvm::Expected<ArenaPlan> planArena(llvm::ArrayRef<ArenaItem> items);

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_ARENAPLAN_H
