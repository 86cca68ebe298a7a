//===- Columns.cpp - Schedules of other reductions ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Scheduler.h"

#include "fuse/Analysis/KernelSpace.h"

using namespace mlir;
using namespace mlir::fuse;

// On a GPU a block reads a few neighbouring vectors of many places at once, so
// that few columns still fill the machine.
static constexpr int64_t gpuThreads = 512;
static constexpr int64_t fewPlaces = 64;
static constexpr int64_t unsplitThreads = 128;
/// Blocks that keep every multiprocessor of a large chip busy, twice over.
static constexpr int64_t enoughBlocks = 264;
static constexpr int64_t sharedBytes = 32 * 1024;

/// The product of static extents; nothing if one is dynamic.
static std::optional<int64_t> staticProduct(ArrayRef<Extent> extents) {
  int64_t product = 1;
  for (const Extent &extent : extents) {
    if (!extent.isStatic())
      return std::nullopt;
    product *= extent.size;
  }
  return product;
}

namespace {
/// What the reductions of a kernel have in common.
struct ReductionFacts {
  bool any = false;
  /// Whether one runs over the operand's last dimension.
  bool overLast = false;
  bool fewPlaces = true;
  /// Bytes of the partial results of one element.
  int64_t stateBytes = 0;
};
} // namespace

static ReductionFacts factsOf(KernelOp kernel, const DimClasses &dims) {
  ReductionFacts facts;
  for (ReduceOp op : kernel.getBody().getOps<ReduceOp>()) {
    facts.any = true;
    int64_t last = op.getInput().getType().getRank() - 1;
    facts.overLast |= llvm::is_contained(op.getDims(), last);
    SmallVector<Extent> reduced;
    for (int64_t axis : op.getDims())
      reduced.push_back(dims.extent(op.getInput(), axis));
    std::optional<int64_t> places = staticProduct(reduced);
    facts.fewPlaces &= places && *places <= fewPlaces;
    int64_t bits = op.getInput().getType().getElementTypeBitWidth();
    facts.stateBytes += bits == 64 ? 8 : 4;
  }
  return facts;
}

static ColumnsScheduleAttr proposeSplit(KernelOp kernel, const Segment &segment,
                                        int64_t vector,
                                        const ReductionFacts &facts) {
  std::optional<int64_t> total = staticProduct(segment.extents);
  int64_t vectors = total ? 32 : 16;
  while (total && vectors > 8 && *total < vector * vectors * enoughBlocks)
    vectors /= 2;
  int64_t threads = gpuThreads;
  while (threads > vectors && threads * vector * facts.stateBytes > sharedBytes)
    threads /= 2;
  return ColumnsScheduleAttr::get(kernel.getContext(), threads, vector,
                                  threads / vectors);
}

ScheduleAttrInterface mlir::fuse::proposeColumns(KernelOp kernel,
                                                 const DimClasses &dims,
                                                 const ScheduleTarget &target) {
  if (!kernel.getBody().getOps<ContractOp>().empty() ||
      !kernel.getBody().getOps<SoftmaxStatsOp>().empty())
    return {};
  ReductionFacts facts = factsOf(kernel, dims);
  if (!facts.any)
    return {};
  SmallVector<Segment> segments = segmentsOf(kernel, dims);
  int64_t vector = 0;
  for (const Segment &segment : segments) {
    int64_t widest = widestVector(kernel, dims, segment.extents, target);
    int64_t width =
        innermostVector(kernel, dims, segment.extents, widest, target);
    vector = vector ? std::min(vector, width) : width;
  }
  vector = facts.overLast ? 1 : std::max<int64_t>(1, vector);
  if (target.isGPU && segments.size() == 1 && !facts.fewPlaces)
    return proposeSplit(kernel, segments.front(), vector, facts);
  return ColumnsScheduleAttr::get(kernel.getContext(),
                                  target.isGPU ? unsplitThreads : 1, vector,
                                  /*splits=*/1);
}
