//===- RowsPerThread.cpp - Several rows of each thread --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With rows_per_thread > 1 the emitter is asked for the same columns of several
// rows. What depends on columns alone, such as weights and what is computed of
// them, it remembers from the first row; only a row's own elements are loaded
// for each, before any is reduced, and the rows exchange together.
//
//   group 0: rows 0, G, 2G, ...    G groups in a block
//   group 1: rows 1, G + 1, ...
//
// In blocks that have all of their rows every row's places are the first one's
// and a constant, which the addresses of accesses have room for. The last block
// may have fewer. It takes its rows one after the other, by code of its own.
//
// Rows that start anywhere have their whole vectors at other columns, but where
// G rows are a multiple of the unit at which vectors start, all of a thread's
// have them at the same.
//
//===----------------------------------------------------------------------===//

#include "RowsLowering.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether all rows of a thread start as far past a place where vectors may.
bool RowsLowering::haveOneHead() const {
  return !hasEdges() ||
         schedule.groupsPerBlock() * columns.offset % edges.unit == 0;
}

void RowsLowering::forEachRow(llvm::function_ref<void()> body) {
  if (rows.empty())
    return body();
  for (const RowPlace &each : rows) {
    row = each;
    body();
  }
}

/// All rows of this thread, which exist, and its part of them.
void RowsLowering::placeSeveral(const Index &first) {
  int64_t apart = schedule.groupsPerBlock();
  SmallVector<Part> parts;
  for (int64_t i = 0; i < schedule.getRowsPerThread(); ++i) {
    placeStart(emitter.add(first, Index::constant(i * apart)));
    if (i > 0 && haveOneHead()) {
      row.head = rows.front().head;
      row.vectors = rows.front().vectors;
    } else {
      placeVectors();
      parts = partsFrom(0);
    }
    placeHeldPoints(parts);
    rows.push_back(row);
  }
}

/// Starts the loads of all rows before the first is reduced.
void RowsLowering::loadSeveral() {
  SmallVector<BlockArgument> inputs =
      stageableInputs(frame, segment, pointAt(Index::constant(0), vector));
  forEachRow([&] {
    loadHeld(inputs);
    if (row.edge)
      for (BlockArgument input : inputs)
        emitter.emit(input, *row.edge);
  });
}

void RowsLowering::emitTogether(const Index &first) {
  placeSeveral(first);
  loadSeveral();
  emitRows();
  rows.clear();
  inRow.clear();
}

/// As many of the block's rows as exist, for each group, or one more.
void RowsLowering::emitOneByOne(const Index &firstOfBlock) {
  Index groups = Index::constant(schedule.groupsPerBlock());
  Index end = emitter.product(space.rows());
  loopOverStates(frame, firstOfBlock, end, groups, {},
                 [&](const Index &first, ReductionStates states) {
                   placeExistingRow(emitter.add(first, group.group));
                   placeHeldPoints(0);
                   emitRows();
                   if (needsBarrierBetweenRows())
                     gpu::BarrierOp::create(frame.builder, frame.loc());
                   return states;
                 });
  inRow.clear();
}

void RowsLowering::emitSeveral(const Index &block) {
  if (haveAllRows())
    return emitTogether(rowOf(block));
  int64_t perBlock = schedule.getRowsPerBlock();
  Index first = emitter.mul(block, Index::constant(perBlock));
  Index last = emitter.add(first, Index::constant(perBlock - 1));
  frame.ifElse(
      emitter.less(last, emitter.product(space.rows())),
      [&] { emitTogether(rowOf(block)); }, [&] { emitOneByOne(first); });
}
