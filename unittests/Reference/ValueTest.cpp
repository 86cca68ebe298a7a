//===- ValueTest.cpp - Tests of types and buffers -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace mlir::fuse::reference;

TEST(Value, RoundsToNearestEven) {
  EXPECT_EQ(roundTo(DType::F16, 1.0 + 0x1p-11), 1.0);
  EXPECT_EQ(roundTo(DType::F16, 1.0 + 0x3p-11), 1.0 + 0x1p-9);
  EXPECT_EQ(roundTo(DType::BF16, 1.0 + 0x1.1p-8), 1.0 + 0x1p-7);
  EXPECT_EQ(roundTo(DType::F16, 0x1p-25), 0.0);
  EXPECT_EQ(roundTo(DType::F16, 0x1.1p-25), 0x1p-24);
  EXPECT_TRUE(std::signbit(roundTo(DType::BF16, -0x1p-200)));
}

TEST(Value, OverflowsAtTheThreshold) {
  EXPECT_EQ(getMaxFinite(DType::F16), 65504.0);
  EXPECT_EQ(roundTo(DType::F16, 65519.9), 65504.0);
  EXPECT_TRUE(std::isinf(roundTo(DType::F16, 65520.0)));
  EXPECT_EQ(roundTo(DType::F32, -0x1p128), -INFINITY);
}

TEST(Value, HasTheSpacingOfItsType) {
  EXPECT_EQ(getUlp(DType::F32, 1.0), 0x1p-23);
  EXPECT_EQ(getUlp(DType::F16, 0.0), 0x1p-24);
  EXPECT_EQ(getUlp(DType::BF16, 3.0), 0x1p-6);
  EXPECT_EQ(getUlp(DType::F64, 0.0), 0x1p-1074);
}

/// Every 16-bit pattern but NaN survives the way to f64 and back.
static void checkAllPatterns(DType dtype) {
  for (unsigned pattern = 0; pattern < 0x10000; ++pattern) {
    uint16_t bits = pattern, written;
    Value value = fromBuffer(dtype, {1}, &bits);
    if (std::isnan(value.data[0]))
      continue;
    toBuffer(value, &written);
    ASSERT_EQ(written, bits) << getName(dtype).str();
  }
}

TEST(Value, KeepsEveryNumberOf16Bits) {
  checkAllPatterns(DType::F16);
  checkAllPatterns(DType::BF16);
}

TEST(Value, WritesIntegersAndBooleans) {
  int64_t numbers[] = {std::numeric_limits<int64_t>::min(), 3};
  EXPECT_EQ(0,
            std::memcmp(getBytes(fromBuffer(DType::I64, {2}, numbers)).data(),
                        numbers, sizeof(numbers)));
  uint8_t flags[] = {0, 1, 255};
  EXPECT_EQ(getBytes(fromBuffer(DType::I1, {3}, flags)),
            (std::vector<char>{0, 1, 1}));
}
