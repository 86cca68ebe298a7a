//===- HostStrides.h - The strides of a kernel's input ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_HOSTSTRIDES_H
#define FUSE_LIB_CONVERSION_HOSTSTRIDES_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/IR/Builders.h"

namespace mlir::fuse {

/// The stride of each dimension of `tensor`, an argument of the program's
/// function or a reshape of one, in elements. `kind` is its strideKind(). Where
/// a reshape joins dimensions, a `fuse.require` says that their strides must
/// allow it.
SmallVector<OpFoldResult> hostStrides(OpBuilder &builder, Value tensor,
                                      StrideKind kind);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_HOSTSTRIDES_H
