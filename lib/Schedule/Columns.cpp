//===- Columns.cpp - Schedules of other reductions ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Scheduler.h"

#include "fuse/Analysis/KernelSpace.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

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

/// Elements of an operand that a thread may keep in registers.
static constexpr int64_t heldElements = 32;
static constexpr int64_t unroll = 4;

/// Bytes of the partial results of one column.
static int64_t stateBytes(const ReductionSpace &space) {
  int64_t bytes = 0;
  for (ArrayRef<Operation *> level : space.levels)
    for (Operation *op : level) {
      Type element = getElementTypeOrSelf(op->getOperand(0).getType());
      bytes +=
          op->getNumResults() * (element.getIntOrFloatBitWidth() == 64 ? 8 : 4);
    }
  return bytes;
}

/// Whether the kernel walks the reduced places more than once.
static bool walksAgain(KernelOp kernel, const DimClasses &dims,
                       const ReductionSpace &space) {
  auto isFull = [&](Value value) {
    return dims.extents(value) == space.domain;
  };
  return space.levels.size() > 1 ||
         llvm::any_of(kernel.getYield().getValues(), isFull);
}

namespace {
/// The parts of a proposal.
struct Split {
  int64_t threads, splits;
};
} // namespace

/// Few columns a block, so that few columns still fill the machine; as many
/// threads behind each as shared memory has room for.
static Split splitFor(const ReductionSpace &space, int64_t vector) {
  std::optional<int64_t> total = staticProduct(space.keptExtents());
  std::optional<int64_t> places = staticProduct(space.reducedExtents());
  if (places && *places <= fewPlaces)
    return {unsplitThreads, 1};
  int64_t vectors = total ? 32 : 16;
  while (total && vectors > 8 && *total < vector * vectors * enoughBlocks)
    vectors /= 2;
  int64_t threads = gpuThreads;
  while (threads > vectors &&
         threads * vector * stateBytes(space) > sharedBytes)
    threads /= 2;
  return {threads, threads / vectors};
}

ScheduleAttrInterface mlir::fuse::proposeColumns(KernelOp kernel,
                                                 const DimClasses &dims,
                                                 const ScheduleTarget &target) {
  if (!kernel.getBody().getOps<ContractOp>().empty())
    return {};
  std::string reason;
  FailureOr<ReductionSpace> space = reductionSpaceOf(kernel, dims, reason);
  if (failed(space))
    return {};
  int64_t vector = 1;
  if (!space->isReduced(space->domain.size() - 1)) {
    int64_t widest = widestVector(kernel, dims, space->domain, target);
    vector = innermostVector(kernel, dims, space->domain, widest, target);
  }
  Split split = target.isGPU ? splitFor(*space, vector) : Split{1, 1};
  std::optional<int64_t> places = staticProduct(space->reducedExtents());
  bool fits = places &&
              llvm::divideCeil(*places, split.splits) * vector <= heldElements;
  HoldKind hold = fits && walksAgain(kernel, dims, *space) ? HoldKind::registers
                                                           : HoldKind::loop;
  return ColumnsScheduleAttr::get(kernel.getContext(), split.threads, vector,
                                  split.splits, hold, unroll);
}
