//===- TileSpace.h - Contractions that ordinary cores tile ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of a contraction's result reads some rows of one operand and some
// columns of the other. The columns are the result's last axis. Of its other
// axes those that the columns' operand lacks, or repeats along, are rows: they
// count as one, in the result's order, since a tile asks for each row by its
// place in all of them. In
//
//   fuse.contract "bsk,nk->bsn" %x, %w
//
// rows are (b, s). Axes that both operands have, and others of the columns'
// operand, stay outside of the tiles.
//
// Several contractions share a tile if their results are of one shape with the
// same rows; each has operands, letters and summed axes of its own.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_TILESPACE_H
#define FUSE_ANALYSIS_TILESPACE_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Analysis/Reason.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

/// An operand of a contraction.
struct TileOperand {
  Value tensor;
  /// The letters of its dimensions.
  StringRef axes;

  /// Whether neighbours along the axis are neighbours in memory.
  bool endsIn(char axis, const DimClasses &dims) const;
};

struct TileContraction {
  ContractOp op;
  TileOperand rows, columns;
  /// The letters that are summed over.
  SmallVector<char> summed;

  SmallVector<Extent> summedExtents(const DimClasses &dims) const;
};

/// The dimensions of the results by their numbers.
struct TileSpace {
  SmallVector<TileContraction, 2> contractions;
  SmallVector<unsigned> rows, outer;
  unsigned column;

  /// The type of all results but for the elements.
  TypedValue<RankedTensorType> shape() const {
    return ContractOp(contractions.front().op).getResult();
  }
  SmallVector<Extent> rowExtents(const DimClasses &dims) const;
  SmallVector<Extent> outerExtents(const DimClasses &dims) const;
  Extent columnExtent(const DimClasses &dims) const;
};

/// The space of contractions whose results have one shape, or a reason why
/// tiles cannot share it, such as "both operands have the last axis".
FailureOr<TileSpace> tileSpaceOf(ArrayRef<ContractOp> contractions,
                                 const DimClasses &dims, Reason &reason);
/// The same of a kernel in which all results have that shape, too.
FailureOr<TileSpace> tileSpaceOf(KernelOp kernel, const DimClasses &dims,
                                 Reason &reason);

/// How a block of many threads lays out its shared memory. The pieces of a warp
/// lie 4 x 8, those of its threads in groups of neighbours.
class SharedTileLayout {
public:
  static constexpr int64_t kWarpSize = 32, kLaneRows = 4, kLaneColumns = 8;

  SharedTileLayout(TiledScheduleAttr schedule, const TileSpace &space,
                   const DimClasses &dims);

  /// Rows and columns of a warp.
  int64_t warpRows() const { return kLaneRows * schedule.getRows(); }
  int64_t warpColumns() const { return kLaneColumns * schedule.getColumns(); }
  /// Rows of a thread that are neighbours, as many as a load takes.
  int64_t rowGroup() const;
  /// From one place of the summed axis to the next; not a multiple of the
  /// banks, and one of a load.
  int64_t pitch(int64_t tile) const { return tile + 4; }

  /// Both buffers of the tile's rows, or columns; a contraction's totals. Of
  /// one group.
  int64_t rowElements() const {
    return 2 * schedule.getTileK() * pitch(schedule.getTileM());
  }
  int64_t columnElements() const {
    return 2 * schedule.getTileK() * pitch(schedule.getTileN());
  }
  int64_t totalElements() const {
    return schedule.getTileM() * schedule.getTileN();
  }
  /// Whether totals are so many that what they are off by is kept.
  bool hasRests() const { return isLong; }
  /// All of it.
  int64_t bytes() const;

private:
  TiledScheduleAttr schedule;
  int64_t contractions, elementBytes;
  bool isLong;
};

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_TILESPACE_H
