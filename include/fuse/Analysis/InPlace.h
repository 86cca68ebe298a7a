//===- InPlace.h - Which result may overwrite which input -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_INPLACE_H
#define FUSE_ANALYSIS_INPLACE_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

/// A result of a kernel, and an input whose buffer it may be written to.
struct InPlacePair {
  unsigned result, input;
};

/// The pairs for which the scheduled kernel is right in place: both have one
/// type and shape, and each element of the input is read only by the thread
/// that writes the same element (or the other of its rotary pair) of results of
/// that shape, before it writes.
SmallVector<InPlacePair> inPlacePairs(KernelOp kernel, const DimClasses &dims);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_INPLACE_H
