//===- ArenaPlan.cpp - Offsets of temporaries by liveness -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArenaPlan.h"
#include "FormatError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;
using namespace fuse::runtime;

static constexpr int64_t alignment = 256;
/// Far above any memory, far below where adding two sizes could overflow.
static constexpr int64_t maxBytes = int64_t(1) << 56;

static bool meet(const ArenaItem &a, const ArenaItem &b) {
  return a.first <= b.last && b.first <= a.last;
}

/// The lowest offset where `item` fits between the `placed` items it meets.
static int64_t firstFit(const ArenaItem &item, ArrayRef<ArenaItem> items,
                        ArrayRef<unsigned> placed, ArrayRef<int64_t> offsets) {
  SmallVector<std::pair<int64_t, int64_t>, 8> taken;
  for (unsigned other : placed)
    if (meet(item, items[other]))
      taken.push_back({offsets[other], offsets[other] + items[other].bytes});
  llvm::sort(taken);
  int64_t offset = 0;
  for (auto [begin, end] : taken) {
    if (offset + item.bytes <= begin)
      break;
    offset = std::max<int64_t>(offset, alignTo(end, alignment));
  }
  return offset;
}

Expected<ArenaPlan> fuse::runtime::planArena(ArrayRef<ArenaItem> items) {
  int64_t total = 0;
  for (const ArenaItem &item : items) {
    if (item.bytes < 0 || item.bytes > maxBytes - total)
      return formatError("expected temporaries of fewer than 2^56 bytes, but "
                         "got one of {0}; pass smaller tensors",
                         item.bytes);
    total += item.bytes;
  }
  auto order = to_vector(seq<unsigned>(0, items.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::make_pair(-items[a].bytes, a) <
           std::make_pair(-items[b].bytes, b);
  });
  ArenaPlan plan;
  plan.offsets.resize(items.size());
  for (auto [rank, index] : enumerate(order)) {
    int64_t offset = firstFit(items[index], items,
                              ArrayRef(order).take_front(rank), plan.offsets);
    plan.offsets[index] = offset;
    plan.bytes = std::max(plan.bytes, offset + items[index].bytes);
  }
  return plan;
}
