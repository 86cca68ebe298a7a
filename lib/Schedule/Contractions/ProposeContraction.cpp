//===- ProposeContraction.cpp - Schedules of contractions -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors lie along the axis that is contiguous in memory: the summed one for
// x W^T, where both operands end in it, else the result's last.
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Scheduler.h"

#include "fuse/Analysis/ContractionSpace.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t gpuThreads = 128;

ScheduleAttrInterface
mlir::fuse::proposeContraction(KernelOp kernel, const DimClasses &dims,
                               const ScheduleTarget &target) {
  auto contractions = kernel.getBody().getOps<ContractOp>();
  if (contractions.empty() ||
      llvm::any_of(kernel.getBody().front(),
                   [](Operation &op) { return isReduction(&op); }))
    return {};
  ContractOp op = *contractions.begin();
  // A thread has no other sums than its own.
  for (Value value : kernel.getYield().getValues())
    if (value.getDefiningOp<ScatterOp>() ||
        !dims.sameShape(value, op.getResult()))
      return {};
  ContractionSpace space = contractionSpaceOf(op);
  int64_t elementBits =
      getElementTypeOrSelf(op.getLhs().getType()).getIntOrFloatBitWidth();
  int64_t widest = target.isGPU
                       ? target.vectorBits / elementBits
                       : target.vectorBits / std::max<int64_t>(32, elementBits);
  auto tile = [&](char axis, int64_t wanted) {
    Extent extent = space.extent(axis, dims);
    return extent.isStatic() ? std::clamp<int64_t>(extent.size, 1, wanted)
                             : wanted;
  };
  int64_t tileM = space.m ? tile(*space.m, 4) : 1;
  MLIRContext *context = kernel.getContext();
  int64_t threads = target.isGPU ? gpuThreads : 1;
  if (space.kIsContiguous) {
    int64_t tileN = tile(space.n, target.isGPU ? 2 : 4);
    return ContractionScheduleAttr::get(context, threads, tileM, tileN, widest,
                                        LaneAxis::k);
  }
  Extent n = space.extent(space.n, dims);
  int64_t vector = n.isStatic() ? dividingVector(widest, n.size) : 1;
  int64_t tileN = target.isGPU ? 1 : 2;
  return ContractionScheduleAttr::get(context, threads, tileM, tileN, vector,
                                      LaneAxis::n);
}
