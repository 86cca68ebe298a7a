//===- ScheduledRows.cpp - Rows and how they are lowered ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduledRows.h"

using namespace mlir;
using namespace mlir::fuse;

GridTerm ScheduledRows::blocks() const {
  return {{{SmallVector<Extent>(space.rows()), schedule.getRowsPerBlock()},
           {{{schedule.blocksPerRow()}}, 1}}};
}

GridTerm ScheduledRows::grid() const {
  GridTerm term = blocks();
  term.most = schedule.getPersistent();
  // What is reduced over no row has a value, too.
  term.least = segment.across.empty() ? 0 : 1;
  return term;
}

bool ScheduledRows::loopsOverGroups() const {
  auto hold = dyn_cast<LoopHoldAttr>(schedule.getHold());
  return space.hasGroups() && schedule.getThreads() == 1 &&
         schedule.getRowsPerBlock() == 1 && hold && hold.getStages() == 1 &&
         !schedule.getShare() && schedule.getPersistent() == 0 &&
         emitter.divides(vector, space.domain.back());
}

bool ScheduledRows::isFull(unsigned number) const {
  SmallVector<Extent> extents = frame.dims.extents(yielded(number));
  return extents == space.domain && !space.isReducedShape(extents);
}

bool ScheduledRows::isOfGroups(unsigned number) const {
  SmallVector<Extent> extents = frame.dims.extents(yielded(number));
  return space.isGroupShape(extents) && !space.isReducedShape(extents);
}

bool ScheduledRows::isOneARow(Value value) const {
  return isa<RankedTensorType>(value.getType()) &&
         space.isReducedShape(frame.dims.extents(value));
}

bool ScheduledRows::isAtEachPoint(Operation *op) const {
  return op->hasTrait<mlir::fuse::OpTrait::Pointwise>() &&
         frame.dims.extents(op->getResult(0)) == space.domain;
}

SmallVector<ScheduledRows::SharedInput> ScheduledRows::sharedInputs() const {
  llvm::SmallMapVector<BlockArgument, SharedInput, 4> found;
  for (Operation *op : segment.ops) {
    if (!isAtEachPoint(op))
      continue;
    for (Value operand : op->getOperands()) {
      auto input = dyn_cast<BlockArgument>(beforeCasts(operand));
      if (input && space.isSharedByRows(frame.dims.extents(input)))
        found.insert({input, {input, operand, op->getResult(0)}});
    }
  }
  return llvm::map_to_vector(found, [](auto &each) { return each.second; });
}
