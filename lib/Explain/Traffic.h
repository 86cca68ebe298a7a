//===- Traffic.h - Bytes that kernels move ----------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXPLAIN_TRAFFIC_H
#define FUSE_LIB_EXPLAIN_TRAFFIC_H

#include "fuse/Analysis/DimPolynomial.h"
#include "fuse/Analysis/Footprint.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {

/// How a program's dynamic sizes are written: by the names of its arguments'
/// dimensions (nameDims), and others by how they follow from these.
class SizeNames {
public:
  SizeNames(func::FuncOp function, const DimClasses &dims);

  /// "16384*T + 8192"; terms with the most factors first.
  std::string str(const DimPolynomial &sum) const;

private:
  std::string name(int cls) const;

  const DimClasses &dims;
  DenseMap<int, std::string> names;
};

/// A number of bytes.
class ByteCount {
public:
  /// Adds `count` elements of the type of `tensor`.
  void add(const ElementCount &count, Value tensor);
  /// What is over when `part` is taken away; none if the sizes do not say that
  /// there is as much.
  std::optional<ByteCount> without(const ByteCount &part,
                                   const DimClasses &dims) const;

  /// "16384*T + min(8192*T, 4096*V)", and "at most" before it if it is a bound.
  std::string str(const SizeNames &names) const;

private:
  using Least = SmallVector<DimPolynomial, 1>;

  DimPolynomial sum;
  /// Numbers of which the least is added.
  SmallVector<Least, 1> minima;
  bool atMost = false;
};

/// What a kernel moves: what it touches of its inputs and results, each element
/// once.
ByteCount kernelBytes(KernelOp kernel, const DimClasses &dims);

/// What the ops of a kernel would move if each were a kernel of its own. Ops
/// from one place of the program count as one: they were decomposed from one.
ByteCount separateBytes(KernelOp kernel, const DimClasses &dims);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXPLAIN_TRAFFIC_H
