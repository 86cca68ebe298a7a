//===- Mma.cpp - Schedules of contractions on tensor cores ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tensor cores can run they run with the fastest of the legal tiles
// (MmaModel.h); the others are what tuning tries.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/MmaSpace.h"
#include "fuse/Analysis/OpCost.h"
#include "fuse/Schedule/Candidates.h"
#include "fuse/Schedule/MmaModel.h"

using namespace mlir;
using namespace mlir::fuse;

static double productOf(const MmaSpace &space, ArrayRef<char> axes,
                        const DimClasses &dims) {
  double product = 1;
  for (char axis : axes)
    product *= estimatedElements(space.extents(axis, dims), dims);
  return product;
}

static double productOf(const ContractionSpace &space, ArrayRef<char> axes,
                        const DimClasses &dims) {
  double product = 1;
  for (char axis : axes)
    product *= estimatedElements({space.extent(axis, dims)}, dims);
  return product;
}

MmaProduct mlir::fuse::mmaProductOf(KernelOp kernel, const DimClasses &dims) {
  MmaProduct product;
  std::string reason;
  // A schedule from text may stand where tensor cores cannot run it.
  FailureOr<MmaSpace> space =
      mmaSpaceOf(kernel, dims, {/*aligned=*/true, /*divisible=*/true}, reason);
  if (succeeded(space)) {
    product.m = productOf(*space, {space->m}, dims);
    product.n = productOf(*space, {space->n}, dims);
    product.k = productOf(*space, {space->k}, dims);
    product.batches = productOf(*space, space->outer, dims);
  } else {
    ContractionSpace any =
        contractionSpaceOf(*kernel.getBody().getOps<ContractOp>().begin());
    product.m = any.m ? productOf(any, {*any.m}, dims) : 1;
    product.n = productOf(any, {any.n}, dims);
    product.k = productOf(any, any.summed, dims);
    product.batches = productOf(any, any.outer, dims);
  }
  product.resultBytes = 0;
  for (Value value : kernel.getYield().getValues())
    product.resultBytes += elementBytes(value);
  return product;
}

SmallVector<MmaScheduleAttr>
mlir::fuse::mmaSchedulesOf(KernelOp kernel, const DimClasses &dims,
                           const ScheduleTarget &target) {
  if (!target.gpu || !target.gpu->hasWgmma)
    return {};
  TensorFacts facts{target.aligned, target.divisible};
  std::string reason;
  FailureOr<MmaSpace> space = mmaSpaceOf(kernel, dims, facts, reason);
  if (failed(space))
    return {};
  MmaForm form;
  form.columnsAreAlongK = space->columns.isAlongK(space->k);
  form.mayCopyResults =
      llvm::any_of(kernel.getYield().getValues(), [&](Value value) {
        return fitsTensorMap(kernel, dims, value, facts);
      });
  return rankMmaSchedules(kernel.getContext(), mmaProductOf(kernel, dims), form,
                          *target.gpu);
}

ScheduleAttrInterface mlir::fuse::proposeMma(KernelOp kernel,
                                             const DimClasses &dims,
                                             const ScheduleTarget &target) {
  SmallVector<MmaScheduleAttr> schedules = mmaSchedulesOf(kernel, dims, target);
  return schedules.empty() ? MmaScheduleAttr() : schedules.front();
}
