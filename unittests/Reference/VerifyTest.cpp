//===- VerifyTest.cpp - Tests of the comparison with the oracle -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Reference/Verify.h"
#include "Program.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir::fuse::reference;

static Report compareOne(DType dtype, double expected, double bound,
                         double actual) {
  Value value = floats({1}, {expected}, dtype);
  value.error = {bound};
  return compare(value, getBytes(floats({1}, {actual}, dtype)).data());
}

TEST(Verify, AcceptsWhatIsWithinTheBound) {
  EXPECT_TRUE(compareOne(DType::F32, 1.0, 0.25, 1.25).ok());
  EXPECT_EQ(compareOne(DType::F32, 1.0, 0.25, 1.125).maxBoundRatio, 0.5);
  EXPECT_FALSE(compareOne(DType::F32, 1.0, 0.25, 1.5).ok());
  EXPECT_FALSE(compareOne(DType::F32, 1.0, 0.0, 1.0 + 0x1p-23).ok());
  EXPECT_TRUE(compareOne(DType::F32, 0.0, 0.0, -0.0).ok());
}

TEST(Verify, MatchesNaNAndInfinityOnlyWithThemselves) {
  EXPECT_TRUE(compareOne(DType::F32, NAN, 0.0, NAN).ok());
  EXPECT_FALSE(compareOne(DType::F32, NAN, 0.0, 1.0).ok());
  EXPECT_FALSE(compareOne(DType::F32, 1.0, 9.0, NAN).ok());
  EXPECT_TRUE(compareOne(DType::F32, INFINITY, 0.0, INFINITY).ok());
  EXPECT_FALSE(compareOne(DType::F32, INFINITY, 0.0, -INFINITY).ok());
}

TEST(Verify, AcceptsBothWhereARoundingMayOverflow) {
  EXPECT_TRUE(compareOne(DType::F16, 65510.0, 32.0, INFINITY).ok());
  EXPECT_TRUE(compareOne(DType::F16, 65510.0, 32.0, 65504.0).ok());
  EXPECT_FALSE(compareOne(DType::F16, 65510.0, 32.0, -INFINITY).ok());
  EXPECT_FALSE(compareOne(DType::F16, 70000.0, 32.0, 65504.0).ok());
  // An error larger than the number may change its sign.
  EXPECT_TRUE(compareOne(DType::F16, 1e6, 2e6, -INFINITY).ok());
  EXPECT_FALSE(compareOne(DType::F16, 1e6, 1.05e6, -INFINITY).ok());
}

TEST(Verify, CountsWhatHasNoBound) {
  Report report = compareOne(DType::F32, 1.0, INFINITY, NAN);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.unbounded, 1);
}

TEST(Verify, NamesTheFirstMismatch) {
  Value expected = floats({2, 2}, {1.0, 2.0, 3.0, 4.0});
  float actual[] = {1.0f, 2.0f, 3.5f, 4.5f};
  Report report = compare(expected, actual);
  EXPECT_EQ(report.mismatches, 2);
  EXPECT_EQ(report.firstMismatch, "expected 3 +- 0, but got 3.5 at [1, 0]");
  EXPECT_EQ(report.maxAbsError, 0.5);
}

TEST(Verify, ComparesWideIntegersExactly) {
  constexpr int64_t wide = (int64_t(1) << 53) + 1;
  int64_t neighbour = wide - 1;
  Value expected = integers({1}, {wide}, DType::I64);
  EXPECT_TRUE(compare(expected, &wide).ok());
  EXPECT_FALSE(compare(expected, &neighbour).ok());
}
