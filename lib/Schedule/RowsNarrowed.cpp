//===- RowsNarrowed.cpp - Rows whose results are of fewer bytes -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector that fills an access of what is read fills half of one of what is
// written, where that has half as many bytes. Vectors of two accesses fill
// both. The numbers are those that won on an H200 (docs/performance.md).
//
//===----------------------------------------------------------------------===//

#include "RowsOnGPU.h"

#include "fuse/Analysis/OpCost.h"

using namespace mlir;
using namespace mlir::fuse;

/// Bytes of an element of the narrowest result with whole rows; 0 if there is
/// none.
static double narrowestResultBytes(KernelOp kernel,
                                   const ReductionSegment &segment,
                                   const DimClasses &dims) {
  double narrowest = 0;
  for (unsigned result : segment.results) {
    Value value = storedValue(kernel.getYield().getValues()[result]);
    if (segment.space.isReducedShape(dims.extents(value)))
      continue;
    double bytes = elementBytes(value);
    narrowest = narrowest == 0 ? bytes : std::min(narrowest, bytes);
  }
  return narrowest;
}

/// Rows of 16 bits that are divided into results of half as many, in registers
/// of calls that all multiprocessors are busy with for a short time: one vector
/// of two accesses a thread, or two. Null for others, and where blocks stay and
/// sum over all rows.
RowsScheduleAttr RowsOnGPU::proposeModerateNarrowed() const {
  if (!segment.across.empty() || inputs != 1 || !isDivided() ||
      vectorBytes != accessBytes ||
      2 * narrowestResultBytes(kernel, segment, dims) != widestBytes)
    return {};
  RowsOnGPU wide = *this;
  wide.vector = 2 * vector;
  if (length % wide.vector != 0)
    return {};
  int64_t threads = length / wide.vector, two = 2 * smallestBlock;
  auto makeHeld = [&](int64_t threads, bool preload = true) {
    return wide.make(threads, /*rows=*/1, HoldKind::registers,
                     /*inRegisters=*/0, preload);
  };
  if (threads == 2 * two)
    return makeHeld(two);
  if (threads < smallestBlock || threads > two || threads % warpSize != 0)
    return {};
  return makeHeld(threads, /*preload=*/threads > smallestBlock);
}
