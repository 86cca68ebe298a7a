//===- PaddedPlaces.h - Places of what is padded ----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_PADDEDPLACES_H
#define FUSE_LIB_CONVERSION_PADDEDPLACES_H

#include "PointEmitter.h"

namespace mlir::fuse {

/// Where a point of a padding's result lies in what is padded, if it does.
class PaddedPlaces {
public:
  /// `source` is the point less the padding before it.
  PaddedPlaces(PointEmitter &emitter, PadOp pad, const Point &source)
      : emitter(emitter), pad(pad), source(source) {}

  /// Whether the point is one of the padding, whatever the thread.
  bool areKnownOutside();
  /// Whether what is padded has the point; null where it has all of them.
  Value areInside();
  /// Whether an element in memory can be read where the point is one of the
  /// padding.
  bool canReadInstead();
  /// The point; where it is one of the padding, the first of its row or column.
  Point readable();

private:
  bool isPadded(int64_t axis) {
    return pad.getLow()[axis] != 0 || pad.getHigh()[axis] != 0;
  }
  Extent size(int64_t axis) {
    return emitter.getDims().extent(pad.getInput(), axis);
  }
  Value isInside(int64_t axis);

  PointEmitter &emitter;
  PadOp pad;
  const Point &source;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_PADDEDPLACES_H
