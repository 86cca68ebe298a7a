//===- OperandCopies.cpp - Operands of tiles into a ring ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandCopies.h"
#include "Launch/EarlyInputs.h"
#include "Launch/TensorMaps.h"

using namespace mlir;
using namespace mlir::fuse;

OperandCopies::OperandCopies(MmaBuilder &b, const MmaSpace &space,
                             MmaScheduleAttr schedule, TileOrder &order,
                             const TileSlot &slot)
    : b(b), space(space), schedule(schedule), order(order), slot(slot) {
  const MmaOperand &rows = leftOperand(space, schedule);
  rowsMap = addMap(rows, slot.rows.blockRows(), schedule.getClusterN());
  isLeftEarly = isEarly(rows);
  isRightEarly = true;
  for (const MmaSegment &segment : space.segments) {
    columnsMaps.emplace_back();
    for (int64_t number = 0; number < segment.count(); ++number) {
      const SlotOperand &operand = slot.runs[slot.runOf(number)].operand;
      const MmaOperand &columns =
          rightOperand(space, schedule, segment, number);
      columnsMaps.back().push_back(
          addMap(columns, operand.boxRows(slot.pieceColumns(segment)),
                 schedule.getClusterM()));
      isRightEarly &= isEarly(columns);
    }
  }
}

bool OperandCopies::isEarly(const MmaOperand &operand) {
  auto early =
      b.frame.function->getAttrOfType<DenseI64ArrayAttr>(kEarlyInputsAttr);
  auto input = cast<BlockArgument>(operand.tensor);
  return early &&
         llvm::is_contained(early.asArrayRef(), int64_t(input.getArgNumber()));
}

/// Boxes that `sharers` blocks copy for each other are cut along their rows.
Value OperandCopies::addMap(const MmaOperand &operand, int64_t boxRows,
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

/// Copies count whole boxes, also where these reach past the tensor's end. Of
/// an operand that blocks share each copies some of a box's rows for all.
void OperandCopies::copyBoxes(TileRing &ring, const MmaOperand &operand,
                              Value map, ArrayRef<SlotBox> boxes,
                              int64_t boxRows, int64_t sharers, Value at,
                              Value barrier, const TilePlace &tile, Value first,
                              Value step) {
  Value part = b.mul(sharers > 1 ? order.rank() : b.word(0), boxRows / sharers);
  at = b.add(at, b.mul(part, MmaScheduleAttr::kRowBytes));
  Value place = b.mul(step, schedule.getTileK());
  for (const SlotBox &box : boxes) {
    SmallVector<Value> coordinates;
    for (char axis : operand.axes)
      coordinates.push_back(axis == space.k ? b.add(place, box.place)
                            : axis == space.m || axis == space.n
                                ? b.add(first, box.further)
                                : tile.outer.lookup(axis));
    coordinates[1] = b.add(coordinates[1], part);
    ring.copy(b.add(at, box.offset), map, coordinates, barrier, sharers > 1);
  }
}

void OperandCopies::copyColumns(TileRing &ring, unsigned number, Value at,
                                Value barrier, const TilePlace &tile,
                                Value step) {
  const MmaSegment &segment = space.segments[number];
  for (int64_t i = 0; i < segment.count(); ++i) {
    const ColumnRun &run = slot.runs[slot.runOf(i)];
    for (const TileSlot::Piece &piece : slot.pieces(segment, i))
      copyBoxes(ring, rightOperand(space, schedule, segment, i),
                columnsMaps[number][i],
                run.operand.boxes(piece.inRun, slot.pieceColumns(segment)),
                run.operand.boxRows(slot.pieceColumns(segment)),
                schedule.getClusterM(), b.add(at, run.offset), barrier, tile,
                b.add(tile.column, piece.inTile), step);
  }
}

/// Copies the operands of a step that are early, or the others.
void OperandCopies::copyOperands(TileRing &ring, Value at, Value barrier,
                                 const TilePlace &tile, Value step,
                                 bool early) {
  if (isLeftEarly == early)
    copyBoxes(ring, leftOperand(space, schedule), rowsMap,
              slot.rows.boxes(0, schedule.getTileM()), slot.rows.blockRows(),
              schedule.getClusterN(), at, barrier, tile, tile.row, step);
  if (isRightEarly == early)
    order.inSegment(tile, [&](unsigned segment) {
      copyColumns(ring, segment, at, barrier, tile, step);
    });
}

/// Of steps before number `copied` of the summed axis the early operands have
/// been copied, into slots that nobody has used.
void OperandCopies::copyStep(TileRing &ring, const RingPlace &place,
                             const TilePlace &tile, Value step, Value copied) {
  Value at = ring.offset(place.slot);
  Value isNew = hasEarly() ? b.atLeast(step, copied) : Value();
  Value barrier = ring.expected(place);
  b.frame.ifTrue(isNew, [&] {
    ring.awaitEmpty(place);
    ring.expect(place, schedule.slotBytes());
    if (hasEarly())
      copyOperands(ring, at, barrier, tile, step, /*early=*/true);
  });
  copyOperands(ring, at, barrier, tile, step, /*early=*/false);
}

/// Fills the ring with the early operands of the first tile's first steps.
void OperandCopies::copyAhead(TileRing &ring, Value firstStep, Value lastStep) {
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
