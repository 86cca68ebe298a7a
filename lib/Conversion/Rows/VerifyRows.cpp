//===- VerifyRows.cpp - Which schedules rows can have ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyRows.h"

using namespace mlir;
using namespace mlir::fuse;

static LogicalResult verifyLength(const ScheduledRows &rows) {
  KernelFrame &frame = rows.frame;
  RowsScheduleAttr schedule = rows.schedule;
  const ReductionSpace &space = rows.space;
  int64_t vector = rows.vector;
  const Extent &inner = space.columns().back();
  auto error = [&](const Twine &what) {
    return frame.kernel.emitError() << what;
  };
  std::optional<int64_t> length = staticProduct(space.columns());
  StringRef hold = schedule.getHold().getKeyword();
  if (!rows.isLoop() && !length)
    return error("expected a static row length with hold = " + hold +
                 ", but got a dynamic one; use hold = loop");
  int64_t share = schedule.threadsPerRow() * vector;
  int64_t most = maxHeldVectors * (rows.isShared() ? rows.unroll : 1);
  if (!rows.isLoop() && *length > most * share)
    return error("expected at most " + Twine(most) +
                 " vectors a thread with hold = " + hold + ", but got " +
                 Twine(llvm::divideCeil(*length, share)) +
                 "; use more threads or hold = loop");
  bool mayHaveEdges =
      space.columns().size() == 1 && share >= 2 * vector * vector;
  if (!mayHaveEdges && (!rows.isLoop() || space.columns().size() > 1) &&
      inner.isStatic() && inner.size % vector != 0)
    return error("expected a schedule whose vector divides the last dimension, "
                 "but got vector = " +
                 Twine(vector) + " for " + Twine(inner.size) +
                 "; use vector = 1");
  if (space.columns().size() > 1 && !inner.isStatic() &&
      !rows.emitter.divides(vector, inner))
    return error("expected vector = 1 for several reduced dimensions of "
                 "dynamic size, but got vector = " +
                 Twine(vector) + "; use vector = 1");
  return success();
}

static LogicalResult verifyPersistent(const ScheduledRows &rows) {
  KernelFrame &frame = rows.frame;
  RowsScheduleAttr schedule = rows.schedule;
  const ReductionSegment &segment = rows.segment;
  const ReductionSpace &space = rows.space;
  int64_t vector = rows.vector;
  auto error = [&](const Twine &what) {
    return frame.kernel.emitError() << what;
  };
  if (segment.across.empty())
    return success();
  if (schedule.getPersistent() == 0 || !frame.partStates)
    return error(
        "expected persistent blocks for what is reduced over all rows, "
        "but got persistent = 0; use some for each multiprocessor");
  if (schedule.getShare())
    return error("expected one block a row for what is reduced over all rows, "
                 "but got share = " +
                 schedule.getShare().getKeyword() + "; leave share out");
  if (!segment.reducesToColumns())
    return success();
  std::optional<int64_t> length = staticProduct(space.columns());
  int64_t step = schedule.getThreads() * vector;
  auto shared = dyn_cast<SharedHoldAttr>(schedule.getHold());
  bool isPart =
      shared && length && (shared.getInRegisters() > 0 || *length % step != 0);
  if (isPart)
    return error("expected in_registers = 0 and rows of whole vectors of all "
                 "threads for sums of columns with hold = shared, but got "
                 "in_registers = " +
                 Twine(shared.getInRegisters()) + " and " + Twine(*length) +
                 " elements for steps of " + Twine(step) +
                 "; use hold = registers");
  if (!rows.isInRegisters() && !rows.isShared())
    return error("expected hold = registers or hold = shared for sums of "
                 "columns, but got " +
                 schedule.getHold().getKeyword() + "; use hold = registers");
  const Extent &inner = space.columns().back();
  if (inner.size % vector != 0)
    return error("expected a vector that divides the last dimension for sums "
                 "of columns, but got vector = " +
                 Twine(vector) + " for " + Twine(inner.size) +
                 "; use vector = 1");
  return success();
}

static LogicalResult verifyGroups(const ScheduledRows &rows) {
  KernelFrame &frame = rows.frame;
  RowsScheduleAttr schedule = rows.schedule;
  const ReductionSpace &space = rows.space;
  if (!space.hasGroups() || rows.loopsOverGroups())
    return success();
  std::optional<RowGroups> groups = rowGroupsOf(space);
  // Neither several rows a thread nor loads ahead.
  HoldAttrInterface plain = RegistersHoldAttr::get(frame.kernel.getContext());
  bool fits = groups && schedule.getHold() == plain &&
              schedule.getVector() == groups->vector &&
              schedule.threadsPerRow() == groups->rowThreads &&
              !schedule.getShare() && schedule.getPersistent() == 0;
  if (fits)
    return success();
  return frame.kernel.emitError()
         << "expected a schedule for rows whose groups are reduced, too, with "
            "hold = registers, and with the vector and the threads by which "
            "neighbours hold a group, or with one thread, hold = loop and a "
            "vector that divides the last dimension, but got another; leave "
            "the schedule to fuse-assign-schedules";
}

/// Where a row goes that nothing else moves, it stays whole.
static LogicalResult verifyScatter(const ScheduledRows &rows, unsigned number,
                                   unsigned result) {
  KernelFrame &frame = rows.frame;
  const ReductionSpace &space = rows.space;
  Value value = frame.kernel.getYield().getValues()[result];
  auto scatter = value.getDefiningOp<ScatterOp>();
  if (!scatter || !rows.segment.paths[number].empty())
    return success();
  int64_t end = scatter.getDim() + scatter.getIds().getType().getRank();
  if (end <= space.reduced.front())
    return success();
  return scatter.emitError()
         << "expected ids of the dimensions before those that are reduced, but "
            "got them up to dimension "
         << end - 1 << "; put the scatter into a kernel of its own";
}

LogicalResult mlir::fuse::verifyRows(const ScheduledRows &rows) {
  KernelFrame &frame = rows.frame;
  RowsScheduleAttr schedule = rows.schedule;
  const ReductionSegment &segment = rows.segment;
  const ReductionSpace &space = rows.space;
  for (auto [number, result] : llvm::enumerate(segment.results)) {
    if (failed(verifyScatter(rows, number, result)))
      return failure();
    if (!rows.isFull(number) && !rows.isOfGroups(number) &&
        !rows.isPart(number) &&
        !space.isReducedShape(frame.dims.extents(rows.yielded(number))))
      return frame.kernel.emitError()
             << "expected results of the shape that is reduced, or of one "
                "element a row, but got "
             << rows.yielded(number).getType() << " as result " << result
             << "; put it into a kernel of its own";
  }
  int64_t most = rows.emitter.getOptions().cluster;
  if (schedule.clusterSize() > most)
    return frame.kernel.emitError()
           << "expected a chip with clusters of " << schedule.clusterSize()
           << " blocks, but got one with " << most
           << "; leave share out, or take another chip";
  if (schedule.sharesGrid() &&
      (staticProduct(space.rows()) != 1 || !frame.partStates))
    return frame.kernel.emitError()
           << "expected a kernel that reduces all dimensions of one shape "
              "where the whole grid shares a row, but got one with several "
              "rows or shapes; leave share out";
  if (failed(verifyPersistent(rows)) || failed(verifyGroups(rows)))
    return failure();
  return verifyLength(rows);
}
