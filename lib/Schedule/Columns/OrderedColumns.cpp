//===- OrderedColumns.cpp - Columns that are walked in order --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads side by side read neighbouring columns. Few columns are shared by
// several threads each, which exchange what their places come to, once a tile:
// the more of them, the more each has to read, so that a thread has several
// places of a tile and there are no more threads than keep the chip busy.
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/OrderedColumns.h"

#include "fuse/Schedule/ColumnFacts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t warpThreads = 32, blockThreads = 256;
/// Vectors of columns beside each other: a warp reads 512 bytes of one place.
static constexpr int64_t widestRow = 32, narrowestRow = 8;
/// The least of memory that is read at once.
static constexpr int64_t sectorBytes = 32;
/// Blocks for each multiprocessor below which columns are shared out more.
static constexpr int64_t fewBlocks = 2;
/// Elements of a tile that a thread keeps in registers, and that it reads of
/// what the others leave.
static constexpr int64_t heldElements = 32, mostRead = 64;
static constexpr int64_t mostUnroll = 8;
/// Of shared memory, with room for what else a kernel may have.
static constexpr int64_t mostShared = 32 * 1024;
/// For a dynamic number of columns.
static constexpr int64_t dynamicColumns = 4096;

/// Bytes that each thread leaves for others for each of its columns: of scans
/// once a walk that needs them, for two tiles; of reductions their states.
static int64_t leftBytes(KernelOp kernel, const OrderedSpace &space) {
  int64_t bytes = 0;
  llvm::DenseSet<Value> known;
  auto results = llvm::to_vector(kernel.getYield().getValues());
  for (auto [number, values] : llvm::enumerate(walkedValues(space, results))) {
    for (ScanOp scan : scansBehind(space, values, known))
      bytes += scan.getType().getElementType().getIntOrFloatBitWidth() == 64
                   ? 16
                   : 8;
    if (number == space.walks.size())
      continue;
    bytes += stateBytes(space.walks[number]);
    for (Operation *op : space.walks[number])
      known.insert(op->result_begin(), op->result_end());
  }
  return bytes;
}

OrderedScheduleAttr
mlir::fuse::proposeOrderedColumns(KernelOp kernel, const OrderedSpace &space,
                                  const DimClasses &dims,
                                  const ScheduleTarget &target) {
  int64_t widest = widestVector(kernel, dims, space.domain, target);
  int64_t vector = innermostVector(kernel, dims, space.domain, widest, target);
  // Each tile of a column waits for what the one before comes to.
  if (!target.isGPU)
    return OrderedScheduleAttr::get(kernel.getContext(), 1, vector, mostUnroll);

  int64_t columns = staticProduct(space.kept()).value_or(dynamicColumns);
  int64_t bits = narrowestBits(kernel, dims, space.domain);
  int64_t wanted = fewBlocks * target.gpu->multiprocessors;
  int64_t row = widestRow;
  auto areFew = [&] { return columns < row * vector * wanted; };
  while (row > narrowestRow && areFew())
    row /= 2;
  while (vector > 1 && areFew() && row * vector * bits > 8 * sectorBytes)
    vector /= 2;
  while (row > 1 && vector * row / 2 >= columns)
    row /= 2;

  int64_t unroll = std::clamp<int64_t>(heldElements / vector, 1, mostUnroll);
  int64_t splits = std::min(mostRead / vector, blockThreads / row);
  if (const Extent &length = space.length(); length.isStatic())
    while (splits > 1 && splits / 2 * unroll >= length.size)
      splits /= 2;
  int64_t resident =
      int64_t(target.gpu->maxThreadsPerSM) * target.gpu->multiprocessors;
  while (splits > 1 && columns / vector * splits / 2 >= resident) {
    splits /= 2;
    row *= 2;
  }
  int64_t bytes = leftBytes(kernel, space) * vector;
  while (splits > 1 && std::max(row * splits, warpThreads) * bytes > mostShared)
    splits /= 2;
  row = std::max(row, warpThreads / splits);
  return OrderedScheduleAttr::get(kernel.getContext(), row * splits, vector,
                                  unroll, splits);
}

SmallVector<OrderedScheduleAttr>
mlir::fuse::orderedColumnsLike(OrderedScheduleAttr proposal, KernelOp kernel,
                               const OrderedSpace &space) {
  SmallVector<OrderedScheduleAttr> found;
  int64_t bytes = leftBytes(kernel, space);
  for (int64_t vector = proposal.getVector(); vector >= 1; vector /= 2)
    for (int64_t threads : {64, 128, 256, 512})
      for (int64_t splits : {1, 2, 4, 8, 16, 32, 64})
        for (int64_t unroll : {2, 4, 8}) {
          bool fits = splits == 1 || (space.length().size != 1 &&
                                      threads * bytes * vector <= mostShared);
          if (fits && splits <= threads && splits * vector <= mostRead &&
              unroll * vector <= heldElements)
            found.push_back(OrderedScheduleAttr::get(
                kernel.getContext(), threads, vector, unroll, splits));
        }
  return found;
}
