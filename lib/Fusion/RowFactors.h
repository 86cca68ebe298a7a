//===- RowFactors.h - Factors of a contraction's operand --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A way leads from an operand of a contraction down through products, casts and
// reshapes. Where a product has a factor that does not change along the summed
// axes, the way goes on with the other one. For
//
//   %n = fuse.mul %x, %r     x[m, k] r[m, 1]     taken out: r
//   %s = fuse.mul %n, %w     w[k]                stays
//   %y = fuse.cast %s                            stays
//   %c = fuse.contract "mk,kn->mn" %y, %B
//
// it is cast, mul, mul, and ends at %x.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_FUSION_ROWFACTORS_H
#define FUSE_LIB_FUSION_ROWFACTORS_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include <optional>

namespace mlir::fuse {

/// An op on a way, whose operand number `next` the way goes on with.
struct Step {
  Operation *op;
  unsigned next;
  /// Whether the op's other operand is taken out of the contraction.
  bool isTaken;
};

struct Way {
  ContractOp contract;
  /// The operand that it starts at: 0 for the left one.
  unsigned operand;
  /// From the contraction down; the last one is taken.
  SmallVector<Step> steps;

  Value end() const { return steps.back().op->getOperand(steps.back().next); }
  /// The letters of the operand's axes.
  StringRef axes() {
    return operand == 0 ? contract.getLhsAxes() : contract.getRhsAxes();
  }
};

inline ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// What a step that is taken takes out.
inline Value factorOf(const Step &step) {
  return step.op->getOperand(1 - step.next);
}

/// Whether the op is a reshape or a transpose.
bool isView(Operation *op);

/// The shape that a factor of `shape` has above the view; nothing if it would
/// have to repeat along a part of a dimension.
std::optional<SmallVector<int64_t>> shapeAbove(ArrayRef<int64_t> shape,
                                               Operation *view);

/// The way from operand 0 or 1 of the contraction; nothing if no factor can be
/// taken out of it. f16 keeps the program's order, an explicit cast to fewer
/// bits ends a way, and a sum that may be empty keeps its factors.
/// With `normsOnly` factors are reciprocal roots only.
std::optional<Way> findWay(ContractOp contract, unsigned operand,
                           bool normsOnly);

} // namespace mlir::fuse

#endif // FUSE_LIB_FUSION_ROWFACTORS_H
