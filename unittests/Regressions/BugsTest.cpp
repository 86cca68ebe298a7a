//===- BugsTest.cpp - Bugs that other fusion compilers have had -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedRun.h"
#include "gtest/gtest.h"
#include <limits>

using namespace fuse::testing;
using fuse::driver::Array;
using fuse::runtime::DType;

static const char softmax[] = R"(
  func.func @f(%x: tensor<?x?xTYPE>) -> (tensor<?x?xTYPE>, tensor<?x?xTYPE>) {
    %y = fuse.softmax %x dims = [1] : tensor<?x?xTYPE>
    %z = fuse.log_softmax %x dims = [1] : tensor<?x?xTYPE>
    return %y, %z : tensor<?x?xTYPE>, tensor<?x?xTYPE>
  })";

static std::vector<Array> only(Array array) {
  std::vector<Array> arrays;
  arrays.push_back(std::move(array));
  return arrays;
}

/// A partial maximum of -inf gives exp(-inf - -inf) (flashinfer#1178).
TEST(Bugs, SoftmaxOfRowsThatAreMostlyMinusInfinity) {
  constexpr int64_t length = 8193;
  double inf = std::numeric_limits<double>::infinity();
  GuardedProgram program(withType(softmax, DType::F32));
  Array x = randomArray(DType::F32, {3, length}, 0);
  // The last element, all but the first half, and all but the first element.
  int64_t finite[][2] = {{length - 1, length}, {0, length / 2}, {0, 1}};
  for (int64_t row = 0; row < 3; ++row)
    for (int64_t column = 0; column < length; ++column)
      if (column < finite[row][0] || column >= finite[row][1])
        setElement(x, row * length + column, -inf);
  EXPECT_EQ(program.check(only(std::move(x))), "");
  EXPECT_EQ(program.boundedElements(), 2 * 3 * length);
}

/// The maximum of zeros of either sign was -inf from 8193 elements on
/// (openxla/xla#5544).
TEST(Bugs, MaximumOfManyZeros) {
  GuardedProgram program(R"(
    func.func @f(%x: tensor<2x?xf32>) -> tensor<2xf32> {
      %y = fuse.reduce max %x dims = [1] : tensor<2x?xf32> -> tensor<2xf32>
      return %y : tensor<2xf32>
    })");
  for (int64_t length : {8192, 8193}) {
    Array x = randomArray(DType::F32, {2, length}, 0);
    for (int64_t i = 0; i < 2 * length; ++i)
      setElement(x, i, i < length ? -0.0 : 0.0);
    EXPECT_EQ(program.check(only(std::move(x))), "") << length;
  }
}

/// x^2 overflowed in f16 (pytorch#134106).
TEST(Bugs, RMSNormOfLargeHalves) {
  GuardedProgram program(R"(
    func.func @f(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {
      %y = fuse.rms_norm %x eps = 1.0e-5 : tensor<?x?xf16>
      return %y : tensor<?x?xf16>
    })");
  Array x = randomArray(DType::F16, {4, 1025}, 0);
  for (int64_t i = 0; i < 4 * 1025; ++i)
    setElement(x, i, 60000.0 - i);
  EXPECT_EQ(program.check(only(std::move(x))), "");
  EXPECT_EQ(program.boundedElements(), 4 * 1025);
}

/// E[x^2] - E[x]^2 cancels where the mean is large (tracel-ai/burn#5607).
TEST(Bugs, LayerNormOfLargeMeans) {
  GuardedProgram program(R"(
    func.func @f(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %y = fuse.layer_norm %x eps = 1.0e-5 : tensor<?x?xf32>
      return %y : tensor<?x?xf32>
    })");
  // Short rows, so that the oracle's bound stays tight.
  Array x = randomArray(DType::F32, {200, 15}, 0);
  for (int64_t i = 0; i < 3000; ++i)
    setElement(x, i, 8192.0 + (i * 7 % 16) / 16.0);
  EXPECT_EQ(program.check(only(std::move(x))), "");
  EXPECT_EQ(program.boundedElements(), 3000);
}

/// `j % K` folded wrongly where K does not divide the vectors (tilelang#2955).
TEST(Bugs, BroadcastsOfLengthsThatVectorsDoNotDivide) {
  GuardedProgram program(R"(
    func.func @f(%x: tensor<?x3x35xf32>, %b: tensor<35xf32>, %c: tensor<3x1xf32>)
        -> tensor<?x105xf32> {
      %s = fuse.add %x, %b : tensor<?x3x35xf32>, tensor<35xf32> -> tensor<?x3x35xf32>
      %t = fuse.mul %s, %c : tensor<?x3x35xf32>, tensor<3x1xf32> -> tensor<?x3x35xf32>
      %y = tensor.collapse_shape %t [[0], [1, 2]]
          : tensor<?x3x35xf32> into tensor<?x105xf32>
      %z = fuse.neg %y : tensor<?x105xf32>
      return %z : tensor<?x105xf32>
    })");
  for (int64_t rows : {1, 2, 33}) {
    std::vector<Array> inputs;
    inputs.push_back(randomArray(DType::F32, {rows, 3, 35}, 0));
    inputs.push_back(randomArray(DType::F32, {35}, 1));
    inputs.push_back(randomArray(DType::F32, {3, 1}, 2));
    EXPECT_EQ(program.check(inputs), "") << rows;
  }
}

/// Fused loops were cut to the smallest extent (tilelang#2957).
TEST(Bugs, ResultsOfDifferentExtents) {
  GuardedProgram program(R"(
    func.func @f(%x: tensor<?x33xf32>, %w: tensor<33xf32>)
        -> (tensor<?x33xf32>, tensor<?x1xf32>, tensor<?xf32>, tensor<33xf32>) {
      %a = fuse.mul %x, %w : tensor<?x33xf32>, tensor<33xf32> -> tensor<?x33xf32>
      %b = fuse.reduce sum %a dims = [1] keep : tensor<?x33xf32> -> tensor<?x1xf32>
      %c = fuse.reduce max %a dims = [1] : tensor<?x33xf32> -> tensor<?xf32>
      %d = fuse.exp %w : tensor<33xf32>
      return %a, %b, %c, %d : tensor<?x33xf32>, tensor<?x1xf32>, tensor<?xf32>,
        tensor<33xf32>
    })");
  for (int64_t rows : {1, 7, 64}) {
    std::vector<Array> inputs;
    inputs.push_back(randomArray(DType::F32, {rows, 33}, 0));
    inputs.push_back(randomArray(DType::F32, {33}, 1));
    EXPECT_EQ(program.check(inputs), "") << rows;
  }
}

/// x / 0 and the smallest integer over -1 trap on a CPU.
TEST(Bugs, DivisionsThatWouldTrap) {
  GuardedProgram program(R"(
    func.func @f(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
      %z = fuse.div %x, %y : tensor<?xi32>
      return %z : tensor<?xi32>
    })");
  constexpr int32_t least = std::numeric_limits<int32_t>::min();
  std::vector<int32_t> x, y;
  for (int32_t numerator : {0, 1, -1, 7, -7, least, -(least + 1)})
    for (int32_t divisor : {0, 1, -1, 2, -2, least}) {
      x.push_back(numerator);
      y.push_back(divisor);
    }
  std::vector<Array> inputs;
  for (const std::vector<int32_t> *values : {&x, &y})
    inputs.push_back(llvm::cantFail(Array::fromBytes(
        DType::I32, {static_cast<int64_t>(values->size())},
        {reinterpret_cast<const char *>(values->data()), values->size() * 4})));
  EXPECT_EQ(program.check(inputs), "");
}
