//===- OrderedTiles.cpp - A walk from tile to tile ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderedTiles.h"

using namespace mlir;
using namespace mlir::fuse;

ReductionStates mlir::fuse::walkOrderedTiles(
    PointEmitter &emitter, Location loc, MutableArrayRef<Reducer> reducers,
    const OrderedTiles &tiles, ReductionStates states,
    llvm::function_ref<ReductionStates(const OrderedTile &, ReductionStates)>
        take) {
  Index step = Index::constant(tiles.perTile);
  Index whole = emitter.mul(emitter.div(tiles.units, step), step);
  auto takeTile = [&](const Index &first, ReductionStates current,
                      bool isWhole) {
    Index parity = emitter.rem(emitter.div(first, step), Index::constant(2));
    return take({first, parity, isWhole}, std::move(current));
  };
  bool hasWhole = whole.base || whole.offset > 0;
  if (hasWhole) {
    int64_t most = whole.base ? 0 : whole.offset / tiles.perTile;
    states = accumulateOver(
        emitter, loc, reducers,
        {Index::constant(0), whole, step, tiles.unroll, most},
        std::move(states), [&](const Index &first, ReductionStates current) {
          return takeTile(first, std::move(current), /*isWhole=*/true);
        });
  }
  bool isStatic = !tiles.units.base;
  if (isStatic && tiles.units.offset == whole.offset)
    return states;
  auto takeRest = [&](const ReductionStates &current) {
    return takeTile(whole, current, /*isWhole=*/false);
  };
  if (isStatic)
    return takeRest(states);
  return statesIf(emitter, loc, emitter.less(whole, tiles.units), states,
                  takeRest);
}
