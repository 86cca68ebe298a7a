//===- RepeatedValues.h - What every walk must find alike -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An argmax compares values with their own maximum, and a softmax takes
// exp(x - max(x)). Each computes its values twice, in two walks of a kernel or
// in two kernels, and is wrong where these differ in a bit: no element equals
// the maximum, or the difference of two values of 1e36 is positive and its
// exponential an infinity.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_REPEATEDVALUES_H
#define FUSE_ANALYSIS_REPEATEDVALUES_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::fuse {

/// On an op of a kernel: a unit attribute. Another kernel compares what it
/// computes with an extreme that was found in this one, or the reverse.
inline constexpr StringLiteral kRepeatedAttr = "fuse.repeated";

/// The ops of `kernel` of which all walks must find the same bits, so that no
/// product may be fused with an addition in one of them only: what is compared
/// with its own extreme in this kernel, and all with kRepeatedAttr.
/// A reduction's result is found once.
llvm::DenseSet<Operation *> repeatedOps(KernelOp kernel);

/// Gives kRepeatedAttr to the ops of kernels whose values are compared with
/// extremes that another kernel finds, and to what these are extremes of; and
/// rounds each of their 16-bit results, since memory between kernels does so.
void fixRepeatedValues(func::FuncOp function);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_REPEATEDVALUES_H
