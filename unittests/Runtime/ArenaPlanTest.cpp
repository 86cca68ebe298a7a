//===- ArenaPlanTest.cpp --------------------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArenaPlan.h"
#include "TestPrograms.h"
#include "gtest/gtest.h"
#include <random>

using namespace fuse::runtime;
using llvm::cantFail;

TEST(ArenaPlan, SharesBytesOfThoseThatNeverMeet) {
  // h: [0, 1], a: [1, 2], b: [2, 3]: b takes h's place.
  ArenaPlan plan = cantFail(planArena({{512, 0, 1}, {512, 1, 2}, {512, 2, 3}}));
  EXPECT_EQ(plan.offsets[0], plan.offsets[2]);
  EXPECT_NE(plan.offsets[0], plan.offsets[1]);
  EXPECT_EQ(plan.bytes, 1024);
}

TEST(ArenaPlan, SeparatesThoseThatMeetInOneStep) {
  ArenaPlan plan = cantFail(planArena({{100, 0, 1}, {100, 1, 2}}));
  EXPECT_EQ(std::abs(plan.offsets[0] - plan.offsets[1]), 256);
}

TEST(ArenaPlan, FillsGaps) {
  // The big one dies; two small ones fit in its place beside the survivor.
  ArenaPlan plan = cantFail(
      planArena({{1024, 0, 0}, {768, 0, 2}, {512, 1, 1}, {512, 1, 1}}));
  EXPECT_EQ(plan.bytes, 1024 + 768);
}

TEST(ArenaPlan, EmptyNeedsNothing) {
  EXPECT_EQ(cantFail(planArena({})).bytes, 0);
  EXPECT_EQ(cantFail(planArena({{0, 0, 1}, {0, 0, 1}})).bytes, 0);
}

TEST(ArenaPlan, RefusesOverflow) {
  int64_t half = (int64_t(1) << 55) + 1;
  EXPECT_NE(message(planArena({{half, 0, 0}, {half, 0, 0}})), "");
  EXPECT_NE(message(planArena({{INT64_MAX, 0, 0}})), "");
  EXPECT_NE(message(planArena({{-1, 0, 0}})), "");
}

TEST(ArenaPlan, NeverOverlapsWhatMeets) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    llvm::SmallVector<ArenaItem> items;
    for (int i = 0; i < 12; ++i) {
      unsigned first = random() % 8;
      items.push_back(
          {int64_t(random() % 2000), first, first + unsigned(random() % 4)});
    }
    ArenaPlan plan = cantFail(planArena(items));
    for (unsigned i = 0; i < items.size(); ++i) {
      EXPECT_EQ(plan.offsets[i] % 256, 0);
      EXPECT_LE(plan.offsets[i] + items[i].bytes, plan.bytes);
      for (unsigned j = 0; j < i; ++j) {
        bool meet =
            items[i].first <= items[j].last && items[j].first <= items[i].last;
        bool share = plan.offsets[i] < plan.offsets[j] + items[j].bytes &&
                     plan.offsets[j] < plan.offsets[i] + items[i].bytes;
        EXPECT_FALSE(meet && share);
      }
    }
  }
}
