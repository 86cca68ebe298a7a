//===- ContractionSegments.cpp - Contractions whose results meet ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ContractionSegments.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;

std::vector<ContractionSegment>
mlir::fuse::contractionSegmentsOf(ArrayRef<Operation *> ops,
                                  ArrayRef<Value> results) {
  // One contraction that a value follows from stands for all of them.
  DenseMap<Value, Operation *> origins;
  llvm::EquivalenceClasses<Operation *> meeting;
  SmallVector<std::pair<Operation *, Operation *>> following;
  for (Operation *op : ops) {
    Operation *origin = isa<ContractOp>(op) ? op : nullptr;
    if (origin)
      meeting.insert(origin);
    for (Value operand : op->getOperands())
      if (Operation *other = origins.lookup(operand)) {
        origin = origin ? origin : other;
        meeting.unionSets(origin, other);
      }
    if (!origin)
      continue;
    following.push_back({op, origin});
    for (Value result : op->getResults())
      origins[result] = origin;
  }
  llvm::MapVector<Operation *, ContractionSegment> segments;
  for (auto [op, origin] : following) {
    ContractionSegment &segment = segments[meeting.getLeaderValue(origin)];
    segment.ops.push_back(op);
    if (auto contraction = dyn_cast<ContractOp>(op))
      segment.contractions.push_back(contraction);
  }
  for (auto [number, result] : llvm::enumerate(results))
    if (Operation *origin = origins.lookup(result))
      segments[meeting.getLeaderValue(origin)].results.push_back(number);
  std::vector<ContractionSegment> found;
  for (auto &[leader, segment] : segments)
    found.push_back(std::move(segment));
  return found;
}
