//===- RowStores.h - Where what rows leave is stored ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of rows computes values where it walks, and may store them
// elsewhere:
//
//   %n = fuse.rms_norm %c, %w                     [t, 512]
//   %m = fuse.reduce max %k dims = [1] keep       [t, 1]
//   %j = fuse.concat %n, %m dim = 1               [t, 513]
//
// Of %j the element at [i, c] of %n is at [i, c], that of %m at [i, 512]. Moves
// behind reductions are followed forwards, from what is computed to each place
// where it is stored; others are followed backwards, as everywhere else.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_ROWSTORES_H
#define FUSE_ANALYSIS_ROWSTORES_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::fuse {

/// An op that moves elements on their way from where they are computed to a
/// result, the number of the operand by which the way comes, and what is
/// computed behind it, element by element: the op's result where nothing is.
struct StoreStep {
  Operation *op;
  unsigned operand;
  Value value;
};
using StorePath = SmallVector<StoreStep, 2>;
inline bool isMove(const StorePath &path) { return !path.empty(); }

/// One value that is stored in a result; a concatenation has several.
struct RowStore {
  Value value;
  /// The result's number.
  unsigned result;
  /// Empty where the value is stored at the points at which it is computed.
  StorePath path;
};

struct RowStores {
  SmallVector<RowStore> stores;
  /// The ops on the ways of all.
  llvm::DenseSet<Operation *> placing;

  SmallVector<Value> values() const;
};

/// What a kernel of these ops, in program order, with reductions stores for its
/// results. A result that reads what is moved behind a reduction in another way
/// than element by element is its own store.
RowStores rowStoresOf(ArrayRef<Operation *> ops, ArrayRef<Value> results);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_ROWSTORES_H
