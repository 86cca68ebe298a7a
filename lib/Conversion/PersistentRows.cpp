//===- PersistentRows.cpp - Blocks that take one row after the other ------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AcrossRows.h"
#include "ClusterExchange.h"
#include "RowsLowering.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t warpSize = 32;

LogicalResult RowsLowering::verifyPersistent() {
  auto error = [&](const Twine &what) {
    return frame.kernel.emitError() << what;
  };
  if (segment.across.empty())
    return success();
  if (schedule.getPersistent() == 0 || !frame.partStates)
    return error("expected blocks that stay for what is reduced over all rows, "
                 "but got persistent = 0; use some for each multiprocessor");
  if (schedule.getBlocksPerRow() != 1)
    return error("expected blocks_per_row = 1 for what is reduced over all "
                 "rows, but got " +
                 Twine(schedule.getBlocksPerRow()) +
                 "; use blocks_per_row = 1");
  if (!segment.reducesToColumns())
    return success();
  if (schedule.getHold() != HoldKind::registers)
    return error("expected hold = registers for sums of columns, but got " +
                 stringifyHoldKind(schedule.getHold()) +
                 "; use hold = registers");
  const Extent &inner = space.columns().back();
  if (inner.size % vector != 0)
    return error("expected a vector that divides the last dimension for sums "
                 "of columns, but got vector = " +
                 Twine(vector) + " for " + Twine(inner.size) +
                 "; use vector = 1");
  return success();
}

/// Whether the value has one element for each column, which all rows share.
bool RowsLowering::isSharedByRows(Value value) {
  SmallVector<Extent> extents = frame.dims.extents(value);
  size_t columnRank = space.columns().size();
  if (extents.size() < columnRank)
    return false;
  ArrayRef<Extent> outer = ArrayRef(extents).drop_back(columnRank);
  return ArrayRef(extents).take_back(columnRank) == space.columns() &&
         llvm::all_of(outer, [](const Extent &e) { return e.size == 1; });
}

/// Loads what the ops of every row read at this thread's columns.
void RowsLowering::loadShared() {
  for (Operation *op : segment.ops) {
    if (!op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
        frame.dims.extents(op->getResult(0)) != space.domain)
      continue;
    for (Value operand : op->getOperands())
      if (isa<BlockArgument>(operand) && isSharedByRows(operand))
        for (const Point &point : held)
          emitter.emitOperand(operand, op->getResult(0), point);
  }
}

/// The threads' exchange of a row must be over before that of the next one
/// begins. Two exchanges a row see to that, and so does the cluster's start.
bool RowsLowering::needsBarrierBetweenRows() const {
  return space.levels.size() == 1 && group.width > warpSize &&
         group.blocks == 1;
}

void RowsLowering::emitPersistent(const Index &block) {
  SmallVector<AcrossRowsLowering::Columns> columnsOfThread;
  bool isHeld = schedule.getHold() == HoldKind::registers && !hasEdges();
  if (isHeld) {
    // Of any row: only the columns matter.
    placeRow(Index::constant(0));
    placeHeldPoints(0);
    loadShared();
    for (const Point &point : held)
      columnsOfThread.push_back({*point.linear, point.guard});
    held.clear();
  }
  AcrossRowsLowering across(frame, schedule, segment, columnsOfThread);
  GridTerm blocks = rowBlocks();
  Index stride = {
      gpu::GridDimOp::create(frame.builder, frame.loc(), gpu::Dimension::x)};
  ReductionStates states = loopOverStates(
      frame, block, frame.blocks(blocks), stride, across.start(),
      [&](const Index &next, ReductionStates current) {
        emitRows(next);
        current = across.take(
            std::move(current), held,
            [&](Value value) { return rowPoint(value); }, rowExists);
        if (needsBarrierBetweenRows())
          gpu::BarrierOp::create(frame.builder, frame.loc());
        return current;
      });
  if (!segment.across.empty())
    across.finish(states, group, thread);
}
