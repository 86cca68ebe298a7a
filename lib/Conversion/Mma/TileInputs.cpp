//===- TileInputs.cpp - What a tile reads beside its operands -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileInputs.h"

#include "Launch/TensorMaps.h"
#include "TileMaps.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t columnsPerRow = MmaScheduleAttr::kRowElements;

TileInputs::TileInputs(MmaBuilder &b, const MmaSpace &space,
                       const MmaSegment &segment, MmaScheduleAttr schedule,
                       ArrayRef<BlockArgument> values, int64_t groupColumns)
    : b(b), space(space), schedule(schedule),
      columns(segment.columnsPerConsumer(schedule)) {
  for (BlockArgument value : values)
    addInput(value);
  if (!inputs.empty())
    planStages(groupColumns);
}

void TileInputs::addInput(BlockArgument value) {
  Input input{value, {}, {}, 0, panels()};
  input.bytes =
      getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() / 8;
  TensorMapUse use = resultLikeMap(b.frame, space, value, input.columns(),
                                   schedule.getTileM(), input.axes);
  use.isResult = false;
  use.number = value.getArgNumber();
  input.map = addTensorMap(b.frame, std::move(use));
  inputs.push_back(std::move(input));
}

int64_t TileInputs::panels() const {
  int64_t count = 0;
  for (const Input &input : inputs)
    count += input.panels();
  return count;
}

/// Few stages, as even as groups allow.
void TileInputs::planStages(int64_t groupColumns) {
  int64_t groups = columns / groupColumns;
  int64_t ofGroup = groupColumns / columnsPerRow * panels() * shares();
  int64_t fitting = schedule.slotBytes() / panelBytes() / ofGroup;
  assert(fitting > 0 && "inputs that no slot takes are loaded by threads");
  numStages = llvm::divideCeil(groups, fitting);
  columnsPerStage = llvm::divideCeil(groups, numStages) * groupColumns;
  numStages = llvm::divideCeil(columns, columnsPerStage);
}

bool TileInputs::has(BlockArgument input) const {
  return llvm::any_of(inputs,
                      [&](const Input &own) { return own.value == input; });
}

/// The panel of a consumer's column in its share of a stage.
int64_t TileInputs::panelOf(const Input &input, int64_t column) const {
  int64_t inStage = column % columnsPerStage;
  return inStage / columnsPerRow * panels() + input.firstPanel +
         inStage % columnsPerRow / input.columns();
}

Value TileInputs::panelOffset(unsigned input, int64_t column, Value share) {
  return b.add(b.mul(share, panelsOfShare() * panelBytes()),
               panelOf(inputs[input], column) * panelBytes());
}

void TileInputs::copy(TileRing &ring, RingPlace place, const TilePlace &tile) {
  for (int64_t stage = 0; stage < numStages; ++stage) {
    int64_t first = stage * columnsPerStage;
    int64_t last = std::min(first + columnsPerStage, columns);
    ring.awaitEmpty(place);
    int64_t count =
        shares() * (last - first) / columnsPerRow * panels() * panelBytes();
    Value barrier = ring.expect(place, count);
    for (int64_t share = 0; share < shares(); ++share)
      for (auto [number, input] : llvm::enumerate(inputs))
        for (int64_t column = first; column < last; column += input.columns()) {
          Value at = b.add(ring.offset(place.slot),
                           panelOffset(number, column, b.word(share)));
          ring.copy(at, input.map,
                    tileCoordinates(
                        space, input.axes, tile.row,
                        b.add(tile.column, share * columns + column), tile),
                    barrier);
        }
    place = ring.next(place);
  }
}
