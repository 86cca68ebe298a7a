//===- ReductionSpaceTest.cpp - What reductions walk and reduce -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ReductionSpace.h"
#include "ParseProgram.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
using ReductionSpaceTest = ProgramTest;

TEST_F(ReductionSpaceTest, DependentReductionsAreLevels) {
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

TEST_F(ReductionSpaceTest, ReductionsOfLeadingDimsHaveNoRows) {
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
} // namespace
