//===- NeededPlaces.h - Where the values of a group are needed --*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_FUSION_NEEDEDPLACES_H
#define FUSE_LIB_FUSION_NEEDEDPLACES_H

#include "fuse/Fusion/Legality.h"

#include "llvm/ADT/DenseSet.h"

namespace mlir::fuse {

/// Whether the operand has an index for each element of the op's result, which
/// is needed at the places of these.
bool isIndexOfElement(Operation *op, unsigned operand);

/// Where the values of a group are needed. A walk over results, over what is
/// reduced or over tiles needs some values at its own points and, behind ops
/// that move elements, some at others.
struct NeededPlaces {
  /// With `rows`, other places of a row along the last dimension are told from
  /// those of other rows.
  explicit NeededPlaces(const GroupView &group, bool rows = false);

  /// Needed at the walk's own points, at others of the same row, at any others;
  /// computed from a reduction or contraction. A value may be in several.
  llvm::DenseSet<Value> aligned, inRow, displaced, after;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_FUSION_NEEDEDPLACES_H
