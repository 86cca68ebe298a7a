//===- PersistentRows.cpp - Blocks that take one row after the other ------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowsLowering.h"
#include "SumsOverRows.h"

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
  std::optional<int64_t> length = staticProduct(space.columns());
  int64_t step = schedule.getThreads() * vector;
  bool isPart =
      length && (schedule.getInRegisters() > 0 || *length % step != 0);
  if (isShared() && isPart)
    return error("expected in_registers = 0 and rows of whole vectors of all "
                 "threads for sums of columns with hold = shared, but got "
                 "in_registers = " +
                 Twine(schedule.getInRegisters()) + " and " + Twine(*length) +
                 " elements for steps of " + Twine(step) +
                 "; use hold = registers");
  if (schedule.getHold() != HoldKind::registers && !isShared())
    return error("expected hold = registers or hold = shared for sums of "
                 "columns, but got " +
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

/// What the ops of every row read at its columns.
SmallVector<RowsLowering::SharedInput> RowsLowering::sharedInputs() {
  llvm::SmallMapVector<BlockArgument, SharedInput, 4> found;
  for (Operation *op : segment.ops) {
    if (!op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
        frame.dims.extents(op->getResult(0)) != space.domain)
      continue;
    for (Value operand : op->getOperands()) {
      auto input = dyn_cast<BlockArgument>(beforeCasts(operand));
      if (input && space.isSharedByRows(frame.dims.extents(input)))
        found.insert({input, {input, operand, op->getResult(0)}});
    }
  }
  return llvm::map_to_vector(found, [](auto &each) { return each.second; });
}

/// The threads' exchange of a row must be over before that of the next one
/// begins. Two exchanges a row see to that, and so does the cluster's start.
bool RowsLowering::needsBarrierBetweenRows() const {
  return space.levels.size() == 1 && group.width > warpSize &&
         group.blocks == 1;
}

/// The inputs of rows that are loaded ahead: those with an element for each
/// point, at which they are read, then those that a row has one of.
SmallVector<BlockArgument> RowsLowering::inputsAhead() {
  SmallVector<BlockArgument> inputs =
      stageableInputs(frame, segment, pointAt(Index::constant(0), vector));
  for (BlockArgument input : frame.kernel.getBody().getArguments())
    if (segment.reads(input) && isOneARow(input))
      inputs.push_back(input);
  return inputs;
}

bool RowsLowering::isOneARow(Value value) {
  return isa<RankedTensorType>(value.getType()) &&
         space.isReducedShape(frame.dims.extents(value));
}

/// Each of inputsAhead() at each of its points of the placed row.
void RowsLowering::forEachAhead(
    ArrayRef<BlockArgument> inputs,
    llvm::function_ref<void(BlockArgument, const Point &)> body) {
  for (BlockArgument input : inputs) {
    if (isOneARow(input))
      body(input, rowPoint(input));
    else
      for (const Point &point : row.held)
        body(input, point);
  }
}

/// What inputsAhead() have for a row, as it lies in memory; zeros where
/// `exists` (null for true) does not hold.
ReductionState RowsLowering::loadAhead(ArrayRef<BlockArgument> inputs,
                                       const Index &row, Value exists) {
  ReductionState loaded;
  if (inputs.empty())
    return loaded;
  placeRow(row);
  placeHeldPoints(0);
  forEachAhead(inputs, [&](BlockArgument input, Point point) {
    point.guard = frame.both(point.guard, exists);
    loaded.push_back(emitter.loadStored(input, point));
  });
  return loaded;
}

/// Declares what was loaded ahead for the row whose points are placed.
void RowsLowering::defineAhead(ArrayRef<BlockArgument> inputs,
                               const ReductionState &loaded) {
  const Value *next = loaded.begin();
  forEachAhead(inputs, [&](BlockArgument input, const Point &point) {
    Type element = getElementTypeOrSelf(input.getType());
    emitter.define(input, point,
                   emitter.fromStorage(input.getLoc(), element, *next++));
  });
}

/// Whether columns are summed of a row in shared memory.
bool RowsLowering::sumsSlots() const {
  return isShared() && segment.reducesToColumns();
}

/// Starts the copies of the block's first rows, of those that there are.
void RowsLowering::copyFirst(const Index &block, const Index &stride) {
  placeRow(rowOf(block));
  streamed =
      stageableInputs(frame, segment, pointAt(Index::constant(0), vector));
  planSlots();
  Index rows = emitter.product(space.rows());
  int64_t count = std::max<int64_t>(1, rowsAhead());
  for (int64_t i = 0; i < count; ++i) {
    Index distance = emitter.mul(stride, Index::constant(i));
    Index number = rowOf(emitter.add(block, distance));
    placeRow(number);
    row.firstSlot = Index::constant(i * slots);
    startCopies(emitter.less(number, rows));
  }
}

/// Places the next row, for the last walk over the present one to start its
/// copies; or starts those of the last row ahead, whose room nobody needs any
/// more: its slots belong to a thread each, which has read what was there.
void RowsLowering::copyAhead(const Index &block, const Index &stride,
                             const Index &firstSlot) {
  Index distance =
      emitter.mul(stride, Index::constant(std::max<int64_t>(1, rowsAhead())));
  Index number = rowOf(emitter.add(block, distance));
  placeRow(number);
  Value exists = emitter.less(number, emitter.product(space.rows()));
  if (rowsAhead() == 0) {
    next = {row, exists};
    return;
  }
  row.firstSlot = slotsAfter(firstSlot, rowsAhead());
  startCopies(exists);
}

/// The first slot of a row so many behind another, in the circle that they are.
Index RowsLowering::slotsAfter(const Index &firstSlot, int64_t rows) {
  Index after = emitter.add(firstSlot, Index::constant(rows * slots));
  Index around = Index::constant((1 + rowsAhead()) * slots);
  return emitter.select(emitter.less(after, around), after,
                        emitter.sub(after, around));
}

void RowsLowering::emitPersistent(const Index &block) {
  SmallVector<AcrossRowsLowering::Columns> columnsOfThread;
  bool isHeld = schedule.getHold() == HoldKind::registers && !hasEdges();
  SmallVector<BlockArgument> ahead;
  if (isHeld || sumsSlots()) {
    // Of any row: only the columns matter.
    placeRow(Index::constant(0));
    placeHeldPoints(0);
    if (isHeld)
      for (const SharedInput &shared : sharedInputs())
        for (const Point &point : row.held)
          emitter.emitOperand(shared.operand, shared.result, point);
    for (const Point &point : row.held)
      columnsOfThread.push_back({*point.linear, point.guard});
    if (isHeld && schedule.getPreload())
      ahead = inputsAhead();
  }
  AcrossRowsLowering across(frame, schedule, segment, columnsOfThread);
  Index stride = {
      gpu::GridDimOp::create(frame.builder, frame.loc(), gpu::Dimension::x)};
  Index rows = emitter.product(space.rows());
  if (copiesAhead())
    copyFirst(block, stride);
  ReductionStates states = across.start();
  states.push_back({});
  if (rowsAhead() > 0)
    states.back().push_back(emitter.materialize(Index::constant(0)));
  states.push_back(
      loadAhead(ahead, rowOf(block), emitter.less(rowOf(block), rows)));
  states = loopOverStates(
      frame, block, frame.blocks(rowBlocks()), stride, std::move(states),
      [&](const Index &current, ReductionStates carried) {
        ReductionState loaded = carried.pop_back_val();
        ReductionState place = carried.pop_back_val();
        Index firstSlot = place.empty() ? Index() : Index{place.front()};
        Index nextRow = rowOf(emitter.add(current, stride));
        // Behind the last row all load that again, which is near by then.
        ReductionState loadedNext = loadAhead(
            ahead, emitter.min(nextRow, emitter.add(rows, Index::constant(-1))),
            /*exists=*/Value());
        if (copiesAhead())
          copyAhead(current, stride, firstSlot);
        placeRows(current);
        row.firstSlot = firstSlot;
        defineAhead(ahead, loaded);
        auto takeSlot = [&](int64_t slot, const Point &point) {
          across.takeColumns(carried, slot, point);
        };
        sumsSlots() ? emitRows(takeSlot) : emitRows();
        for (auto [number, point] : llvm::enumerate(row.held))
          across.takeColumns(carried, number, point, row.exists);
        across.takeRow(
            carried, [&](Value value) { return rowPoint(value); }, row.exists);
        across.endRow(carried, group);
        if (needsBarrierBetweenRows())
          gpu::BarrierOp::create(frame.builder, frame.loc());
        if (rowsAhead() > 0)
          place.front() = emitter.materialize(slotsAfter(firstSlot, 1));
        carried.push_back(std::move(place));
        carried.push_back(std::move(loadedNext));
        return carried;
      });
  states.pop_back_n(2);
  if (!segment.across.empty())
    across.finish(states, group, thread);
}
