//===- ResultStorer.h - Values on their way to a result -----------*- C++
//-*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_RESULTSTORER_H
#define FUSE_LIB_CONVERSION_RESULTSTORER_H

#include "KernelFrame.h"

#include "fuse/Analysis/RowStores.h"

namespace mlir::fuse {

/// Stores values in a result along a path of moves, each of which is followed
/// forwards: what one moves to a place is there afterwards, and what is
/// computed from it is computed at that place.
class ResultStorer {
public:
  ResultStorer(KernelFrame &frame, unsigned result, ArrayRef<StoreStep> path)
      : frame(frame), emitter(frame.emitter), result(result), path(path) {}

  /// The lanes of the stored value at the point where they are computed.
  void store(const Point &point, Value lanes) { storeFrom(0, point, lanes); }

  /// Whether the path starts with a padding, whose places beside a row have to
  /// be filled, and how many vectors of them a row has.
  PadOp padding() const;
  int64_t placesBeside() const;
  /// Fills vector `number` of these in the row at `point`, of the padded value.
  void fillBeside(const Point &row, const Index &number);

private:
  int64_t lanesBeside(PadOp pad) const;
  void storeFrom(size_t step, const Point &point, Value lanes);
  void storeBehind(size_t step, const Point &place, Value lanes);
  void storeLanes(size_t step, const Point &point, Value lanes);
  void storeSliced(size_t step, SliceOp slice, const Point &point, Value lanes);
  std::optional<Point> moved(const StoreStep &step, const Point &point);
  std::optional<Point> expanded(tensor::ExpandShapeOp op, const Point &point);
  std::optional<Point> collapsed(tensor::CollapseShapeOp op,
                                 const Point &point);
  Extent extent(Value value, int64_t axis) const {
    return frame.dims.extent(value, axis);
  }

  KernelFrame &frame;
  PointEmitter &emitter;
  unsigned result;
  ArrayRef<StoreStep> path;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_RESULTSTORER_H
