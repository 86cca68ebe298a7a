//===- LaneSpread.h - What neighbouring threads have alike ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_REDUCTIONS_LANESPREAD_H
#define FUSE_LIB_CONVERSION_REDUCTIONS_LANESPREAD_H

#include "mlir/IR/Value.h"

namespace mlir::fuse {

/// Whether it is known that four neighbouring threads of a warp, the first of
/// which has a multiple of four as its number, have the same of a value: one
/// that is computed of the block's number and constants, or of the thread's
/// number where a division leaves no difference.
bool isSameInQuad(Value value);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_REDUCTIONS_LANESPREAD_H
