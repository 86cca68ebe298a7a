//===- RowsLowering.h - Rows reduced by a group of threads ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls the stages of the lowering of rows (ScheduledRows.h) in the order of
// the program. For softmax, with hold = registers:
//
//   place     the row, and the points that the thread holds
//   walk      maxima of these           exchange
//   walk      sums of exponentials      exchange
//   walk      results                   store
//
// A block has its rows once; a persistent one goes on to others, and one whose
// threads have several rows each places all of them first.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWS_ROWSLOWERING_H
#define FUSE_LIB_CONVERSION_ROWS_ROWSLOWERING_H

#include "RowExchange.h"
#include "RowGroupStates.h"
#include "RowResults.h"
#include "RowWalker.h"
#include "RowsAhead.h"

namespace mlir::fuse {

/// Emits the rows of one shape that block number `block` has; blocks are
/// counted from the segment's first.
class RowsLowering {
public:
  RowsLowering(const ScheduledRows &rows, const Index &block);
  void emit();

private:
  using States = ReductionStates;
  using VisitSlot = RowWalker::VisitSlot;

  RowPlace placeAndStage(const Index &ofBlock);
  /// Walks, reduces and stores rows, all at once. With `takeSlot` the last walk
  /// also gives it every slot.
  void emitRows(ArrayRef<RowPlace> present, VisitSlot takeSlot = nullptr);
  void computeRowValues(ArrayRef<RowPlace> present);
  void reduceLevel(ArrayRef<RowPlace> present, ArrayRef<Operation *> ops,
                   WalkOrder order);
  void takeRowValues(ArrayRef<RowPlace> present, size_t level);
  void storeFull(ArrayRef<RowPlace> present, ArrayRef<unsigned> numbers);

  /// Persistent blocks: PersistentRows.cpp.
  void emitPersistent();
  void copyFirst(const Index &stride);
  void copyAhead(const Index &ofBlock, const Index &stride,
                 const Index &firstSlot);

  /// Several rows of each thread: RowsPerThread.cpp.
  void emitSeveral();
  bool haveOneHead() const;
  std::vector<RowPlace> placeSeveral(const Index &first);
  void loadSeveral(ArrayRef<RowPlace> present);
  void passCaches();
  void emitTogether(const Index &first);
  void emitOneByOne(const Index &firstOfBlock);

  const ScheduledRows &rows;
  KernelFrame &frame;
  PointEmitter &emitter;
  Index block;
  RowGeometry geometry;
  RowPlaces places;
  RowSlots slots;
  RowWalker walker;
  RowExchange exchange;
  RowGroupStates groups;
  RowResults results;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWS_ROWSLOWERING_H
