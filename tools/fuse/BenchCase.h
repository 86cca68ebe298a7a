//===- BenchCase.h - What fuse bench measures -------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A grid is JSON: families of programs, and the sizes and element types that
// each is measured at.
//
//   {"families": [
//     {"name": "softmax",
//      "file": "softmax.mlir",
//      "dtypes": ["f32", "bf16"],
//      "dims": {"columns": [1024, 4096], "rows": 8192}}]}
//
// A program comes from "file", which is relative to the grid, or from "text".
// In it ${dtype} and ${NAME} stand for an element type and a size; a dim that
// the program does not name so is the size of a dynamic dim, as --dim gives it.
// The family has a case for each combination: four here.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_BENCHCASE_H
#define FUSE_TOOLS_FUSE_BENCHCASE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace fuse::driver {

/// A program at one set of sizes.
struct BenchCase {
  /// "softmax bf16 columns=1024 rows=8192".
  std::string name;
  /// Of a grid; of a file its name without folder and extension.
  std::string family;
  /// Empty if the program says it all.
  std::string dtype;
  /// Stands for the text in errors.
  std::string fileName;
  std::string text;
  std::string entry;
  /// NAME=SIZE of each dim, also of those that the text has got.
  std::vector<std::string> sizes;
  /// NAME=SIZE of the dynamic dims.
  std::vector<std::string> dims;
};

/// The cases of one program: one for each combination of `dims`, which are
/// NAME=SIZE,SIZE,....
llvm::Expected<std::vector<BenchCase>>
readBenchFile(llvm::StringRef path, llvm::StringRef entry,
              llvm::ArrayRef<std::string> dims);

/// The cases of a grid. Errors name the place in it.
llvm::Expected<std::vector<BenchCase>> readBenchGrid(llvm::StringRef path);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_BENCHCASE_H
