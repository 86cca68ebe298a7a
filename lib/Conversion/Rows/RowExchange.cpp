//===- RowExchange.cpp - States of a row across its threads ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowExchange.h"

#include "Reductions/ClusterExchange.h"
#include "Reductions/GridExchange.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::fuse;

void RowExchange::start() {
  if (group.blocks == 1)
    return;
  if (rows.isPersistent())
    restartCluster(rows.frame);
  else
    arrivals = startCluster(rows.frame, rows.space.levels.size(), thread);
}

ReductionStates RowExchange::combine(MutableArrayRef<Reducer> reducers,
                                     ReductionStates states, bool isFirst) {
  KernelFrame &frame = rows.frame;
  if (group.blocks > 1 && isFirst)
    awaitCluster(frame);
  if (!arrivals.empty()) {
    group.arrival = arrivals.front();
    arrivals.erase(arrivals.begin());
  }
  if (group.width > 1)
    states = combineThreads(frame, reducers, states, group);
  if (rows.schedule.sharesGrid()) {
    states = combineBlocks(frame, reducers, states, group, leftStates);
    for (const Reducer &reducer : reducers)
      leftStates += numStateComponents(reducer.getOp());
  }
  return states;
}

/// Two exchanges a row see to it themselves, and so does the cluster's start.
bool RowExchange::needsBarrierBetweenRows() const {
  return rows.space.levels.size() == 1 && group.width > warpSize &&
         group.blocks == 1;
}

void RowExchange::endRow() {
  if (needsBarrierBetweenRows())
    gpu::BarrierOp::create(rows.frame.builder, rows.frame.loc());
}
