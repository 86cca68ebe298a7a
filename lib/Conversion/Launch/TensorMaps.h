//===- TensorMaps.h - Tensor maps that a kernel takes -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_TENSORMAPS_H
#define FUSE_LIB_CONVERSION_TENSORMAPS_H

#include "KernelFrame.h"

namespace mlir::fuse {

/// Adds an argument to the kernel's function: a pointer to the tensor map,
/// which is passed by value.
Value addTensorMap(KernelFrame &frame, TensorMapUse use);

/// The sizes of the map's dimensions on the host, and behind them the strides
/// of all but the first. `sizeOf` gives an extent; `strides` those of the
/// tensor's dimensions, none for a dense one.
SmallVector<Value>
hostMapDims(OpBuilder &builder, Location loc,
            ArrayRef<SmallVector<unsigned, 2>> dims, ArrayRef<Extent> extents,
            ArrayRef<OpFoldResult> strides,
            llvm::function_ref<Value(const Extent &)> sizeOf);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_TENSORMAPS_H
