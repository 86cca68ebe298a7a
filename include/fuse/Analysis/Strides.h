//===- Strides.h - Which tensors are strided views --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program's argument or result with `fuse.strided` is a view of the caller's
// memory. So is a reshape of an argument on the host, and the kernel input that
// it becomes:
//
//   func.func @f(%x: tensor<?x32xf32> {fuse.strided = "aligned_rows"}) {
//     %v = tensor.expand_shape %x [[0], [1, 2]] ... into tensor<?x8x4xf32>
//     fuse.kernel ins(%v) { ^bb0(%a: tensor<?x8x4xf32>): ... }
//
// %v and %a are aligned_rows too: groups of 4 f32 lie 16 bytes apart. With
// groups of 2 they would be rows.
//
// And so is what a kernel yields, if the program returns it or a reshape of it
// as such a result: the kernel writes where the result lies.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_STRIDES_H
#define FUSE_ANALYSIS_STRIDES_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fuse {

/// On a `tensor.empty` whose strides are asked for: the number of the program's
/// result whose buffer it stands for.
inline constexpr StringLiteral kResultAttr = "fuse.result";

/// How the elements of `tensor` lie in memory: a value of a program's function,
/// or an input inside one of its kernels. All but views of strided arguments
/// and what is written as a strided result are dense.
StrideKind strideKind(Value tensor);

/// The same of what `kernel` yields under `number`.
StrideKind resultKind(KernelOp kernel, unsigned number);

/// Whether the reshape makes one dimension of several whose size is not 1, or
/// several of one.
bool joinsDims(tensor::CollapseShapeOp op);
bool splitsDims(tensor::ExpandShapeOp op);

/// The way of a value through reshapes on the host to where it is used.
struct ReshapePath {
  /// What is no reshape.
  Value root;
  /// From the root on.
  SmallVector<Operation *> reshapes;
  /// Whether nothing else uses the root or one of its reshapes.
  bool isAlone = true;

  /// The one that leads to a use.
  static ReshapePath to(OpOperand &use);
};

/// The operand of the return that is `value` or a reshape of it and becomes a
/// result with `fuse.strided`; null if there is none.
OpOperand *stridedReturnOf(Value value);

/// The dimensions of a program's argument that reshapes on the host join with
/// the one behind them, in ascending order. In
///
///   %v = tensor.collapse_shape %x [[0, 1], [2]]
///       : tensor<?x?x8xf32> into tensor<?x8xf32>
///
/// that is dimension 0 of %x: a kernel reads %v in place if the stride of
/// dimension 0 is that of dimension 1 times the size of dimension 1.
SmallVector<unsigned> joinedDims(BlockArgument argument);

/// The dimensions of a result of the program that a kernel yields as one: those
/// that a reshape splits again, in ascending order.
SmallVector<unsigned> joinedDims(OpOperand &returned);

/// The argument of a program with `fuse.scalar` that a value is, or is a
/// reshape of; null for others.
BlockArgument scalarOf(Value value);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_STRIDES_H
