//===- ProposePointwise.cpp - Schedules of pointwise kernels --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a GPU a one-shot grid with one full-width vector a thread reaches the rate
// of a copy; more vectors a thread, and persistent loops, were slower. On a CPU
// a block is a stretch of elements that keeps one core busy for microseconds.
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Scheduler.h"

#include "fuse/Analysis/ElementSegments.h"
#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/TurnedBox.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

/// What a vector must divide so that no rotary pair straddles it.
static int64_t rotaryDivisor(KernelOp kernel) {
  int64_t divisor = 0;
  for (RotaryOp rotary : kernel.getBody().getOps<RotaryOp>()) {
    int64_t rotated = rotary.getRotaryDims();
    bool half = rotary.getLayout() == RotaryLayout::half;
    divisor = std::gcd(divisor, half ? rotated / 2 : rotated);
    divisor = std::gcd(divisor, rotary.getHeadDim() - rotated);
  }
  return divisor;
}

/// The widest vector up to `limit` for rotary ops: one that keeps pairs apart,
/// or where that has less than 64 bits, one that cuts them.
static int64_t rotaryVector(KernelOp kernel, ArrayRef<Segment> segments,
                            int64_t limit, const ScheduleTarget &target) {
  int64_t divisor = rotaryDivisor(kernel);
  if (divisor == 0)
    return limit;
  int64_t vector = dividingVector(limit, divisor);
  auto rotary = *kernel.getBody().getOps<RotaryOp>().begin();
  int64_t bits = rotary.getType().getElementTypeBitWidth();
  if (!target.isGPU || vector * bits >= target.numbers().pointwise.pairBits)
    return vector;
  int64_t cut = limit;
  bool isRotated = false;
  for (const Segment &segment : segments)
    if (segment.rotation) {
      isRotated = true;
      cut = dividingVector(cut, segment.rotation->headDim);
    }
  return isRotated ? std::max(vector, cut) : vector;
}

/// What a vector must divide so that its lanes come from one operand of each
/// concat along the last dimension, or are padding together; 0 for any. Vectors
/// that have the whole dimension are put together lane by lane.
static int64_t seamDivisor(KernelOp kernel, const DimClasses &dims,
                           int64_t vector) {
  int64_t divisor = 0;
  auto meet = [&](Value input, int64_t axis) {
    Extent extent = dims.extent(input, axis);
    divisor = std::gcd(divisor, extent.isStatic() ? extent.size : 1);
  };
  for (ConcatOp concat : kernel.getBody().getOps<ConcatOp>()) {
    int64_t last = concat.getType().getRank() - 1;
    bool isWhole = wholeDims(dims.extents(concat.getResult()), vector) > 0;
    if (static_cast<int64_t>(concat.getDim()) == last && !isWhole)
      for (Value input : concat.getInputs())
        meet(input, last);
  }
  for (PadOp pad : kernel.getBody().getOps<PadOp>()) {
    int64_t last = pad.getType().getRank() - 1;
    if (last < 0 || (!pad.getLow()[last] && !pad.getHigh()[last]))
      continue;
    divisor = std::gcd(divisor, pad.getLow()[last]);
    meet(pad.getInput(), last);
  }
  return divisor;
}

/// Whether vectors may go on in the next row: what has the results' shape is
/// then read in whole vectors, whatever a row's length, and only what is
/// repeated for each row lane by lane.
static bool mayCrossRows(KernelOp kernel, const Segment &segment,
                         const ScheduleTarget &target) {
  return target.isGPU && !segment.extents.empty() &&
         segment.extents.back().isStatic() && isPointwise(kernel);
}

/// Whether vectors may have whole rows: what is moved along these is then put
/// together lane by lane, and what is in memory is read and written in whole
/// vectors.
static bool mayHaveWholeRows(KernelOp kernel, const Segment &segment,
                             int64_t vector, const ScheduleTarget &target) {
  return target.isGPU && wholeDims(segment.extents, vector) > 0 &&
         kernel.getBody().getOps<RotaryOp>().empty();
}

/// The most elements of a thread, such that its store of a 16-bit result is one
/// access: more would leave gaps between the stores of a warp's threads.
/// Narrower inputs are the smaller part of the traffic.
static int64_t mostOfWideResults(KernelOp kernel,
                                 const ScheduleTarget &target) {
  constexpr int64_t half = 16;
  bool areWide = llvm::any_of(kernel.getResultTypes(), [&](Type type) {
    return getElementTypeOrSelf(type).getIntOrFloatBitWidth() >= half;
  });
  return target.isGPU && areWide ? target.vectorBits / half : target.vectorBits;
}

/// Elements of the narrowest tensor at the kernel's edge in an access.
static int64_t mostLanes(KernelOp kernel, const ScheduleTarget &target) {
  int64_t most = 1;
  for (Value value : edgeOf(kernel)) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && type.getRank() > 0)
      most = std::max(most, target.vectorBits /
                                (8 * getElementBytes(type.getElementType())));
  }
  return most;
}

/// Neighbours that the box has of the result, in bytes.
static int64_t writtenTogether(const Segment &segment, const TurnedBox &box,
                               Value result) {
  int64_t bytes = getElementBytes(getElementTypeOrSelf(result.getType()));
  for (auto [size, extent] :
       llvm::reverse(llvm::zip_equal(box.sizes, segment.extents))) {
    bytes *= size;
    if (extent != Extent{size})
      break;
  }
  return bytes;
}

/// The widest vectors that a thread makes a box of which it turns, such that it
/// writes no more than about a sector of neighbours: each store of a warp would
/// leave parts of many sectors to the next. 0 if there are none.
static int64_t turnedVector(KernelOp kernel, const Segment &segment,
                            const DimClasses &dims,
                            const ScheduleTarget &target) {
  if (!target.isGPU)
    return 0;
  int64_t most = target.numbers().pointwise.turnedBytes;
  auto isShort = [&](const TurnedBox &box) {
    return llvm::all_of(segment.results, [&](unsigned number) {
      Value result = kernel.getYield().getValues()[number];
      return writtenTogether(segment, box, result) <= most;
    });
  };
  int64_t vector = mostLanes(kernel, target);
  for (; vector > 1; vector /= 2)
    if (auto box = turnedBoxOf(kernel, segment, dims, vector, target.divisible);
        box && isShort(*box))
      return vector;
  return 0;
}

/// Heads that a thread rotates together. Computed angles cost more instructions
/// than a vector of 16-bit elements waits for memory, and finding a token's
/// sequence takes loads that depend on each other: neighbouring heads share
/// both. Tables are shared by the caches. So it is with what costs as much and
/// repeats along a dimension, such as cosines that a program computes, or
/// columns that are loaded element by element.
static int64_t sharedHeads(KernelOp kernel, ArrayRef<Segment> segments,
                           const ScheduleTarget &target) {
  const auto &numbers = target.numbers().pointwise;
  if (llvm::any_of(segments, [&](const Segment &segment) {
        return segment.repeatedInstructions >= numbers.repeatedOps;
      }))
    return numbers.repeatedPlaces;
  for (RotaryOp rotary : kernel.getBody().getOps<RotaryOp>()) {
    bool isNarrow =
        rotary.getType().getElementType().getIntOrFloatBitWidth() < 32;
    if (rotary.getBase() &&
        (isNarrow || rotary.getSequences() || !target.isGPU))
      return numbers.headsOfAngles;
  }
  return 1;
}

ScheduleAttrInterface
mlir::fuse::proposePointwise(KernelOp kernel, const DimClasses &dims,
                             const ScheduleTarget &target) {
  for (Operation &op : kernel.getBody().front())
    if (isReduction(&op) || isa<ContractOp>(op))
      return {};
  int64_t vector = 0;
  SmallVector<Segment> segments = segmentsOf(kernel, dims);
  for (const Segment &segment : segments) {
    if (int64_t turned = turnedVector(kernel, segment, dims, target)) {
      vector = vector ? std::min(vector, turned) : turned;
      continue;
    }
    int64_t width = widestVector(kernel, dims, segment.extents, target);
    if (!segment.flat && !mayCrossRows(kernel, segment, target) &&
        !mayHaveWholeRows(kernel, segment, width, target))
      width = innermostVector(kernel, dims, segment.extents, width, target);
    vector = vector ? std::min(vector, width) : width;
  }
  vector = std::clamp<int64_t>(vector, 1, mostOfWideResults(kernel, target));
  vector = rotaryVector(kernel, segments, vector, target);
  // Lane by lane is no worse than vectors of one element.
  if (int64_t divisor =
          dividingVector(vector, seamDivisor(kernel, dims, vector));
      divisor > 1)
    vector = divisor;
  int64_t threads = target.isGPU ? target.numbers().pointwise.threads : 1;
  int64_t heads = sharedHeads(kernel, segments, target);
  int64_t unroll =
      target.isGPU ? 1 : hostNumbers.blockElements / (vector * heads);
  return PointwiseScheduleAttr::get(kernel.getContext(), threads, vector,
                                    unroll, heads);
}
