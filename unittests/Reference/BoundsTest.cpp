//===- BoundsTest.cpp - Tests of the oracle's error bounds ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "fuse/Reference/Verify.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir::fuse::reference;

static constexpr double kInf = std::numeric_limits<double>::infinity();

/// A value that is within `error` of `element`.
static Value inexact(double element, double error, DType dtype = DType::F32) {
  Value value = floats({1}, {element}, dtype);
  value.error = {error};
  return value;
}

/// The result of an op of one operand and result type on one element.
static Value applyUnary(const std::string &op, const Value &x) {
  std::string type = "tensor<1x" + getName(x.dtype).str() + ">";
  Program program("(%x: " + type + ") -> " + type + " {\n%y = fuse." + op +
                  " %x : " + type + "\nreturn %y : " + type + " }");
  return program({x});
}

static double getUnaryError(const std::string &op, const Value &x) {
  return applyUnary(op, x).getError(0);
}

static double getBinaryError(const std::string &op, const Value &x,
                             const Value &y) {
  Program program("(%x: tensor<1xf32>, %y: tensor<1xf32>) -> tensor<1xf32> {\n"
                  "%z = fuse." +
                  op + " %x, %y : tensor<1xf32>\nreturn %z : tensor<1xf32> }");
  return program({x, y}).getError(0);
}

TEST(Bounds, ExactResultsStayExact) {
  EXPECT_EQ(getBinaryError("add", floats({1}, {1.5}), floats({1}, {2})), 0.0);
  EXPECT_EQ(getUnaryError("neg", floats({1}, {0.1f})), 0.0);
}

TEST(Bounds, ChargesTheRounding) {
  EXPECT_EQ(getBinaryError("div", floats({1}, {1}), floats({1}, {3})),
            0.5 * 0x1p-25);
  // A 16-bit result may be rounded, or good to one ULP.
  EXPECT_GE(getUnaryError("exp", floats({1}, {1}, DType::F16)),
            getUlp(DType::F16, M_E));
}

TEST(Bounds, PropagatesThroughSlopes) {
  EXPECT_NEAR(getUnaryError("exp", inexact(1.0, 0.01)), 0.01 * M_E, 1e-3);
  EXPECT_NEAR(getBinaryError("mul", inexact(3.0, 0.01), inexact(5.0, 0.02)),
              0.05 + 0.06, 1e-3);
  EXPECT_NEAR(getBinaryError("min", inexact(3.0, 0.01), inexact(5.0, 0.02)),
              0.01, 1e-9);
}

TEST(Bounds, JumpsWhereAnIntegerIsStraddled) {
  EXPECT_EQ(getUnaryError("floor", inexact(1.99, 0.02)), 1.0);
  EXPECT_EQ(getUnaryError("floor", inexact(1.5, 0.02)), 0.0);
  EXPECT_EQ(getUnaryError("sign", inexact(0.01, 0.02)), 2.0);
}

TEST(Bounds, SaysNothingAtPolesAndOutsideOfDomains) {
  EXPECT_EQ(getUnaryError("recip", inexact(0.01, 0.02)), kInf);
  EXPECT_EQ(getBinaryError("div", floats({1}, {1}), inexact(0.01, 0.02)), kInf);
  EXPECT_EQ(getUnaryError("log", inexact(0.01, 0.02)), kInf);
  EXPECT_EQ(getUnaryError("exp", inexact(0.0, kInf)), kInf);
}

TEST(Bounds, KnowsWhatSurelyOverflows) {
  Value y = applyUnary("exp", floats({1}, {100}));
  EXPECT_EQ(y.data[0], kInf);
  EXPECT_EQ(y.error[0], 0.0);
  EXPECT_EQ(getUnaryError("exp", inexact(88.72, 0.01)), kInf);
}

/// Small terms of the other sign overflow, too: inf - inf, in some order.
TEST(Bounds, OverflowsOfBothSignsMayMeet) {
  Program program(
      R"((%x: tensor<1x2xf32>, %y: tensor<2x1xf32>) -> tensor<1x1xf32> {
    %z = fuse.matmul %x, %y : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
    return %z : tensor<1x1xf32> })");
  Value x = floats({1, 2}, {3e38, 3e38});
  EXPECT_EQ(program({x, floats({2, 1}, {3e38, -2})}).error[0], kInf);
  Value certain = program({x, floats({2, 1}, {3e38, -1})});
  EXPECT_EQ(certain.data[0], kInf);
  EXPECT_LT(certain.error[0], 1.0);
}

TEST(Bounds, OverflowsOfTwoSumsMayMeet) {
  // One sum of all products may stay finite, or overflow once.
  Program program(
      R"((%x: tensor<1x2xbf16>, %y: tensor<2x1xbf16>, %z: tensor<2x1xbf16>)
          -> tensor<1x1xf32> {
    %a = fuse.matmul %x, %y : tensor<1x2xbf16>, tensor<2x1xbf16> -> tensor<1x1xbf16>
    %b = fuse.matmul %x, %z : tensor<1x2xbf16>, tensor<2x1xbf16> -> tensor<1x1xbf16>
    %c = fuse.constant dense<0.25> : tensor<f32>
    %d = fuse.cast %a : tensor<1x1xbf16> -> tensor<1x1xf32>
    %e = fuse.mul %d, %c : tensor<1x1xf32>, tensor<f32> -> tensor<1x1xf32>
    %f = fuse.cast %b : tensor<1x1xbf16> -> tensor<1x1xf32>
    %g = fuse.mul %f, %c : tensor<1x1xf32>, tensor<f32> -> tensor<1x1xf32>
    %h = fuse.add %e, %g : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
    return %h : tensor<1x1xf32> })");
  auto sumOf = [&](double y, double z) {
    return program({floats({1, 2}, {3e38, 3e38}, DType::BF16),
                    floats({2, 1}, {y, y}, DType::BF16),
                    floats({2, 1}, {z, z}, DType::BF16)});
  };
  EXPECT_EQ(sumOf(4, -4).error[0], kInf);
  EXPECT_EQ(sumOf(4, -0.25).error[0], kInf);
  EXPECT_EQ(sumOf(4, 4).data[0], kInf);
  EXPECT_LT(sumOf(4, 4).error[0], 1.0);
}

TEST(Bounds, WhatIsFarBelowAnUncertainMaximumMayBeNear) {
  Program program(R"((%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
    %y = fuse.softmax %x dims = [1] : tensor<1x3xf32>
    return %y : tensor<1x3xf32> })");
  Value x = floats({1, 3}, {1e20, -1e20, 3});
  EXPECT_LT(program({x}).error[2], 1e-30);
  // Its sign is that of a sum that cancels.
  x.error = {1e30, 1e30, 1e-6};
  EXPECT_GT(program({x}).error[2], 0.5);
}

TEST(Bounds, NarrowIntermediatesMayOrMayNotOverflow) {
  // 70000 in f32 within a kernel, infinite between two.
  Program program(R"((%x: tensor<1xf16>, %h: tensor<1xf16>) -> tensor<1xf16> {
    %y = fuse.mul %x, %x : tensor<1xf16>
    %z = fuse.mul %y, %h : tensor<1xf16>
    return %z : tensor<1xf16> })");
  Value half = floats({1}, {0.5}, DType::F16);
  EXPECT_EQ(program({floats({1}, {300}, DType::F16), half}).getError(0), kInf);
  EXPECT_LT(program({floats({1}, {200}, DType::F16), half}).getError(0), 100.0);
}

TEST(Bounds, UncertainComparisonsAllowBothValues) {
  Program program(R"((%x: tensor<1xf32>, %y: tensor<1xf32>) -> tensor<1xf32> {
    %c = fuse.compare lt %x, %y
       : tensor<1xf32>, tensor<1xf32> -> tensor<1xi1>
    %a = fuse.constant dense<10.0> : tensor<1xf32>
    %b = fuse.constant dense<30.0> : tensor<1xf32>
    %z = fuse.select %c, %a, %b
       : tensor<1xi1>, tensor<1xf32>, tensor<1xf32> -> tensor<1xf32>
    return %z : tensor<1xf32> })");
  Value near = program({inexact(1.0, 0.1), inexact(1.1, 0.1)});
  EXPECT_EQ(near.data[0], 10.0);
  EXPECT_EQ(near.error[0], 20.0);
  Value far = program({inexact(1.0, 0.1), inexact(1.3, 0.1)});
  EXPECT_EQ(far.error[0], 0.0);
}

TEST(Bounds, UncertainBooleansNeedNotMatter) {
  Program program(R"((%x: tensor<1xf32>, %b: tensor<1xi1>) -> tensor<1xi1> {
    %zero = fuse.constant dense<0.0> : tensor<1xf32>
    %c = fuse.compare lt %x, %zero
       : tensor<1xf32>, tensor<1xf32> -> tensor<1xi1>
    %z = fuse.and %c, %b : tensor<1xi1>
    return %z : tensor<1xi1> })");
  Value x = inexact(0.0, 0.1);
  EXPECT_EQ(program({x, integers({1}, {1}, DType::I1)}).getError(0), 1.0);
  EXPECT_EQ(program({x, integers({1}, {0}, DType::I1)}).getError(0), 0.0);
}

TEST(Bounds, CastsToIntegersCoverBothSides) {
  Program program(R"((%x: tensor<1xf32>) -> tensor<1xi32> {
    %z = fuse.cast %x : tensor<1xf32> -> tensor<1xi32>
    return %z : tensor<1xi32> })");
  EXPECT_EQ(program({inexact(1.99, 0.02)}).getError(0), 1.0);
  EXPECT_EQ(program({inexact(1.5, 0.02)}).getError(0), 0.0);
}

TEST(Bounds, NaNIsCertainAmongInexactTerms) {
  Program program(R"((%x: tensor<3xf32>) -> tensor<f32> {
    %z = fuse.reduce sum %x dims = [0] : tensor<3xf32> -> tensor<f32>
    return %z : tensor<f32> })");
  Value x = floats({3}, {1, NAN, 2});
  x.error = {0.1, 0.0, kInf};
  Value sum = program({x});
  EXPECT_TRUE(std::isnan(sum.data[0]));
  EXPECT_EQ(sum.error[0], 0.0);
  x.data[1] = kInf;
  EXPECT_EQ(program({x}).error[0], kInf);
  x.error[2] = 0.1;
  EXPECT_EQ(program({x}).data[0], kInf);
  EXPECT_EQ(program({x}).error[0], 0.0);
}

TEST(Bounds, QuotientsOfCertainZerosAreCertain) {
  auto isCertainNaN = [](const std::string &body,
                         std::vector<double> elements) {
    Program program("(%x: tensor<?xf32>) -> tensor<f32> {\n" + body +
                    "\nreturn %y : tensor<f32> }");
    int64_t size = elements.size();
    Value y = program({floats({size}, std::move(elements))});
    return std::isnan(y.data[0]) && y.getError(0) == 0.0;
  };
  EXPECT_TRUE(isCertainNaN(
      "%y = fuse.reduce mean %x dims = [0] : tensor<?xf32> -> tensor<f32>",
      {}));
  // A loss all of whose labels are ignored, and a cosine with a row of zeros.
  std::string sum =
      "%s = fuse.reduce sum %x dims = [0] : tensor<?xf32> -> tensor<f32>\n";
  EXPECT_TRUE(isCertainNaN(sum + "%y = fuse.div %s, %s : tensor<f32>", {0, 0}));
  EXPECT_TRUE(isCertainNaN(sum + "%r = fuse.sqrt %s : tensor<f32>\n"
                                 "%t = fuse.exp %s : tensor<f32>\n"
                                 "%n = fuse.mul %r, %t : tensor<f32>\n"
                                 "%y = fuse.div %s, %n : tensor<f32>",
                           {0, 0}));
}

TEST(Bounds, AMeanMayBeOneOfPartialMeans) {
  Program program(R"((%x: tensor<?xf32>) -> tensor<f32> {
    %y = fuse.reduce mean %x dims = [0] : tensor<?xf32> -> tensor<f32>
    return %y : tensor<f32> })");
  std::vector<double> elements = {1, -2, 5, 0.5, 7, 3};
  float first = (1.0f - 2.0f + 5.0f) / 3.0f, second = 10.5f / 3.0f;
  float mean = (first + second) / 2.0f;
  Value expected = program({floats({6}, std::move(elements))});
  Report report = compare(expected, &mean);
  EXPECT_TRUE(report.ok()) << report.firstMismatch;
  EXPECT_GT(expected.getError(0), 0.0);
}

TEST(Bounds, PowersOfNaNAreNotCertainWhereTheyMayBeOne) {
  double nan = std::nan("");
  EXPECT_EQ(getBinaryError("pow", inexact(1.0, 0.01), floats({1}, {nan})),
            kInf);
  EXPECT_EQ(getBinaryError("pow", floats({1}, {nan}), inexact(0.0, 0.01)),
            kInf);
  EXPECT_EQ(getBinaryError("pow", inexact(2.0, 0.01), floats({1}, {nan})), 0.0);
}

TEST(Bounds, TheReferenceAddsUpWiderThanF64) {
  // One f64 accumulator is off by more than the bound.
  constexpr int64_t size = 1000000;
  Program program(R"((%x: tensor<?xf64>) -> tensor<f64> {
    %y = fuse.reduce sum %x dims = [0] : tensor<?xf64> -> tensor<f64>
    return %y : tensor<f64> })");
  Value sum =
      program({floats({size}, std::vector<double>(size, 0.1), DType::F64)});
  EXPECT_EQ(sum.data[0], 100000.0);
}

TEST(Bounds, SumsOfFewBitsAreExact) {
  Program program(R"((%x: tensor<?xf32>) -> tensor<f32> {
    %y = fuse.reduce sum %x dims = [0] : tensor<?xf32> -> tensor<f32>
    return %y : tensor<f32> })");
  auto errorOf = [&](std::vector<double> elements) {
    int64_t size = elements.size();
    return program({floats({size}, std::move(elements))}).getError(0);
  };
  EXPECT_EQ(errorOf({1, -3, 0.25, 1 << 21}), 0.0);
  // 2^24 quarters and a half of one.
  EXPECT_GT(errorOf({1, -3, 0.125, 1 << 22}), 0.0);
  EXPECT_GT(errorOf(std::vector<double>(10, 0.1f)), 0.0);
}

//===----------------------------------------------------------------------===//
// Sums in f32 stay within their bounds, and the bounds are near
//===----------------------------------------------------------------------===//

TEST(Bounds, HoldsForASumInOrder) {
  Program program(R"((%x: tensor<?xf32>) -> tensor<f32> {
    %z = fuse.reduce sum %x dims = [0] : tensor<?xf32> -> tensor<f32>
    return %z : tensor<f32> })");
  for (int64_t size : {1, 2, 63, 1000}) {
    Value x = randomFloats({size}, DType::F32, size);
    float sum = 0.0f;
    for (double element : x.data)
      sum += static_cast<float>(element);
    Value expected = program({x});
    Report report = compare(expected, &sum);
    EXPECT_TRUE(report.ok()) << report.firstMismatch;
  }
}

TEST(Bounds, HoldsForSoftmaxInF32) {
  constexpr int64_t size = 4096;
  Program program(R"((%x: tensor<?xf32>) -> tensor<?xf32> {
    %z = fuse.softmax %x dims = [0] : tensor<?xf32>
    return %z : tensor<?xf32> })");
  Value x = randomFloats({size}, DType::F32, 7);
  float max = *llvm::max_element(x.data), sum = 0.0f;
  std::vector<float> actual;
  for (double element : x.data) {
    actual.push_back(std::exp(static_cast<float>(element) - max));
    sum += actual.back();
  }
  for (float &element : actual)
    element /= sum;
  Value expected = program({x});
  Report report = compare(expected, actual.data());
  EXPECT_TRUE(report.ok()) << report.firstMismatch;
  for (int64_t i = 0; i < size; ++i)
    EXPECT_LT(expected.error[i], 256 * getUlp(DType::F32, expected.data[i]));
}

TEST(Bounds, EqualErrorsOfEqualFactorsAddUp) {
  // Every factor errs by the same: no independence helps here.
  constexpr int64_t size = 1000;
  Program program(R"((%x: tensor<1x?xf32>, %y: tensor<?x1xf32>)
      -> tensor<1x1xf32> {
    %z = fuse.matmul %x, %y
       : tensor<1x?xf32>, tensor<?x1xf32> -> tensor<1x1xf32>
    return %z : tensor<1x1xf32> })");
  Value x = floats({1, size}, std::vector<double>(size, 1.0));
  x.error.assign(size, 0.01);
  Value y = floats({size, 1}, std::vector<double>(size, 1.0));
  EXPECT_GE(program({x, y}).error[0], 0.01 * size);
}

TEST(Bounds, IndependentErrorsGrowWithTheRoot) {
  constexpr int64_t size = 1024;
  Program program(R"((%x: tensor<1x?xf32>, %y: tensor<?x1xf32>)
      -> tensor<1x1xf32> {
    %z = fuse.matmul %x, %y
       : tensor<1x?xf32>, tensor<?x1xf32> -> tensor<1x1xf32>
    return %z : tensor<1x1xf32> })");
  Value x = randomFloats({1, size}, DType::F32, 1);
  Value y = randomFloats({size, 1}, DType::F32, 2);
  x.error.assign(size, 0.01);
  double error = program({x, y}).error[0];
  EXPECT_GE(error, 0.01 * 2.0 * 0.9 * std::sqrt(size));
  EXPECT_LE(error, 0.01 * 8.0 * std::sqrt(size));
}

TEST(Bounds, AnAdditionMayTakeAProductUnrounded) {
  // 1e39 is above all f32, but an fma adds it as it is.
  Program program(R"((%x: tensor<5xf32>, %y: tensor<5xf32>)
      -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<1xf32>) {
    %product = fuse.mul %x, %x : tensor<5xf32>
    %sum = fuse.add %product, %y : tensor<5xf32>
    %difference = fuse.sub %y, %product : tensor<5xf32>
    %all = fuse.reduce sum %product dims = [0] keep
         : tensor<5xf32> -> tensor<1xf32>
    return %product, %sum, %difference, %all
         : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<1xf32> })");
  double large = std::sqrt(1e39);
  llvm::SmallVector<Value> results = llvm::cantFail(
      program.run({floats({5}, {large, large, large, large, kInf}),
                   floats({5}, {-kInf, kInf, -3e38, 1, -kInf})}));
  auto isKnown = [&](int result, int element) {
    return results[result].getError(element) != kInf;
  };
  for (int element = 0; element < 5; ++element)
    EXPECT_TRUE(isKnown(0, element));
  EXPECT_FALSE(isKnown(1, 0));
  EXPECT_TRUE(isKnown(1, 1));
  EXPECT_FALSE(isKnown(1, 2));
  EXPECT_TRUE(isKnown(1, 3));
  EXPECT_TRUE(isKnown(2, 0));
  EXPECT_FALSE(isKnown(2, 1));
  // The infinity of an input stays one.
  EXPECT_TRUE(isKnown(1, 4) && std::isnan(results[1].data[4]));
  // No square has the other sign.
  EXPECT_TRUE(isKnown(3, 0));
}

TEST(Bounds, AZeroOfEitherSignDividesUncertainly) {
  Program program(R"((%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %rounded = fuse.round %x : tensor<3xf32>
    %one = fuse.constant dense<1.0> : tensor<f32>
    %y = fuse.div %one, %rounded
       : tensor<f32>, tensor<3xf32> -> tensor<3xf32>
    return %rounded, %y : tensor<3xf32>, tensor<3xf32> })");
  Value x = floats({3}, {1e-9, 0.25, -0.25});
  x.error = {1e-8, 1e-8, 1e-8};
  llvm::SmallVector<Value> results = llvm::cantFail(program.run({x}));
  EXPECT_LT(results[0].getError(0), 1e-300);
  EXPECT_EQ(results[1].getError(0), kInf);
  EXPECT_EQ(results[1].getError(1), 0.0);
  EXPECT_EQ(results[1].data[2], -kInf);
  EXPECT_EQ(results[1].getError(2), 0.0);
}

TEST(Bounds, AProductThatUnderflowsMayBeAddedUnrounded) {
  // fma(x, x, 0) keeps the sign that the product and the sum lose.
  Program program("(%x: tensor<1xf64>, %y: tensor<1xf64>, %z: tensor<1xf64>) "
                  "-> tensor<1xf64> {\n"
                  "%p = fuse.mul %x, %y : tensor<1xf64>\n"
                  "%s = fuse.add %p, %z : tensor<1xf64>\n"
                  "%r = fuse.recip %s : tensor<1xf64>\n"
                  "return %r : tensor<1xf64> }");
  auto element = [](double x) { return floats({1}, {x}, DType::F64); };
  Value tiny = element(1e-200), zero = element(0.0);
  EXPECT_EQ(program({tiny, element(-1e-200), zero}).getError(0), kInf);
  EXPECT_EQ(program({zero, element(-1e-200), zero}).getError(0), 0.0);
}

TEST(Bounds, TheLargestOfZerosIsThePositiveOne) {
  Program program(R"((%x: tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %max = fuse.reduce max %x dims = [1] : tensor<2x2xf32> -> tensor<2xf32>
    %min = fuse.reduce min %x dims = [1] : tensor<2x2xf32> -> tensor<2xf32>
    return %max, %min : tensor<2xf32>, tensor<2xf32> })");
  llvm::SmallVector<Value> results =
      llvm::cantFail(program.run({floats({2, 2}, {-0.0, 0.0, 0.0, -0.0})}));
  for (int row : {0, 1}) {
    EXPECT_FALSE(std::signbit(results[0].data[row]));
    EXPECT_TRUE(std::signbit(results[1].data[row]));
  }
}

/// NaN in the values of a key that a mask hides, and of one that is seen.
TEST(Bounds, WhatAMaskHidesMayCountAsNotThere) {
  Program program(
      R"((%s: tensor<1x2xf32>, %v: tensor<2x1xf32>) -> tensor<1x1xf32> {
    %p = fuse.softmax %s dims = [1] : tensor<1x2xf32>
    %y = fuse.matmul %p, %v : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
    return %y : tensor<1x1xf32> })");
  Value hidden =
      program({floats({1, 2}, {0, -kInf}), floats({2, 1}, {1, NAN})});
  EXPECT_EQ(hidden.error[0], kInf);
  Value seen = program({floats({1, 2}, {0, 0}), floats({2, 1}, {1, NAN})});
  EXPECT_TRUE(std::isnan(seen.data[0]));
  EXPECT_EQ(seen.getError(0), 0.0);
}

TEST(Bounds, AZeroOfEitherSignAndAnOverflowAreKnown) {
  Program program(R"((%x: tensor<1xf32>, %big: tensor<1xf32>)
      -> (tensor<1xi1>, tensor<1xi1>, tensor<1xi32>, tensor<1xf32>) {
    %zero = fuse.round %x : tensor<1xf32>
    %none = fuse.constant dense<0.0> : tensor<1xf32>
    %equal = fuse.compare eq %zero, %none
           : tensor<1xf32>, tensor<1xf32> -> tensor<1xi1>
    %any = fuse.cast %zero : tensor<1xf32> -> tensor<1xi1>
    %largest = fuse.argmax %zero dim = 0 keep : tensor<1xf32> -> tensor<1xi32>
    %infinite = fuse.mul %big, %big : tensor<1xf32>
    %sin = fuse.sin %infinite : tensor<1xf32>
    return %equal, %any, %largest, %sin
         : tensor<1xi1>, tensor<1xi1>, tensor<1xi32>, tensor<1xf32> })");
  Value x = floats({1}, {1e-9});
  x.error = {1e-8};
  llvm::SmallVector<Value> results =
      llvm::cantFail(program.run({x, floats({1}, {1e30})}));
  for (const Value &result : results)
    EXPECT_EQ(result.getError(0), 0.0);
  EXPECT_EQ(results[0].ints[0], 1);
  EXPECT_EQ(results[1].ints[0], 0);
  EXPECT_TRUE(std::isnan(results[3].data[0]));
}

/// The error of (x r) y, a sum of two products of one row.
static double getScaledSumError(double x, double r, DType dtype = DType::F32) {
  std::string element = getName(dtype).str();
  auto type = [&](const char *shape) {
    return "tensor<" + (shape + element) + ">";
  };
  Program program("(%x: " + type("1x2x") + ", %r: " + type("1x1x") +
                  ", %y: " + type("2x1x") + ") -> " + type("1x1x") +
                  " {\n%n = fuse.mul %x, %r : " + type("1x2x") + ", " +
                  type("1x1x") + " -> " + type("1x2x") +
                  "\n%c = fuse.matmul %n, %y : " + type("1x2x") + ", " +
                  type("2x1x") + " -> " + type("1x1x") +
                  "\nreturn %c : " + type("1x1x") + " }");
  return program({floats({1, 2}, {x, -x}, dtype), floats({1, 1}, {r}, dtype),
                  floats({2, 1}, {2.0, 1.0}, dtype)})
      .getError(0);
}

TEST(Bounds, FactorsMayLeaveASumOfProducts) {
  EXPECT_LT(getScaledSumError(3.0, 0.5), 1e-5);
  // 2e38 + 2e38 overflows before the factor makes it smaller, inf stays.
  EXPECT_EQ(getScaledSumError(2e38, 0.5), kInf);
  EXPECT_EQ(getScaledSumError(3.0, kInf), kInf);
  // 1e-30 1e-30 underflows, which 1e-30 1e30 does not.
  EXPECT_EQ(getScaledSumError(1e-30, 1e-30), kInf);
  EXPECT_LT(getScaledSumError(1e-30, 1e30), 1e-5);
  EXPECT_EQ(getScaledSumError(1e308, 0.5, DType::F64), kInf);
  // In f16 no program changes the order.
  EXPECT_LT(getScaledSumError(60000.0, 0.25, DType::F16), 1e3);
}

/// The error of (p a) b, a block of a sum; p is a product of two numbers.
static double getScaledBlockError(double p, double a, double b,
                                  const std::string &element) {
  std::string operand = "tensor<1x1x1x" + element + ">";
  Program program(
      "(%x: " + operand + ", %w: " + operand +
      ", %a: tensor<1x1x1xf32>, %b: tensor<1x1x1xf32>) -> tensor<1x1xf32> {\n"
      "%p = fuse.contract \"mbk,nbk->bmn\" %x, %w : " +
      operand + ", " + operand +
      " -> tensor<1x1x1xf32>\n"
      "%q = fuse.mul %p, %a : tensor<1x1x1xf32>\n"
      "%r = fuse.mul %q, %b : tensor<1x1x1xf32>\n"
      "%s = fuse.reduce sum %r dims = [0] : tensor<1x1x1xf32> -> "
      "tensor<1x1xf32>\n"
      "return %s : tensor<1x1xf32> }");
  DType dtype = element == "f32" ? DType::F32 : DType::F8E4M3FN;
  return program({floats({1, 1, 1}, {p}, dtype),
                  floats({1, 1, 1}, {1.0}, dtype), floats({1, 1, 1}, {a}),
                  floats({1, 1, 1}, {b})})
      .getError(0);
}

TEST(Bounds, ScalesOfABlockMayBeMultipliedFirst) {
  EXPECT_LT(getScaledBlockError(2.0, 1e-4, 0.5, "f8E4M3FN"), 1e-5);
  EXPECT_EQ(getScaledBlockError(0.0, 1e30, 1e30, "f8E4M3FN"), kInf);
  EXPECT_EQ(getScaledBlockError(2.0, 1e-30, 1e-30, "f8E4M3FN"), kInf);
  // Those of wider operands keep the program's order.
  EXPECT_LT(getScaledBlockError(0.0, 1e30, 1e30, "f32"), 1e-5);
}

/// The error of x y, of which tensor cores may read TF32.
static double getCutError(double x, double y, const std::string &option) {
  Program program("(%x: tensor<1x1xf32>, %y: tensor<1x1xf32>) -> "
                  "tensor<1x1xf32> {\n"
                  "%p = fuse.contract \"mk,nk->mn\" %x, %y " +
                  option +
                  " : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>\n"
                  "return %p : tensor<1x1xf32> }");
  return program({floats({1, 1}, {x}), floats({1, 1}, {y})}).getError(0);
}

TEST(Bounds, FactorsOfTF32MayBeCut) {
  const std::string cut = "precision = tf32";
  // One bit more than TF32 has, and all of them.
  for (double x : {1 + 0x1p-11, 1 + 0x1p-10 - 0x1p-23, 2 - 0x1p-23}) {
    double lost = x - std::floor(x * 0x1p10) * 0x1p-10;
    EXPECT_GE(getCutError(x, 3, cut), 3 * lost);
    EXPECT_LT(getCutError(x, 3, cut), 3 * x * 0x1.01p-10);
    // Of both factors.
    EXPECT_GE(getCutError(x, x, cut), x * x - (x - lost) * (x - lost));
    EXPECT_LT(getCutError(x, x, cut), x * x * 0x1.01p-9);
    EXPECT_LT(getCutError(x, x, ""), 1e-6);
  }
  // What TF32 has is read as it is; a subnormal number may become 0.
  EXPECT_LT(getCutError(1 + 0x1p-10, -0x1.ffcp-100, cut), 0x1p-120);
  EXPECT_GE(getCutError(0x1p-127, 0x1p100, cut), 0x1p-27);
}

/// The error of attention over four keys of equal weights, whose values are all
/// `value`.
static double getAttentionError(const std::string &ops, double value) {
  Program program("(%q: tensor<1x1x1x2xf32>, %k: tensor<1x1x4x2xf32>, "
                  "%v: tensor<1x1x4x1xf32>) -> tensor<1x1x1x1xf32> {\n" +
                  ops + "return %o : tensor<1x1x1x1xf32> }");
  return program({floats({1, 1, 1, 2}, {0, 0}),
                  floats({1, 1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                  floats({1, 1, 4, 1}, {value, value, value, value})})
      .getError(0);
}

TEST(Bounds, AttentionMayDivideBehindItsProducts) {
  const std::string attention =
      "%o = fuse.attention heads_tokens %q, %k, %v : tensor<1x1x1x2xf32>, "
      "tensor<1x1x4x2xf32>, tensor<1x1x4x1xf32>\n";
  const std::string byHand =
      "%s = fuse.contract \"bhtd,bhsd->bhts\" %q, %k : tensor<1x1x1x2xf32>, "
      "tensor<1x1x4x2xf32> -> tensor<1x1x1x4xf32>\n"
      "%w = fuse.softmax %s dims = [3] : tensor<1x1x1x4xf32>\n"
      "%o = fuse.contract \"bhts,bhsd->bhtd\" %w, %v : tensor<1x1x1x4xf32>, "
      "tensor<1x1x4x1xf32> -> tensor<1x1x1x1xf32>\n";
  for (const std::string &ops : {attention, byHand}) {
    EXPECT_LT(getAttentionError(ops, 3.0), 1e-5);
    // 256 x 4 values overflow.
    EXPECT_EQ(getAttentionError(ops, 1e36), kInf);
    EXPECT_LT(getAttentionError(ops, 1e35), 1e30);
  }
}
