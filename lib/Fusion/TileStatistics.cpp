//===- TileStatistics.cpp - Reductions in the tiles of contractions -------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has one element a row of a contraction, such as the statistics of the
// norm that follows, can be had from its tiles: each leaves a part, and a
// launch combines them. Nobody reads the contraction's result for it. It takes
// the epilogue's time for every element and the second launch; whether that is
// faster than a kernel of its own, and whether tensor cores run it at all, the
// schedulers and their model of time say.
//
//===----------------------------------------------------------------------===//

#include "KernelOfGroup.h"
#include "MergeGroups.h"

#include "fuse/Schedule/Candidates.h"

using namespace mlir;
using namespace mlir::fuse;

/// As a kernel with a schedule; nothing if no scheduler takes it, or none of
/// those for tensor cores where it has a contraction.
std::optional<double> GroupMerger::scheduledSeconds(ArrayRef<Operation *> ops) {
  OpBuilder builder(function.getBody().front().getTerminator());
  KernelOp kernel = cloneAsKernel(builder, "", ops, groups.inputsOf(ops),
                                  groups.resultsOf(ops));
  DimClasses all(function);
  ScheduleAttrInterface schedule = proposeSchedule(kernel, all, *target);
  std::optional<double> seconds;
  bool contracts = llvm::any_of(ops, llvm::IsaPred<ContractOp>);
  if (schedule && (!contracts || isa<MmaScheduleAttr>(schedule)))
    seconds = estimateTime(kernel, all, schedule, *target).seconds;
  kernel.erase();
  return seconds;
}

/// Merges `rows` into the kernel of a contraction; `slower` says so if it is
/// only that.
bool GroupMerger::tryIntoTiles(int tiles, int rows, Reason &slower) {
  SmallVector<Operation *> ops = groups.merged(tiles, rows);
  Reason reason;
  if (!isLegal(ops, groups.resultsOf(ops), reason, /*tilesReduce=*/true) ||
      groups.hasPathAround(tiles, rows))
    return false;
  std::optional<double> together = scheduledSeconds(ops);
  std::optional<double> before = scheduledSeconds(groups.ops(tiles)),
                        own = scheduledSeconds(groups.ops(rows));
  if (!together || !before || !own)
    return false;
  constexpr double micro = 1e6;
  double inTiles = *together - *before;
  if (inTiles > *own) {
    slower = Reason(ReasonKind::inTilesSlower, microseconds(inTiles),
                    microseconds(*own));
    return false;
  }
  Operation *first = *llvm::find_if(groups.ops(rows), isReduction);
  Builder builder(function.getContext());
  first->setAttr(kInTilesAttr,
                 builder.getF64ArrayAttr({inTiles * micro, *own * micro}));
  groups.merge(tiles, rows);
  secondsOf.clear();
  return true;
}

void GroupMerger::mergeStatistics() {
  if (!target)
    return;
  auto contracts = [&](int group) {
    return llvm::any_of(groups.ops(group), llvm::IsaPred<ContractOp>);
  };
  for (int group : groups.all()) {
    if (!groups.isAlive(group) || contracts(group) ||
        llvm::none_of(groups.ops(group), isReduction))
      continue;
    for (Value input : groups.inputsOf(groups.ops(group))) {
      Operation *producer = input.getDefiningOp();
      if (!groups.contains(producer) || !contracts(groups.of(producer)))
        continue;
      Reason slower;
      if (tryIntoTiles(groups.of(producer), group, slower))
        break;
      if (!slower)
        continue;
      Operation *reader = *llvm::find_if(groups.ops(group), [&](Operation *op) {
        return llvm::is_contained(op->getOperands(), input);
      });
      missed[{reader, producer}] = slower;
      settled.insert({reader, producer});
    }
  }
}
