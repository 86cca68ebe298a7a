//===- RowSample.h - Some rows of a run -------------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run that is too large for the oracle can be compared on some of its rows,
// if the program computes each row from that row alone: softmax does, a sum
// over the rows does not, and neither does what counts them. Of the arrays
//
//   x: [rows, 4096], w: [4096] -> y: [rows, 4096]
//
// a sample has w, and the same few rows of x and y.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_ROWSAMPLE_H
#define FUSE_TOOLS_FUSE_ROWSAMPLE_H

#include "Array.h"
#include "fuse/Runtime/ProgramSpec.h"
#include <optional>

namespace fuse::driver {

/// The arrays of a call with fewer rows.
struct RowSample {
  int64_t rows = 0;
  std::vector<Array> inputs;
  std::vector<Array> outputs;
};

/// At most `count` rows, from the first to the last at equal distances. None if
/// the outputs do not all begin with the same dynamic dim, if that occurs
/// anywhere but at the front of an argument or result, and if there are no
/// rows.
llvm::Expected<std::optional<RowSample>>
sampleRows(const runtime::ProgramSpec &spec, llvm::ArrayRef<Array> inputs,
           llvm::ArrayRef<Array> outputs, int64_t count);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_ROWSAMPLE_H
