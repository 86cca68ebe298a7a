//===- TileSlot.cpp - How operands of a tile lie in a slot ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileSlot.h"

using namespace mlir;
using namespace mlir::fuse;

int64_t SlotOperand::stepOffset(int64_t step) const {
  int64_t place = step * placesPerStep();
  if (!isAlongK)
    return place * rowBytes;
  return place / rowElements() * blockBytes() +
         place % rowElements() * bytesEach;
}

SmallVector<SlotBox> SlotOperand::boxes(int64_t first, int64_t number) const {
  SmallVector<SlotBox> found;
  int64_t blocks = (isAlongK ? places : number) / rowElements();
  for (int64_t block = 0; block < blocks; ++block) {
    int64_t further = block * rowElements();
    if (isAlongK)
      found.push_back({block * blockBytes() + offsetOf(first), 0, further});
    else
      found.push_back({offsetOf(first + further), further, 0});
  }
  return found;
}

const MmaOperand &mlir::fuse::leftOperand(const MmaSpace &space,
                                          MmaScheduleAttr schedule,
                                          const MmaSegment &segment,
                                          int64_t number) {
  return schedule.getSwap() ? segment.contractions[number].columns : space.rows;
}

const MmaOperand &mlir::fuse::rightOperand(const MmaSpace &space,
                                           MmaScheduleAttr schedule,
                                           const MmaSegment &segment,
                                           int64_t number) {
  return schedule.getSwap() ? space.rows : segment.contractions[number].columns;
}

/// Where all operands have one order there is one run, whatever the number of
/// contractions in a segment; else there is one segment.
TileSlot::TileSlot(const MmaSpace &space, MmaScheduleAttr schedule)
    : rows{schedule.getTileM(), schedule.getTileK(),
           leftOperand(space, schedule, space.segments.front(), 0)
               .isAlongK(space.k),
           schedule.operandBytes(), schedule.leftBits()},
      schedule(schedule) {
  const MmaSegment &segment = space.segments.front();
  int64_t offset = rows.inSlot(rows.bytes());
  // Swapped, they are computed in registers.
  bool hasBuffer = rows.computedBits && !schedule.getSwap();
  int64_t computedOffset = hasBuffer ? rows.bytes() : 0;
  auto addRun = [&](int64_t first, int64_t count, int64_t columns) {
    bool isAlongK =
        rightOperand(space, schedule, segment, first).isAlongK(space.k);
    SlotOperand operand{columns, schedule.getTileK(), isAlongK,
                        schedule.operandBytes(), schedule.rightBits()};
    runs.push_back(
        {operand, offset, computedOffset, first, count,
         columns * schedule.columnsPerConsumer() / schedule.getTileN()});
    offset += operand.inSlot(operand.bytes());
    computedOffset += operand.bytes();
  };
  if (space.hasOneOrder()) {
    addRun(0, segment.sharersOfColumns(schedule), schedule.getTileN());
    return;
  }
  int64_t width = segment.columnsPerTile(schedule);
  for (int64_t first = 0, last; first < segment.count(); first = last) {
    auto isAlongK = [&](int64_t number) {
      return segment.contractions[number].columns.isAlongK(space.k);
    };
    for (last = first + 1;
         last < segment.count() && isAlongK(last) == isAlongK(first);)
      ++last;
    addRun(first, last - first, (last - first) * width);
  }
}

unsigned TileSlot::runOf(int64_t number) const {
  unsigned run = 0;
  while (run + 1 < runs.size() && runs[run + 1].first <= number)
    ++run;
  return run;
}

int64_t TileSlot::columnInRun(const MmaSegment &segment, int64_t number) const {
  return (number - runs[runOf(number)].first) *
         segment.columnsPerConsumer(schedule);
}

/// The columns of a contraction alone lie together for all consumers.
SmallVector<TileSlot::Piece> TileSlot::pieces(const MmaSegment &segment,
                                              int64_t number) const {
  const ColumnRun &run = runs[runOf(number)];
  SmallVector<Piece> found;
  int64_t columns = pieceColumns(segment);
  int64_t sharers = segment.columnsPerTile(schedule) / columns;
  for (int64_t sharer = 0; sharer < sharers; ++sharer)
    found.push_back(
        {sharer * run.consumerColumns + columnInRun(segment, number),
         sharer * columns});
  return found;
}

int64_t TileSlot::pieceColumns(const MmaSegment &segment) const {
  return segment.sharersOfColumns(schedule) == 1
             ? schedule.getTileN()
             : segment.columnsPerConsumer(schedule);
}

int64_t mlir::fuse::headParts(const MmaSegment &segment,
                              MmaScheduleAttr schedule) {
  int64_t whole = segment.flow.wholeColumns;
  return segment.resultColumns(schedule) < whole
             ? whole / segment.flow.pairColumns()
             : 1;
}

SmallVector<TileSlot::RowPiece>
TileSlot::rowPieces(const MmaSegment &segment) const {
  SmallVector<RowPiece> found;
  int64_t parts = headParts(segment, schedule), rows = pieceRows(segment);
  for (int64_t i = 0; i < segment.sharersOfRows(schedule); ++i)
    for (int64_t part = 0; part < parts; ++part)
      found.push_back({i, (i * parts + part) * rows,
                       part * segment.flow.wholeColumns / parts});
  return found;
}
