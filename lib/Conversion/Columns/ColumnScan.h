//===- ColumnScan.h - Scans of the columns of a block -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block walks its columns tile by tile. In a tile each of the threads that
// share a vector of columns has some places that follow each other:
//
//   slice 0: places 0 to 3 | slice 1: places 4 to 7 | slice 2: places 8 to 11
//
// What comes before a place is what was carried along from earlier tiles, what
// the slices before this one come to, and what this one has had. Each slice
// leaves its own sum in shared memory, and reads those of all.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_COLUMNSCAN_H
#define FUSE_LIB_CONVERSION_COLUMNSCAN_H

#include "Reductions/ScanAlgebra.h"
#include "Reductions/ThreadReduce.h"

namespace mlir::fuse {

/// One fuse.scan in a walk over columns, a vector of which a thread has.
class ColumnScan : public ScanAlgebra {
public:
  ColumnScan(KernelFrame &frame, ScanOp op, const SliceGroup &group,
             int64_t lanes);

  ReductionState startColumns() { return start(lanes); }
  /// Defines the scan at this slice's points of a tile, in the order of the
  /// scan, and returns what comes before the next tile. `parity` is the tile's
  /// number modulo 2.
  ReductionState take(ArrayRef<Point> points, const ReductionState &before,
                      const Index &parity);

private:
  Index slotOf(const Index &parity, const Index &slice, int64_t lane);
  Value scanSlices(Value own, const Index &parity, Value &total);

  KernelFrame &frame;
  SliceGroup group;
  int64_t lanes;
  /// What each slice comes to, of two tiles; null for one slice.
  Value slots;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_COLUMNSCAN_H
