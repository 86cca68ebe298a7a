//===- RowsAhead.cpp - What the next row needs, in registers --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowsAhead.h"
#include "RowStaging.h"

using namespace mlir;
using namespace mlir::fuse;

void RowsAhead::findInputs(const RowPlace &row) {
  inputs = stageableInputs(rows.frame, rows.segment, places.firstPoint(row));
  for (BlockArgument input : rows.frame.kernel.getBody().getArguments())
    if (rows.segment.reads(input) && rows.isOneARow(input))
      inputs.push_back(input);
}

/// Each input at each of its points of the row.
void RowsAhead::forEach(
    const RowPlace &row,
    llvm::function_ref<void(BlockArgument, const Point &)> body) {
  for (BlockArgument input : inputs) {
    if (rows.isOneARow(input))
      body(input, places.rowPoint(row, input));
    else
      for (const Point &point : row.held)
        body(input, point);
  }
}

ReductionState RowsAhead::load(const Index &number, Value exists) {
  ReductionState loaded;
  if (inputs.empty())
    return loaded;
  RowPlace row = places.place(number);
  places.hold(row, 0);
  forEach(row, [&](BlockArgument input, Point point) {
    point.guard = rows.frame.both(point.guard, exists);
    loaded.push_back(emitter.loadStored(input, point));
  });
  return loaded;
}

void RowsAhead::define(const RowPlace &row, const ReductionState &loaded) {
  const Value *next = loaded.begin();
  forEach(row, [&](BlockArgument input, const Point &point) {
    Type element = getElementTypeOrSelf(input.getType());
    emitter.define(input, point,
                   emitter.fromStorage(input.getLoc(), element, *next++));
  });
}
