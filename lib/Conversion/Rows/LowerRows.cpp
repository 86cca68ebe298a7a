//===- LowerRows.cpp - Reductions and results of rows ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerRows.h"
#include "Points/PairedHalves.h"
#include "RowGroupLoops.h"
#include "RowsLowering.h"
#include "VerifyRows.h"
#include "fuse/Analysis/MovedInputs.h"

using namespace mlir;
using namespace mlir::fuse;

RowsLowering::RowsLowering(const ScheduledRows &rows, const Index &block)
    : rows(rows), frame(rows.frame), emitter(rows.emitter), block(block),
      geometry(rowGeometry(rows, block)), places(rows, geometry),
      slots(rows, geometry, places), walker(rows, geometry, places, slots),
      exchange(rows, geometry), groups(rows, geometry),
      results(rows, geometry, places) {}

void RowsLowering::emit() {
  if (rows.isPersistent())
    return emitPersistent();
  if (rows.schedule.rowsPerThread() > 1)
    return emitSeveral();
  emitRows(placeAndStage(block));
}

/// The row of this thread in those of block number `ofBlock`, and where it
/// stays.
RowPlace RowsLowering::placeAndStage(const Index &ofBlock) {
  RowPlace row = places.placeExisting(places.rowOf(ofBlock));
  exchange.start();
  if (rows.isShared() || rows.isCached())
    slots.findInputs(row);
  if (rows.isShared()) {
    if (!rows.copiesAhead()) {
      slots.plan(row);
      slots.startCopies(row);
    }
    places.hold(row, slots.count());
    walker.loadHeld(row, slots.getInputs());
  } else if (!rows.isLoop()) {
    places.hold(row, 0);
  }
  return row;
}

void RowsLowering::emitRows(ArrayRef<RowPlace> present, VisitSlot takeSlot) {
  ArrayRef<unsigned> full = results.getLate();
  // Rows whose products are rotated start before what rotates them, whose loads
  // depend on each other.
  if (rows.isCached() && present.size() == 1 &&
      isReadOnce(rows.segment, frame.dims) &&
      !movedRowsOf(rows.segment.ops, rows.space.domain, frame.dims).empty()) {
    walker.loadCached(present.front(), CacheUse::last);
    emitter.loadThrough(nullptr);
  }
  computeRowValues(present);
  if (rows.preloads() && !rows.isShared()) {
    for (const RowPlace &row : present)
      walker.preload(row);
    storeFull(present, results.getEarly());
  }
  if (!full.empty())
    walker.loadFirstLate(present.front());
  for (auto [number, level] : llvm::enumerate(rows.space.levels)) {
    bool isLast =
        full.empty() && !takeSlot && number + 1 == rows.space.levels.size();
    reduceLevel(present, level, {/*isFirst=*/number == 0, isLast});
    if (!isLast)
      takeRowValues(present, number + 1);
  }
  if (takeSlot)
    walker.visitSlots(present.front(), [&](int64_t slot, const Point &point) {
      if (!full.empty())
        results.storeAt(full, present.front(), point);
      takeSlot(slot, point);
    });
  else
    storeFull(present, full);
  results.storeRows(present);
  results.storeGroups(present.front(), groups);
  results.storeParts(present);
  results.fillBeside(present);
}

/// What a row has one of and needs no reduction, such as the logit of a label,
/// before the walks: its loads depend on each other, and would be waited for
/// behind them. The row's own loads, which all of its threads wait for, start
/// first.
void RowsLowering::computeRowValues(ArrayRef<RowPlace> present) {
  auto isEarly = [&](Value value) {
    return rows.isOneARow(value) && !rows.reduced.contains(value);
  };
  SmallVector<Value> early;
  for (Operation *op : rows.segment.ops)
    if (rows.reduced.contains(op->getResult(0)))
      llvm::copy_if(op->getOperands(), std::back_inserter(early), isEarly);
  if (!early.empty() && rows.isInRegisters() && present.size() == 1)
    walker.loadHeld(present.front(),
                    stageableInputs(frame, rows.segment,
                                    places.firstPoint(present.front())));
  for (const RowPlace &row : present)
    for (Value value : early)
      emitter.emit(value, places.rowPoint(row, value));
}

/// What a row takes from memory at an index that so many levels of reductions
/// have found, once, and not at each point of the walks behind.
void RowsLowering::takeRowValues(ArrayRef<RowPlace> present, size_t level) {
  DenseMap<Value, size_t> levels;
  for (Operation *op : rows.segment.ops) {
    size_t needed = isReduction(op);
    for (Value operand : op->getOperands())
      needed = std::max(needed, levels.lookup(operand) + isReduction(op));
    for (Value result : op->getResults())
      levels[result] = needed;
    if (!isa<TakeAlongOp, GatherOp>(op) || needed != level ||
        !rows.isOneARow(op->getResult(0)))
      continue;
    for (const RowPlace &row : present)
      emitter.emit(op->getResult(0), places.rowPoint(row, op->getResult(0)));
  }
}

/// All rows of a thread exchange together.
void RowsLowering::reduceLevel(ArrayRef<RowPlace> present,
                               ArrayRef<Operation *> ops, WalkOrder order) {
  // Of rows those first that take in the elements at each point.
  SmallVector<Operation *> ofGroups, ofRows, counting;
  for (Operation *op : ops)
    (groups.isOfGroups(op)     ? ofGroups
     : groups.countsGroups(op) ? counting
                               : ofRows)
        .push_back(op);
  if (!ofGroups.empty())
    groups.reduceGroups(present.front(), ofGroups);
  size_t ofElements = ofRows.size();
  llvm::append_range(ofRows, counting);
  if (ofRows.empty())
    return;
  bool byMma = present.size() > 1 && counting.empty() &&
               multipliesRowsByMma(frame.kernel) &&
               emitter.getOptions().sharedBytes > 0;
  SmallVector<Reducer> reducers;
  States states;
  for (const RowPlace &row : present) {
    size_t before = reducers.size();
    for (Operation *op : ofRows)
      reducers.emplace_back(emitter, op, Reducer::Lanes::partsOfOneResult);
    auto ofRow = MutableArrayRef(reducers).drop_front(before);
    if (ofElements > 0 && !byMma)
      llvm::append_range(
          states, walker.reduce(row, ofRow.take_front(ofElements), order));
    for (Reducer &reducer : ofRow.drop_front(ofElements))
      states.push_back(groups.reduce(row, reducer));
  }
  if (byMma)
    states = walker.reduceByMma(present, reducers);
  states = exchange.combine(reducers, std::move(states), order.isFirst);
  size_t next = 0;
  for (const RowPlace &row : present) {
    Point first = places.pointAt(row, Index::constant(0), 1);
    for (Operation *op : ofRows) {
      Reducer &reducer = reducers[next];
      bool counts = groups.countsGroups(op);
      SmallVector<Value, 2> finished = reducer.finish(
          states[next++], counts ? groups.count(op) : geometry.columns);
      Point at = counts ? groups.groupPoint(op, first) : first;
      for (auto [result, value] : llvm::zip(op->getResults(), finished))
        emitter.define(result, reducer.resultPoint(at), value);
    }
  }
}

void RowsLowering::storeFull(ArrayRef<RowPlace> present,
                             ArrayRef<unsigned> numbers) {
  if (numbers.empty())
    return;
  for (const RowPlace &each : present)
    walker.visit(each, [&](const RowPlace &row, const Point &point) {
      results.storeAt(numbers, row, point);
    });
}

FailureOr<Grid> mlir::fuse::lowerRows(KernelFrame &frame,
                                      RowsScheduleAttr schedule) {
  Reason reason;
  FailureOr<std::vector<ReductionSegment>> segments =
      reductionSegmentsOf(frame.kernel, frame.dims, reason);
  bool overLast = succeeded(segments) &&
                  llvm::all_of(*segments, [](const ReductionSegment &segment) {
                    return segment.space.overLastDims();
                  });
  if (succeeded(segments) && !overLast)
    reason = ReasonKind::notOverLastDims;
  if (!overLast)
    return frame.kernel.emitError()
           << "expected reductions over the last dimensions of one shape for "
              "#fuse.rows, but "
           << reason.sentence() << "; use #fuse.columns";
  Grid grid;
  std::vector<ScheduledRows> rows;
  for (const ReductionSegment &segment : *segments) {
    rows.emplace_back(frame, schedule, segment);
    if (failed(verifyRows(rows.back())))
      return failure();
    grid.push_back(rows.back().grid());
  }
  frame.divideBlocks(grid, [&](unsigned number, const Index &block) {
    if (rows[number].loopsOverGroups())
      RowGroupLoops(rows[number], block).emit();
    else
      RowsLowering(rows[number], block).emit();
  });
  return grid;
}
