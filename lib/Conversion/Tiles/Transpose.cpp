//===- Transpose.cpp - Rows of registers to columns -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transpose.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// Exchanges the upper right and the lower left quarter of every square of
/// 2 x `half` rows and lanes.
static void exchange(OpBuilder &builder, Location loc, int64_t half,
                     Value &upper, Value &lower) {
  int64_t lanes = cast<VectorType>(upper.getType()).getDimSize(0);
  SmallVector<int64_t> left, right;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    bool isRight = lane & half;
    left.push_back(isRight ? lanes + lane - half : lane);
    right.push_back(isRight ? lanes + lane : lane + half);
  }
  Value top = vector::ShuffleOp::create(builder, loc, upper, lower, left);
  lower = vector::ShuffleOp::create(builder, loc, upper, lower, right);
  upper = top;
}

SmallVector<Value> mlir::fuse::transposeSquare(OpBuilder &builder, Location loc,
                                               ArrayRef<Value> rows) {
  SmallVector<Value> lines(rows);
  int64_t count = lines.size();
  for (int64_t half = 1; half < count; half *= 2)
    for (int64_t row = 0; row < count; ++row)
      if (!(row & half))
        exchange(builder, loc, half, lines[row], lines[row + half]);
  return lines;
}
