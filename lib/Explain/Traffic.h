//===- Traffic.h - Bytes that kernels move ----------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXPLAIN_TRAFFIC_H
#define FUSE_LIB_EXPLAIN_TRAFFIC_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>

namespace mlir::fuse {

/// Names of a program's dynamic sizes, from `fuse.dims` on its arguments.
class DimNames {
public:
  DimNames(func::FuncOp function, const DimClasses &dims);

  /// The name of a dynamic class; "dN" if no argument has it.
  std::string name(int cls) const;

private:
  DenseMap<int, std::string> names;
};

/// A number of bytes: a polynomial in the program's dynamic sizes, such as
/// 16384*T + 8192.
class ByteCount {
public:
  /// The bytes of a tensor.
  static ByteCount of(Value tensor, const DimClasses &dims,
                      const DimNames &names);

  ByteCount &operator+=(const ByteCount &other);
  ByteCount &operator-=(const ByteCount &other);

  /// Terms with the most factors first.
  std::string str() const;

private:
  /// The coefficient of each product of names, which are sorted.
  std::map<SmallVector<std::string>, int64_t> terms;
};

/// What a kernel moves: each of its inputs and results once.
ByteCount kernelBytes(KernelOp kernel, const DimClasses &dims,
                      const DimNames &names);

/// What the ops of a kernel would move if each were a kernel of its own. Ops
/// from one place of the program count as one: they were decomposed from one.
ByteCount separateBytes(KernelOp kernel, const DimClasses &dims,
                        const DimNames &names);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXPLAIN_TRAFFIC_H
