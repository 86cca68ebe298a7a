//===- QuartilesTest.cpp - Tests of medians and quartiles -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quartiles.h"
#include "gtest/gtest.h"
#include <cmath>

using fuse::driver::Quartiles;

TEST(Quartiles, InterpolatesBetweenNeighbours) {
  Quartiles odd = Quartiles::of({5, 1, 3});
  EXPECT_DOUBLE_EQ(odd.q1, 2);
  EXPECT_DOUBLE_EQ(odd.median, 3);
  EXPECT_DOUBLE_EQ(odd.q3, 4);
  EXPECT_EQ(odd.runs, 3u);
  Quartiles even = Quartiles::of({1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(even.q1, 1.75);
  EXPECT_DOUBLE_EQ(even.median, 2.5);
  EXPECT_DOUBLE_EQ(even.q3, 3.25);
}

TEST(Quartiles, OfFewAndOfNone) {
  EXPECT_DOUBLE_EQ(Quartiles::of({7}).q1, 7);
  EXPECT_DOUBLE_EQ(Quartiles::of({7}).q3, 7);
  EXPECT_EQ(Quartiles::of({}).runs, 0u);
}

TEST(Quartiles, TheMedianIsUncertainByTheSpread) {
  // The quartiles are 2 and 4: half of that over the root of 3, of 3.
  EXPECT_DOUBLE_EQ(Quartiles::of({5, 1, 3}).uncertainty(),
                   1 / std::sqrt(3.0) / 3);
  EXPECT_DOUBLE_EQ(Quartiles::of({3, 3, 3}).uncertainty(), 0);
  EXPECT_TRUE(std::isinf(Quartiles::of({3, 3}).uncertainty()));
}

TEST(Quartiles, AsMicroseconds) {
  llvm::json::Object object = Quartiles::of({1e-6, 3e-6, 5e-6}).json();
  EXPECT_DOUBLE_EQ(*object.getNumber("us"), 3);
  EXPECT_DOUBLE_EQ(*object.getNumber("q1_us"), 2);
  EXPECT_DOUBLE_EQ(*object.getNumber("q3_us"), 4);
  EXPECT_EQ(*object.getInteger("runs"), 3);
}
