//===- HostStrides.h - The strides of a kernel's tensors --------*- C++ -*-===//
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

/// The same of what a kernel is going to write, which is returned with
/// `fuse.strided`, or a reshape of it is. `kind` is its resultKind(), `sizeOf`
/// gives the size of a dimension of it before it is there.
SmallVector<OpFoldResult>
hostResultStrides(OpBuilder &builder, Value result, StrideKind kind,
                  llvm::function_ref<OpFoldResult(int64_t)> sizeOf);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_HOSTSTRIDES_H
