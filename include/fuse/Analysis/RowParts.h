//===- RowParts.h - Reductions of rows in parts -----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may leave a reduction of each run of a row's columns, and those that
// read the rows' result combine them. With runs of 256 columns:
//
//   %r = tensor.expand_shape %x [[0], [1, 2]]  : [m, 4096] into [m, 16, 256]
//   %p = fuse.reduce sum %r dims = [2]         : [m, 16]       a kernel's
//   result %s = fuse.reduce sum %p dims = [1] keep    : [m, 1]        in its
//   readers
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_ROWPARTS_H
#define FUSE_ANALYSIS_ROWPARTS_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

/// Parts that a thread combines wherever it needs a row's result, at most.
inline constexpr int64_t mostRowParts = 64;

/// Whether the op reduces the few elements that each row of a kernel's input
/// has.
bool combinesRowParts(Operation *op);

/// The columns of a run, where the op reduces runs of the last dimension of
/// what is expanded into them.
std::optional<int64_t> reducedRunOf(Operation *op);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_ROWPARTS_H
