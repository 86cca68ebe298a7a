//===- SumBoundsTest.cpp - Which sums the oracle takes for right ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op that adds up many terms is computed here from a summation that the
// test chooses: blocked as the lowering promises, or with one of the faults
// that a lowering may have. The oracle has to accept the first and to refuse
// each of the others.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "fuse/Reference/Verify.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <cmath>
#include <functional>

using namespace mlir::fuse::reference;

using Terms = std::vector<float>;
using Summation = std::function<float(const Terms &)>;

static float inSequence(llvm::ArrayRef<float> terms) {
  float sum = 0.0f;
  for (float term : terms)
    sum += term;
  return sum;
}

/// Blocks of 256 terms, and of these sums again.
static float inBlocks(const Terms &terms) {
  constexpr size_t blockSize = 256;
  Terms blocks;
  for (llvm::ArrayRef<float> left = terms; !left.empty();
       left = left.drop_front(std::min(blockSize, left.size())))
    blocks.push_back(inSequence(left.take_front(blockSize)));
  return blocks.size() <= blockSize ? inSequence(blocks) : inBlocks(blocks);
}

static float withOneAccumulator(const Terms &terms) {
  return inSequence(terms);
}

/// The third of the blocks of 256.
static float withoutABlock(const Terms &terms) {
  Terms left(terms.begin(), terms.begin() + 512);
  left.insert(left.end(), terms.begin() + 768, terms.end());
  return inBlocks(left);
}

/// What is behind the last 64 terms that are whole.
static float withoutTheTail(const Terms &terms) {
  return inBlocks(Terms(terms.begin(), terms.end() - terms.size() % 64));
}

static float rounded(float value, DType dtype) {
  return static_cast<float>(roundTo(dtype, value));
}

static float in16Bits(const Terms &terms) {
  float sum = 0.0f;
  for (float term : terms)
    sum = rounded(sum + term, DType::BF16);
  return sum;
}

namespace {

/// A program of one input, and the same from a summation.
struct Formula {
  const char *name;
  const char *text;
  std::function<Terms(const Terms &, const Summation &)> compute;
};

struct Fault {
  const char *name;
  Summation sum;
  size_t length;
};

class SumBounds : public testing::TestWithParam<std::tuple<Formula, Fault>> {};

} // namespace

static float meanOfSquares(const Terms &x, const Summation &sum) {
  Terms squares;
  for (float each : x)
    squares.push_back(each * each);
  return sum(squares) / static_cast<float>(x.size());
}

static const Formula formulas[] = {
    {"Sum", R"((%x: tensor<?xf32>) -> tensor<f32> {
       %y = fuse.reduce sum %x dims = [0] : tensor<?xf32> -> tensor<f32>
       return %y : tensor<f32> })",
     [](const Terms &x, const Summation &sum) { return Terms{sum(x)}; }},
    {"Mean", R"((%x: tensor<?xf32>) -> tensor<f32> {
       %y = fuse.reduce mean %x dims = [0] : tensor<?xf32> -> tensor<f32>
       return %y : tensor<f32> })",
     [](const Terms &x, const Summation &sum) {
       return Terms{sum(x) / static_cast<float>(x.size())};
     }},
    {"Contraction", R"((%x: tensor<?xf32>) -> tensor<f32> {
       %y = fuse.contract "k,k->" %x, %x
          : tensor<?xf32>, tensor<?xf32> -> tensor<f32>
       return %y : tensor<f32> })",
     [](const Terms &x, const Summation &sum) {
       return Terms{meanOfSquares(x, sum) * static_cast<float>(x.size())};
     }},
    {"RmsNorm", R"((%x: tensor<?xf32>) -> tensor<?xf32> {
       %y = fuse.rms_norm %x eps = 0.0 : tensor<?xf32>
       return %y : tensor<?xf32> })",
     [](const Terms &x, const Summation &sum) {
       float scale = 1.0f / std::sqrt(meanOfSquares(x, sum));
       Terms y;
       for (float each : x)
         y.push_back(each * scale);
       return y;
     }},
    {"Softmax", R"((%x: tensor<?xf32>) -> tensor<?xf32> {
       %y = fuse.softmax %x dims = [0] : tensor<?xf32>
       return %y : tensor<?xf32> })",
     [](const Terms &x, const Summation &sum) {
       float maximum = *llvm::max_element(x);
       Terms y;
       for (float each : x)
         y.push_back(std::exp(each - maximum));
       float total = sum(y);
       for (float &each : y)
         each /= total;
       return y;
     }},
};

/// The terms of a sum are all positive, and of few sizes: rounded alike.
static Terms termsFor(size_t length) {
  Terms terms;
  for (size_t i = 0; i < length; ++i)
    terms.push_back(0.7f - 0.3f * static_cast<float>(i % 2));
  return terms;
}

static Report reportOf(const Formula &formula, const Summation &sum,
                       size_t length) {
  Terms terms = termsFor(length);
  Program program(formula.text);
  Value expected = program(
      {floats({static_cast<int64_t>(length)}, {terms.begin(), terms.end()})});
  return compare(expected, formula.compute(terms, sum).data());
}

TEST_P(SumBounds, AcceptsBlocksOnly) {
  auto [formula, fault] = GetParam();
  Report right = reportOf(formula, inBlocks, fault.length);
  EXPECT_TRUE(right.ok()) << right.firstMismatch;
  EXPECT_FALSE(reportOf(formula, fault.sum, fault.length).ok());
}

INSTANTIATE_TEST_SUITE_P(
    OfFaults, SumBounds,
    testing::Combine(
        testing::ValuesIn(formulas),
        testing::Values(Fault{"OneAccumulator", withOneAccumulator, 1000003},
                        Fault{"ADroppedBlock", withoutABlock, 1000003},
                        Fault{"ALostTail", withoutTheTail, 4097},
                        Fault{"SixteenBits", in16Bits, 4096})),
    [](const auto &info) {
      return std::string(std::get<0>(info.param).name) + "Of" +
             std::get<1>(info.param).name;
    });

TEST(SumBounds, GrowWithTheLogarithmOfTheLength) {
  Program program(formulas[0].text);
  auto boundOf = [&](int64_t length) {
    Terms terms(length, 1.0f);
    Value sum = program({floats({length}, {terms.begin(), terms.end()})});
    return sum.error[0] / static_cast<double>(length) * 0x1p24;
  };
  EXPECT_LE(boundOf(100), 100.0);
  EXPECT_LE(boundOf(1000), 170.0);
  EXPECT_LE(boundOf(1000000), 210.0);
  EXPECT_LE(boundOf(1000000) - boundOf(500000), 4.1);
}
