//===- SizeExprTest.cpp ---------------------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/SizeExpr.h"
#include "TestPrograms.h"
#include "gtest/gtest.h"

using namespace fuse::runtime;
using llvm::cantFail;

// Named as in the texts that are expected below.
// NOLINTNEXTLINE(readability-identifier-naming)
static const SizeExpr T = SizeExpr::symbol(0), S = SizeExpr::symbol(1);

static int64_t value(const SizeExpr &expr, int64_t t = 0, int64_t s = 0) {
  return cantFail(expr.evaluate({t, s}));
}

TEST(SizeExpr, EvaluatesEachOperator) {
  EXPECT_EQ(value(T + S, 7, 3), 10);
  EXPECT_EQ(value(T - S, 7, 3), 4);
  EXPECT_EQ(value(T * S, 7, 3), 21);
  EXPECT_EQ(value(ceilDiv(T, S), 7, 3), 3);
  EXPECT_EQ(value(ceilDiv(T, S), 6, 3), 2);
  EXPECT_EQ(value(ceilDiv(T, S), 0, 3), 0);
  EXPECT_EQ(value(floorDiv(T, S), 7, 3), 2);
  EXPECT_EQ(value(floorDiv(T, S), -1, 3), -1);
  EXPECT_EQ(value(mod(T, S), 7, 3), 1);
  EXPECT_EQ(value(min(T, S), 7, 3), 3);
  EXPECT_EQ(value(max(T, S), 7, 3), 7);
}

TEST(SizeExpr, KeepsTheOrderOfOperands) {
  EXPECT_EQ(value(ceilDiv(T, 4) * S - (T - S), 10, 3), 2);
}

TEST(SizeExpr, FoldsConstants) {
  SizeExpr expr = ceilDiv(SizeExpr(10), 4) * 2;
  ASSERT_TRUE(expr.isConstant());
  EXPECT_EQ(expr.constantValue(), 6);
}

TEST(SizeExpr, RefusesWhatHasNoValue) {
  EXPECT_EQ(message((T * S).evaluate({INT64_MAX, 2})),
            "expected '9223372036854775807 * 2' to fit in 64 bits, but it does "
            "not; pass smaller tensors");
  EXPECT_NE(message((T + S).evaluate({INT64_MAX, 1})), "");
  EXPECT_NE(message((T - S).evaluate({INT64_MIN, 1})), "");
  EXPECT_NE(message(ceilDiv(T, S).evaluate({1, 0})), "");
  EXPECT_NE(message(floorDiv(T, S).evaluate({INT64_MIN, -1})), "");
  EXPECT_NE(message(mod(T, S).evaluate({1, 0})), "");
}

TEST(SizeExpr, DoesNotFoldWhatHasNoValue) {
  SizeExpr expr = ceilDiv(SizeExpr(1), 0);
  EXPECT_FALSE(expr.isConstant());
  EXPECT_NE(message(expr.evaluate({})), "");
}

TEST(SizeExpr, PrintsNames) {
  EXPECT_EQ((ceilDiv(T, 4) * S + 1).str({"T", "S"}),
            "((ceildiv(T, 4) * S) + 1)");
}

TEST(SizeExpr, CountsSymbols) {
  EXPECT_EQ(SizeExpr(4).numSymbols(), 0u);
  EXPECT_EQ((S + 1).numSymbols(), 2u);
}

TEST(SizeExpr, PostfixMustBeOneValue) {
  using Op = SizeExpr::Op;
  SizeExpr expr = cantFail(SizeExpr::fromPostfix(
      {{Op::Symbol, 0}, {Op::Const, 4}, {Op::CeilDiv, 0}}));
  EXPECT_EQ(value(expr, 9), 3);
  EXPECT_NE(message(SizeExpr::fromPostfix({})), "");
  EXPECT_NE(message(SizeExpr::fromPostfix({{Op::Const, 1}, {Op::Const, 2}})),
            "");
  EXPECT_NE(message(SizeExpr::fromPostfix({{Op::Const, 1}, {Op::Add, 0}})), "");
  EXPECT_NE(message(SizeExpr::fromPostfix({{Op::Symbol, -1}})), "");
}
