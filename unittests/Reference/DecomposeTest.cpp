//===- DecomposeTest.cpp - Composites against their primitives ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle knows the composites by their formulas, fuse-decompose by its
// patterns. Each composite must agree with its expansion, and the bound must be
// near enough to tell.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "fuse/Reference/Verify.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir::fuse::reference;

namespace {
struct Case {
  const char *name;
  /// TYPE stands for the element type.
  const char *program;
  std::vector<std::vector<int64_t>> shapes;
  /// The largest bound allowed, in ULP of the type at 1.
  double ulps;
};
} // namespace

static std::string withType(std::string text, DType dtype) {
  for (size_t at; (at = text.find("TYPE")) != std::string::npos;)
    text.replace(at, 4, getName(dtype).str());
  return text;
}

static double getLargestBound(const Value &value) {
  double largest = 0.0;
  for (int64_t i = 0; i < value.size(); ++i)
    largest = std::max(largest, value.getError(i));
  return largest;
}

static void checkCase(const Case &test, DType dtype) {
  SCOPED_TRACE(std::string(test.name) + " " + getName(dtype).str());
  std::vector<Value> inputs;
  for (const auto &shape : test.shapes)
    inputs.push_back(randomFloats(shape, dtype, inputs.size()));
  Program program(withType(test.program, dtype));
  Value composite = program(inputs);
  program.decompose();
  Value primitives = program(inputs);
  ASSERT_EQ(composite.shape, primitives.shape);
  Report report = compare(composite, getBytes(primitives).data());
  EXPECT_TRUE(report.ok()) << report.firstMismatch;
  EXPECT_LT(getLargestBound(composite), test.ulps * getUlp(dtype, 1.0));
}

static const Case cases[] = {
    {"softmax",
     R"((%x: tensor<3x5x7xTYPE>) -> tensor<3x5x7xTYPE> {
      %y = fuse.softmax %x dims = [0, 2] : tensor<3x5x7xTYPE>
      return %y : tensor<3x5x7xTYPE> })",
     {{3, 5, 7}},
     32},
    {"log_softmax",
     R"((%x: tensor<3x65xTYPE>) -> tensor<3x65xTYPE> {
      %y = fuse.log_softmax %x dims = [1] : tensor<3x65xTYPE>
      return %y : tensor<3x65xTYPE> })",
     {{3, 65}},
     100},
    {"logsumexp",
     R"((%x: tensor<3x4x9xTYPE>) -> tensor<4xTYPE> {
      %y = fuse.logsumexp %x dims = [0, 2]
         : tensor<3x4x9xTYPE> -> tensor<4xTYPE>
      return %y : tensor<4xTYPE> })",
     {{3, 4, 9}},
     64},
    {"rms_norm",
     R"((%x: tensor<3x?xTYPE>, %w: tensor<?xTYPE>) -> tensor<3x?xTYPE> {
      %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<3x?xTYPE>, tensor<?xTYPE>
      return %y : tensor<3x?xTYPE> })",
     {{3, 65}, {65}},
     400},
    {"layer_norm",
     R"((%x: tensor<3x65xTYPE>, %w: tensor<65xTYPE>, %b: tensor<65xTYPE>)
         -> tensor<3x65xTYPE> {
      %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5
         : tensor<3x65xTYPE>, tensor<65xTYPE>, tensor<65xTYPE>
      return %y : tensor<3x65xTYPE> })",
     {{3, 65}, {65}, {65}},
     800},
    {"gelu tanh",
     R"((%x: tensor<200xTYPE>) -> tensor<200xTYPE> {
      %y = fuse.gelu tanh %x : tensor<200xTYPE>
      return %y : tensor<200xTYPE> })",
     {{200}},
     32},
    {"gelu erf",
     R"((%x: tensor<200xTYPE>) -> tensor<200xTYPE> {
      %y = fuse.gelu erf %x : tensor<200xTYPE>
      return %y : tensor<200xTYPE> })",
     {{200}},
     32},
    {"geglu sigmoid",
     R"((%x: tensor<4x9xTYPE>, %y: tensor<9xTYPE>) -> tensor<4x9xTYPE> {
      %z = fuse.geglu sigmoid %x, %y : tensor<4x9xTYPE>, tensor<9xTYPE> -> tensor<4x9xTYPE>
      return %z : tensor<4x9xTYPE> })",
     {{4, 9}, {9}},
     64},
    {"swiglu",
     R"((%x: tensor<4x9xTYPE>, %y: tensor<4x9xTYPE>) -> tensor<4x9xTYPE> {
      %z = fuse.swiglu %x, %y : tensor<4x9xTYPE>
      return %z : tensor<4x9xTYPE> })",
     {{4, 9}, {4, 9}},
     64},
    {"matmul",
     R"((%x: tensor<2x1x5x4xTYPE>, %y: tensor<3x6x5xTYPE>)
         -> tensor<2x3x4x6xTYPE> {
      %z = fuse.matmul %x, %y transpose_lhs transpose_rhs
         : tensor<2x1x5x4xTYPE>, tensor<3x6x5xTYPE> -> tensor<2x3x4x6xTYPE>
      return %z : tensor<2x3x4x6xTYPE> })",
     {{2, 1, 5, 4}, {3, 6, 5}},
     64},
    {"attention",
     R"((%q: tensor<2x?x4x8xTYPE>, %k: tensor<2x?x2x8xTYPE>,
         %v: tensor<2x?x2x8xTYPE>) -> tensor<2x?x4x8xTYPE> {
      %y = fuse.attention tokens_heads causal %q, %k, %v
         : tensor<2x?x4x8xTYPE>, tensor<2x?x2x8xTYPE>, tensor<2x?x2x8xTYPE>
      return %y : tensor<2x?x4x8xTYPE> })",
     {{2, 3, 4, 8}, {2, 5, 2, 8}, {2, 5, 2, 8}},
     200},
    {"attention, heads first",
     R"((%q: tensor<1x2x3x8xTYPE>, %k: tensor<1x2x5x8xTYPE>,
         %v: tensor<1x2x5x8xTYPE>) -> tensor<1x2x3x8xTYPE> {
      %y = fuse.attention heads_tokens %q, %k, %v scale = 0.25
         : tensor<1x2x3x8xTYPE>, tensor<1x2x5x8xTYPE>, tensor<1x2x5x8xTYPE>
      return %y : tensor<1x2x3x8xTYPE> })",
     {{1, 2, 3, 8}, {1, 2, 5, 8}, {1, 2, 5, 8}},
     200},
};

TEST(Decompose, AgreesWithTheFormulas) {
  for (const Case &test : cases)
    for (DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64})
      checkCase(test, dtype);
}
