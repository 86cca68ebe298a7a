//===- ColumnFacts.h - What a schedule of columns depends on ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain numbers of a kernel whose reductions do not follow its rows, found
// once, as RowFacts.h has them of rows. Which schedules are legal
// (LegalColumns.h) follows from these, and what is predicted of each
// (ColumnFeatures.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_COLUMNFACTS_H
#define FUSE_SCHEDULE_COLUMNFACTS_H

#include "fuse/Schedule/Scheduler.h"

namespace mlir::fuse {

struct ColumnFacts {
  /// Elements that stay, and those that each is reduced from; 0 where they are
  /// not known.
  int64_t columns = 0, places = 0;
  /// Of the last dimension; 0 where it is not known.
  int64_t innermost = 0;
  /// Whether a vector's lanes are places of one column.
  bool alongPlaces = false;
  /// Elements of the widest vector, and of the widest that divides the last
  /// dimension.
  int64_t widest = 1, dividing = 1;
  /// Whether the widest may leave edges, or be cut out of aligned ones.
  bool mayLeaveEdges = false, mayCut = false;
  /// Rows that are walked as one so that the widest divides them; 1 for none.
  int64_t fold = 1;
  /// Whether one walk is enough, so that blocks may share a column.
  bool once = false;
  /// Whether the columns are those of several shapes, which share their launch
  /// in one way.
  bool isJoined = false;
  /// Of a column's partial results, and of an element that is reduced.
  int64_t stateBytes = 0, components = 0, reducedBytes = 1;
  /// Inputs of the full shape, and their bytes at an element, of all, of the
  /// widest and of the narrowest.
  int64_t inputs = 0, inputBytes = 0, widestBytes = 1, thinnestBytes = 8;
  /// Results of the full shape; bytes written at an element, moved for a
  /// column, and read for a place.
  int64_t outputs = 0;
  double outputBytes = 0, columnBytes = 0, placeBytes = 0;
  /// Reductions that need others come after these.
  int64_t levels = 0;
  double instructions = 0, specials = 0;

  /// The sizes of a call of so many elements: the one that is not known is
  /// what they leave for it.
  struct Call {
    double columns, places;
  };
  Call callOf(double elements) const;
  double bytesOf(const Call &call) const {
    return call.columns * call.places * (inputBytes + outputBytes) +
           call.columns * columnBytes + call.places * placeBytes;
  }
  /// All but the sizes, as a hash: sweeps know kernels that are alike by it.
  std::string key() const;
};

/// Nothing where #fuse.columns does not apply.
std::optional<ColumnFacts> columnFactsOf(KernelOp kernel,
                                         const DimClasses &dims,
                                         const ScheduleTarget &target);

/// Those of a kernel whose schedule on a GPU is one of columns.
std::optional<ColumnFacts> scheduledColumns(KernelOp kernel,
                                            const DimClasses &dims,
                                            ScheduleAttrInterface schedule,
                                            const ScheduleTarget &target);

/// Vectors of states that are left for others: by each thread where several of
/// a block share a column, and by each block of a cluster.
int64_t exchangedStates(int64_t threads, int64_t splits, int64_t blocks);

/// Bytes of the partial results of one column.
int64_t stateBytes(ArrayRef<Operation *> reductions);

/// Where the first block of a cluster waits for what the others leave.
inline constexpr int64_t arrivalBytes = 8;

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_COLUMNFACTS_H
