//===- EvaluateTest.cpp - Tests of the oracle's numbers -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir::fuse::reference;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

static constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Evaluate, BroadcastsStaticOnes) {
  Program add(R"((%x: tensor<2x1xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
    %z = fuse.sub %x, %y : tensor<2x1xf32>, tensor<3xf32> -> tensor<2x3xf32>
    return %z : tensor<2x3xf32> })");
  Value z = add({floats({2, 1}, {10, 20}), floats({3}, {1, 2, 3})});
  EXPECT_THAT(z.data, ElementsAre(9, 8, 7, 19, 18, 17));
}

TEST(Evaluate, RefusesUnequalDynamicSizes) {
  Program add(R"((%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
    %z = fuse.add %x, %y : tensor<?xf32>
    return %z : tensor<?xf32> })");
  EXPECT_THAT(add.getError({floats({1}, {1}), floats({3}, {1, 2, 3})}),
              HasSubstr("expected the sizes of the operands to be equal, but "
                        "got 1 and 3; pass inputs of such sizes"));
}

TEST(Evaluate, RefusesWrongInputs) {
  Program neg(R"((%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = fuse.neg %x : tensor<2xf32>
    return %y : tensor<2xf32> })");
  EXPECT_THAT(neg.getError({}), HasSubstr("expected 1 inputs, but got 0"));
  EXPECT_THAT(neg.getError({floats({3}, {1, 2, 3})}),
              HasSubstr("expected a value of type tensor<2xf32>, but got one "
                        "of 3xf32"));
}

TEST(Evaluate, DividesIntegersTowardsZero) {
  Program div(R"((%x: tensor<5xi32>, %y: tensor<5xi32>) -> tensor<5xi32> {
    %z = fuse.div %x, %y : tensor<5xi32>
    return %z : tensor<5xi32> })");
  int64_t min = std::numeric_limits<int32_t>::min();
  Value z = div(
      {integers({5}, {7, -7, 7, 9, min}), integers({5}, {2, 2, -2, 0, -1})});
  EXPECT_THAT(z.ints, ElementsAre(3, -3, -3, 0, min));
}

TEST(Evaluate, WrapsIntegers) {
  Program mul(R"((%x: tensor<2xi32>) -> tensor<2xi32> {
    %z = fuse.mul %x, %x : tensor<2xi32>
    return %z : tensor<2xi32> })");
  EXPECT_THAT(mul({integers({2}, {65536, 65537})}).ints,
              ElementsAre(0, 131073));
}

TEST(Evaluate, CastsFloatsToIntegers) {
  Program cast(R"((%x: tensor<6xf32>) -> tensor<6xi32> {
    %z = fuse.cast %x : tensor<6xf32> -> tensor<6xi32>
    return %z : tensor<6xi32> })");
  Value z = cast({floats({6}, {1.9, -1.9, NAN, kInf, -kInf, 0x1p31})});
  int64_t max = std::numeric_limits<int32_t>::max();
  EXPECT_THAT(z.ints, ElementsAre(1, -1, 0, max, -max - 1, max));
}

TEST(Evaluate, CastsToNarrowFloatsRound) {
  Program cast(R"((%x: tensor<3xf32>) -> tensor<3xf16> {
    %z = fuse.cast %x : tensor<3xf32> -> tensor<3xf16>
    return %z : tensor<3xf16> })");
  Value z = cast({floats({3}, {1.0 + 0x1p-11, 70000.0, -0x1p-26})});
  EXPECT_THAT(z.data, ElementsAre(1.0, kInf, 0.0));
  EXPECT_THAT(z.error, ElementsAre(0.0, 0.0, 0.0));
}

TEST(Evaluate, MinimaKeepNaN) {
  Program min(R"((%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
    %z = fuse.min %x, %y : tensor<3xf32>
    return %z : tensor<3xf32> })");
  Value z = min({floats({3}, {1, NAN, 3}), floats({3}, {2, 1, NAN})});
  EXPECT_EQ(z.data[0], 1.0);
  EXPECT_TRUE(std::isnan(z.data[1]) && std::isnan(z.data[2]));
}

TEST(Evaluate, ReducesAnyDimensions) {
  Program sum(R"((%x: tensor<2x2x3xi64>) -> tensor<2xi64> {
    %z = fuse.reduce sum %x dims = [0, 2] : tensor<2x2x3xi64> -> tensor<2xi64>
    return %z : tensor<2xi64> })");
  Value x =
      integers({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, DType::I64);
  EXPECT_THAT(sum({x}).ints, ElementsAre(30, 48));
}

static double reduceEmpty(llvm::StringRef kind) {
  Program reduce(("(%x: tensor<?xf32>) -> tensor<f32> {\n%z = fuse.reduce " +
                  kind +
                  " %x dims = [0] : tensor<?xf32> -> tensor<f32>\n"
                  "return %z : tensor<f32> }")
                     .str());
  return reduce({floats({0}, {})}).data[0];
}

TEST(Evaluate, ReducesNothingToTheIdentity) {
  EXPECT_EQ(reduceEmpty("sum"), 0.0);
  EXPECT_EQ(reduceEmpty("prod"), 1.0);
  EXPECT_EQ(reduceEmpty("max"), -kInf);
  EXPECT_EQ(reduceEmpty("min"), kInf);
  EXPECT_TRUE(std::isnan(reduceEmpty("mean")));
}

TEST(Evaluate, LogSumExpKeepsInfinities) {
  Program sum(R"((%x: tensor<2x2xf32>) -> tensor<2xf32> {
    %z = fuse.logsumexp %x dims = [1] : tensor<2x2xf32> -> tensor<2xf32>
    return %z : tensor<2xf32> })");
  Value z = sum({floats({2, 2}, {-kInf, -kInf, kInf, 1})});
  EXPECT_THAT(z.data, ElementsAre(-kInf, kInf));
}

TEST(Evaluate, SoftmaxOfNothingButMinusInfinityIsNaN) {
  Program softmax(R"((%x: tensor<2xf32>) -> tensor<2xf32> {
    %z = fuse.softmax %x dims = [0] : tensor<2xf32>
    return %z : tensor<2xf32> })");
  Value z = softmax({floats({2}, {-kInf, -kInf})});
  EXPECT_TRUE(std::isnan(z.data[0]) && std::isnan(z.data[1]));
}

TEST(Evaluate, IotaCountsFromBothEnds) {
  Program iota(R"((%x: tensor<?x2xf32>) -> tensor<?x2xi32> {
    %z = fuse.iota dim = 0 from_end like %x : tensor<?x2xf32> -> tensor<?x2xi32>
    return %z : tensor<?x2xi32> })");
  EXPECT_THAT(iota({floats({2, 2}, {0, 0, 0, 0})}).ints,
              ElementsAre(-2, -2, -1, -1));
}

TEST(Evaluate, ConstantsNeedNotBeSplats) {
  Program constant(R"(() -> tensor<2x2xf16> {
    %z = fuse.constant dense<[[1.0, 2.0], [3.0, 4.5]]> : tensor<2x2xf16>
    return %z : tensor<2x2xf16> })");
  EXPECT_THAT(constant({}).data, ElementsAre(1, 2, 3, 4.5));
}

TEST(Evaluate, ReshapesByDynamicSizes) {
  Program expand(R"((%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?x2xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %y, %c0 : tensor<?xf32>
    %z = tensor.expand_shape %x [[0, 1]] output_shape [%n, 2]
       : tensor<?xf32> into tensor<?x2xf32>
    return %z : tensor<?x2xf32> })");
  Value x = floats({4}, {1, 2, 3, 4});
  EXPECT_THAT(expand({x, floats({2}, {0, 0})}).shape, ElementsAre(2, 2));
  EXPECT_THAT(expand.getError({x, floats({1}, {0})}),
              HasSubstr("numbers of elements"));
}

TEST(Evaluate, ComputesSizes) {
  Program expand(R"((%x: tensor<?xf32>) -> tensor<?x2xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %twice = arith.muli %n, %c2 : index
    %more = arith.addi %twice, %c1 : index
    %less = arith.subi %more, %n : index
    %rounded = arith.ceildivui %less, %c2 : index
    %rest = arith.remui %less, %c2 : index
    %m = arith.subi %rounded, %rest : index
    %z = tensor.expand_shape %x [[0, 1]] output_shape [%m, 2]
       : tensor<?xf32> into tensor<?x2xf32>
    return %z : tensor<?x2xf32> })");
  // n + 1 is odd: half of it, rounded up, less one.
  EXPECT_THAT(expand({floats({4}, {1, 2, 3, 4})}).shape, ElementsAre(2, 2));
  Program by(R"((%x: tensor<?xf32>) -> tensor<?x2xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %m = arith.divui %n, %c0 : index
    %z = tensor.expand_shape %x [[0, 1]] output_shape [%m, 2]
       : tensor<?xf32> into tensor<?x2xf32>
    return %z : tensor<?x2xf32> })");
  EXPECT_THAT(by.getError({floats({2}, {1, 2})}),
              HasSubstr("expected a positive divisor of a size, but got 0"));
}

TEST(Evaluate, RunsTheBodyOfAKernel) {
  Program kernel(R"((%x: tensor<?xf32>) -> tensor<?xf32> {
    %y = fuse.kernel "double" ins(%x : tensor<?xf32>) -> tensor<?xf32> {
    ^bb0(%a: tensor<?xf32>):
      %s = fuse.add %a, %a : tensor<?xf32>
      fuse.yield %s : tensor<?xf32>
    }
    return %y : tensor<?xf32> })");
  EXPECT_THAT(kernel({floats({2}, {1, 2})}).data, ElementsAre(2, 4));
}

//===----------------------------------------------------------------------===//
// Rotary
//===----------------------------------------------------------------------===//

TEST(Evaluate, RotatesPairsByTheirAngle) {
  Program rotary(R"((%x: tensor<2x1x4xf64>) -> tensor<2x1x4xf64> {
    %z = fuse.rotary interleaved tokens_heads %x base = 100.0
       : tensor<2x1x4xf64>
    return %z : tensor<2x1x4xf64> })");
  Value z = rotary({floats({2, 1, 4}, {1, 0, 0, 1, 1, 0, 0, 1}, DType::F64)});
  // Token 0 stays; pairs 0 and 1 of token 1 turn by 1 and by 100^(-1/2).
  EXPECT_THAT(std::vector(z.data.begin(), z.data.begin() + 4),
              ElementsAre(1, 0, 0, 1));
  EXPECT_DOUBLE_EQ(z.data[4], std::cos(1.0));
  EXPECT_DOUBLE_EQ(z.data[5], std::sin(1.0));
  EXPECT_DOUBLE_EQ(z.data[6], -std::sin(0.1));
  EXPECT_DOUBLE_EQ(z.data[7], std::cos(0.1));
}

TEST(Evaluate, RotatesBackWithInverse) {
  Program rotary(R"((%x: tensor<3x2x6xf64>, %p: tensor<3xi32>)
      -> tensor<3x2x6xf64> {
    %y = fuse.rotary half tokens_heads %x positions(%p) base = 1.0e4 dims = 4
       : tensor<3x2x6xf64>, tensor<3xi32>
    %z = fuse.rotary half tokens_heads %y positions(%p) base = 1.0e4 dims = 4
       inverse : tensor<3x2x6xf64>, tensor<3xi32>
    return %z : tensor<3x2x6xf64> })");
  Value x = randomFloats({3, 2, 6}, DType::F64, 1);
  Value z = rotary({x, integers({3}, {5, 1000000, -3})});
  for (int64_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(z.data[i], x.data[i], 1e-12);
}

TEST(Evaluate, TablesClampPositions) {
  Program rotary(R"((%x: tensor<1x3x2xf32>, %c: tensor<2x1xf32>,
      %s: tensor<2x1xf32>, %p: tensor<1x3xi64>) -> tensor<1x3x2xf32> {
    %z = fuse.rotary half heads_tokens %x tables(%c, %s) positions(%p)
       : tensor<1x3x2xf32>, tensor<2x1xf32>, tensor<1x3xi64>
    return %z : tensor<1x3x2xf32> })");
  Value z = rotary({floats({1, 3, 2}, {1, 0, 1, 0, 1, 0}),
                    floats({2, 1}, {2, 3}), floats({2, 1}, {4, 5}),
                    integers({1, 3}, {-7, 1, 9}, DType::I64)});
  EXPECT_THAT(z.data, ElementsAre(2, 4, 3, 5, 3, 5));
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

TEST(Evaluate, CausalAttentionSeesThePast) {
  // Zero queries weigh all visible keys alike; query 0 of 2 sees 2 of 3 keys.
  Program attention(R"((%q: tensor<1x2x1x2xf32>, %k: tensor<1x3x1x2xf32>,
      %v: tensor<1x3x1x2xf32>) -> tensor<1x2x1x2xf32> {
    %o = fuse.attention tokens_heads causal %q, %k, %v
       : tensor<1x2x1x2xf32>, tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>
    return %o : tensor<1x2x1x2xf32> })");
  Value o = attention({floats({1, 2, 1, 2}, {0, 0, 0, 0}),
                       floats({1, 3, 1, 2}, {1, 2, 3, 4, 5, 6}),
                       floats({1, 3, 1, 2}, {3, 0, 9, 0, 6, 30})});
  EXPECT_THAT(o.data, ElementsAre(6, 0, 6, 10));
}
