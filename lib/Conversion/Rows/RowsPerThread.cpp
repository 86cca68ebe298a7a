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

#include "Points/PairedHalves.h"
#include "RowStaging.h"
#include "RowsLowering.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether all rows of a thread start as far past a place where vectors may.
bool RowsLowering::haveOneHead() const {
  int64_t apart = rows.schedule.groupsPerBlock() * geometry.columns.offset;
  return !geometry.hasEdges || apart % geometry.edges.unit == 0;
}

/// All rows of this thread, which exist, and its part of them.
std::vector<RowPlace> RowsLowering::placeSeveral(const Index &first) {
  int64_t apart = rows.schedule.groupsPerBlock();
  std::vector<RowPlace> present;
  SmallVector<RowPart> parts;
  for (int64_t i = 0; i < rows.schedule.rowsPerThread(); ++i) {
    RowPlace row = places.start(emitter.add(first, Index::constant(i * apart)));
    if (i > 0 && haveOneHead()) {
      row.head = present.front().head;
      row.vectors = present.front().vectors;
    } else {
      places.placeVectors(row);
      parts = places.partsFrom(row, 0);
    }
    places.hold(row, parts);
    present.push_back(row);
  }
  return present;
}

/// Starts the loads of all rows before the first is reduced.
void RowsLowering::loadSeveral(ArrayRef<RowPlace> present) {
  SmallVector<BlockArgument> inputs =
      stageableInputs(frame, rows.segment, places.firstPoint(present.back()));
  for (const RowPlace &row : present) {
    walker.loadHeld(row, inputs);
    if (row.edge)
      for (BlockArgument input : inputs)
        emitter.emit(input, *row.edge);
  }
}

/// Loads of a matrix that is multiplied with a row, which all blocks read again
/// and again, leave that in the L1.
void RowsLowering::passCaches() {
  if (!multipliesRowsByMma(frame.kernel))
    return;
  SmallVector<BlockArgument> inputs;
  for (BlockArgument input : frame.kernel.getBody().getArguments())
    if (isa<RankedTensorType>(input.getType()) && rows.segment.reads(input) &&
        !rows.space.isSharedByRows(frame.dims.extents(input)))
      inputs.push_back(input);
  emitter.loadThrough(cacheLoader(emitter, inputs, CacheUse::last));
}

void RowsLowering::emitTogether(const Index &first) {
  std::vector<RowPlace> present = placeSeveral(first);
  passCaches();
  loadSeveral(present);
  emitRows(present);
  emitter.loadThrough(nullptr);
  places.forgetGuards();
}

/// As many of the block's rows as exist, for each group, or one more.
void RowsLowering::emitOneByOne(const Index &firstOfBlock) {
  Index groups = Index::constant(rows.schedule.groupsPerBlock());
  Index end = emitter.product(rows.space.rows());
  loopOverStates(frame, firstOfBlock, end, groups, {},
                 [&](const Index &first, ReductionStates states) {
                   RowPlace row = places.placeExisting(
                       emitter.add(first, geometry.group.group));
                   places.hold(row, 0);
                   emitRows(row);
                   exchange.endRow();
                   return states;
                 });
  places.forgetGuards();
}

void RowsLowering::emitSeveral() {
  if (places.haveAllRows())
    return emitTogether(places.rowOf(block));
  int64_t perBlock = rows.schedule.getRowsPerBlock();
  Index first = emitter.mul(block, Index::constant(perBlock));
  Index last = emitter.add(first, Index::constant(perBlock - 1));
  frame.ifElse(
      emitter.less(last, emitter.product(rows.space.rows())),
      [&] { emitTogether(places.rowOf(block)); }, [&] { emitOneByOne(first); });
}
