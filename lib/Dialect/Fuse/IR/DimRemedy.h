//===- DimRemedy.h - What to do about a dimension's number ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_IR_DIMREMEDY_H
#define FUSE_LIB_DIALECT_FUSE_IR_DIMREMEDY_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/FormatVariadic.h"
#include <string>

namespace mlir::fuse::detail {

/// "count from the start: 1 for -1" where a number counts from the end, as it
/// may elsewhere; else `otherwise`.
inline std::string dimRemedy(ArrayRef<int64_t> dims, int64_t rank,
                             StringRef otherwise) {
  for (int64_t dim : dims)
    if (dim < 0 && dim >= -rank)
      return llvm::formatv("count from the start: {0} for {1}", rank + dim,
                           dim);
  return otherwise.str();
}

} // namespace mlir::fuse::detail

#endif // FUSE_LIB_DIALECT_FUSE_IR_DIMREMEDY_H
