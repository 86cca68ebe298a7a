//===- MmaSpace.h - Contractions that tensor cores can run ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor cores multiply tiles of rows and columns that lie in shared memory,
// where copies by tensor map bring them. Such a copy takes a box whose
// innermost dimension has neighbours in memory and whose other dimensions lie
// multiples of 16 bytes apart. In
//
//   fuse.contract "bmk,bkn->bmn" %x, %w
//
// %x is read along k, its rows' neighbours; %w along n. Both orders are fine.
// Axes of the rows that follow each other in the operand and in the result, as
// b and s do in "bsk,nk->bsn", are one: tiles cross from one b to the next.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_MMASPACE_H
#define FUSE_ANALYSIS_MMASPACE_H

#include "fuse/Analysis/KernelSpace.h"

namespace mlir::fuse {

/// What kernels may rely on, see runtime::Facts.
struct TensorFacts {
  /// Tensors start at multiples of 16 bytes.
  bool aligned = false;
  /// Dynamic last dimensions are multiples of 16 bytes.
  bool divisible = false;
};

/// Whether a copy by tensor map can read or write the elements of the kernel's
/// input or result, whose last dimension has neighbours in memory.
bool fitsTensorMap(KernelOp kernel, const DimClasses &dims, Value tensor,
                   TensorFacts facts);

/// An operand of the contraction.
struct MmaOperand {
  /// The kernel's input.
  BlockArgument tensor;
  /// The dimensions of its tensor map, the innermost first: for each the
  /// numbers of the input's that it joins, without outer ones of size 1.
  SmallVector<SmallVector<unsigned, 2>, 5> dims;
  /// The letters of these, of joined ones the last.
  SmallVector<char, 5> axes;

  /// Whether neighbours in memory follow the summed axis.
  bool isAlongK(char k) const { return axes.front() == k; }
};

/// A product of matrices [m, k] and [n, k], for each place of the outer axes.
struct MmaSpace {
  ContractOp op;
  char m, n, k;
  /// The axes that are joined to the rows, of which m is the last.
  SmallVector<char> rowAxes;
  /// The result's other axes, of which an operand may lack some.
  SmallVector<char> outer;
  MmaOperand rows, columns;

  /// Of m, n, k or an outer axis: several of m if axes are joined.
  SmallVector<Extent> extents(char axis, const DimClasses &dims) const;
  /// Whether a number divides its size, as far as that is known.
  bool isMultiple(char axis, int64_t number, const DimClasses &dims) const;
};

/// The space of the kernel's contraction, or a reason why tensor cores cannot
/// run it, such as "its rows are no multiples of 16 bytes".
FailureOr<MmaSpace> mmaSpaceOf(KernelOp kernel, const DimClasses &dims,
                               TensorFacts facts, std::string &reason);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_MMASPACE_H
