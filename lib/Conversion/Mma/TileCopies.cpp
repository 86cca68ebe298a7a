//===- TileCopies.cpp - Copies of a tile's operands -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCopies.h"

#include "Launch/TensorMaps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

TileCopies::TileCopies(MmaBuilder &b, const MmaSpace &space,
                       MmaScheduleAttr schedule, const TileSlot &slot,
                       TileOrder &order)
    : b(b), space(space), schedule(schedule), slot(slot), order(order) {
  rowsMap = addMap(leftOperand(space, schedule), slot.rows.blockRows(),
                   schedule.getClusterN());
  for (const MmaSegment &segment : space.segments) {
    columnsMaps.emplace_back();
    for (int64_t number = 0; number < segment.count(); ++number) {
      const SlotOperand &operand = slot.runs[slot.runOf(number)].operand;
      columnsMaps.back().push_back(addMap(
          rightOperand(space, schedule, segment, number),
          operand.boxRows(slot.pieceColumns(segment)), schedule.getClusterM()));
    }
  }
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

void TileCopies::forRows(const TilePlace &tile, Value step, Start start) {
  forEachBox(leftOperand(space, schedule), rowsMap,
             slot.rows.boxes(0, schedule.getTileM()), slot.rows.blockRows(),
             schedule.getClusterN(), tile, tile.row, step, start);
}

void TileCopies::forColumns(unsigned number, const TilePlace &tile, Value step,
                            Start start) {
  const MmaSegment &segment = space.segments[number];
  for (int64_t i = 0; i < segment.count(); ++i) {
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

void TileCopies::copyStep(TileRing &ring, const RingPlace &place,
                          const TilePlace &tile, Value step) {
  ring.awaitEmpty(place);
  Value barrier = ring.expect(place, schedule.slotBytes());
  Value at = ring.offset(place.slot);
  auto copyFor = [&](int64_t sharers) {
    return [&, sharers](Value map, ValueRange coordinates, Value offset) {
      ring.copy(b.add(at, offset), map, coordinates, barrier, sharers > 1);
    };
  };
  forRows(tile, step, copyFor(schedule.getClusterN()));
  order.inSegment(tile, [&](unsigned segment) {
    forColumns(segment, tile, step, copyFor(schedule.getClusterM()));
  });
}

void TileCopies::prefetchStep(const TilePlace &tile, Value step) {
  auto prefetch = [&](Value map, ValueRange coordinates, Value) {
    NVVM::CpAsyncBulkTensorPrefetchOp::create(
        b.builder, b.loc(), map, coordinates, /*im2colOffsets=*/ValueRange(),
        NVVM::TMALoadMode::TILE, /*l2CacheHint=*/Value());
  };
  if (schedule.getSwap())
    return forRows(tile, step, prefetch);
  order.inSegment(tile, [&](unsigned segment) {
    forColumns(segment, tile, step, prefetch);
  });
}

/// Whether the kernel's input is the program's, or a part of it.
static bool isArgument(KernelOp kernel, Value input) {
  Value value = kernel.getInputs()[cast<BlockArgument>(input).getArgNumber()];
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
            op))
      return false;
    value = op->getOperand(0);
  }
  return true;
}

bool TileCopies::mayPrefetch() {
  if (getenv("FUSE_NO_PREFETCH"))
    return false;
  return llvm::all_of(space.segments, [&](const MmaSegment &segment) {
    return llvm::all_of(
        segment.contractions, [&](const MmaContraction &contraction) {
          return isArgument(b.frame.kernel, contraction.columns.tensor);
        });
  });
}
