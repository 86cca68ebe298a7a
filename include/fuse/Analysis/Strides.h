//===- Strides.h - Which tensors are strided views --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program's argument with `fuse.strided` is a view of the caller's memory,
// and so is a reshape of it on the host and the kernel input that it becomes:
//
//   func.func @f(%x: tensor<?x32xf32> {fuse.strided = "aligned_rows"}) {
//     %v = tensor.expand_shape %x [[0], [1, 2]] ... into tensor<?x8x4xf32>
//     fuse.kernel ins(%v) { ^bb0(%a: tensor<?x8x4xf32>): ... }
//
// %v and %a are aligned_rows too: groups of 4 f32 lie 16 bytes apart. With
// groups of 2 they would be rows.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_STRIDES_H
#define FUSE_ANALYSIS_STRIDES_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fuse {

/// How the elements of `tensor` lie in memory: a value of a program's function,
/// or an input inside one of its kernels. All but views of strided arguments
/// are dense.
StrideKind strideKind(Value tensor);

/// Whether the reshape makes one dimension of several whose size is not 1.
bool joinsDims(tensor::CollapseShapeOp op);

/// The dimensions of a program's argument that reshapes on the host join with
/// the one behind them, in ascending order. In
///
///   %v = tensor.collapse_shape %x [[0, 1], [2]]
///       : tensor<?x?x8xf32> into tensor<?x8xf32>
///
/// that is dimension 0 of %x: a kernel reads %v in place if the stride of
/// dimension 0 is that of dimension 1 times the size of dimension 1.
SmallVector<unsigned> joinedDims(BlockArgument argument);

/// The argument of a program with `fuse.scalar` that a value is, or is a
/// reshape of; null for others.
BlockArgument scalarOf(Value value);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_STRIDES_H
