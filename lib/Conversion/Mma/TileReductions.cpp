//===- TileReductions.cpp - What tiles leave of rows ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileReductions.h"

#include "Reductions/PartStates.h"
#include "Reductions/ThreadReduce.h"

using namespace mlir;
using namespace mlir::fuse;

TileReductions::TileReductions(MmaBuilder &b, const MmaSpace &space,
                               int64_t lanes, int64_t threads)
    : b(b), lanes(lanes), threads(threads) {
  for (Operation *op : space.reductions)
    reducers.emplace_back(b.frame.emitter, op,
                          Reducer::Lanes::partsOfOneResult);
}

void TileReductions::start(int64_t rows) {
  states.assign(rows, {});
  for (SmallVector<ReductionState> &ofRow : states)
    for (Reducer &reducer : reducers)
      ofRow.push_back(reducer.identity(lanes));
}

void TileReductions::take(int64_t row, ArrayRef<Element> elements) {
  for (auto [reducer, state] : llvm::zip_equal(reducers, states[row])) {
    SmallVector<ReducedElements> taken;
    for (const Element &element : elements)
      taken.push_back(
          {b.frame.emitter.emitLanes(reducer.getInput(), element.point),
           element.guard, lanes});
    state = reducer.accumulate(state, taken);
  }
}

/// What the row's threads have together, in each of them.
SmallVector<ReductionState> TileReductions::stateOf(int64_t number) {
  SmallVector<ReductionState> own;
  for (auto [reducer, state] : llvm::zip_equal(reducers, states[number]))
    own.push_back(reducer.reduceLanes(state));
  ThreadGroup row{threads, MmaScheduleAttr::kGroup / threads, {}, {}};
  return combineThreads(b.frame, reducers, std::move(own), row);
}

void TileReductions::store(int64_t row, const Point &point, int64_t columns,
                           Value writes) {
  SmallVector<ReductionState> ofRow = stateOf(row);
  PointEmitter &emitter = b.frame.emitter;
  auto yielded = b.frame.kernel.getYield().getValues();
  b.frame.ifTrue(writes, [&] {
    for (auto [reducer, state] : llvm::zip_equal(reducers, ofRow)) {
      Value result = reducer.getOp()->getResult(0);
      Value value = reducer.finish(state, Index::constant(columns)).front();
      for (auto [number, other] : llvm::enumerate(yielded))
        if (other == result)
          emitter.store(number, point, value);
    }
  });
}

void TileReductions::leave(int64_t row, const Index &part, const Index &result,
                           const Index &results, Value writes) {
  SmallVector<ReductionState> ofRow = stateOf(row);
  b.frame.ifTrue(writes,
                 [&] { leaveStates(b.frame, ofRow, part, result, results); });
}
