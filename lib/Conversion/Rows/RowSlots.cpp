//===- RowSlots.cpp - Vectors of rows in shared memory --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSlots.h"
#include "Reductions/StateLoop.h"

using namespace mlir;
using namespace mlir::fuse;

SlotPlan mlir::fuse::planSlots(SharedHoldAttr hold, int64_t leastVectors,
                               int64_t mostVectors, int64_t width) {
  SlotPlan plan;
  int64_t most = llvm::divideCeil(mostVectors, width);
  plan.slots = std::clamp<int64_t>(most - hold.getInRegisters(), 0,
                                   leastVectors / width);
  if (plan.slots > 0)
    plan.inGroup = llvm::alignTo(
        llvm::divideCeil(plan.slots, hold.getCopyGroups()), hold.getUnroll());
  return plan;
}

void RowSlots::findInputs(const RowPlace &row) {
  inputs = stageableInputs(rows.frame, rows.segment, places.firstPoint(row));
}

void RowSlots::plan(const RowPlace &row) {
  auto shared = cast<SharedHoldAttr>(rows.schedule.getHold());
  planned = planSlots(shared, places.leastVectors(), places.mostVectors(row),
                      geometry.group.width);
  if (planned.slots == 0)
    return;
  KernelFrame &frame = rows.frame;
  staging.emplace(frame, inputs, rows.schedule.getThreads(), geometry.thread,
                  planned.slots * (1 + rows.rowsAhead()), rows.vector);
  frame.sharedBytes = std::max(frame.sharedBytes, staging->bytes());
}

Index RowSlots::columnOf(const RowPlace &row, const Index &slot) const {
  const ThreadGroup &group = geometry.group;
  Index before = emitter.mul(slot, Index::constant(group.width));
  return places.vectorColumn(row, emitter.add(before, group.lane));
}

Point RowSlots::pointOf(const RowPlace &row, const Index &slot) const {
  return places.pointAt(row, columnOf(row, slot), rows.vector);
}

SmallVector<Point> RowSlots::points(const RowPlace &row, const Index &first,
                                    int64_t count) const {
  bool followed = planned.slots * geometry.group.width < places.leastVectors();
  SmallVector<Point> points;
  for (int64_t i = 0; i < count; ++i)
    points.push_back(places.pointAt(
        row, columnOf(row, emitter.add(first, Index::constant(i))), rows.vector,
        followed));
  return points;
}

PointEmitter::Loader RowSlots::loader(const RowPlace &row,
                                      ArrayRef<Point> points,
                                      const Index &first) {
  return staging->loader(points, placeOf(row, first));
}

void RowSlots::copy(const RowPlace &row, const Index &slot) {
  Point point = pointOf(row, slot);
  staging->copy(point, placeOf(row, slot));
}

void RowSlots::startCopies(const RowPlace &row, Value exists) {
  for (int64_t from = 0; from < planned.slots; from += planned.inGroup) {
    int64_t to = std::min(planned.slots, from + planned.inGroup);
    rows.frame.ifTrue(exists, [&] {
      loopOverStates(rows.frame, Index::constant(from), Index::constant(to), 1,
                     {}, [&](const Index &slot, ReductionStates states) {
                       copy(row, slot);
                       return states;
                     });
    });
    commit();
  }
}

void RowSlots::copyNext(const Index &first, int64_t count) {
  rows.frame.ifTrue(next->exists, [&] {
    for (int64_t i = 0; i < count; ++i)
      copy(next->row, emitter.add(first, Index::constant(i)));
  });
}

Index RowSlots::slotsAfter(const Index &firstSlot, int64_t count) const {
  int64_t slots = planned.slots;
  Index after = emitter.add(firstSlot, Index::constant(count * slots));
  Index around = Index::constant((1 + rows.rowsAhead()) * slots);
  return emitter.select(emitter.less(after, around), after,
                        emitter.sub(after, around));
}
