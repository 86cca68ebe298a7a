//===- RowScan.h - Scans of the rows of a block -----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block takes a row tile by tile. A tile has `unroll` stretches of one vector
// a thread. What comes before an element of it is put together from four parts:
//
//   before the tile | before the warp's | before the thread's | before the
//   (carried along)   vectors             vector in the warp    element in it
//
// The parts of a warp come from shuffles, those of warps from shared memory,
// where each warp leaves one number for each stretch: in the order in which the
// row has them, so that a second scan, of these, gives what is before each.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_ROWSCAN_H
#define FUSE_LIB_CONVERSION_ROWSCAN_H

#include "Reductions/ScanAlgebra.h"
#include "Reductions/ThreadReduce.h"

namespace mlir::fuse {

/// What the threads of a block that walk a row have in common.
struct RowWalkers {
  int64_t threads;
  /// This thread's number.
  Index thread;
  int64_t warps() const { return llvm::divideCeil(threads, warpSize); }
};

/// One fuse.scan in a walk over a row.
class RowScan : public ScanAlgebra {
public:
  /// `unroll` stretches make a tile.
  RowScan(KernelFrame &frame, ScanOp op, const RowWalkers &walkers,
          int64_t unroll);

  /// Defines the scan at the points of a tile, one for each stretch in the
  /// order of the scan, and returns what comes before the next tile. `parity`
  /// is the tile's number modulo 2.
  ReductionState take(ArrayRef<Point> points, const ReductionState &before,
                      const Index &parity);

private:
  Value scanLanes(Value elements, int64_t lanes);
  Value scanLanesInTurn(Value elements, int64_t lanes);
  Value scanLanesByDoubling(Value elements, int64_t lanes);
  Value shifted(Value scanned, int64_t lanes);
  Value lastOf(Value scanned, int64_t lanes);
  /// What the lanes before this one have, and all of `width` lanes.
  std::pair<Value, Value> scanWarp(Value own, int64_t width);
  SmallVector<Value> scanStretches(ArrayRef<Value> totals, Value &total);
  SmallVector<Value> scanWarps(ArrayRef<Value> totals, const Index &parity,
                               Value &total);

  KernelFrame &frame;
  RowWalkers walkers;
  int64_t unroll;
  /// A number for each warp and stretch, of two tiles; null for one warp.
  Value slots;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_ROWSCAN_H
