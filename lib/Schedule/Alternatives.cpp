//===- Alternatives.cpp - Other schedules of the same kind ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A proposal knows what is legal: its vector divides what it must, its kind
// runs the kernel. The alternatives change what is a matter of speed alone, in
// steps of two, and keep the rest.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ReductionSegments.h"
#include "fuse/Schedule/Candidates.h"
#include "fuse/Schedule/OrderedColumns.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

using Schedules = SmallVector<ScheduleAttrInterface>;

static constexpr int64_t blockSizes[] = {64, 128, 256, 512, 1024};
static constexpr int64_t smallestBlock = 128;
/// Stages of a loop whose copies run ahead, and the most of rows.
static constexpr int64_t someStages = 3;

/// Shared memory of one stage of each thread's vector, at most.
static int64_t stageBytes(KernelOp kernel, int64_t vector) {
  int64_t bytes = 0;
  for (BlockArgument input : kernel.getBody().getArguments()) {
    Type element = getElementTypeOrSelf(input.getType());
    bytes += llvm::divideCeil(vector * element.getIntOrFloatBitWidth(), 8);
  }
  return bytes;
}

/// Other walks over rows of unknown length; those of known length are listed by
/// LegalRows.h.
static Schedules alternatives(RowsScheduleAttr proposal, KernelOp kernel,
                              const ScheduleTarget &target) {
  Schedules found;
  if (!isa<LoopHoldAttr>(proposal.getHold()) || proposal.sharesGrid())
    return found;
  int64_t mostStaged =
      target.sharedBytes /
      std::max<int64_t>(1, stageBytes(kernel, proposal.getVector()));
  for (int64_t threads : blockSizes)
    for (int64_t unroll : {2, 4, 8}) {
      if (threads < smallestBlock || threads > target.maxThreads)
        continue;
      // Blocks that stay have as many threads as before.
      int64_t blocks = proposal.getPersistent() * proposal.getThreads();
      MLIRContext *context = proposal.getContext();
      auto walk = RowsScheduleAttr::get(
          context, threads, proposal.getVector(), /*rows_per_block=*/1,
          LoopHoldAttr::get(context, unroll), /*share=*/{},
          llvm::divideCeil(blocks, threads));
      found.push_back(walk);
      if (threads * unroll * someStages <= mostStaged)
        found.push_back(
            walk.withHold(LoopHoldAttr::get(context, unroll, someStages)));
    }
  return found;
}

static Schedules alternatives(PointwiseScheduleAttr proposal,
                              int64_t maxThreads) {
  Schedules found;
  // One head suits all kernels; several are proposed where angles or others
  // that cost as much repeat.
  SmallVector<int64_t> someHeads;
  for (int64_t heads = 1; heads <= proposal.getHeads(); heads *= 2)
    someHeads.push_back(heads);
  for (int64_t threads : blockSizes)
    for (int64_t unroll : {1, 2, 4})
      for (int64_t heads : someHeads)
        if (threads <= maxThreads)
          found.push_back(
              PointwiseScheduleAttr::get(proposal.getContext(), threads,
                                         proposal.getVector(), unroll, heads));
  return found;
}

static Schedules alternatives(TransposeScheduleAttr proposal,
                              int64_t maxThreads) {
  Schedules found;
  int64_t tile = proposal.getTile(), vector = proposal.getVector();
  for (int64_t threads : {64, 128, 256, 512})
    if (threads <= maxThreads && tile * tile / vector % threads == 0)
      found.push_back(TransposeScheduleAttr::get(proposal.getContext(), threads,
                                                 tile, vector));
  return found;
}

static Schedules alternatives(OrderedScheduleAttr proposal, KernelOp kernel,
                              const DimClasses &dims) {
  Reason reason;
  FailureOr<OrderedSpace> space = orderedSpaceOf(kernel, dims, reason);
  if (succeeded(space) && !space->areRows()) {
    auto columns = orderedColumnsLike(proposal, kernel, *space);
    return Schedules(columns.begin(), columns.end());
  }
  Schedules found;
  // The parts of so many warps and stretches have lanes of one.
  constexpr int64_t mostParts = 32;
  for (int64_t threads : {32, 64, 128, 256, 512, 1024})
    for (int64_t unroll : {1, 2, 4, 8})
      if (threads / mostParts * unroll <= mostParts)
        found.push_back(OrderedScheduleAttr::get(proposal.getContext(), threads,
                                                 proposal.getVector(), unroll));
  return found;
}

static Schedules alternatives(ContractionScheduleAttr proposal) {
  Schedules found;
  for (int64_t threads : {64, 128, 256})
    for (int64_t tileM : {1, 2, 4, 8})
      for (int64_t tileN : {1, 2, 4})
        if (tileM <= 2 * proposal.getTileM() &&
            tileN <= 2 * proposal.getTileN())
          found.push_back(ContractionScheduleAttr::get(
              proposal.getContext(), threads, tileM, tileN,
              proposal.getVector(), proposal.getAlong()));
  return found;
}

/// Of all tiles those that the model does not take for far slower.
static Schedules alternatives(MmaScheduleAttr proposal, KernelOp kernel,
                              const DimClasses &dims,
                              const ScheduleTarget &target) {
  Schedules found;
  MmaProduct product = mmaProductOf(kernel, dims, target.assumed);
  double fastest = estimateMma(proposal, product, *target.gpu).seconds;
  for (MmaScheduleAttr schedule : mmaSchedulesOf(kernel, dims, target))
    if (estimateMma(schedule, product, *target.gpu).seconds <=
        target.gpu->choice.farSlower * fastest)
      found.push_back(schedule);
  return found;
}

static Schedules alternatives(StreamedScheduleAttr proposal, KernelOp kernel,
                              const DimClasses &dims,
                              const ScheduleTarget &target) {
  return Schedules(llvm::map_range(
      streamedSchedulesOf(kernel, dims, target),
      [](StreamedScheduleAttr attr) { return ScheduleAttrInterface(attr); }));
}

SmallVector<ScheduleAttrInterface>
mlir::fuse::alternativesTo(ScheduleAttrInterface proposal, KernelOp kernel,
                           const DimClasses &dims,
                           const ScheduleTarget &target) {
  int64_t maxThreads = target.maxThreads;
  Schedules found =
      llvm::TypeSwitch<Attribute, Schedules>(proposal)
          .Case([&](RowsScheduleAttr attr) {
            return alternatives(attr, kernel, target);
          })
          // LegalColumns.h lists them.
          .Case([](ColumnsScheduleAttr) { return Schedules(); })
          .Case<PointwiseScheduleAttr, TransposeScheduleAttr>(
              [&](auto attr) { return alternatives(attr, maxThreads); })
          .Case([&](OrderedScheduleAttr attr) {
            return alternatives(attr, kernel, dims);
          })
          .Case([](ContractionScheduleAttr attr) { return alternatives(attr); })
          .Case([&](TiledScheduleAttr) {
            auto tiles = sharedTilesOf(kernel, dims, target);
            return Schedules(tiles.begin(), tiles.end());
          })
          .Case<MmaScheduleAttr, StreamedScheduleAttr>([&](auto attr) {
            return alternatives(attr, kernel, dims, target);
          });
  // In the order in which they were found.
  Schedules unique;
  for (ScheduleAttrInterface schedule : found)
    if (schedule != proposal && !llvm::is_contained(unique, schedule))
      unique.push_back(schedule);
  return unique;
}
