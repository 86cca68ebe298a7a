//===- CollapsedOnes.h - Shapes without dimensions of size 1 ---*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_COLLAPSEDONES_H
#define FUSE_DIALECT_FUSE_IR_COLLAPSEDONES_H

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

namespace mlir::fuse {

/// The groups by which a shape of that rank is collapsed to one without `dims`,
/// which have size 1: each goes with the dimension before it that stays, those
/// before the first of these with it.
SmallVector<ReassociationIndices> groupsWithout(int64_t rank,
                                                ArrayRef<int64_t> dims);

} // namespace mlir::fuse

#endif // FUSE_DIALECT_FUSE_IR_COLLAPSEDONES_H
