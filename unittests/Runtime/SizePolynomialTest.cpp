//===- SizePolynomialTest.cpp - Sizes compared as polynomials -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/SizePolynomial.h"
#include "gtest/gtest.h"

using namespace fuse::jit;
using fuse::runtime::SizeExpr;

static const SizeExpr a = SizeExpr::symbol(0), b = SizeExpr::symbol(1),
                      c = SizeExpr::symbol(2);

TEST(SizePolynomial, ComparesSums) {
  EXPECT_TRUE(isSameSize((a + 10) + 1, a + 11));
  EXPECT_TRUE(isSameSize(((a + 10) + 1) * b * 5, b * (a + 11) * 5));
  EXPECT_TRUE(isSameSize((a + b) - a, b));
  EXPECT_TRUE(isSameSize(a - a, 0));
  EXPECT_FALSE(isSameSize(a + 10, a + 11));
  EXPECT_FALSE(isSameSize(a + b, a * b));
}

TEST(SizePolynomial, MultipliesSumsOut) {
  EXPECT_TRUE(isSameSize((a + 1) * (b + 2), a * b + a * 2 + b + 2));
  EXPECT_TRUE(isSameSize((a + b) * 2, a + b + a + b));
  EXPECT_FALSE(isSameSize((a + b) * 2, a + b + a));
}

TEST(SizePolynomial, DividesExactly) {
  EXPECT_TRUE(isSameSize(floorDiv(a * b * 4, b * 2), a * 2));
  EXPECT_TRUE(isSameSize(ceilDiv((a + 1) * (b + c), b + c), a + 1));
  EXPECT_TRUE(isSameSize(floorDiv(a * a - 1, a + 1), a - 1));
  EXPECT_FALSE(isSameSize(floorDiv(a, 2) * 2, a));
  EXPECT_FALSE(isSameSize(floorDiv(a, 2), ceilDiv(a, 2)));
  EXPECT_TRUE(isSameSize(floorDiv(a + 1 + 1, 4), floorDiv(2 + a, 4)));
}

TEST(SizePolynomial, DividesWithARest) {
  EXPECT_TRUE(isDivisor(b, a * b));
  EXPECT_TRUE(isDivisor(a + 1, (1 + a) * b));
  EXPECT_FALSE(isDivisor(a + 1, a * b));
  EXPECT_FALSE(isDivisor(2, a));
  EXPECT_FALSE(isDivisor(a - a, b));
}

TEST(SizePolynomial, GivesUpOnManyTermsAndOverflow) {
  SizeExpr product = 1;
  for (unsigned i = 0; i < 60; ++i)
    product = product * (SizeExpr::symbol(i) + 1);
  EXPECT_TRUE(isSameSize(product, product));
  EXPECT_FALSE(isSameSize(product, product * 2));
  SizeExpr large = a * INT64_MAX;
  EXPECT_TRUE(isSameSize(large + large, large + large));
  EXPECT_FALSE(isSameSize(large + large, a * -2));
}
