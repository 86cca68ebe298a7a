//===- OrderedTiles.h - A walk from tile to tile ----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ORDEREDTILES_H
#define FUSE_LIB_CONVERSION_ORDEREDTILES_H

#include "Reductions/StateLoop.h"

namespace mlir::fuse {

/// What a block walks, `perTile` units at a time; a thread takes `unroll` of
/// each tile.
struct OrderedTiles {
  Index units;
  int64_t perTile, unroll;
};

struct OrderedTile {
  Index first;
  /// Its number modulo 2.
  Index parity;
  /// Whether it has all of its units.
  bool isWhole;
};

/// Calls `take` for one tile after the other: `states` are those of the
/// reducers, and then whatever else it carries along.
ReductionStates walkOrderedTiles(
    PointEmitter &emitter, Location loc, MutableArrayRef<Reducer> reducers,
    const OrderedTiles &tiles, ReductionStates states,
    llvm::function_ref<ReductionStates(const OrderedTile &, ReductionStates)>
        take);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ORDEREDTILES_H
