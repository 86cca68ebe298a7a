//===- TimeModelTest.cpp - What the model of time says --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measured on an H200 with CUDA kernels written by hand, bf16, medians with a
// cold L2. The registers are ptxas's where they are known.
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/TimeModel.h"
#include "gtest/gtest.h"
#include <ostream>

using namespace mlir::fuse;

namespace {
struct Measurement {
  const char *op;
  int64_t rows, columns;
  /// Threads of a row, which is a block, and vectors of 8 elements of each.
  int64_t threads, vectors;
  int64_t registers;
  bool isShared;
  double microseconds;
};

// GoogleTest looks for this name. NOLINTNEXTLINE(readability-identifier-naming)
void PrintTo(const Measurement &m, std::ostream *os) {
  *os << m.op << " " << m.rows << "x" << m.columns << " " << m.threads << "x"
      << m.vectors;
}

GPUTarget h200() {
  GPUTarget target = llvm::cantFail(lookupGPUTarget("sm_90"));
  target.memoryBytesPerSecond = 4.8e12;
  return target;
}

BlockWork workOf(const Measurement &m) {
  bool isSoftmax = llvm::StringRef(m.op) == "softmax";
  double elements = 8.0 * m.vectors;
  BlockWork work;
  work.blocks = m.rows;
  work.threads = m.threads;
  work.registers = m.registers;
  work.sharedBytes = m.isShared ? 2 * m.columns : 0;
  work.memoryBytes = 4 * m.columns;
  work.instructions = elements * (isSoftmax ? 10 : 6);
  work.specials = isSoftmax ? elements : 1;
  work.reductions = isSoftmax ? 2 : 1;
  // The weights are loaded late where registers are full.
  bool isFull = m.registers > 200 || m.registers * m.threads >= 65536;
  work.cachedWaits = !isSoftmax && isFull;
  return work;
}

double predicted(const Measurement &m) {
  return 1e6 * estimateTime(h200(), workOf(m)).seconds;
}

// Each group from fast to slow; what lies within the noise is left out.
const Measurement softmax16384[] = {
    {"softmax", 16384, 16384, 256, 8, 110, false, 262},
    {"softmax", 16384, 16384, 128, 16, 254, false, 267},
    {"softmax", 16384, 16384, 512, 4, 79, false, 430}};
const Measurement rms8192[] = {{"rms", 32768, 8192, 256, 4, 80, false, 263.4},
                               {"rms", 32768, 8192, 64, 16, 250, false, 280},
                               {"rms", 32768, 8192, 512, 2, 68, false, 589}};
const Measurement rms4096[] = {{"rms", 32768, 4096, 64, 8, 110, false, 134.3},
                               {"rms", 32768, 4096, 32, 16, 250, false, 137.9},
                               {"rms", 32768, 4096, 512, 1, 56, false, 239.6}};
const Measurement rms32768[] = {{"rms", 8192, 32768, 512, 8, 40, true, 265},
                                {"rms", 8192, 32768, 512, 8, 115, false, 283},
                                {"rms", 8192, 32768, 256, 16, 250, false, 342},
                                {"rms", 8192, 32768, 1024, 4, 64, false, 349}};
const Measurement small[] = {{"rms", 4096, 4096, 256, 2, 60, false, 20.7},
                             {"rms", 4096, 4096, 128, 4, 80, false, 21.5},
                             {"rms", 4096, 4096, 64, 8, 110, false, 22.5},
                             {"rms", 4096, 4096, 512, 1, 56, false, 34.8}};
const llvm::ArrayRef<Measurement> groups[] = {softmax16384, rms8192, rms4096,
                                              rms32768, small};

class MeasuredTest : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Groups, MeasuredTest,
                         ::testing::Range(0, int(std::size(groups))));
} // namespace

// The model's constants are those of kernels that Fuse makes, a tenth of whose
// time it cannot tell.
TEST_P(MeasuredTest, OrderIsRight) {
  llvm::ArrayRef<Measurement> group = groups[GetParam()];
  for (const Measurement &fast : group)
    for (const Measurement &slow : group)
      if (slow.microseconds > 1.1 * fast.microseconds)
        EXPECT_LT(predicted(fast), predicted(slow))
            << ::testing::PrintToString(fast) << " against "
            << ::testing::PrintToString(slow);
}

TEST_P(MeasuredTest, TimesAreWithinAFifth) {
  double fastest = groups[GetParam()].front().microseconds;
  for (const Measurement &m : groups[GetParam()])
    if (m.microseconds < 1.5 * fastest)
      EXPECT_NEAR(predicted(m) / m.microseconds, 1, 0.2)
          << ::testing::PrintToString(m);
}

TEST_P(MeasuredTest, WhatIsFarSlowerIsPredictedToBe) {
  const Measurement &fastest = groups[GetParam()].front();
  for (const Measurement &m : groups[GetParam()])
    if (m.microseconds >= 1.5 * fastest.microseconds)
      EXPECT_GT(predicted(m), 1.15 * predicted(fastest))
          << ::testing::PrintToString(m);
}

TEST(TimeModelTest, SaysWhatASlowScheduleWaitsFor) {
  EXPECT_EQ(estimateTime(h200(), workOf(rms8192[0])).limit, TimeLimit::Memory);
  EXPECT_EQ(estimateTime(h200(), workOf(rms8192[2])).limit, TimeLimit::Waiting);
  BlockWork tiny;
  tiny.memoryBytes = 1024;
  EXPECT_EQ(estimateTime(h200(), tiny).limit, TimeLimit::Launch);
}

TEST(TimeModelTest, MoreOfAnythingTakesNoLess) {
  const BlockWork base = workOf(rms8192[0]);
  double seconds = estimateTime(h200(), base).seconds;
  auto expectNoLess = [&](const char *what, auto change) {
    for (double factor : {1.5, 3.0, 20.0}) {
      BlockWork more = base;
      change(more, factor);
      EXPECT_GE(estimateTime(h200(), more).seconds, seconds)
          << what << " times " << factor;
    }
  };
  expectNoLess("blocks", [](BlockWork &w, double f) { w.blocks *= f; });
  expectNoLess("bytes", [](BlockWork &w, double f) { w.memoryBytes *= f; });
  expectNoLess("cached bytes",
               [](BlockWork &w, double f) { w.cachedBytes = 1e4 * f; });
  expectNoLess("instructions",
               [](BlockWork &w, double f) { w.instructions *= f; });
  expectNoLess("specials",
               [](BlockWork &w, double f) { w.specials = 100 * f; });
  expectNoLess("waits", [](BlockWork &w, double f) { w.memoryWaits *= f; });
  expectNoLess("reductions", [](BlockWork &w, double f) { w.reductions *= f; });
  expectNoLess("registers", [](BlockWork &w, double f) { w.registers *= f; });
  expectNoLess("shared memory",
               [](BlockWork &w, double f) { w.sharedBytes = 16384 * f; });
}

TEST(TimeModelTest, FasterMemoryTakesLess) {
  GPUTarget slower = h200();
  slower.memoryBytesPerSecond /= 2;
  BlockWork work = workOf(rms8192[0]);
  EXPECT_LT(1.5 * estimateTime(h200(), work).seconds,
            estimateTime(slower, work).seconds);
}

TEST(TimeModelTest, ResidentBlocksFollowEachLimit) {
  BlockWork work;
  work.threads = 128;
  work.registers = 32;
  EXPECT_EQ(residentBlocks(h200(), work), 16) << "2048 threads";
  work.threads = 32;
  EXPECT_EQ(residentBlocks(h200(), work), 32) << "32 blocks";
  work.threads = 512;
  work.registers = 64;
  EXPECT_EQ(residentBlocks(h200(), work), 2) << "65536 registers";
  work.registers = 65;
  EXPECT_EQ(residentBlocks(h200(), work), 1) << "in units of 8 a thread";
  work.registers = 129;
  EXPECT_EQ(residentBlocks(h200(), work), 0);
  work.registers = 32;
  work.sharedBytes = 100 * 1024;
  EXPECT_EQ(residentBlocks(h200(), work), 2) << "228 KiB";
}
