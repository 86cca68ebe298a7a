//===- RowEdges.cpp - Vectors of rows that start anywhere -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/RowEdges.h"

#include <algorithm>

using namespace mlir::fuse;

/// Vectors of 16 bytes in a line of the caches; wider ones fill several lines,
/// narrower ones a part.
static constexpr int64_t lineVectors = 8;

RowEdges mlir::fuse::rowEdges(int64_t length, int64_t vector, int64_t threads) {
  auto startingAt = [&](int64_t unit) -> RowEdges {
    int64_t least = std::max<int64_t>(0, length - (unit - 1)) / vector;
    int64_t even = least - least % threads;
    bool isEven = length - even * vector <= threads;
    return {unit, least, isEven ? even : 0};
  };
  int64_t line = lineVectors * vector;
  for (int64_t unit = line; unit >= vector; unit /= 2)
    if (RowEdges edges = startingAt(unit); edges.even > 0)
      return edges;
  int64_t unit = line;
  while (unit > vector && unit + vector > threads)
    unit /= 2;
  return startingAt(unit);
}
