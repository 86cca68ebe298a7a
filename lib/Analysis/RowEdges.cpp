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

static constexpr int64_t accessBytes = 16, sectorBytes = 32;

RowEdges mlir::fuse::rowEdges(int64_t length, int64_t vector, int64_t threads,
                              int64_t elementBytes) {
  auto startingAt = [&](int64_t unit) -> RowEdges {
    int64_t least = std::max<int64_t>(0, length - (unit - 1)) / vector;
    int64_t even = least - least % threads;
    bool isEven = length - even * vector <= threads;
    return {unit, least, isEven ? even : 0};
  };
  int64_t line = lineVectors * vector;
  int64_t finest = vector * elementBytes < accessBytes
                       ? vector
                       : std::max(vector, sectorBytes / elementBytes);
  for (int64_t unit = line; unit >= finest; unit /= 2)
    if (RowEdges edges = startingAt(unit); edges.even > 0)
      return edges;
  int64_t unit = line;
  while (unit > vector && unit + vector > threads)
    unit /= 2;
  return startingAt(unit);
}
