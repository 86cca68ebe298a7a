//===- TileCopies.cpp - Copies of a tile's operands -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCopies.h"

#include "Launch/EarlyInputs.h"
#include "Launch/TensorMaps.h"

using namespace mlir;
using namespace mlir::fuse;

TileCopies::TileCopies(MmaBuilder &b, const MmaSpace &space,
                       MmaScheduleAttr schedule, const TileSlot &slot,
                       TileOrder &order)
    : b(b), space(space), schedule(schedule), slot(slot), order(order) {
  bool swap = schedule.getSwap();
  for (const MmaSegment &segment : space.segments) {
    bool isFirst = rowsMaps.empty();
    if (isFirst || swap) {
      rowsMaps.emplace_back();
      for (int64_t i = 0; i < segment.sharersOfRows(schedule); ++i) {
        const MmaOperand &rows = leftOperand(space, schedule, segment, i);
        rowsMaps.back().push_back(
            addMap(rows, slot.rows.boxRows(slot.pieceRows(segment)),
                   schedule.getClusterN()));
        isLeftEarly &= isEarly(rows);
      }
    }
    if (!isFirst && swap)
      continue;
    columnsMaps.emplace_back();
    for (int64_t i = 0; i < segment.sharersOfColumns(schedule); ++i) {
      const SlotOperand &operand = slot.runs[slot.runOf(i)].operand;
      const MmaOperand &columns = rightOperand(space, schedule, segment, i);
      columnsMaps.back().push_back(
          addMap(columns, operand.boxRows(slot.pieceColumns(segment)),
                 schedule.getClusterM()));
      isRightEarly &= isEarly(columns);
    }
  }
}

bool TileCopies::isEarly(const MmaOperand &operand) {
  auto early =
      b.frame.function->getAttrOfType<DenseI64ArrayAttr>(kEarlyInputsAttr);
  auto input = cast<BlockArgument>(operand.tensor);
  return early &&
         llvm::is_contained(early.asArrayRef(), int64_t(input.getArgNumber()));
}

/// Boxes that `sharers` blocks copy for each other are cut along their rows.
Value TileCopies::addMap(const MmaOperand &operand, int64_t boxRows,
                         int64_t sharers) {
  TensorMapUse use;
  use.isResult = false;
  use.number = cast<BlockArgument>(operand.tensor).getArgNumber();
  use.dims.assign(operand.dims.begin(), operand.dims.end());
  use.box.assign(operand.dims.size(), 1);
  use.box[0] = schedule.rowElements();
  use.box[1] = boxRows / sharers;
  return addTensorMap(b.frame, std::move(use));
}

/// Of an operand that blocks share each copies some of a box's rows for all.
void TileCopies::forEachBox(const MmaOperand &operand, Value map,
                            ArrayRef<SlotBox> boxes, int64_t boxRows,
                            int64_t sharers, const TilePlace &tile, Value first,
                            Value step, Start start) {
  Value part = b.mul(sharers > 1 ? order.rank() : b.word(0), boxRows / sharers);
  Value at = b.mul(part, MmaScheduleAttr::kRowBytes);
  Value place = b.mul(step, schedule.getTileK());
  for (const SlotBox &box : boxes) {
    SmallVector<Value> coordinates;
    for (char axis : operand.axes)
      coordinates.push_back(axis == space.k ? b.add(place, box.place)
                            : axis == space.m || axis == space.n
                                ? b.add(first, box.further)
                                : tile.outer.lookup(axis));
    coordinates[1] = b.add(coordinates[1], part);
    start(map, coordinates, b.add(at, box.offset));
  }
}

void TileCopies::forRows(unsigned number, const TilePlace &tile, Value step,
                         Start start) {
  const MmaSegment &segment = space.segments[number];
  int64_t rows = slot.pieceRows(segment);
  for (const TileSlot::RowPiece &piece : slot.rowPieces(segment))
    forEachBox(leftOperand(space, schedule, segment, piece.number),
               rowsMaps[number][piece.number],
               slot.rows.boxes(piece.inTile, rows), slot.rows.boxRows(rows),
               schedule.getClusterN(), tile, b.add(tile.row, piece.further),
               step, start);
}

void TileCopies::forColumns(unsigned number, const TilePlace &tile, Value step,
                            Start start) {
  const MmaSegment &segment = space.segments[number];
  for (int64_t i = 0; i < segment.sharersOfColumns(schedule); ++i) {
    const ColumnRun &run = slot.runs[slot.runOf(i)];
    for (const TileSlot::Piece &piece : slot.pieces(segment, i))
      forEachBox(rightOperand(space, schedule, segment, i),
                 columnsMaps[number][i],
                 run.operand.boxes(piece.inRun, slot.pieceColumns(segment)),
                 run.operand.boxRows(slot.pieceColumns(segment)),
                 schedule.getClusterM(), tile, b.add(tile.column, piece.inTile),
                 step, [&](Value map, ValueRange coordinates, Value offset) {
                   start(map, coordinates, b.add(offset, run.offset));
                 });
  }
}

/// Copies the operands of a step that are early, or the others.
void TileCopies::copyOperands(TileRing &ring, Value at, Value barrier,
                              const TilePlace &tile, Value step, bool early) {
  auto copyFor = [&](int64_t sharers) {
    return [&, sharers](Value map, ValueRange coordinates, Value offset) {
      ring.copy(b.add(at, offset), map, coordinates, barrier, sharers > 1);
    };
  };
  // Only the columns of results are of a segment.
  auto forSide = [&](bool isOfSegment,
                     llvm::function_ref<void(unsigned)> body) {
    if (isOfSegment)
      order.inSegment(tile, body);
    else
      body(0);
  };
  if (isLeftEarly == early)
    forSide(schedule.getSwap(), [&](unsigned segment) {
      forRows(segment, tile, step, copyFor(schedule.getClusterN()));
    });
  if (isRightEarly == early)
    forSide(!schedule.getSwap(), [&](unsigned segment) {
      forColumns(segment, tile, step, copyFor(schedule.getClusterM()));
    });
}

void TileCopies::copyStep(TileRing &ring, const RingPlace &place,
                          const TilePlace &tile, Value step, Value copied) {
  Value at = ring.offset(place.slot), barrier = ring.expected(place);
  Value isNew = hasEarly() ? b.atLeast(step, copied) : Value();
  b.frame.ifTrue(isNew, [&] {
    ring.awaitEmpty(place);
    ring.expect(place, schedule.slotBytes());
    if (hasEarly())
      copyOperands(ring, at, barrier, tile, step, /*early=*/true);
  });
  copyOperands(ring, at, barrier, tile, step, /*early=*/false);
}

void TileCopies::copyAhead(TileRing &ring, Value firstStep, Value lastStep) {
  Value first = b.div(b.wordOf(b.frame.blockId()), schedule.clusterSize());
  b.frame.ifTrue(b.isLess(first, order.count()), [&] {
    TilePlace tile = order.place(first);
    Value last = b.min(lastStep, behindAhead(firstStep));
    b.loop(firstStep, last, b.word(1), {},
           [&](Value step, ValueRange) -> SmallVector<Value> {
             RingPlace place{b.sub(step, firstStep), b.word(0)};
             copyOperands(ring, ring.offset(place.slot),
                          ring.expect(place, schedule.slotBytes()), tile, step,
                          /*early=*/true);
             return {};
           });
  });
}
