//===- HostValues.h - Sizes and shapes in a host function -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_COMPILER_HOSTVALUES_H
#define FUSE_LIB_COMPILER_HOSTVALUES_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Runtime/ProgramSpec.h"
#include "fuse/Runtime/SizePolynomial.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"

namespace fuse::jit {

/// What is known about the index and tensor values of a host function: each
/// index is an expression over the program's symbols, each tensor has a shape
/// of such expressions.
class HostValues {
public:
  /// Gives the arguments of `entry` their shapes; each name in `fuse.dims`
  /// becomes a symbol.
  explicit HostValues(mlir::func::FuncOp entry);

  const std::vector<std::string> &symbols() const { return symbolNames; }

  /// The strides that `fuse.stride` ops asked for so far; the symbols after
  /// those of the dims.
  const std::vector<runtime::StrideSpec> &strides() const {
    return strideSpecs;
  }

  /// Records the results of `op`: index arithmetic, tensor.dim or fuse.stride.
  /// False if it is another op.
  llvm::Expected<bool> visitIndexOp(mlir::Operation *op);

  /// Records the shape of the result of a reshape (expand, collapse or cast).
  /// Fails if its number of elements is not provably that of the source.
  llvm::Error visitReshape(mlir::Operation *op);

  /// Records the shape of `tensor`: its static sizes, and `dynamicSizes` in
  /// order for the others.
  llvm::Error setShape(mlir::Value tensor, mlir::ValueRange dynamicSizes);

  llvm::Expected<runtime::SizeExpr> size(mlir::Value index) const;
  const ShapeExpr &shape(mlir::Value tensor) const;

private:
  runtime::SizeExpr symbolFor(llvm::StringRef name);
  llvm::Error visitDim(mlir::tensor::DimOp op);
  llvm::Error visitStride(mlir::fuse::StrideOp op);
  llvm::Error checkReshape(mlir::Operation *op) const;

  std::vector<std::string> symbolNames;
  std::vector<runtime::StrideSpec> strideSpecs;
  llvm::DenseMap<mlir::Value, runtime::SizeExpr> sizes;
  llvm::DenseMap<mlir::Value, ShapeExpr> shapes;
};

} // namespace fuse::jit

#endif // FUSE_LIB_COMPILER_HOSTVALUES_H
