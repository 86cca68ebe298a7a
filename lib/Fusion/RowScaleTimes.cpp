//===- RowScaleTimes.cpp - What a norm before a contraction takes ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowScaleTimes.h"

#include "fuse/Analysis/OpCost.h"
#include "fuse/Schedule/Candidates.h"
#include "fuse/Schedule/MmaRankings.h"

using namespace mlir;
using namespace mlir::fuse;

/// How much longer a contraction takes with so many bytes more for each of its
/// results, and so many instructions.
static double extraSeconds(ContractOp contract, double bytes,
                           double instructions, const DimClasses &dims,
                           const GPUTarget &gpu) {
  MmaProduct product = mmaProductOf(contract, dims), with = product;
  with.resultBytes += bytes;
  with.instructions += instructions;
  SmallVector<MmaScheduleAttr> schedules;
  if (!getElementTypeOrSelf(contract.getLhs()).isF32() || contract.usesTF32())
    schedules = MmaRankings::of(contract.getContext(), product, MmaForm(), gpu);
  if (schedules.empty())
    return bytes * estimatedElements(contract.getResult()) /
           gpu.memoryBytesPerSecond;
  return estimateMma(schedules.front(), with, gpu).seconds -
         estimateMma(schedules.front(), product, gpu).seconds;
}

RowScaleTimes mlir::fuse::rowScaleTimes(ContractOp contract, unsigned operand,
                                        Value x, ContractOp before,
                                        const DimClasses &dims,
                                        const GPUTarget &gpu) {
  auto bytesOf = [&](Value value) { return estimatedBytes(value, dims); };
  auto moving = [&](double bytes) { return bytes / gpu.memoryBytesPerSecond; };
  Value read = contract->getOperand(operand);
  double asKernel = gpu.launchSeconds + moving(bytesOf(x) + bytesOf(read));
  double asScale =
      extraSeconds(contract, /*bytes=*/0, /*instructions=*/1, dims, gpu);
  // The tiles of `before` also square and add, and `contract` combines their
  // parts of rows, however few rows there are; else a kernel reads x.
  if (before)
    asScale +=
        extraSeconds(before, elementBytes(read), /*instructions=*/3, dims, gpu);
  else
    asScale += gpu.launchSeconds + moving(bytesOf(x));
  return {asScale, asKernel};
}
