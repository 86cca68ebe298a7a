//===- ProposeOrdered.cpp - Schedules of rows that are walked in order ----===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block a row. Each tile costs the threads an exchange, so that a thread has
// several vectors of it; a short row has threads for one tile. A selection
// costs an exchange for each key that is among the best so far: the fewer tiles
// a row has, the fewer of those, so that a thread keeps more of the row.
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/OrderedColumns.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t warpThreads = 32;

ScheduleAttrInterface mlir::fuse::proposeOrdered(KernelOp kernel,
                                                 const DimClasses &dims,
                                                 const ScheduleTarget &target) {
  Block &body = kernel.getBody().front();
  if (llvm::none_of(body, [](Operation &op) { return isRowOrder(&op); }))
    return {};
  Reason reason;
  FailureOr<OrderedSpace> space = orderedSpaceOf(kernel, dims, reason);
  if (failed(space))
    return {};
  if (!space->areRows())
    return proposeOrderedColumns(kernel, *space, dims, target);
  int64_t widest = widestVector(kernel, dims, space->domain, target);
  int64_t vector = innermostVector(kernel, dims, space->domain, widest, target);
  if (!target.isGPU)
    return OrderedScheduleAttr::get(kernel.getContext(), 1, vector,
                                    hostNumbers.scanUnroll);

  const auto &numbers = target.numbers().ordered;
  bool selects = !body.getOps<TopKOp>().empty();
  int64_t unroll =
      selects ? std::max<int64_t>(1, numbers.selectionElements / vector)
              : numbers.scanUnroll;
  int64_t threads = selects ? numbers.selectionThreads : numbers.scanThreads;
  if (const Extent &columns = space->length(); columns.isStatic()) {
    int64_t vectors = std::max<int64_t>(1, columns.size / vector);
    auto wanted = static_cast<int64_t>(
        llvm::PowerOf2Ceil(llvm::divideCeil(vectors, unroll)));
    threads = std::clamp(wanted, warpThreads, threads);
    unroll = std::min<int64_t>(unroll, llvm::divideCeil(vectors, threads));
  }
  // The parts of all warps have lanes of one.
  if (!space->scans.empty())
    unroll = std::min(unroll, warpThreads / (threads / warpThreads));
  return OrderedScheduleAttr::get(kernel.getContext(), threads, vector, unroll);
}
