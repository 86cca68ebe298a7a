//===- VerificationTest.cpp - Tests of the driver's --verify --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace fuse::driver;
namespace reference = mlir::fuse::reference;
using fuse::runtime::DType;

static Array array(std::vector<float> values) {
  return llvm::cantFail(Array::fromBytes(
      DType::F32, {int64_t(values.size())},
      {reinterpret_cast<const char *>(values.data()), values.size() * 4}));
}

static Verification verified(llvm::StringRef body, std::vector<float> input,
                             std::vector<float> output) {
  std::vector<Array> inputs, outputs;
  inputs.push_back(array(std::move(input)));
  outputs.push_back(array(std::move(output)));
  std::string text = ("func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n" +
                      body + "\n  return %y : tensor<?xf32>\n}")
                         .str();
  return llvm::cantFail(verify(text, "a.mlir", "", inputs, outputs));
}

static bool verifies(std::vector<float> output) {
  Verification twice = verified("  %y = fuse.add %x, %x : tensor<?xf32>",
                                {1, 2, 3}, std::move(output));
  return twice.reports.size() == 1 && twice.reports[0].ok();
}

TEST(Verification, TellsRightFromWrong) {
  EXPECT_TRUE(verifies({2, 4, 6}));
  EXPECT_FALSE(verifies({2, 4, 6.001f}));
  EXPECT_FALSE(verifies({2, std::nanf(""), 6}));
}

TEST(Verification, NamesTheOpThatLosesABound) {
  // sin(x) is inexact and may be 0 or not for all that is known of it.
  Verification result = verified(R"(  %s = fuse.sin %x : tensor<?xf32>
  %d = fuse.sub %s, %s : tensor<?xf32>
  %y = fuse.recip %d : tensor<?xf32>)",
                                 {0, 1}, {0, 0});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].str(),
            "'fuse.recip' at a.mlir:4:8 loses the bound of 2 elements, the "
            "first at [0]");
}

TEST(Verification, SaysWhichRowsOfANormAreOutOfRange) {
  auto findingsOf = [](float scale, llvm::StringRef eps) {
    std::string body =
        ("  %y = fuse.rms_norm %x eps = " + eps + " : tensor<?xf32>").str();
    return verified(body, {scale, 2 * scale}, {0, 0}).findings;
  };
  for (float scale : {1e19f, 1e38f}) {
    auto findings = findingsOf(scale, "1.0e-5");
    ASSERT_EQ(findings.size(), 1u) << scale;
    EXPECT_EQ(findings[0].kind, reference::Finding::Kind::outOfRange);
    EXPECT_EQ(findings[0].count, 1);
  }
  EXPECT_FALSE(findingsOf(1e-30f, "0.0").empty());
  EXPECT_TRUE(findingsOf(1e-30f, "1.0e-5").empty());
  EXPECT_TRUE(findingsOf(1e18f, "0.0").empty());
  EXPECT_TRUE(findingsOf(1e-18f, "0.0").empty());
}
