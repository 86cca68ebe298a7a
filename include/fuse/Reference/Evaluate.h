//===- Evaluate.h - The oracle ----------------------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An evaluator of the dialect in f64, written from the descriptions of the ops
// and independent of fuse-decompose and of every lowering. A composite is
// evaluated by its own formula. It takes every stage from the user's program
// to scheduled kernels, so that two stages can be compared with each other.
//
// Beside each element it carries a bound of the error that a correct program
// may make: a running error analysis (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd ed., section 3.3). docs/numerics.md has the bounds.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_REFERENCE_EVALUATE_H
#define FUSE_REFERENCE_EVALUATE_H

#include "fuse/Reference/Findings.h"
#include "fuse/Reference/Value.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

namespace mlir::fuse::reference {

/// Runs `function` on `inputs`. The function holds fuse ops (inside fuse.kernel
/// too), tensor.expand_shape, collapse_shape, extract_slice, concat, pad and
/// dim, and constants of type index. An error tells of a wrong input (number,
/// element type, shape), of dynamic sizes that should be equal and are not, or
/// of an op that the oracle does not know. `findings` gets what there is to
/// tell of single ops.
llvm::Expected<llvm::SmallVector<Value>> evaluate(func::FuncOp function,
                                                  llvm::ArrayRef<Value> inputs,
                                                  Findings *findings = nullptr);

} // namespace mlir::fuse::reference

#endif // FUSE_REFERENCE_EVALUATE_H
