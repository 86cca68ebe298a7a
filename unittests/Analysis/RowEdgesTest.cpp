//===- RowEdgesTest.cpp - Vectors of rows that start anywhere -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/RowEdges.h"
#include "gtest/gtest.h"

#include <algorithm>

using namespace mlir::fuse;

TEST(RowEdges, EachThreadHasAsManyVectors) {
  RowEdges edges = rowEdges(/*length=*/197, /*vector=*/4, /*threads=*/16,
                            /*elementBytes=*/2);
  EXPECT_EQ(edges.even, 48);
  EXPECT_EQ(edges.unit, 4);
  EXPECT_EQ(edges.least, 48);
}

TEST(RowEdges, VectorsStartAtALineWhereThatLeavesRoomForEdges) {
  // 63 elements at most before the first vector, and as many vectors as before.
  EXPECT_EQ(rowEdges(1100, 8, 128, 2).unit, 64);
  EXPECT_EQ(rowEdges(1100, 8, 128, 2).even, 128);
  // Too few threads for the elements before a line.
  EXPECT_EQ(rowEdges(1001, 8, 16, 2).unit, 8);
  EXPECT_EQ(rowEdges(1001, 8, 16, 2).even, 0);
}

TEST(RowEdges, FullVectorsStartAtSectors) {
  // As of 16 bits, but vectors of 16 bytes would start within one.
  RowEdges edges = rowEdges(197, 4, 16, /*elementBytes=*/4);
  EXPECT_EQ(edges.even, 0);
  EXPECT_EQ(edges.unit, 8);
}

TEST(RowEdges, ShortRowsMayHaveNoVector) {
  EXPECT_EQ(rowEdges(3, 8, 16, 2).least, 0);
  EXPECT_EQ(rowEdges(3, 8, 16, 2).even, 0);
}

/// Whatever the place of a row, its vectors fit, and edges have a thread each.
TEST(RowEdges, EveryPlaceOfARow) {
  for (auto [vector, bytes] :
       {std::pair<int64_t, int64_t>{2, 2}, {4, 2}, {8, 2}, {4, 4}, {2, 8}})
    for (int64_t threads : {16, 32, 64, 128, 1024})
      for (int64_t length = 1; length < 4000; length += 7) {
        RowEdges edges = rowEdges(length, vector, threads, bytes);
        for (int64_t head = 0; head < edges.unit; ++head) {
          int64_t before = std::min(head, length);
          int64_t vectors =
              edges.even > 0 ? edges.even : (length - before) / vector;
          ASSERT_LE(before + vectors * vector, length);
          ASSERT_GE(vectors, edges.even > 0 ? edges.even : edges.least);
          ASSERT_LE(length - vectors * vector, threads)
              << length << " in vectors of " << vector << " by " << threads;
        }
      }
}
