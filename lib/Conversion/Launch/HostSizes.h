//===- HostSizes.h - The sizes of a kernel, on the host ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch needs before the kernel runs: the dynamic sizes that the kernel
// is passed, and its number of blocks.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_HOSTSIZES_H
#define FUSE_LIB_CONVERSION_HOSTSIZES_H

#include "KernelFrame.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fuse {

class HostSizes {
public:
  HostSizes(KernelOp kernel, const DimClasses &dims)
      : kernel(kernel), dims(dims) {}

  /// Finds the dynamic dimension classes that the body mentions, each on an
  /// input, or derived from such.
  LogicalResult collect();

  /// The classes, in the order in which the kernel is passed their sizes.
  auto classes() const { return llvm::make_first_range(sources); }
  unsigned count() const { return sources.size(); }

  Value of(OpBuilder &builder, const Extent &extent) const;
  Value product(OpBuilder &builder, ArrayRef<Extent> extents) const;
  Value blocks(OpBuilder &builder, const Grid &grid) const;

private:
  bool addDerived(int cls);
  Value parts(OpBuilder &builder, const GridFactor &factor) const;
  Value blocksOf(OpBuilder &builder, const GridTerm &term) const;

  KernelOp kernel;
  const DimClasses &dims;
  /// Each class, and an input dimension that has its size; absent for one that
  /// follows from those before it by a rule.
  llvm::MapVector<int, std::optional<std::pair<unsigned, int64_t>>> sources;
  llvm::DenseMap<int, SizeRule> derived;
  /// Classes that others are being derived for: sizes that follow from each
  /// other, as of a slice and of what pads it again, are of no help.
  llvm::SmallDenseSet<int> open;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_HOSTSIZES_H
