//===- ScanAlgebra.h - How a scan combines elements -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_SCANALGEBRA_H
#define FUSE_LIB_CONVERSION_SCANALGEBRA_H

#include "Reducer.h"

namespace mlir::fuse {

/// What fuse.scan does with elements, or with vectors of them, in whatever way
/// threads share them.
class ScanAlgebra {
public:
  ScanAlgebra(PointEmitter &emitter, OpBuilder &builder, ScanOp op)
      : emitter(emitter), builder(builder), op(op), loc(op.getLoc()),
        type(PointEmitter::computeType(op.getType().getElementType())) {}

  ScanOp getOp() const { return op; }
  /// What comes before the first element, of each of so many lines.
  ReductionState start(int64_t lanes = 1);

protected:
  bool isFloat() const { return isa<FloatType>(type); }
  bool isCompensated() { return isFloat() && op.getKind() == ReduceKind::sum; }
  Value identity();
  Value combine(Value a, Value b);
  Value elementsAt(const Point &point);
  /// `before` and then what a tile comes to.
  ReductionState carry(const ReductionState &before, Value total);
  Value placed(Value scanned, Value before, const ReductionState &carried,
               int64_t lanes);

  PointEmitter &emitter;
  OpBuilder &builder;
  ScanOp op;
  Location loc;
  Type type;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_SCANALGEBRA_H
