//===- RowPrograms.h - Programs that several tests schedule -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_UNITTESTS_SCHEDULE_ROWPROGRAMS_H
#define FUSE_UNITTESTS_SCHEDULE_ROWPROGRAMS_H

#include "llvm/Support/FormatVariadic.h"
#include <string>

namespace mlir::fuse {

/// Rows less their sums, so that they are needed twice. The type is one of two
/// dimensions, such as ?x4096xf32.
inline std::string sumOf(llvm::StringRef type) {
  std::string row =
      (type.split('x').first + "x1x" + type.rsplit('x').second).str();
  return llvm::formatv(
             R"(func.func @f(%x: tensor<{0}>) -> tensor<{0}> {{
      %r = fuse.kernel "k" ins(%x : tensor<{0}>) -> tensor<{0}> {{
      ^bb0(%a: tensor<{0}>):
        %s = fuse.reduce sum %a dims = [1] keep : tensor<{0}> -> tensor<{1}>
        %d = fuse.sub %a, %s : tensor<{0}>, tensor<{1}> -> tensor<{0}>
        fuse.yield %d : tensor<{0}>
      }
      return %r : tensor<{0}>
    })",
             type, row)
      .str();
}

} // namespace mlir::fuse

#endif // FUSE_UNITTESTS_SCHEDULE_ROWPROGRAMS_H
