//===- SizeRanges.h - Schedules that follow the size at a call --*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction of few rows wants other tiles than one of many. Where their
// number is dynamic the choice is made for some sizes,
//
//   16, 32, 64, 128, ..., 2048, and any size above
//
// and neighbours for which one choice is about as good are joined: the ranges
// {rows = [64, 256]} of the attribute `fuse.size_ranges` mean a schedule for up
// to 64 rows, one for up to 256, and one for more. A program is compiled for
// each range when the first call has a size in it, with {rows = 64} in
// `fuse.assumed_sizes`. All of these programs run any size.
//
// What counts is the product of the dynamic dims that a row's number is made
// of: "batch*tokens" for x[batch, tokens, k].
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_SIZERANGES_H
#define FUSE_SCHEDULE_SIZERANGES_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {

struct ScheduleTarget;

/// A static factor times dynamic classes, in ascending order.
struct DynamicSize {
  double factor = 1;
  SmallVector<int, 2> classes;
};

/// The product of the extents; a size that is a product counts as its terms.
DynamicSize dynamicSizeOf(ArrayRef<Extent> extents, const DimClasses &dims);

/// What the product of some classes, in ascending order, is taken for.
struct AssumedSize {
  SmallVector<int, 2> classes;
  int64_t size;
};

/// The size, by what is assumed of its classes together, or else of each.
double estimatedSize(const DynamicSize &size, ArrayRef<AssumedSize> assumed);

/// The function's `fuse.assumed_sizes`. Fails, with a diagnostic, where a name
/// is no dynamic dim's.
FailureOr<SmallVector<AssumedSize>> readAssumedSizes(func::FuncOp function,
                                                     const DimClasses &dims);

/// Kernels of a function that compute the same on dimensions of the same
/// classes; at least one.
using EqualKernels = SmallVector<KernelOp, 1>;

/// Sets the function's `fuse.size_ranges`, and `fuse.sized_schedules` of its
/// kernels, by what these would get; removes them where all sizes share a
/// schedule.
void noteSizeRanges(func::FuncOp function, ArrayRef<EqualKernels> kernels,
                    const DimClasses &dims, const ScheduleTarget &target);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_SIZERANGES_H
