//===- ComputedPlaces.cpp - Values of an operand that is computed ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedPlaces.h"

using namespace mlir;
using namespace mlir::fuse;

ComputedPlaces::ComputedPlaces(MmaBuilder &b, const MmaSpace &space,
                               MmaScheduleAttr schedule,
                               const MmaOperand &operand, const TilePlace &tile,
                               int64_t tileSize)
    : b(&b), space(&space), schedule(schedule), operand(&operand), tile(tile),
      isRows(&operand == &space.rows) {
  if (isRows)
    ownExtents = space.extents(space.m, b.frame.dims);
  else
    for (auto [number, axis] : llvm::enumerate(operand.computed->axes))
      if (axis == space.n)
        ownExtents = {b.frame.dims.extent(operand.computed->value, number)};
  std::optional<int64_t> size = staticProduct(ownExtents);
  hasWholeTiles = size && *size % tileSize == 0;
}

bool ComputedPlaces::hasWholeSteps() const {
  std::optional<int64_t> places = staticProduct(summed());
  return places && *places % schedule.getTileK() == 0;
}

Type ComputedPlaces::elementType() const {
  return PointEmitter::storageType(
      getElementTypeOrSelf(operand->tensor.getType()));
}

Index ComputedPlaces::ownAt(const Index &own, int64_t together) {
  if (hasWholeTiles)
    return own;
  PointEmitter &emitter = b->frame.emitter;
  return emitter.min(own, emitter.add(emitter.product(ownExtents),
                                      Index::constant(-together)));
}

Index ComputedPlaces::placeAt(Value step, Value mine, int64_t further,
                              int64_t together, Value &isInside) {
  PointEmitter &emitter = b->frame.emitter;
  Index places = emitter.product(summed());
  if (hasWholeSteps()) {
    // Whoever runs has a step.
    Value last = b->add(b->div(b->wordOf(places), schedule.getTileK()), -1);
    Value start = b->mul(b->min(step, last), schedule.getTileK());
    return emitter.add(b->indexOf(b->add(start, mine)),
                       Index::constant(further));
  }
  Index place =
      emitter.add(b->indexOf(b->add(b->mul(step, schedule.getTileK()), mine)),
                  Index::constant(further));
  isInside = emitter.less(place, places);
  return emitter.min(place, emitter.add(places, Index::constant(-together)));
}

Point ComputedPlaces::pointOf(const Index &own, const Index &place) {
  PointEmitter &emitter = b->frame.emitter;
  SmallVector<Index, 4> owns = {own};
  if (isRows)
    owns = emitter.delinearize(own, ownExtents);
  Point point;
  point.lanes = kPlaces;
  for (char axis : operand->computed->axes) {
    const auto *joined = llvm::find(space->rowAxes, axis);
    if (axis == 0)
      point.dims.push_back(Index::constant(0));
    else if (axis == space->k)
      point.dims.push_back(place);
    else if (axis == space->n && !isRows)
      point.dims.push_back(own);
    else if (isRows && joined != space->rowAxes.end())
      point.dims.push_back(owns[joined - space->rowAxes.begin()]);
    else
      point.dims.push_back(b->indexOf(tile.outer.lookup(axis)));
  }
  return point;
}

Value ComputedPlaces::valueAt(const Index &own, const Index &place,
                              Value isInside,
                              llvm::function_ref<Value()> elements) {
  PointEmitter &emitter = b->frame.emitter;
  const ComputedOperand &computed = *operand->computed;
  emitter.loadThrough([&](BlockArgument input, const Point &at) -> Value {
    // Lanes that are asked for one by one are loaded from memory.
    bool isWhole =
        input == operand->tensor && at.lanes == kPlaces / computed.perElement;
    return isWhole ? elements() : nullptr;
  });
  Value value = emitter.emitLanes(computed.value, pointOf(own, place));
  emitter.loadThrough(nullptr);
  Type element = getElementTypeOrSelf(computed.value.getType());
  Value stored = emitter.toStorage(b->loc(), element, value);
  if (!isInside)
    return stored;
  Value zero = arith::ConstantOp::create(
      b->builder, b->loc(), b->builder.getZeroAttr(stored.getType()));
  return b->select(isInside, stored, zero);
}
