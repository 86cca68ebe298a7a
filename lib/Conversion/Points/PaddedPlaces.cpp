//===- PaddedPlaces.cpp - Places of what is padded ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PaddedPlaces.h"
#include "ShiftedLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

bool PaddedPlaces::areKnownOutside() {
  for (auto [axis, index] : llvm::enumerate(source.dims)) {
    Extent length = size(axis);
    if (!index.base && (index.offset < 0 ||
                        (length.isStatic() && index.offset >= length.size)))
      return true;
  }
  return false;
}

Value PaddedPlaces::isInside(int64_t axis) {
  return emitIsInside(emitter, pad.getLoc(), source.dims[axis], size(axis));
}

Value PaddedPlaces::areInside() {
  Value all;
  for (int64_t axis = 0; axis < pad.getType().getRank(); ++axis) {
    if (!isPadded(axis))
      continue;
    Value inside = isInside(axis);
    all = all ? Value(arith::AndIOp::create(emitter.getBuilder(), pad.getLoc(),
                                            all, inside))
              : inside;
  }
  return all;
}

bool PaddedPlaces::canReadInstead() {
  // With padding behind a dimension only, a place is the point's own, which the
  // threads of a row may hold in registers.
  for (int64_t axis = 0; axis < pad.getType().getRank(); ++axis)
    if (isPadded(axis) && pad.getLow()[axis] == 0)
      return false;
  return isNearMemory(pad.getInput()) &&
         llvm::none_of(pad.getInput().getType().getShape(), [](int64_t size) {
           return ShapedType::isDynamic(size) || size == 0;
         });
}

Point PaddedPlaces::readable() {
  Point point = source;
  for (int64_t axis = 0; axis < pad.getType().getRank(); ++axis) {
    if (!isPadded(axis))
      continue;
    Value inside = isInside(axis);
    Value place =
        arith::SelectOp::create(emitter.getBuilder(), pad.getLoc(), inside,
                                emitter.materialize(source.dims[axis]),
                                emitter.materialize(Index::constant(0)));
    emitter.setRange(place, 0, size(axis).size);
    point.dims[axis] = {place};
  }
  return point;
}
