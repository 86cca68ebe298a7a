//===- TurnedBoxTest.cpp - What a thread turns in its registers -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/TurnedBox.h"
#include "ParseProgram.h"

using namespace mlir;
using namespace mlir::fuse;

using Sizes = SmallVector<int64_t>;

namespace {
class TurnedBoxTest : public ProgramTest {
protected:
  /// The box of a kernel with the operand %x of type `type` and this body.
  std::optional<TurnedBox> boxOf(const std::string &type,
                                 const std::string &resultType,
                                 const std::string &body, int64_t vector) {
    KernelOp kernel =
        parseKernel("func.func @f(%p: " + type + ") -> " + resultType +
                    " {\n%r = fuse.kernel \"k\" ins(%p : " + type + ") -> " +
                    resultType + " {\n^bb0(%x: " + type + "):\n" + body +
                    "\nfuse.yield %y : " + resultType +
                    "\n}\nreturn %r : " + resultType + "\n}");
    DimClasses dims(kernel->getParentOp());
    segments = segmentsOf(kernel, dims);
    return turnedBoxOf(kernel, segments.front(), dims, vector,
                       /*divisible=*/false);
  }

  SmallVector<Segment> segments;
};

TEST_F(TurnedBoxTest, ChannelsThatWereLastAreTakenWhole) {
  auto box = boxOf("tensor<?x64x64x3xui8>", "tensor<?x3x64x64xui8>", R"(
    %y = fuse.transpose %x permutation = [0, 3, 1, 2] : tensor<?x64x64x3xui8> -> tensor<?x3x64x64xui8>)",
                   16);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->sizes, (Sizes{1, 3, 1, 16}));
  EXPECT_EQ(box->lanes, (Sizes{16}));
  ASSERT_EQ(box->reads.size(), 1u);
  EXPECT_EQ(box->reads[0].lanes, 16);
  EXPECT_EQ(box->reads[0].walked.axes, (Sizes{0, 2, 3, 1}));
}

TEST_F(TurnedBoxTest, WiderResultsHaveShorterVectors) {
  auto box = boxOf("tensor<?x64x64x3xui8>", "tensor<?x3x64x64xf16>", R"(
    %t = fuse.transpose %x permutation = [0, 3, 1, 2] : tensor<?x64x64x3xui8> -> tensor<?x3x64x64xui8>
    %y = fuse.cast %t : tensor<?x3x64x64xui8> -> tensor<?x3x64x64xf16>)",
                   16);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->sizes, (Sizes{1, 3, 1, 16}));
  EXPECT_EQ(box->lanes, (Sizes{8}));
  EXPECT_EQ(box->reads[0].lanes, 16);
}

TEST_F(TurnedBoxTest, ChannelsThatBecomeTheLastAreStoredTogether) {
  auto box =
      boxOf("tensor<?x3x14x16x14x16xbf16>", "tensor<?x14x14x16x16x3xbf16>", R"(
    %y = fuse.transpose %x permutation = [0, 2, 4, 3, 5, 1] : tensor<?x3x14x16x14x16xbf16> -> tensor<?x14x14x16x16x3xbf16>)",
            8);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->sizes, (Sizes{1, 1, 1, 1, 8, 3}));
  EXPECT_EQ(box->lanes, (Sizes{8}));
  EXPECT_EQ(box->reads[0].lanes, 8);
}

TEST_F(TurnedBoxTest, BothSidesMayGoOnInTheDimensionBefore) {
  auto box = boxOf("tensor<?x8x8x4x4x4xf16>", "tensor<?x4x8x4x8x4xf16>", R"(
    %y = fuse.transpose %x permutation = [0, 5, 1, 3, 2, 4] : tensor<?x8x8x4x4x4xf16> -> tensor<?x4x8x4x8x4xf16>)",
                   8);
  ASSERT_TRUE(box);
  // 2 x 4 pixels of a row of the image, of 4 channels.
  EXPECT_EQ(box->sizes, (Sizes{1, 4, 1, 1, 2, 4}));
  EXPECT_EQ(box->reads[0].lanes, 8);
}

TEST_F(TurnedBoxTest, ShortRowsMayGoOnInOthers) {
  const char *turned = R"(
    %y = fuse.transpose %x permutation = [0, 2, 4, 1, 3, 5] : tensor<?x3x16x14x16x14xbf16> -> tensor<?x16x16x3x14x14xbf16>)";
  auto box = boxOf("tensor<?x3x16x14x16x14xbf16>",
                   "tensor<?x16x16x3x14x14xbf16>", turned, 4);
  ASSERT_TRUE(box);
  // Two patches for the vectors of the image, two rows for those of a patch.
  EXPECT_EQ(box->sizes, (Sizes{1, 1, 2, 1, 2, 14}));
  EXPECT_EQ(box->lanes, (Sizes{4}));
  EXPECT_EQ(box->reads[0].lanes, 4);
  // In rows that vectors divide they do not go on.
  EXPECT_FALSE(boxOf("tensor<?x16x16x16xbf16>", "tensor<?x16x16x16xbf16>", R"(
    %y = fuse.transpose %x permutation = [0, 2, 1, 3] : tensor<?x16x16x16xbf16> -> tensor<?x16x16x16xbf16>)",
                     8));
}

TEST_F(TurnedBoxTest, RegistersAreLimited) {
  const char *body = R"(
    %y = fuse.transpose %x permutation = [1, 0] : tensor<64x8xui8> -> tensor<8x64xui8>)";
  EXPECT_FALSE(boxOf("tensor<64x8xui8>", "tensor<8x64xui8>", body, 16));
  auto box = boxOf("tensor<64x8xui8>", "tensor<8x64xui8>", body, 8);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->sizes, (Sizes{8, 8}));
}

TEST_F(TurnedBoxTest, RowsThatVectorsDoNotDivideHaveShorterOnes) {
  const char *body = R"(
    %y = fuse.transpose %x permutation = [0, 3, 1, 2] : tensor<8x7x14x3xui8> -> tensor<8x3x7x14xui8>)";
  // 98 bytes of a plane: wider vectors would take planes of several pictures.
  for (int64_t vector : {4, 8, 16})
    EXPECT_FALSE(
        boxOf("tensor<8x7x14x3xui8>", "tensor<8x3x7x14xui8>", body, vector));
  auto box = boxOf("tensor<8x7x14x3xui8>", "tensor<8x3x7x14xui8>", body, 2);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->lanes, (Sizes{2}));
  EXPECT_EQ(box->reads[0].lanes, 2);
}

TEST_F(TurnedBoxTest, SlicesStartAtWholeVectors) {
  auto sliced = [&](const std::string &start) {
    return boxOf(
        "tensor<3x64x3xui8>", "tensor<3x3x32xui8>",
        "%s = fuse.slice %x offsets = [0, " + start +
            R"(, 0] sizes = [3, 32, 3] : tensor<3x64x3xui8> -> tensor<3x32x3xui8>
    %y = fuse.transpose %s permutation = [0, 2, 1] : tensor<3x32x3xui8> -> tensor<3x3x32xui8>)",
        16);
  };
  ASSERT_TRUE(sliced("16"));
  EXPECT_EQ(sliced("16")->reads[0].lanes, 16);
  ASSERT_TRUE(sliced("4"));
  EXPECT_EQ(sliced("4")->reads[0].lanes, 4);
  EXPECT_FALSE(sliced("3"));
}

TEST_F(TurnedBoxTest, AFewNeighboursAreReadWithThoseThatResultsHave) {
  auto box = boxOf("tensor<64x4xui8>", "tensor<3x64xui8>", R"(
    %s = fuse.slice %x offsets = [0, 1] sizes = [64, 3] : tensor<64x4xui8> -> tensor<64x3xui8>
    %y = fuse.transpose %s permutation = [1, 0] : tensor<64x3xui8> -> tensor<3x64xui8>)",
                   16);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->sizes, (Sizes{3, 16}));
  EXPECT_EQ(box->reads[0].lanes, 16);
  EXPECT_EQ(box->reads[0].sizes, (Sizes{16, 4}));
  EXPECT_EQ(box->reads[0].whole, (SmallVector<bool>{false, true}));
}

TEST_F(TurnedBoxTest, OneOfThreeIsReadWithTheOthers) {
  auto box = boxOf("tensor<?x64x3xbf16>", "tensor<?x64xbf16>", R"(
    %s = fuse.slice %x offsets = [0, 0, 2] sizes = [-1, 64, 1] : tensor<?x64x3xbf16> -> tensor<?x64x1xbf16>
    %y = tensor.collapse_shape %s [[0], [1, 2]] : tensor<?x64x1xbf16> into tensor<?x64xbf16>)",
                   8);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->sizes, (Sizes{1, 8}));
  EXPECT_EQ(box->reads[0].sizes, (Sizes{1, 8, 3}));
}

TEST_F(TurnedBoxTest, APartOfManyIsNoRun) {
  EXPECT_FALSE(boxOf("tensor<64x40xui8>", "tensor<3x64xui8>", R"(
    %s = fuse.slice %x offsets = [0, 1] sizes = [64, 3] : tensor<64x40xui8> -> tensor<64x3xui8>
    %y = fuse.transpose %s permutation = [1, 0] : tensor<64x3xui8> -> tensor<3x64xui8>)",
                     16));
}

TEST_F(TurnedBoxTest, WhatIsReadAlongItsRowsHasNoBox) {
  EXPECT_FALSE(boxOf("tensor<4x8x16xf32>", "tensor<8x4x16xf32>", R"(
    %y = fuse.transpose %x permutation = [1, 0, 2] : tensor<4x8x16xf32> -> tensor<8x4x16xf32>)",
                     4));
}

TEST_F(TurnedBoxTest, AnUnknownDimensionIsNotCut) {
  EXPECT_FALSE(boxOf("tensor<?x3xui8>", "tensor<3x?xui8>", R"(
    %y = fuse.transpose %x permutation = [1, 0] : tensor<?x3xui8> -> tensor<3x?xui8>)",
                     16));
}
} // namespace
