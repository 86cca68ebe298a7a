//===- RowPlaces.h - Which part of which row a thread has -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first stage: places. With 2 rows a block, 4 threads a row and vectors of
// 2 columns, in rows of 18 columns:
//
//   thread  row    vectors      columns of the first    guard of the third
//   0       2 b    0, 4, 8      0, 1                    8 < 9
//   1       2 b    1, 5, (9)    2, 3                    9 < 9
//   4       2 b + 1 ..
//
// Columns that no whole vector has are the edges of a row. Rows whose length is
// no multiple of the vector start anywhere in memory. Their vectors start at
// the first place that is aligned, to a line of the caches where the group has
// threads enough, so that accesses stay as wide as in other rows; the edges,
// before the first and behind the last vector, are elements that the first
// threads of the group take besides.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWS_ROWPLACES_H
#define FUSE_LIB_CONVERSION_ROWS_ROWPLACES_H

#include "Reductions/ThreadReduce.h"
#include "ScheduledRows.h"

#include "fuse/Analysis/RowEdges.h"
#include <optional>

namespace mlir::fuse {

/// How rows are divided among threads: what is the same for all of them.
struct RowGeometry {
  /// This thread's number in its block.
  Index thread;
  /// The threads of its block, or cluster, that share a row.
  ThreadGroup group = {};
  /// This thread's number among those that share the row, and how many do; not
  /// a number that is known where the whole grid does.
  Index walker, walkers;
  Index columns;
  /// Whether elements may be left over after all whole vectors.
  bool hasTail = false;
  /// Whether rows start anywhere between two multiples of the vector. Whole
  /// vectors then start at the first multiple of edges.unit in memory;
  /// what is before and behind them are the edges, no more elements than a
  /// group has threads.
  bool hasEdges = false;
  /// Where vectors may lie in a row that has edges.
  RowEdges edges = {};
};

/// Of the threads of block number `block`.
RowGeometry rowGeometry(const ScheduledRows &rows, const Index &block);

/// Where a row lies, and this thread's part of it.
struct RowPlace {
  SmallVector<Index, 4> dims;
  Index start;
  /// The column of the first whole vector, and how many there are.
  Index head, vectors;
  /// Whether the row exists; null where every one does.
  Value exists;
  /// Where its vectors lie in shared memory that several rows share.
  Index firstSlot;
  /// The points whose vectors are code of their own: all, but for those in
  /// shared memory or in loops.
  SmallVector<Point> held;
  /// The element of the edges that the thread has besides.
  std::optional<Point> edge;
};

/// Columns of a row that are one thread's, and whether another vector is
/// behind them.
struct RowPart {
  Index column;
  int64_t lanes;
  bool followed;
  Value guard;
};

class RowPlaces {
public:
  /// `geometry` must outlive the places.
  RowPlaces(const ScheduledRows &rows, const RowGeometry &geometry)
      : rows(rows), emitter(rows.emitter), geometry(geometry) {}

  /// This thread's row in the rows of block number `block`; its first of
  /// several.
  Index rowOf(const Index &block) const;
  /// Whether each of a block's rows exists in every block.
  bool haveAllRows() const;

  /// Row `number`: where it starts, or where its vectors lie, too.
  RowPlace start(const Index &number) const;
  RowPlace place(const Index &number) const;
  /// The same of a row that may not exist. Threads without a row work on the
  /// last one: they must take part in the exchanges, and must not write.
  RowPlace placeExisting(const Index &number) const;
  void placeVectors(RowPlace &row) const;

  /// The parts of the row that this thread has from its vector `firstVector`
  /// on; those past the end are guarded. Of the row's edges the last one.
  SmallVector<RowPart> partsFrom(const RowPlace &row, int64_t firstVector);
  /// Adds the points of the parts to those that the row holds.
  void hold(RowPlace &row, ArrayRef<RowPart> parts) const;
  void hold(RowPlace &row, int64_t firstVector) {
    hold(row, partsFrom(row, firstVector));
  }
  /// Forgets which guards are known, where code that follows cannot see them.
  void forgetGuards() { inRow.clear(); }

  /// Vectors of a row of static length, wherever it starts.
  int64_t leastVectors() const;
  int64_t mostVectors(const RowPlace &row) const;
  /// The column of a vector, or of an element of the edges, which are counted
  /// from the front to the back.
  Index vectorColumn(const RowPlace &row, const Index &number) const {
    return emitter.add(row.head,
                       emitter.mul(number, Index::constant(rows.vector)));
  }
  Index edgeColumn(const RowPlace &row, const Index &number) const;
  /// How many elements the edges have.
  Index edgeElements(const RowPlace &row) const;

  /// `followed`: there is another vector behind this one.
  Point pointAt(const RowPlace &row, Index column, int64_t lanes,
                bool followed = false) const;
  /// Where a row's first vector would be: it says what may be accessed.
  Point firstPoint(const RowPlace &row) const {
    return pointAt(row, Index::constant(0), rows.vector);
  }
  /// The point of a value that a row has one of.
  Point rowPoint(const RowPlace &row, Value value) const;

private:
  Value isInRow(const RowPlace &row, const Index &number);

  const ScheduledRows &rows;
  PointEmitter &emitter;
  const RowGeometry &geometry;
  using IndexKey = std::pair<void *, int64_t>;
  llvm::SmallDenseMap<std::pair<IndexKey, IndexKey>, Value> inRow;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWS_ROWPLACES_H
