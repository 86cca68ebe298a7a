//===- MovementTest.cpp - Movement, random numbers, storage types ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "fuse/Reference/Verify.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir::fuse::reference;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

static constexpr double kInf = std::numeric_limits<double>::infinity();

/// Elements with bounds, to see that these move, too.
static Value inexact(llvm::ArrayRef<int64_t> shape,
                     std::vector<double> elements) {
  Value value = floats(shape, std::move(elements));
  for (double element : value.data)
    value.error.push_back(element / 64.0);
  return value;
}

static void expectMovedBounds(const Value &value) {
  ASSERT_EQ(value.error.size(), value.data.size());
  for (auto [element, error] : llvm::zip(value.data, value.error))
    EXPECT_EQ(error, element / 64.0);
}

TEST(Movement, Transposes) {
  Program program(R"((%x: tensor<2x3x1xf32>) -> tensor<3x1x2xf32> {
    %y = fuse.transpose %x permutation = [1, 2, 0]
       : tensor<2x3x1xf32> -> tensor<3x1x2xf32>
    return %y : tensor<3x1x2xf32> })");
  Value y = program({inexact({2, 3, 1}, {1, 2, 3, 4, 5, 6})});
  EXPECT_THAT(y.data, ElementsAre(1, 4, 2, 5, 3, 6));
  expectMovedBounds(y);
}

TEST(Movement, SlicesWithSteps) {
  Program program(R"((%x: tensor<?x5xf32>) -> tensor<?x2xf32> {
    %y = fuse.slice %x offsets = [1, 1] sizes = [-1, -1] steps = [1, 3]
       : tensor<?x5xf32> -> tensor<?x2xf32>
    return %y : tensor<?x2xf32> })");
  Value x = inexact({3, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14});
  Value y = program({x});
  EXPECT_THAT(y.data, ElementsAre(6, 9, 11, 14));
  expectMovedBounds(y);
  EXPECT_EQ(program({floats({1, 5}, {0, 1, 2, 3, 4})}).size(), 0);
  EXPECT_THAT(program.getError({floats({0, 5}, {})}),
              HasSubstr("expected a size of at least 1 in dimension 0, but got "
                        "0; pass an input that reaches the offset"));
}

TEST(Movement, PadsWithItsValue) {
  Program program(R"((%x: tensor<1x2xf32>) -> tensor<2x5xf32> {
    %y = fuse.pad %x low = [1, 1] high = [0, 2] value = -inf
       : tensor<1x2xf32> -> tensor<2x5xf32>
    return %y : tensor<2x5xf32> })");
  EXPECT_THAT(program({inexact({1, 2}, {1, 2})}).data,
              ElementsAre(-kInf, -kInf, -kInf, -kInf, -kInf, -kInf, 1, 2, -kInf,
                          -kInf));
}

TEST(Movement, PadsEveryElementType) {
  Program flags(R"((%x: tensor<1xi1>) -> tensor<2xi1> {
    %y = fuse.pad %x low = [0] high = [1] value = true
       : tensor<1xi1> -> tensor<2xi1>
    return %y : tensor<2xi1> })");
  EXPECT_THAT(flags({integers({1}, {0}, DType::I1)}).ints, ElementsAre(0, 1));
  Program bytes(R"((%x: tensor<1xi8>) -> tensor<2xi8> {
    %y = fuse.pad %x low = [1] high = [0] value = -128
       : tensor<1xi8> -> tensor<2xi8>
    return %y : tensor<2xi8> })");
  EXPECT_THAT(bytes({integers({1}, {7}, DType::I8)}).ints,
              ElementsAre(-128, 7));
}

TEST(Movement, Reverses) {
  Program program(R"((%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %y = fuse.reverse %x dims = [0, 1] : tensor<2x3xf32>
    return %y : tensor<2x3xf32> })");
  Value y = program({inexact({2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_THAT(y.data, ElementsAre(6, 5, 4, 3, 2, 1));
  expectMovedBounds(y);
}

TEST(Movement, Concatenates) {
  Program program(
      R"((%x: tensor<?x2xf32>, %y: tensor<?x1xf32>) -> tensor<?x3xf32> {
    %z = fuse.concat %x, %y dim = 1
       : tensor<?x2xf32>, tensor<?x1xf32> -> tensor<?x3xf32>
    return %z : tensor<?x3xf32> })");
  Value z = program({inexact({2, 2}, {1, 2, 3, 4}), inexact({2, 1}, {5, 6})});
  EXPECT_THAT(z.data, ElementsAre(1, 2, 5, 3, 4, 6));
  expectMovedBounds(z);
  EXPECT_THAT(
      program.getError({floats({1, 2}, {1, 2}), floats({2, 1}, {1, 2})}),
      HasSubstr("expected the sizes of the operands to be equal"));
}

TEST(Movement, Broadcasts) {
  Program program(
      R"((%x: tensor<1x2xf32>, %y: tensor<?x3x2xi32>) -> tensor<?x3x2xf32> {
    %z = fuse.broadcast %x like %y
       : tensor<1x2xf32>, tensor<?x3x2xi32> -> tensor<?x3x2xf32>
    return %z : tensor<?x3x2xf32> })");
  Value z = program(
      {inexact({1, 2}, {1, 2}), integers({1, 3, 2}, {0, 0, 0, 0, 0, 0})});
  EXPECT_THAT(z.data, ElementsAre(1, 2, 1, 2, 1, 2));
  expectMovedBounds(z);
  Program rows(R"((%x: tensor<?x1xf32>) -> tensor<?x2xf32> {
    %z = fuse.broadcast %x : tensor<?x1xf32> -> tensor<?x2xf32>
    return %z : tensor<?x2xf32> })");
  EXPECT_THAT(rows({floats({2, 1}, {1, 2})}).data, ElementsAre(1, 1, 2, 2));
}

TEST(Movement, ReadsUpstreamOps) {
  Program program(R"((%x: tensor<?x2x3xf32>) -> tensor<?x6xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x2x3xf32>
    %a = tensor.extract_slice %x[0, 1, 1] [%n, 1, 2] [1, 1, 1]
       : tensor<?x2x3xf32> to tensor<?x2xf32>
    %b = tensor.concat dim(1) %a, %a
       : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x4xf32>
    %seven = arith.constant 7.0 : f32
    %y = tensor.pad %b low[0, 0] high[0, 2] {
    ^bb0(%i: index, %j: index):
      tensor.yield %seven : f32
    } : tensor<?x4xf32> to tensor<?x6xf32>
    return %y : tensor<?x6xf32> })");
  Value x = inexact({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(program({x}).data, ElementsAre(5, 6, 5, 6, 7, 7));
  program.decompose();
  EXPECT_THAT(program({x}).data, ElementsAre(5, 6, 5, 6, 7, 7));
}

TEST(Movement, RefusesUpstreamSlicesOutside) {
  Program program(R"((%x: tensor<?xf32>) -> tensor<2xf32> {
    %y = tensor.extract_slice %x[1] [2] [2] : tensor<?xf32> to tensor<2xf32>
    return %y : tensor<2xf32> })");
  EXPECT_THAT(program({floats({4}, {1, 2, 3, 4})}).data, ElementsAre(2, 4));
  EXPECT_THAT(program.getError({floats({3}, {1, 2, 3})}),
              HasSubstr("expected a slice inside of dimension 0 of size 3, but "
                        "got elements 1 to 3; pass a larger input"));
}

//===----------------------------------------------------------------------===//
// Gather, scatter
//===----------------------------------------------------------------------===//

TEST(Indexed, GathersSlices) {
  Program program(
      R"((%t: tensor<2x3x2xf32>, %i: tensor<2xi64>) -> tensor<2x2x2xf32> {
    %y = fuse.gather %t, %i dim = 1
       : tensor<2x3x2xf32>, tensor<2xi64> -> tensor<2x2x2xf32>
    return %y : tensor<2x2x2xf32> })");
  Value t = inexact({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  Value y = program({t, integers({2}, {2, 0}, DType::I64)});
  EXPECT_THAT(y.data, ElementsAre(5, 6, 1, 2, 11, 12, 7, 8));
  expectMovedBounds(y);
}

TEST(Indexed, IdsOutsideGatherNaNOrZero) {
  Program reals(R"((%t: tensor<?xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
    %y = fuse.gather %t, %i dim = 0
       : tensor<?xf32>, tensor<3xi32> -> tensor<3xf32>
    return %y : tensor<3xf32> })");
  Value y = reals({floats({2}, {1, 2}), integers({3}, {-1, 1, 2})});
  EXPECT_TRUE(std::isnan(y.data[0]) && std::isnan(y.data[2]));
  EXPECT_EQ(y.data[1], 2.0);
  EXPECT_THAT(y.error, Each(0.0));
  Program ints(R"((%t: tensor<2xi32>, %i: tensor<2xi32>) -> tensor<2xi32> {
    %y = fuse.gather %t, %i dim = 0
       : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
    return %y : tensor<2xi32> })");
  EXPECT_THAT(ints({integers({2}, {7, 8}), integers({2}, {2, 0})}).ints,
              ElementsAre(0, 7));
}

static const char *const kScatter =
    R"((%t: tensor<3x2xf32>, %i: tensor<2xi32>, %u: tensor<2x2xf32>)
       -> tensor<3x2xf32> {
    %y = fuse.scatter %t, %i, %u dim = 0
       : tensor<3x2xf32>, tensor<2xi32>, tensor<2x2xf32> -> tensor<3x2xf32>
    return %y : tensor<3x2xf32> })";

TEST(Indexed, ScattersAndDropsIdsOutside) {
  Program program(kScatter);
  Value t = inexact({3, 2}, {1, 2, 3, 4, 5, 6});
  Value u = inexact({2, 2}, {7, 8, 9, 10});
  Value y = program({t, integers({2}, {2, 0}), u});
  EXPECT_THAT(y.data, ElementsAre(9, 10, 3, 4, 7, 8));
  expectMovedBounds(y);
  y = program({t, integers({2}, {3, -1}), u});
  EXPECT_THAT(y.data, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Indexed, EqualIdsAllowEitherUpdate) {
  Program program(kScatter);
  Value y = program({floats({3, 2}, {1, 2, 3, 4, 5, 6}), integers({2}, {1, 1}),
                     floats({2, 2}, {7, 8, 9, 8})});
  float first[] = {1, 2, 7, 8, 5, 6}, second[] = {1, 2, 9, 8, 5, 6};
  float neither[] = {1, 2, 7, 4, 5, 6};
  EXPECT_TRUE(compare(y, first).ok());
  EXPECT_TRUE(compare(y, second).ok());
  EXPECT_FALSE(compare(y, neither).ok());
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// Of Random123's kat_vectors, philox4x32 10.
TEST(Random, IsPhilox) {
  Program program(R"((%s: tensor<i64>) -> tensor<4xf32> {
    %u = fuse.random %s stream = 0 : tensor<i64> -> tensor<4xf32>
    return %u : tensor<4xf32> })");
  Value u = program({integers({}, {0}, DType::I64)});
  EXPECT_THAT(u.data, ElementsAre(0x6627e8p-24, 0xe169c5p-24, 0xbc57acp-24,
                                  0x9b00dbp-24));
  EXPECT_THAT(u.error, Each(0.0));
}

TEST(Random, UsesAllOfSeedAndStream) {
  Program program(R"((%s: tensor<i64>) -> tensor<2x4xf32> {
    %u = fuse.random %s stream = 247824715720788526
       : tensor<i64> -> tensor<2x4xf32>
    return %u : tensor<2x4xf32> })");
  // From an implementation in Python that agrees with all of kat_vectors.
  Value u = program({integers({}, {2999170649027065890}, DType::I64)});
  EXPECT_THAT(u.data, ElementsAre(0xb60a41p-24, 0x61bd77p-24, 0xa53f39p-24,
                                  0x3d51ebp-24, 0x314ddbp-24, 0x0ab835p-24,
                                  0x9fc3cap-24, 0x3fc8cfp-24));
}

static const char *const kDropout =
    R"((%x: tensor<?xTYPE>, %s: tensor<i64>) -> tensor<?xTYPE> {
    %y = fuse.dropout %x, %s p = 0.25 stream = 0 : tensor<?xTYPE>, tensor<i64>
    return %y : tensor<?xTYPE> })";

static std::string withType(std::string text, DType dtype) {
  for (size_t at; (at = text.find("TYPE")) != std::string::npos;)
    text.replace(at, 4, getName(dtype).str());
  return text;
}

TEST(Random, DropsOutAsItsPrimitivesDo) {
  for (DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
    Program program(withType(kDropout, dtype));
    std::vector<Value> inputs = {randomFloats({1000}, dtype, 1),
                                 integers({}, {42}, DType::I64)};
    Value composite = program(inputs);
    program.decompose();
    Report report = compare(composite, getBytes(program(inputs)).data());
    EXPECT_TRUE(report.ok()) << report.firstMismatch;
    int64_t zeros = llvm::count(composite.data, 0.0);
    EXPECT_GT(zeros, 200);
    EXPECT_LT(zeros, 300);
    for (auto [x, y] : llvm::zip(inputs[0].data, composite.data))
      EXPECT_TRUE(y == 0.0 || std::fabs(y - x / 0.75) <= getUlp(dtype, y));
  }
}

//===----------------------------------------------------------------------===//
// Extremes
//===----------------------------------------------------------------------===//

static const char *const kArgMax = R"((%x: tensor<?x3xf32>) -> tensor<?xi32> {
    %y = fuse.argmax %x dim = 1 : tensor<?x3xf32> -> tensor<?xi32>
    return %y : tensor<?xi32> })";

TEST(ArgExtreme, TakesTheFirstLargest) {
  Program program(kArgMax);
  Value x = floats({5, 3}, {1, 3, 3, -0.0, 0.0, -1, 1, NAN, NAN, kInf, kInf, 0,
                            -kInf, -kInf, -kInf});
  EXPECT_THAT(program({x}).ints, ElementsAre(1, 0, 1, 0, 0));
  program.decompose();
  EXPECT_THAT(program({x}).ints, ElementsAre(1, 0, 1, 0, 0));
}

TEST(ArgExtreme, ReachesToTheFarthestThatMayBeIt) {
  Program program(kArgMax);
  Value x = floats({3, 3}, {1, 2, 1.5, 1, 2, 1.5, 5, 2, 1});
  x.error = {0, 0.1, 0.1, 0, 0.3, 0.3, 0, kInf, 0};
  EXPECT_THAT(program({x}).error, ElementsAre(0, 1, 1));
}

TEST(ArgExtreme, TakesTheFirstSmallest) {
  Program program(R"((%x: tensor<3x2xf16>) -> tensor<1x2xi64> {
    %y = fuse.argmin %x dim = 0 keep : tensor<3x2xf16> -> tensor<1x2xi64>
    return %y : tensor<1x2xi64> })");
  Value x = floats({3, 2}, {1, 5, 1, NAN, 0.5, 2}, DType::F16);
  EXPECT_THAT(program({x}).ints, ElementsAre(2, 1));
  program.decompose();
  EXPECT_THAT(program({x}).ints, ElementsAre(2, 1));
}

TEST(ArgExtreme, ComparesLargeIntegersExactly) {
  Program program(R"((%x: tensor<2xi64>) -> tensor<i32> {
    %y = fuse.argmax %x dim = 0 : tensor<2xi64> -> tensor<i32>
    return %y : tensor<i32> })");
  int64_t max = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(program({integers({2}, {max - 1, max}, DType::I64)}).ints,
              ElementsAre(1));
}

//===----------------------------------------------------------------------===//
// Storage types
//===----------------------------------------------------------------------===//

/// Every pattern of 8 bits but NaN survives the way to f64 and back.
TEST(Storage, KeepsEveryNumberOf8Bits) {
  for (DType dtype : {DType::F8E4M3FN, DType::F8E5M2, DType::I8})
    for (unsigned pattern = 0; pattern < 0x100; ++pattern) {
      uint8_t bits = pattern, written;
      Value value = fromBuffer(dtype, {1}, &bits);
      if (!value.data.empty() && std::isnan(value.data[0]))
        continue;
      toBuffer(value, &written);
      ASSERT_EQ(written, bits) << getName(dtype).str();
    }
}

TEST(Storage, RoundsToEvenAndSaturates) {
  EXPECT_EQ(getMaxFinite(DType::F8E4M3FN), 448.0);
  EXPECT_EQ(getMaxFinite(DType::F8E5M2), 57344.0);
  EXPECT_EQ(roundTo(DType::F8E4M3FN, 17.0), 16.0);
  EXPECT_EQ(roundTo(DType::F8E4M3FN, 19.0), 20.0);
  EXPECT_EQ(roundTo(DType::F8E4M3FN, 0x1p-10), 0.0);
  EXPECT_EQ(roundTo(DType::F8E4M3FN, 0x3p-10), 0x1p-8);
  EXPECT_EQ(roundTo(DType::F8E4M3FN, 470.0), 448.0);
  EXPECT_EQ(roundTo(DType::F8E5M2, -1e9), -57344.0);
}

TEST(Storage, CastsSaturate) {
  Program program(R"((%x: tensor<4xf32>) -> tensor<4xf8E5M2> {
    %y = fuse.cast %x : tensor<4xf32> -> tensor<4xf8E5M2>
    return %y : tensor<4xf8E5M2> })");
  Value y = program({floats({4}, {kInf, -kInf, NAN, 60000.0})});
  EXPECT_EQ(y.data[0], 57344.0);
  EXPECT_EQ(y.data[1], -57344.0);
  EXPECT_TRUE(std::isnan(y.data[2]));
  EXPECT_EQ(y.data[3], 57344.0);
  EXPECT_THAT(y.error, Each(0.0));
}

TEST(Storage, CastsOfInexactNumbersAllowWhatTheyMayRoundTo) {
  Program program(R"((%x: tensor<3xf32>) -> tensor<3xf8E4M3FN> {
    %y = fuse.cast %x : tensor<3xf32> -> tensor<3xf8E4M3FN>
    return %y : tensor<3xf8E4M3FN> })");
  Value x = floats({3}, {16.2, 17.1, 1000.0});
  x.error = {0.1, 0.2, 10.0};
  Value y = program({x});
  EXPECT_THAT(y.data, ElementsAre(16.0, 18.0, 448.0));
  EXPECT_THAT(y.error, ElementsAre(0.0, 2.0, 0.0));
}

TEST(Storage, AMovedInfinityStaysAndMatchesOnlyItself) {
  Program program(R"((%x: tensor<2xf8E5M2>) -> tensor<2xf8E5M2> {
    %y = fuse.reverse %x dims = [0] : tensor<2xf8E5M2>
    return %y : tensor<2xf8E5M2> })");
  const uint8_t infinity = 0x7c, largest = 0x7b;
  uint8_t in[] = {infinity, largest}, out[] = {largest, infinity};
  Value y = program({fromBuffer(DType::F8E5M2, {2}, in)});
  EXPECT_TRUE(compare(y, out).ok());
  EXPECT_EQ(compare(y, in).mismatches, 2);
}

TEST(Storage, CastsToBytes) {
  Program reals(R"((%x: tensor<5xf32>) -> tensor<5xi8> {
    %y = fuse.cast %x : tensor<5xf32> -> tensor<5xi8>
    return %y : tensor<5xi8> })");
  EXPECT_THAT(reals({floats({5}, {-1.9, 127.5, 1e9, -kInf, NAN})}).ints,
              ElementsAre(-1, 127, 127, -128, 0));
  Program ints(R"((%x: tensor<3xi32>) -> tensor<3xi8> {
    %y = fuse.cast %x : tensor<3xi32> -> tensor<3xi8>
    return %y : tensor<3xi8> })");
  EXPECT_THAT(ints({integers({3}, {128, 300, -129})}).ints,
              ElementsAre(-128, 44, 127));
}
