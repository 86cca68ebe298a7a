//===- RowPlaces.cpp - Which part of which row a thread has ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowPlaces.h"

#include "fuse/Analysis/OpCost.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::fuse;

/// The largest power of two up to `most` that divides the number.
static int64_t powerOfTwoIn(int64_t number, int64_t most) {
  while (number % most != 0)
    most /= 2;
  return most;
}

/// The threads of the whole grid, which share a row, exchange by the block.
static void divideGrid(const ScheduledRows &rows, const Index &block,
                       RowGeometry &geometry) {
  PointEmitter &emitter = rows.emitter;
  int64_t count = rows.schedule.getThreads();
  Index threads = Index::constant(count);
  geometry.group = {count, /*groups=*/1, geometry.thread, Index::constant(0)};
  Index blocks = {gpu::GridDimOp::create(rows.frame.builder, rows.frame.loc(),
                                         gpu::Dimension::x)};
  geometry.walkers = emitter.mul(blocks, threads);
  geometry.walker = emitter.add(emitter.mul(block, threads), geometry.thread);
}

/// The threads of a block have one row or several; those of a cluster have one.
static void divideBlocks(const ScheduledRows &rows, const Index &block,
                         RowGeometry &geometry) {
  PointEmitter &emitter = rows.emitter;
  RowsScheduleAttr schedule = rows.schedule;
  ThreadGroup &group = geometry.group;
  const Index &thread = geometry.thread;
  Index blocks = Index::constant(schedule.blocksPerRow());
  group.groups = schedule.groupsPerBlock();
  group.width = schedule.threadsPerRow();
  group.blocks = schedule.blocksPerRow();
  group.thread = thread;
  Index width = Index::constant(group.width);
  Index before = emitter.mul(emitter.rem(block, blocks),
                             Index::constant(schedule.getThreads()));
  bool isAlone = group.groups == 1;
  group.lane =
      isAlone ? emitter.add(before, thread) : emitter.rem(thread, width);
  group.group = isAlone ? Index::constant(0) : emitter.div(thread, width);
  geometry.walkers = width;
  geometry.walker = group.lane;
}

/// Walks of loops have the edges in a loop of their own, of any number.
static RowEdges findEdges(const ScheduledRows &rows,
                          const RowGeometry &geometry) {
  int64_t threads = rows.isLoop() ? INT64_MAX : geometry.group.width;
  double bytes = 1;
  for (BlockArgument input :
       streamedInputs(rows.frame.kernel, rows.frame.dims, rows.segment))
    bytes = std::max(bytes, elementBytes(input));
  return rowEdges(geometry.columns.offset, rows.vector, threads,
                  static_cast<int64_t>(bytes));
}

RowGeometry mlir::fuse::rowGeometry(const ScheduledRows &rows,
                                    const Index &block) {
  const KernelFrame &frame = rows.frame;
  const ReductionSpace &space = rows.space;
  int64_t vector = rows.vector;
  RowGeometry geometry;
  geometry.thread = rows.frame.threadId(rows.schedule.getThreads());
  rows.schedule.sharesGrid() ? divideGrid(rows, block, geometry)
                             : divideBlocks(rows, block, geometry);
  Index columns = geometry.columns = rows.emitter.product(space.columns());
  // A power of two that is known to divide the number of columns.
  int64_t divisor = 1;
  for (const Extent &extent : space.columns())
    divisor *= powerOfTwoIn(frame.dims.knownDivisor(extent), vector / divisor);
  geometry.hasTail = divisor % vector != 0 &&
                     !rows.emitter.divides(vector, space.columns().back());
  bool isDivisible = !geometry.hasTail ||
                     (columns.base && rows.emitter.getOptions().divisible);
  geometry.hasEdges = !isDivisible && space.columns().size() == 1 &&
                      geometry.group.width >= 2 * vector && vector > 1;
  geometry.edges = findEdges(rows, geometry);
  return geometry;
}

Index RowPlaces::rowOf(const Index &block) const {
  RowsScheduleAttr schedule = rows.schedule;
  if (schedule.sharesGrid())
    return Index::constant(0);
  Index blocks = Index::constant(schedule.blocksPerRow());
  return emitter.add(emitter.mul(emitter.div(block, blocks),
                                 Index::constant(schedule.getRowsPerBlock())),
                     geometry.group.group);
}

bool RowPlaces::haveAllRows() const {
  int64_t perBlock = rows.schedule.getRowsPerBlock();
  Index count = emitter.product(rows.space.rows());
  return perBlock == 1 || (!count.base && count.offset % perBlock == 0);
}

RowPlace RowPlaces::start(const Index &number) const {
  RowPlace row;
  row.dims = emitter.delinearize(number, rows.space.rows());
  row.start = emitter.mul(number, geometry.columns);
  return row;
}

RowPlace RowPlaces::place(const Index &number) const {
  RowPlace row = start(number);
  placeVectors(row);
  return row;
}

RowPlace RowPlaces::placeExisting(const Index &number) const {
  if (haveAllRows())
    return place(number);
  Index count = emitter.product(rows.space.rows());
  Value exists = emitter.less(number, count);
  Index last = emitter.add(count, Index::constant(-1));
  RowPlace row = place(emitter.min(number, last));
  row.exists = exists;
  return row;
}

void RowPlaces::placeVectors(RowPlace &row) const {
  const Index &columns = geometry.columns;
  Index size = Index::constant(rows.vector);
  row.head = Index::constant(0);
  if (geometry.hasEdges) {
    Index unit = Index::constant(geometry.edges.unit);
    Index past = emitter.rem(row.start, unit);
    row.head = emitter.min(emitter.rem(emitter.sub(unit, past), unit), columns);
    row.vectors = Index::constant(geometry.edges.even);
    if (geometry.edges.even > 0)
      return;
  }
  row.vectors = emitter.div(emitter.sub(columns, row.head), size);
}

Index RowPlaces::edgeColumn(const RowPlace &row, const Index &number) const {
  Index behind = emitter.add(
      number, emitter.mul(row.vectors, Index::constant(rows.vector)));
  return geometry.hasEdges
             ? emitter.select(emitter.less(number, row.head), number, behind)
             : behind;
}

Index RowPlaces::edgeElements(const RowPlace &row) const {
  return emitter.sub(geometry.columns,
                     emitter.mul(row.vectors, Index::constant(rows.vector)));
}

int64_t RowPlaces::leastVectors() const {
  return geometry.hasEdges ? geometry.edges.least
                           : geometry.columns.offset / rows.vector;
}

int64_t RowPlaces::mostVectors(const RowPlace &row) const {
  return row.vectors.base ? geometry.columns.offset / rows.vector
                          : row.vectors.offset;
}

/// Whether the row has vector `number`: one value for all rows where that is
/// the same for all.
Value RowPlaces::isInRow(const RowPlace &row, const Index &number) {
  Value &known = inRow[{number.key(), row.vectors.key()}];
  if (!known)
    known = emitter.less(number, row.vectors);
  return known;
}

SmallVector<RowPart> RowPlaces::partsFrom(const RowPlace &row,
                                          int64_t firstVector) {
  const ThreadGroup &group = geometry.group;
  SmallVector<RowPart> parts;
  int64_t most = mostVectors(row);
  for (int64_t from = firstVector * group.width; from < most;
       from += group.width) {
    Index number = emitter.add(group.lane, Index::constant(from));
    Index column = vectorColumn(row, number);
    bool whole = from + group.width <= leastVectors();
    column.guarded = !whole;
    bool followed = from + group.width < leastVectors();
    parts.push_back({column, rows.vector, followed,
                     whole ? Value() : isInRow(row, number)});
  }
  if (!geometry.hasEdges)
    return parts;
  Index column = edgeColumn(row, group.lane);
  column.guarded = true;
  Index elements = edgeElements(row);
  parts.push_back(
      {column, 1, /*followed=*/false, emitter.less(group.lane, elements)});
  return parts;
}

void RowPlaces::hold(RowPlace &row, ArrayRef<RowPart> parts) const {
  for (const RowPart &part : parts) {
    row.held.push_back(pointAt(row, part.column, part.lanes, part.followed));
    row.held.back().guard = part.guard;
  }
  if (geometry.hasEdges)
    row.edge = row.held.pop_back_val();
}

Point RowPlaces::pointAt(const RowPlace &row, Index column, int64_t lanes,
                         bool followed) const {
  Point point;
  point.dims = row.dims;
  point.dims.append(emitter.delinearize(column, rows.space.columns()));
  point.linear = emitter.add(row.start, column);
  point.shape = rows.space.domain;
  point.lanes = lanes;
  if (lanes > 1 && geometry.hasEdges) {
    point.flat = true;
    point.ragged = true;
    point.behind = followed ? Behind::inRow : Behind::unknown;
  }
  return point;
}

Point RowPlaces::rowPoint(const RowPlace &row, Value value) const {
  Point point;
  point.dims = row.dims;
  size_t rank = cast<RankedTensorType>(value.getType()).getRank();
  point.dims.resize(rank, Index::constant(0));
  return point;
}
