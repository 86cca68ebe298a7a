//===- ReductionSegmentsTest.cpp - Independent reductions of one kernel ---===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ReductionSegments.h"
#include "ParseProgram.h"
#include "fuse/Analysis/ElementSegments.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class ReductionSegmentsTest : public ProgramTest {
protected:
  /// The segments of a kernel with inputs %a and %b, [4, 8] unless `other` is
  /// the type of %b; none, and `reason`, where there are none.
  std::vector<ReductionSegment>
  segmentsOf(const std::string &body, const std::string &results,
             const std::string &other = "tensor<4x8xf32>") {
    std::string inputs = "tensor<4x8xf32>, " + other;
    kernel = parseKernel("func.func @f(%x: tensor<4x8xf32>, %y: " + other +
                         ") {\n%r:2 = "
                         "fuse.kernel \"k\" ins(%x, %y : " +
                         inputs + ") -> " + results +
                         " {\n^bb0(%a: tensor<4x8xf32>, %b: " + other + "):\n" +
                         body + " : " + results + "\n}\nreturn\n}");
    DimClasses dims(kernel->getParentOp());
    auto segments = reductionSegmentsOf(kernel, dims, reason);
    return succeeded(segments) ? *segments : std::vector<ReductionSegment>();
  }
  BlockArgument input(unsigned number) {
    return kernel.getBody().getArgument(number);
  }

  KernelOp kernel;
  Reason reason;
};

TEST_F(ReductionSegmentsTest, ShapesAreSegments) {
  auto segments =
      segmentsOf(R"(
    %n = fuse.reduce sum %b dims = [1] keep : tensor<6x8xf32> -> tensor<6x1xf32>
    %m = fuse.reduce max %a dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    fuse.yield %m, %n)",
                 "tensor<4x1xf32>, tensor<6x1xf32>", "tensor<6x8xf32>");
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].space.domain.front().size, 6);
  EXPECT_EQ(segments[0].results, (SmallVector<unsigned>{1}));
  EXPECT_EQ(segments[1].results, (SmallVector<unsigned>{0}));
  EXPECT_TRUE(segments[0].reads(input(1)));
  EXPECT_FALSE(segments[0].reads(input(0)));
}

TEST_F(ReductionSegmentsTest, WhatNothingIsSharedByStaysApart) {
  auto segments = segmentsOf(R"(
    %m = fuse.reduce max %a dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %n = fuse.reduce sum %b dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    fuse.yield %m, %n)",
                             "tensor<4x1xf32>, tensor<4x1xf32>");
  EXPECT_EQ(segments.size(), 2u);
}

TEST_F(ReductionSegmentsTest, AnInputOfBothIsWalkedOnce) {
  auto segments = segmentsOf(R"(
    %m = fuse.reduce max %a dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %c = fuse.add %a, %b : tensor<4x8xf32>
    %n = fuse.reduce sum %c dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    fuse.yield %m, %n)",
                             "tensor<4x1xf32>, tensor<4x1xf32>");
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].space.levels.front().size(), 2u);
  EXPECT_EQ(segments[0].results.size(), 2u);
}

TEST_F(ReductionSegmentsTest, OneInputOfTwoSpacesIsReadByBoth) {
  auto segments = segmentsOf(R"(
    %c = fuse.exp %a : tensor<4x8xf32>
    %m = fuse.reduce max %c dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %n = fuse.reduce sum %c dims = [0, 1] : tensor<4x8xf32> -> tensor<f32>
    fuse.yield %m, %n)",
                             "tensor<4x1xf32>, tensor<f32>");
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].ops.size(), 2u);
  EXPECT_EQ(segments[1].ops.size(), 2u);
  EXPECT_EQ(segments[0].ops[0], segments[1].ops[0]);
}

TEST_F(ReductionSegmentsTest, AResultOfTwoJoinsThem) {
  auto segments = segmentsOf(R"(
    %m = fuse.reduce max %a dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %n = fuse.reduce sum %b dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %s = fuse.add %m, %n : tensor<4x1xf32>
    fuse.yield %s, %n)",
                             "tensor<4x1xf32>, tensor<4x1xf32>");
  EXPECT_EQ(segments.size(), 1u);
}

TEST_F(ReductionSegmentsTest, AResultOfTwoSpacesIsRefused) {
  auto segments =
      segmentsOf(R"(
    %m = fuse.reduce max %a dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %n = fuse.reduce sum %b dims = [1] keep : tensor<4x9xf32> -> tensor<4x1xf32>
    %s = fuse.add %m, %n : tensor<4x1xf32>
    fuse.yield %s, %n)",
                 "tensor<4x1xf32>, tensor<4x1xf32>", "tensor<4x9xf32>");
  EXPECT_TRUE(segments.empty());
  EXPECT_TRUE(reason.is(ReasonKind::differentShapes));
}

TEST_F(ReductionSegmentsTest, AResultWithoutReductionGoesWithItsInput) {
  auto segments = segmentsOf(R"(
    %m = fuse.reduce max %a dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %n = fuse.reduce sum %b dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %d = fuse.sub %a, %m : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
    %s = fuse.reduce sum %d dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %t = fuse.add %n, %n : tensor<4x1xf32>
    %e = fuse.exp %b : tensor<4x8xf32>
    fuse.yield %s, %e)",
                             "tensor<4x1xf32>, tensor<4x8xf32>");
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].space.levels.size(), 2u);
  EXPECT_EQ(segments[0].results, (SmallVector<unsigned>{0}));
  EXPECT_EQ(segments[1].results, (SmallVector<unsigned>{1}));
}
TEST_F(ReductionSegmentsTest, WhatAllRowsAreReducedToIsNoPartOfTheirSpace) {
  auto segments = segmentsOf(R"(
    %m = fuse.reduce max %a dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %c = fuse.sub %a, %m : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
    %s = fuse.reduce sum %c dims = [0] : tensor<4x8xf32> -> tensor<8xf32>
    %e = fuse.exp %s : tensor<8xf32>
    fuse.yield %m, %e)",
                             "tensor<4x1xf32>, tensor<8xf32>");
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].results, (SmallVector<unsigned>{0}));
  EXPECT_EQ(segments[0].ops.size(), 2u);
  ASSERT_EQ(segments[0].across.spaces.size(), 1u);
  EXPECT_EQ(segments[0].across.results, (SmallVector<unsigned>{1}));
  EXPECT_EQ(segments[0].across.ops.size(), 2u);
  EXPECT_EQ(segments[0].across.inputs().size(), 1u);
  EXPECT_TRUE(segments[0].reducesToColumns());
}

TEST_F(ReductionSegmentsTest, WhatRowsHaveOneOfIsReducedToOne) {
  auto segments = segmentsOf(R"(
    %m = fuse.reduce max %a dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
    %s = fuse.reduce sum %m dims = [0] : tensor<4xf32> -> tensor<f32>
    fuse.yield %m, %s)",
                             "tensor<4xf32>, tensor<f32>");
  ASSERT_EQ(segments.size(), 1u);
  ASSERT_EQ(segments[0].across.spaces.size(), 1u);
  EXPECT_FALSE(segments[0].reducesToColumns());
}

TEST_F(ReductionSegmentsTest, WhatComesBackToTheRowsIsNotReducedOverAll) {
  auto segments = segmentsOf(R"(
    %m = fuse.reduce max %a dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %s = fuse.reduce sum %a dims = [0] : tensor<4x8xf32> -> tensor<8xf32>
    %d = fuse.sub %a, %s : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>
    fuse.yield %m, %d)",
                             "tensor<4x1xf32>, tensor<4x8xf32>");
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_TRUE(segments[0].across.empty());
  EXPECT_TRUE(segments[1].across.empty());
}

} // namespace
