//===- ResultPoint.cpp - Where a sum is in the result ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResultPoint.h"

using namespace mlir;
using namespace mlir::fuse;

SmallVector<BlockArgument>
mlir::fuse::streamedInputs(KernelFrame &frame, const MmaSpace &space,
                           const MmaSegment &segment) {
  llvm::DenseSet<Operation *> needed = mmaOpsOf(frame.kernel, space, segment);
  auto isRead = [&](Operation *user) {
    return user->hasTrait<mlir::fuse::OpTrait::Pointwise>() &&
           needed.contains(user);
  };
  SmallVector<BlockArgument> inputs;
  for (BlockArgument input : frame.kernel.getBody().getArguments())
    if (frame.dims.sameShape(input, segment.shape()) &&
        llvm::any_of(input.getUsers(), isRead))
      inputs.push_back(input);
  return inputs;
}

PartedPoint mlir::fuse::resultPlace(const MmaSpace &space,
                                    const MmaSegment &segment,
                                    const DimClasses &dims,
                                    const SumPlace &place) {
  PartedPoint point;
  auto indexOf = [&](char axis) {
    if (axis == space.n)
      return place.column;
    const auto *joined = llvm::find(space.rowAxes, axis);
    if (joined == space.rowAxes.end())
      return PartedIndex::of(place.outer.lookup(axis));
    return PartedIndex::of(place.row[joined - space.rowAxes.begin()]);
  };
  for (auto [number, axis] : llvm::enumerate(space.resultAxes)) {
    bool isOne = dims.extent(segment.shape(), number).size == 1;
    point.push_back(isOne ? PartedIndex() : indexOf(axis));
  }
  return point;
}
