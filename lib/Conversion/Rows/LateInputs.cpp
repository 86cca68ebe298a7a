//===- LateInputs.cpp - What only the last walk reads, a step ahead -------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LateInputs.h"

using namespace mlir;
using namespace mlir::fuse;

void LateInputs::loadFirst(ArrayRef<Point> points,
                           ArrayRef<BlockArgument> staged) {
  late = llvm::filter_to_vector(
      rows.sharedInputs(), [&](const ScheduledRows::SharedInput &each) {
        return !llvm::is_contained(staged, each.input);
      });
  first = load(points);
}

ReductionState LateInputs::load(ArrayRef<Point> points) {
  ReductionState loaded;
  for (const ScheduledRows::SharedInput &each : late)
    for (const Point &point : points)
      loaded.push_back(emitter.loadStored(
          each.input, emitter.operandPoint(each.operand, each.result, point)));
  return loaded;
}

void LateInputs::define(ArrayRef<Point> points, const ReductionState &loaded) {
  const Value *next = loaded.begin();
  for (const ScheduledRows::SharedInput &each : late) {
    Type element = getElementTypeOrSelf(each.input.getType());
    for (const Point &point : points)
      emitter.define(
          each.input, emitter.operandPoint(each.operand, each.result, point),
          emitter.fromStorage(each.input.getLoc(), element, *next++));
  }
}
