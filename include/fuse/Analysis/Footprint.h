//===- Footprint.h - Elements that a kernel touches -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How much of its inputs a kernel reads, and how much of its results it writes.
// In
//
//   ^bb0(%table: tensor<?x64xf32>, %ids: tensor<?xi32>, %x: tensor<?x128xf32>):
//     %g = fuse.gather %table, %ids dim = 0 : ... -> tensor<?x64xf32>
//     %s = fuse.slice %x offsets = [0, 32] sizes = [-1, 64] : ...
//     %y = fuse.mul %g, %s : tensor<?x64xf32>
//     fuse.yield %y : tensor<?x64xf32>
//
// with N ids, 64 N elements of the 128 N of %x are read, and at most 64 N of
// the table: fewer if ids are equal, and never more than there are. Each op
// that uses a value asks for a part of it, which follows from the part of its
// own result that is asked for; what several ops ask for is added, up to the
// whole.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_FOOTPRINT_H
#define FUSE_ANALYSIS_FOOTPRINT_H

#include "fuse/Analysis/DimPolynomial.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

/// The least of several numbers of elements; one where it is known which.
struct ElementCount {
  SmallVector<DimPolynomial, 1> least;
  /// Whether it is a bound: how much is touched depends on data.
  bool atMost = false;

  /// Computes the number on the host; `sizeOf` gives the sizes.
  Value build(OpBuilder &builder, Location loc,
              function_ref<Value(const Extent &)> sizeOf) const;
};

/// What some ops touch.
class Footprint {
public:
  /// `ops` are in program order; of `results`, which leave them, all elements
  /// are asked for.
  Footprint(ArrayRef<Operation *> ops, ArrayRef<Value> results,
            const DimClasses &dims);
  /// Of a kernel's body.
  Footprint(KernelOp kernel, const DimClasses &dims);

  /// The elements of `value` that are read: none if only its sizes are.
  ElementCount read(Value value) const;
  /// The elements that are written where `result` leaves the ops.
  ElementCount written(Value result) const;
  /// All elements of `value`.
  ElementCount whole(Value value) const;
  /// Both together, of parts of `value` that may overlap or do not.
  ElementCount sum(const ElementCount &lhs, const ElementCount &rhs,
                   Value value, bool mayOverlap) const;
  /// Whether `count` is the number of all elements of `value`.
  bool isWhole(const ElementCount &count, Value value) const;

private:
  void follow(ArrayRef<Operation *> ops, ArrayRef<Value> results);
  std::optional<ElementCount> partOf(OpOperand &use) const;
  void ask(OpOperand &use, const ElementCount &part);
  bool meetsOthers(OpOperand &use) const;
  ElementCount tableRows(RotaryOp op, Value table) const;
  ElementCount limited(ElementCount count, Value value) const;

  const DimClasses &dims;
  DenseMap<Value, ElementCount> asked;
  /// Who has asked for a part of a value.
  DenseMap<Value, SmallVector<Operation *, 2>> askers;
};

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_FOOTPRINT_H
