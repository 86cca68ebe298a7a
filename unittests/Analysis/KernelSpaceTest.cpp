//===- KernelSpaceTest.cpp - What a kernel iterates over ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/KernelSpace.h"
#include "ParseProgram.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
using KernelSpaceTest = ProgramTest;

TEST_F(KernelSpaceTest, ResultsOfOneShapeAreASegment) {
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

TEST_F(KernelSpaceTest, ABroadcastAsksWhereAPointIs) {
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

TEST_F(KernelSpaceTest, DependentReductionsAreLevels) {
  KernelOp kernel = parseKernel(R"(
    func.func @f(%x: tensor<?x8xf32>) -> tensor<?x1xf32> {
      %r = fuse.kernel "k" ins(%x : tensor<?x8xf32>) -> tensor<?x1xf32> {
      ^bb0(%a: tensor<?x8xf32>):
        %m = fuse.reduce max %a dims = [1] keep : tensor<?x8xf32> -> tensor<?x1xf32>
        %n = fuse.reduce min %a dims = [1] keep : tensor<?x8xf32> -> tensor<?x1xf32>
        %d = fuse.sub %a, %m : tensor<?x8xf32>, tensor<?x1xf32> -> tensor<?x8xf32>
        %s = fuse.reduce sum %d dims = [1] keep : tensor<?x8xf32> -> tensor<?x1xf32>
        %t = fuse.add %s, %n : tensor<?x1xf32>
        fuse.yield %t : tensor<?x1xf32>
      }
      return %r : tensor<?x1xf32>
    })");
  DimClasses dims(kernel->getParentOp());
  Reason reason;
  FailureOr<ReductionSpace> space = reductionSpaceOf(kernel, dims, reason);
  ASSERT_TRUE(succeeded(space)) << reason.sentence();
  ASSERT_EQ(space->levels.size(), 2u);
  EXPECT_EQ(space->levels[0].size(), 2u);
  EXPECT_EQ(space->levels[1].size(), 1u);
  EXPECT_EQ(space->columns()[0].size, 8);
  EXPECT_TRUE(space->overLastDims());
}

TEST_F(KernelSpaceTest, ReductionsOfLeadingDimsHaveNoRows) {
  KernelOp kernel = parseKernel(R"(
    func.func @f(%x: tensor<4x8xf32>) -> tensor<8xf32> {
      %r = fuse.kernel "k" ins(%x : tensor<4x8xf32>) -> tensor<8xf32> {
      ^bb0(%a: tensor<4x8xf32>):
        %m = fuse.reduce max %a dims = [0] : tensor<4x8xf32> -> tensor<8xf32>
        fuse.yield %m : tensor<8xf32>
      }
      return %r : tensor<8xf32>
    })");
  DimClasses dims(kernel->getParentOp());
  Reason reason;
  FailureOr<ReductionSpace> space = reductionSpaceOf(kernel, dims, reason);
  ASSERT_TRUE(succeeded(space)) << reason.sentence();
  EXPECT_FALSE(space->overLastDims());
  EXPECT_EQ(space->keptExtents().front().size, 8);
  EXPECT_EQ(space->reducedExtents().front().size, 4);
}

TEST_F(KernelSpaceTest, ContractionAxes) {
  func::FuncOp f = parse(R"(
    func.func @f(%q: tensor<2x5x3x4x8xf32>, %k: tensor<2x7x3x8xf32>)
        -> tensor<2x3x4x5x7xf32> {
      %s = fuse.contract "blhgd,bmhd->bhglm" %q, %k
           : tensor<2x5x3x4x8xf32>, tensor<2x7x3x8xf32> -> tensor<2x3x4x5x7xf32>
      return %s : tensor<2x3x4x5x7xf32>
    })");
  auto op = *f.getOps<ContractOp>().begin();
  ContractionSpace space = contractionSpaceOf(op);
  EXPECT_EQ(space.n, 'm');
  EXPECT_TRUE(space.nIsOnRhs);
  EXPECT_EQ(space.m, 'l');
  EXPECT_EQ(space.outer, (SmallVector<char>{'b', 'h', 'g'}));
  EXPECT_EQ(space.summed, (SmallVector<char>{'d'}));
  EXPECT_TRUE(space.kIsContiguous);
  EXPECT_FALSE(space.nIsContiguous);
}
} // namespace
