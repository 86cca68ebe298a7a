//===- InPlace.cpp - Which result may overwrite which input ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/InPlace.h"
#include "fuse/Analysis/ElementSegments.h"
#include "fuse/Analysis/ReductionSegments.h"

#include "fuse/Analysis/MmaSpace.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Follows an input forwards through the kernel.
class InPlaceCheck {
public:
  InPlaceCheck(KernelOp kernel, const DimClasses &dims)
      : kernel(kernel), dims(dims), segments(segmentsOf(kernel, dims)) {}

  bool isReadInPlace(BlockArgument input, ArrayRef<Extent> extents);

private:
  bool keepsElements(Operation *op, Value operand, ArrayRef<Extent> extents);
  bool rotatesInThread(RotaryOp op);

  KernelOp kernel;
  const DimClasses &dims;
  SmallVector<Segment> segments;
};
} // namespace

/// Whether a pair's two elements are handled by one thread, which reads both
/// before it writes either.
bool InPlaceCheck::rotatesInThread(RotaryOp op) {
  auto schedule =
      dyn_cast_or_null<PointwiseScheduleAttr>(kernel.getScheduleAttr());
  if (!schedule)
    return false;
  int64_t vector = schedule.getVector(), rotated = op.getRotaryDims();
  // Whole pairs lie in a vector, whatever walk it is part of.
  if (op.getLayout() == RotaryLayout::interleaved)
    return vector > 1 && op.getHeadDim() % vector == 0 && rotated % vector == 0;
  SmallVector<Extent> extents = dims.extents(op.getResult());
  for (const Segment &segment : segments)
    if (segment.extents == extents)
      return segment.rotation && segment.rotation->keepsVectors(vector);
  return false;
}

/// Whether the op's results at a point need `operand` at that point only.
bool InPlaceCheck::keepsElements(Operation *op, Value operand,
                                 ArrayRef<Extent> extents) {
  if (isa<YieldOp>(op))
    return true;
  if (isReduction(op))
    return isa_and_nonnull<RowsScheduleAttr, ColumnsScheduleAttr,
                           MmaScheduleAttr>(kernel.getScheduleAttr());
  if (auto rotary = dyn_cast<RotaryOp>(op))
    return rotary.getInput() == operand && rotatesInThread(rotary);
  return op->hasTrait<mlir::fuse::OpTrait::Pointwise>() &&
         dims.extents(op->getResult(0)) == SmallVector<Extent>(extents);
}

bool InPlaceCheck::isReadInPlace(BlockArgument input,
                                 ArrayRef<Extent> extents) {
  SmallVector<Value> work = {input};
  llvm::SmallPtrSet<Value, 16> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (Operation *user : value.getUsers()) {
      if (!keepsElements(user, value, extents))
        return false;
      // What comes out of a reduction is no longer an element.
      if (isReduction(user))
        continue;
      work.append(user->result_begin(), user->result_end());
    }
  }
  return true;
}

namespace {
/// Which results of a pointwise kernel follow from each input. Those of another
/// segment are computed by other blocks, at any time.
class PointwiseReads {
public:
  PointwiseReads(KernelOp kernel, const DimClasses &dims);

  bool isReadElsewhere(unsigned result, BlockArgument input) const {
    const llvm::SmallDenseSet<unsigned> &readers =
        segmentsOfInput[input.getArgNumber()];
    return readers.size() > 1 ||
           (!readers.empty() && !readers.contains(segmentOfResult[result]));
  }

private:
  SmallVector<unsigned> segmentOfResult;
  SmallVector<llvm::SmallDenseSet<unsigned>> segmentsOfInput;
};
} // namespace

PointwiseReads::PointwiseReads(KernelOp kernel, const DimClasses &dims)
    : segmentOfResult(kernel.getNumResults()),
      segmentsOfInput(kernel.getInputs().size()) {
  for (auto [number, segment] : llvm::enumerate(segmentsOf(kernel, dims))) {
    llvm::SmallPtrSet<Value, 16> seen;
    SmallVector<Value> work;
    for (unsigned result : segment.results) {
      segmentOfResult[result] = number;
      work.push_back(kernel.getYield().getValues()[result]);
    }
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      if (auto input = dyn_cast<BlockArgument>(value))
        segmentsOfInput[input.getArgNumber()].insert(number);
      else
        llvm::append_range(work, value.getDefiningOp()->getOperands());
    }
  }
}

/// Of a contraction on tensor cores: what a tile copies it reads once, before
/// it writes there. At a tile's edge threads load what is others' to write.
static SmallVector<InPlacePair> inPlacePairs(KernelOp kernel,
                                             MmaScheduleAttr schedule,
                                             const DimClasses &dims) {
  SmallVector<InPlacePair> pairs;
  // Unaligned programs have no such kernels.
  TensorFacts facts{/*aligned=*/true, /*divisible=*/false};
  Reason reason;
  FailureOr<MmaSpace> space = mmaSpaceOf(kernel, dims, facts, reason);
  // Tiles of one shape may read what those of another write.
  if (failed(space) || space->segments.size() > 1)
    return pairs;
  InPlaceCheck check(kernel, dims);
  const MmaSegment &segment = space->segments.front();
  SmallVector<Extent> extents = dims.extents(segment.shape());
  for (auto [number, value] : llvm::enumerate(kernel.getYield().getValues()))
    for (BlockArgument input :
         mmaTileInputs(kernel, dims, *space, segment, schedule, facts))
      if (input.getType() == value.getType() &&
          dims.extents(value) == extents && check.isReadInPlace(input, extents))
        pairs.push_back({static_cast<unsigned>(number), input.getArgNumber()});
  return pairs;
}

SmallVector<InPlacePair> mlir::fuse::inPlacePairs(KernelOp kernel,
                                                  const DimClasses &dims) {
  SmallVector<InPlacePair> pairs;
  Attribute schedule = kernel.getScheduleAttr();
  if (auto mma = dyn_cast_or_null<MmaScheduleAttr>(schedule))
    return ::inPlacePairs(kernel, mma, dims);
  if (!isa_and_nonnull<PointwiseScheduleAttr, RowsScheduleAttr,
                       ColumnsScheduleAttr, TiledScheduleAttr>(schedule))
    return pairs;
  // All threads of a row read its values: only what has the reduced dimensions
  // is private. What rows of other shapes read is not.
  Reason reason;
  FailureOr<std::vector<ReductionSegment>> segments =
      reductionSegmentsOf(kernel, dims, reason);
  auto isPrivate = [&](unsigned result, ArrayRef<Extent> extents) {
    // A tile reads what is computed from its sums where it writes.
    if (isa<PointwiseScheduleAttr, TiledScheduleAttr>(schedule))
      return true;
    return succeeded(segments) &&
           llvm::any_of(*segments, [&](const ReductionSegment &segment) {
             auto *number = llvm::find(segment.results, result);
             return number != segment.results.end() &&
                    segment.paths[number - segment.results.begin()].empty() &&
                    extents == ArrayRef(segment.space.domain) &&
                    !segment.space.isReducedShape(extents);
           });
  };
  bool isPointwise = isa<PointwiseScheduleAttr>(schedule);
  PointwiseReads reads(kernel, dims);
  auto isReadElsewhere = [&](unsigned result, BlockArgument input) {
    if (isPointwise)
      return reads.isReadElsewhere(result, input);
    return succeeded(segments) &&
           llvm::any_of(*segments, [&](const ReductionSegment &segment) {
             return !llvm::is_contained(segment.results, result) &&
                    segment.reads(input);
           });
  };
  InPlaceCheck check(kernel, dims);
  DenseMap<Value, bool> inPlace;
  auto isReadInPlace = [&](BlockArgument input, ArrayRef<Extent> extents) {
    auto [known, isNew] = inPlace.try_emplace(input, false);
    if (isNew)
      known->second = check.isReadInPlace(input, extents);
    return known->second;
  };
  for (auto [number, value] : llvm::enumerate(kernel.getYield().getValues())) {
    SmallVector<Extent> extents = dims.extents(value);
    // A scatter is in place of what it writes into, and of nothing else.
    if (value.getDefiningOp<ScatterOp>() || !isPrivate(number, extents))
      continue;
    for (BlockArgument input : kernel.getBody().getArguments())
      if (input.getType() == value.getType() &&
          !isReadElsewhere(number, input) && dims.extents(input) == extents &&
          isReadInPlace(input, extents))
        pairs.push_back({static_cast<unsigned>(number), input.getArgNumber()});
  }
  return pairs;
}
