//===- LaunchTraffic.h - How much a launch touches --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_COMPILER_LAUNCHTRAFFIC_H
#define FUSE_LIB_COMPILER_LAUNCHTRAFFIC_H

#include "HostValues.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace fuse::jit {

/// What a launch says of its pointers: inputs, then results.
class LaunchTraffic {
public:
  /// Fails if a number is no size that `values` knows.
  static llvm::Expected<LaunchTraffic> of(mlir::fuse::LaunchOp op,
                                          const HostValues &values);

  /// The elements that are touched; none where these are all.
  std::optional<runtime::SizeExpr> elements(unsigned pointer) const;
  /// Whether the number of them is a bound.
  bool isBound(unsigned pointer) const { return bounds.contains(pointer); }

private:
  llvm::DenseMap<unsigned, runtime::SizeExpr> touched;
  llvm::DenseSet<unsigned> bounds;
};

} // namespace fuse::jit

#endif // FUSE_LIB_COMPILER_LAUNCHTRAFFIC_H
