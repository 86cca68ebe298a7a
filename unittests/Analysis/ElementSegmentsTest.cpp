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
} // namespace
