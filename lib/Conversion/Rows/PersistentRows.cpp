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

/// Starts the copies of the block's first rows, of those that there are.
void RowsLowering::copyFirst(const Index &stride) {
  RowPlace first = places.place(places.rowOf(block));
  slots.findInputs(first);
  slots.plan(first);
  Index count = emitter.product(rows.space.rows());
  int64_t ahead = std::max<int64_t>(1, rows.rowsAhead());
  for (int64_t i = 0; i < ahead; ++i) {
    Index distance = emitter.mul(stride, Index::constant(i));
    Index number = places.rowOf(emitter.add(block, distance));
    RowPlace row = places.place(number);
    row.firstSlot = Index::constant(i * slots.count());
    slots.startCopies(row, emitter.less(number, count));
  }
}

/// Places the next row, for the last walk over the present one to start its
/// copies; or starts those of the last row ahead, whose room nobody needs any
/// more: its slots belong to a thread each, which has read what was there.
void RowsLowering::copyAhead(const Index &ofBlock, const Index &stride,
                             const Index &firstSlot) {
  int64_t ahead = rows.rowsAhead();
  Index distance =
      emitter.mul(stride, Index::constant(std::max<int64_t>(1, ahead)));
  Index number = places.rowOf(emitter.add(ofBlock, distance));
  RowPlace row = places.place(number);
  Value exists = emitter.less(number, emitter.product(rows.space.rows()));
  if (ahead == 0)
    return slots.setNext(row, exists);
  row.firstSlot = slots.slotsAfter(firstSlot, ahead);
  slots.startCopies(row, exists);
}

void RowsLowering::emitPersistent() {
  const ReductionSegment &segment = rows.segment;
  SmallVector<AcrossRowsLowering::Columns> columnsOfThread;
  bool isHeld = rows.isInRegisters() && !geometry.hasEdges;
  RowsAhead ahead(rows, places);
  if (isHeld || rows.sumsSlots()) {
    // Of any row: only the columns matter.
    RowPlace any = places.place(Index::constant(0));
    places.hold(any, 0);
    if (isHeld)
      for (const ScheduledRows::SharedInput &shared : rows.sharedInputs())
        for (const Point &point : any.held)
          emitter.emitOperand(shared.operand, shared.result, point);
    for (const Point &point : any.held)
      columnsOfThread.push_back({*point.linear, point.guard});
    if (isHeld && rows.preloads())
      ahead.findInputs(any);
  }
  AcrossRowsLowering across(frame, rows.schedule, segment, columnsOfThread);
  Index stride = {
      gpu::GridDimOp::create(frame.builder, frame.loc(), gpu::Dimension::x)};
  Index count = emitter.product(rows.space.rows());
  if (rows.copiesAhead())
    copyFirst(stride);
  ReductionStates states = across.start();
  states.push_back({});
  if (rows.rowsAhead() > 0)
    states.back().push_back(emitter.materialize(Index::constant(0)));
  states.push_back(ahead.load(places.rowOf(block),
                              emitter.less(places.rowOf(block), count)));
  states = loopOverStates(
      frame, block, frame.blocks(rows.blocks()), stride, std::move(states),
      [&](const Index &current, ReductionStates carried) {
        ReductionState loaded = carried.pop_back_val();
        ReductionState place = carried.pop_back_val();
        Index firstSlot = place.empty() ? Index() : Index{place.front()};
        Index nextRow = places.rowOf(emitter.add(current, stride));
        // Behind the last row all load that again, which is near by then.
        ReductionState loadedNext = ahead.load(
            emitter.min(nextRow, emitter.add(count, Index::constant(-1))),
            /*exists=*/Value());
        if (rows.copiesAhead())
          copyAhead(current, stride, firstSlot);
        RowPlace row = placeAndStage(current);
        row.firstSlot = firstSlot;
        ahead.define(row, loaded);
        auto takeSlot = [&](int64_t slot, const Point &point) {
          across.takeColumns(carried, slot, point);
        };
        rows.sumsSlots() ? emitRows(row, takeSlot) : emitRows(row);
        for (auto [number, point] : llvm::enumerate(row.held))
          across.takeColumns(carried, number, point, row.exists);
        across.takeRow(
            carried, [&](Value value) { return places.rowPoint(row, value); },
            row.exists);
        across.endRow(carried, geometry.group);
        exchange.endRow();
        if (rows.rowsAhead() > 0)
          place.front() = emitter.materialize(slots.slotsAfter(firstSlot, 1));
        carried.push_back(std::move(place));
        carried.push_back(std::move(loadedNext));
        return carried;
      });
  states.pop_back_n(2);
  if (!segment.across.empty())
    across.finish(states, geometry.group, geometry.thread);
}
