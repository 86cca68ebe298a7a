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
  /// The dimensions of its tensor map, the innermost first: numbers of the
  /// input's, without outer ones of size 1.
  SmallVector<unsigned, 5> dims;
  /// The letters of these.
  SmallVector<char, 5> axes;

  /// Whether neighbours in memory follow the summed axis.
  bool isAlongK(char k) const { return axes.front() == k; }
};

/// A product of matrices [m, k] and [n, k], for each place of the outer axes.
struct MmaSpace {
  ContractOp op;
  char m, n, k;
  /// The result's other axes, of which an operand may lack some.
  SmallVector<char> outer;
  MmaOperand rows, columns;

  Extent extent(char axis, const DimClasses &dims) const {
    return contractionSpaceOf(op).extent(axis, dims);
  }
};

/// The space of the kernel's contraction, or a reason why tensor cores cannot
/// run it, such as "its rows are no multiples of 16 bytes".
FailureOr<MmaSpace> mmaSpaceOf(KernelOp kernel, const DimClasses &dims,
                               TensorFacts facts, std::string &reason);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_MMASPACE_H
