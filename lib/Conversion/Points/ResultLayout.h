//===- ResultLayout.h - Where a kernel's result lies ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_RESULTLAYOUT_H
#define FUSE_LIB_CONVERSION_RESULTLAYOUT_H

#include "PointEmitter.h"

namespace mlir::fuse {

/// The layout of a result with strides, which KernelAbi::layouts has behind
/// those of the inputs; null for a dense one.
inline const InputLayout *stridesOfResult(const KernelAbi &abi,
                                          unsigned number) {
  size_t place = abi.inputs.size() + number;
  bool isDense = place >= abi.layouts.size() ||
                 abi.layouts[place].kind == StrideKind::dense;
  return isDense ? nullptr : &abi.layouts[place];
}

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_RESULTLAYOUT_H
