//===- RowResults.cpp - Results of rows, stored at their places -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowResults.h"
#include "Points/OpEmitters.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

RowResults::RowResults(const ScheduledRows &rows, const RowGeometry &geometry,
                       const RowPlaces &places)
    : rows(rows), frame(rows.frame), emitter(rows.emitter), geometry(geometry),
      places(places) {
  for (unsigned number : llvm::seq<unsigned>(rows.segment.stored.size()))
    (rows.isFull(number)       ? fullLate
     : rows.isPart(number)     ? ofParts
     : rows.isOfGroups(number) ? ofGroups
                               : ofRows)
        .push_back(number);
  if (!rows.preloads() || rows.isShared())
    return;
  auto *late = llvm::partition(fullLate, [&](unsigned result) {
    return !rows.reduced.contains(rows.yielded(result));
  });
  fullEarly.assign(fullLate.begin(), late);
  fullLate.erase(fullLate.begin(), late);
}

void RowResults::storeAt(ArrayRef<unsigned> numbers, const RowPlace &row,
                         const Point &point) {
  SmallVector<Value> values;
  for (unsigned number : numbers)
    values.push_back(emitter.emitLanes(rows.yielded(number), point));
  frame.ifTrue(frame.both(row.exists, point.guard), [&] {
    for (auto [number, value] : llvm::zip(numbers, values))
      storeResult(number, point, value);
  });
}

/// The row of a scatter goes as a whole to where its id says.
void RowResults::storeResult(unsigned number, const Point &point, Value value) {
  unsigned result = rows.segment.results[number];
  Value yielded = frame.kernel.getYield().getValues()[result];
  auto scatter = yielded.getDefiningOp<ScatterOp>();
  if (!scatter || !rows.segment.paths[number].empty())
    return storer(number).store(point, value);
  PointEmitter::Scope scope(emitter);
  ScatterTarget target = emitScatterTarget(emitter, scatter, point);
  frame.ifTrue(target.exists,
               [&] { emitter.store(result, target.point, value); });
}

void RowResults::storeRows(ArrayRef<RowPlace> present) {
  if (ofRows.empty())
    return;
  const Index &walkers = geometry.walkers;
  bool isAlone = !walkers.base && walkers.offset == 1;
  Value first =
      isAlone ? Value() : emitter.less(geometry.walker, Index::constant(1));
  // Other warps than the first have nothing to compute either.
  for (const RowPlace &row : present)
    frame.ifTrue(frame.both(row.exists, first), [&] {
      auto pointOf = [&](unsigned number) {
        return places.rowPoint(row, rows.yielded(number));
      };
      SmallVector<Value> values;
      for (unsigned number : ofRows)
        values.push_back(emitter.emit(rows.yielded(number), pointOf(number)));
      for (auto [number, value] : llvm::zip(ofRows, values))
        storeResult(number, pointOf(number), value);
    });
}

void RowResults::storeGroups(const RowPlace &row, RowGroupStates &groups) {
  llvm::SmallMapVector<int64_t, SmallVector<unsigned>, 2> byDim;
  for (unsigned number : ofGroups)
    byDim[*rows.space.firstOfGroup(frame.dims.extents(rows.yielded(number)))]
        .push_back(number);
  for (auto &[dim, numbers] : byDim)
    for (auto [held, point] : llvm::enumerate(row.held)) {
      Value isFirst = groups.isFirst(held, dim);
      Value writes = frame.both(row.exists, frame.both(point.guard, isFirst));
      frame.ifTrue(writes, [&, &point = point, dim = dim, &numbers = numbers] {
        for (unsigned number : numbers) {
          Value value = rows.yielded(number);
          Point place;
          place.dims.assign(point.dims.begin(), point.dims.begin() + dim);
          place.dims.resize(cast<RankedTensorType>(value.getType()).getRank(),
                            Index::constant(0));
          place.guard = point.guard;
          storeResult(number, place, emitter.emit(value, place));
        }
      });
    }
}

void RowResults::storeGroup(unsigned number, const RowPlace &row,
                            ArrayRef<Index> dims) {
  Value value = rows.yielded(number);
  Point place;
  place.dims.assign(dims.begin(), dims.end());
  place.dims.resize(cast<RankedTensorType>(value.getType()).getRank(),
                    Index::constant(0));
  frame.ifTrue(row.exists,
               [&] { storeResult(number, place, emitter.emit(value, place)); });
}

void RowResults::storeParts(ArrayRef<RowPlace> present) {
  for (unsigned number : ofParts)
    for (const RowPlace &row : present)
      frame.ifTrue(row.exists, [&] { storePart(number, row); });
}

/// By vectors that divide the part; the elements of the row that these need are
/// read again.
void RowResults::storePart(unsigned number, const RowPlace &row) {
  Value value = rows.yielded(number);
  int64_t length = frame.dims.extents(value).back().size, lanes = rows.vector;
  while (length % lanes != 0)
    lanes /= 2;
  auto loop = scf::ForOp::create(
      frame.builder, frame.loc(), emitter.materialize(geometry.walker),
      emitter.materialize(Index::constant(length / lanes)),
      emitter.materialize(geometry.walkers));
  OpBuilder::InsertionGuard guard(frame.builder);
  frame.builder.setInsertionPointToStart(loop.getBody());
  PointEmitter::Scope scope(emitter);
  Point point = places.rowPoint(row, value);
  point.dims.back() =
      emitter.mul({loop.getInductionVar()}, Index::constant(lanes));
  point.lanes = lanes;
  storeResult(number, point, emitter.emitLanes(value, point));
}

void RowResults::fillBeside(ArrayRef<RowPlace> present) {
  for (unsigned number : llvm::seq<unsigned>(rows.segment.stored.size())) {
    ResultStorer toResult = storer(number);
    if (toResult.placesBeside() == 0)
      continue;
    for (const RowPlace &row : present)
      frame.ifTrue(row.exists, [&] {
        Point place = places.rowPoint(row, rows.yielded(number));
        auto loop = scf::ForOp::create(
            frame.builder, frame.loc(), emitter.materialize(geometry.walker),
            emitter.materialize(Index::constant(toResult.placesBeside())),
            emitter.materialize(geometry.walkers));
        OpBuilder::InsertionGuard guard(frame.builder);
        frame.builder.setInsertionPointToStart(loop.getBody());
        PointEmitter::Scope scope(emitter);
        toResult.fillBeside(place, {loop.getInductionVar()});
      });
  }
}
