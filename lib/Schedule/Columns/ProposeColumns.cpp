//===- ProposeColumns.cpp - Schedules of other reductions -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a GPU data choose (ColumnsModel.h). A CPU thread takes a vector of columns
// at a time.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/OpCost.h"
#include "fuse/Schedule/ColumnsModel.h"
#include "fuse/Schedule/LegalColumns.h"

using namespace mlir;
using namespace mlir::fuse;

static ColumnsScheduleAttr proposeForCPU(MLIRContext *context,
                                         const ColumnFacts &facts) {
  bool isHeld = facts.places && !facts.once &&
                facts.places * facts.dividing <= mostHeldElements;
  HoldAttrInterface hold = RegistersHoldAttr::get(context);
  if (!isHeld)
    hold = LoopHoldAttr::get(context);
  return ColumnsScheduleAttr::get(context, /*threads=*/1, facts.dividing,
                                  /*splits=*/1, hold, /*share=*/{}, /*fold=*/1);
}

ScheduleAttrInterface mlir::fuse::proposeColumns(KernelOp kernel,
                                                 const DimClasses &dims,
                                                 const ScheduleTarget &target) {
  std::optional<ColumnFacts> facts = columnFactsOf(kernel, dims, target);
  if (!facts)
    return {};
  MLIRContext *context = kernel.getContext();
  if (!target.isGPU)
    return proposeForCPU(context, *facts);
  return ColumnsModel::of(*target.gpu).choose(context, *facts, target);
}

bool mlir::fuse::wantsParts(KernelOp kernel, const DimClasses &dims,
                            const ReductionSpace &space,
                            const ScheduleTarget &target) {
  if (!target.gpu || !space.overLastDims() ||
      !kernel.getBody().getOps<ScatterOp>().empty() ||
      !isOneWalk(kernel, space, dims))
    return false;
  const auto &numbers = target.gpu->columns;
  std::optional<int64_t> rows = staticProduct(space.keptExtents()),
                         length = staticProduct(space.reducedExtents());
  Type element = getElementTypeOrSelf(
      space.levels.front().front()->getOperand(0).getType());
  int64_t bytes = std::max<unsigned>(8, element.getIntOrFloatBitWidth()) / 8;
  bool isShort =
      length &&
      (*length * bytes <= kBytesPerLaunch ||
       (target.gpu->maxClusterSize > 1 && *length <= numbers.longestInCluster));
  return rows && *rows < numbers.fewBlocks * target.gpu->multiprocessors &&
         !isShort;
}
