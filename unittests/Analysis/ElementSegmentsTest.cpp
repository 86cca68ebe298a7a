//===- ElementSegmentsTest.cpp - Results of one shape ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ElementSegments.h"
#include "ParseProgram.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
using ElementSegmentsTest = ProgramTest;

TEST_F(ElementSegmentsTest, ResultsOfOneShapeAreASegment) {
  KernelOp kernel = parseKernel(R"(
    func.func @f(%q: tensor<?x8xf32>, %k: tensor<?x4xf32>)
        -> (tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x8xf32>) {
      %r:3 = fuse.kernel "k" ins(%q, %k : tensor<?x8xf32>, tensor<?x4xf32>)
          -> tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x8xf32> {
      ^bb0(%a: tensor<?x8xf32>, %b: tensor<?x4xf32>):
        %c = fuse.exp %a : tensor<?x8xf32>
        %d = fuse.exp %b : tensor<?x4xf32>
        %e = fuse.neg %c : tensor<?x8xf32>
        fuse.yield %c, %d, %e : tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x8xf32>
      }
      return %r#0, %r#1, %r#2 : tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x8xf32>
    })");
  DimClasses dims(kernel->getParentOp());
  SmallVector<Segment> segments = segmentsOf(kernel, dims);
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].results, (SmallVector<unsigned>{0, 2}));
  EXPECT_EQ(segments[1].results, (SmallVector<unsigned>{1}));
  EXPECT_TRUE(segments[0].flat);
}

TEST_F(ElementSegmentsTest, ABroadcastAsksWhereAPointIs) {
  KernelOp kernel = parseKernel(R"(
    func.func @f(%x: tensor<?x8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32> {
      %r = fuse.kernel "k" ins(%x, %b : tensor<?x8xf32>, tensor<8xf32>)
          -> tensor<?x8xf32> {
      ^bb0(%a: tensor<?x8xf32>, %c: tensor<8xf32>):
        %d = fuse.add %a, %c : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
        fuse.yield %d : tensor<?x8xf32>
      }
      return %r : tensor<?x8xf32>
    })");
  DimClasses dims(kernel->getParentOp());
  EXPECT_FALSE(segmentsOf(kernel, dims)[0].flat);
}

/// A kernel whose rows of 2 x 8 heads share what `op` computes of a row's
/// angles.
static std::string rowsOfHeads(StringRef op) {
  return (R"(
    func.func @f(%x: tensor<2x8x?x64xf32>, %b: tensor<?x64xf32>) -> tensor<2x8x?x64xf32> {
      %r = fuse.kernel "k" ins(%x, %b : tensor<2x8x?x64xf32>, tensor<?x64xf32>)
          -> tensor<2x8x?x64xf32> {
      ^bb0(%a: tensor<2x8x?x64xf32>, %c: tensor<?x64xf32>):
        %d = fuse.)" +
          op + R"( %c : tensor<?x64xf32>
        %e = fuse.mul %a, %d : tensor<2x8x?x64xf32>, tensor<?x64xf32> -> tensor<2x8x?x64xf32>
        fuse.yield %e : tensor<2x8x?x64xf32>
      }
      return %r : tensor<2x8x?x64xf32>
    })")
      .str();
}

TEST_F(ElementSegmentsTest, WhatHeadsShareRepeatsAlongTheLargestDimension) {
  KernelOp kernel = parseKernel(rowsOfHeads("cos"));
  DimClasses dims(kernel->getParentOp());
  Segment segment = segmentsOf(kernel, dims)[0];
  EXPECT_EQ(segment.repeatedAxis, 1u);
  EXPECT_EQ(segment.repeatedTogether(8), 8);
  EXPECT_EQ(segment.repeatedTogether(16), 8);
  double ofCosine = segment.repeatedInstructions;

  kernel = parseKernel(rowsOfHeads("neg"));
  DimClasses others(kernel->getParentOp());
  segment = segmentsOf(kernel, others)[0];
  EXPECT_GT(ofCosine, segment.repeatedInstructions);
  EXPECT_GT(segment.repeatedInstructions, 0);
}

TEST_F(ElementSegmentsTest, NothingRepeatsInWhatEachElementComputes) {
  KernelOp kernel = parseKernel(R"(
    func.func @f(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
      %r = fuse.kernel "k" ins(%x : tensor<8x64xf32>) -> tensor<8x64xf32> {
      ^bb0(%a: tensor<8x64xf32>):
        %i = fuse.iota dim = 1 : tensor<8x64xf32>
        %d = fuse.cos %a : tensor<8x64xf32>
        %e = fuse.mul %d, %i : tensor<8x64xf32>
        fuse.yield %e : tensor<8x64xf32>
      }
      return %r : tensor<8x64xf32>
    })");
  DimClasses dims(kernel->getParentOp());
  EXPECT_EQ(segmentsOf(kernel, dims)[0].repeatedTogether(8), 1);
}

TEST_F(ElementSegmentsTest, LoadsOfLanesThatLieApartRepeat) {
  auto repeatedOf = [&](llvm::StringRef weights, llvm::StringRef offsets,
                        llvm::StringRef sizes, llvm::StringRef column) {
    KernelOp kernel = parseKernel(llvm::formatv(R"(
      func.func @f(%x: tensor<8x64xf32>, %w: tensor<{0}xf32>) -> tensor<8x64xf32> {{
        %r = fuse.kernel "k" ins(%x, %w : tensor<8x64xf32>, tensor<{0}xf32>) -> tensor<8x64xf32> {{
        ^bb0(%a: tensor<8x64xf32>, %b: tensor<{0}xf32>):
          %s = fuse.slice %b offsets = [{1}] sizes = [{2}] steps = [1, 1] : tensor<{0}xf32> -> tensor<{3}xf32>
          %c = tensor.collapse_shape %s [[0, 1]] : tensor<{3}xf32> into tensor<64xf32>
          %m = fuse.mul %a, %c : tensor<8x64xf32>, tensor<64xf32>
          fuse.yield %m : tensor<8x64xf32>
        }
        return %r : tensor<8x64xf32>
      })",
                                                weights, offsets, sizes, column)
                                      .str());
    DimClasses dims(kernel->getParentOp());
    return segmentsOf(kernel, dims)[0].repeatedInstructions;
  };
  double column = repeatedOf("64x4", "0, 1", "64, 1", "64x1");
  double row = repeatedOf("4x64", "1, 0", "1, 64", "1x64");
  EXPECT_GT(column, 0);
  EXPECT_EQ(row, 0);
}

TEST_F(ElementSegmentsTest, VectorsHaveWholeDims) {
  auto extents = [](std::initializer_list<int64_t> sizes) {
    SmallVector<Extent> extents;
    for (int64_t size : sizes)
      extents.push_back({size});
    return extents;
  };
  EXPECT_EQ(wholeDims(extents({8, 64, 2}), 8), 1u);
  EXPECT_EQ(wholeDims(extents({6, 2, 2}), 8), 2u);
  EXPECT_EQ(wholeDims(extents({8, 16}), 32), 1u);
  EXPECT_EQ(wholeDims(extents({8, 64, 2, 1}), 8), 2u);
  // The last dimension has whole vectors.
  EXPECT_EQ(wholeDims(extents({8, 16}), 8), 0u);
  // A vector would have parts of rows.
  EXPECT_EQ(wholeDims(extents({8, 64, 3}), 8), 0u);
  // One would end in another place of the dimension before the last two.
  EXPECT_EQ(wholeDims(extents({2, 3, 2}), 8), 0u);
  EXPECT_EQ(wholeDims(extents({0, 0}), 8), 0u);
}
} // namespace
