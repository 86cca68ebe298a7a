//===- ColumnPrograms.h - Kernels that reduce columns -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_UNITTESTS_SCHEDULE_COLUMNPROGRAMS_H
#define FUSE_UNITTESTS_SCHEDULE_COLUMNPROGRAMS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include <string>

namespace mlir::fuse {

/// The sums of all columns, or with "[0, 1]" of all elements. The type is one
/// of two dimensions, such as ?x4096xf32.
inline std::string columnSumOf(llvm::StringRef type,
                               llvm::StringRef dims = "[0]") {
  llvm::StringRef result =
      dims == "[0]" ? type.split('x').second : type.rsplit('x').second;
  return llvm::formatv(
             R"(func.func @f(%x: tensor<{0}>) -> tensor<{1}> {{
      %r = fuse.kernel "k" ins(%x : tensor<{0}>) -> tensor<{1}> {{
      ^bb0(%a: tensor<{0}>):
        %s = fuse.reduce sum %a dims = {2} : tensor<{0}> -> tensor<{1}>
        fuse.yield %s : tensor<{1}>
      }
      return %r : tensor<{1}>
    })",
             type, result, dims)
      .str();
}

/// Columns less their maxima, so that they are needed twice.
inline std::string columnsLessMaximaOf(llvm::StringRef type) {
  std::string result = ("1x" + type.split('x').second).str();
  return llvm::formatv(
             R"(func.func @f(%x: tensor<{0}>) -> tensor<{0}> {{
      %r = fuse.kernel "k" ins(%x : tensor<{0}>) -> tensor<{0}> {{
      ^bb0(%a: tensor<{0}>):
        %s = fuse.reduce max %a dims = [0] keep : tensor<{0}> -> tensor<{1}>
        %d = fuse.sub %a, %s : tensor<{0}>, tensor<{1}> -> tensor<{0}>
        fuse.yield %d : tensor<{0}>
      }
      return %r : tensor<{0}>
    })",
             type, result)
      .str();
}

} // namespace mlir::fuse

#endif // FUSE_UNITTESTS_SCHEDULE_COLUMNPROGRAMS_H
