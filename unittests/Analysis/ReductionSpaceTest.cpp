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

/// A kernel that reduces a row's groups of `size` elements, of which it has
/// `count`, and what these have been reduced to.
static std::string groupsOfGroups(int64_t count, int64_t size) {
  std::string inner = std::to_string(count) + "x" + std::to_string(size);
  std::string row = "tensor<?x" + inner + "xf32>";
  std::string group = "tensor<?x" + std::to_string(count) + "xf32>";
  return "func.func @f(%x: " + row +
         ") -> tensor<?xf32> {\n"
         "  %r = fuse.kernel \"k\" ins(%x : " +
         row +
         ") -> tensor<?xf32> {\n"
         "  ^bb0(%a: " +
         row +
         "):\n"
         "    %m = fuse.reduce max %a dims = [2] : " +
         row + " -> " + group +
         "\n"
         "    %s = fuse.reduce sum %m dims = [1] : " +
         group +
         " -> tensor<?xf32>\n"
         "    fuse.yield %s : tensor<?xf32>\n"
         "  }\n"
         "  return %r : tensor<?xf32>\n"
         "}";
}

TEST_F(ReductionSpaceTest, WhatGroupsAreReducedToIsOfTheRow) {
  KernelOp kernel = parseKernel(groupsOfGroups(8, 32));
  DimClasses dims(kernel->getParentOp());
  Reason reason;
  FailureOr<ReductionSpace> space = reductionSpaceOf(kernel, dims, reason);
  ASSERT_TRUE(succeeded(space)) << reason.sentence();
  EXPECT_EQ(space->domain.size(), 3u);
  EXPECT_EQ(space->reduced, (SmallVector<int64_t>{1, 2}));
  EXPECT_EQ(space->groups, (SmallVector<int64_t, 2>{2}));
  ASSERT_EQ(space->levels.size(), 2u);
  EXPECT_EQ(space->runOf(space->levels[0][0]), std::make_pair(2L, 3L));
  EXPECT_EQ(space->runOf(space->levels[1][0]), std::make_pair(1L, 2L));
  EXPECT_TRUE(
      space->isGroupShape(dims.extents(space->levels[1][0]->getOperand(0))));
}

TEST_F(ReductionSpaceTest, NeighboursHoldGroupsOrPartsOfThem) {
  auto groupsOf = [&](int64_t count, int64_t size) {
    KernelOp kernel = parseKernel(groupsOfGroups(count, size));
    DimClasses dims(kernel->getParentOp());
    Reason reason;
    auto space = reductionSpaceOf(kernel, dims, reason);
    return succeeded(space) ? rowGroupsOf(*space) : std::nullopt;
  };
  auto inWarp = groupsOf(32, 128);
  ASSERT_TRUE(inWarp);
  EXPECT_EQ(inWarp->vector, 8);
  EXPECT_EQ(inWarp->rowThreads, 128);
  EXPECT_EQ(inWarp->ofGroup, (SmallVector<int64_t, 2>{16}));
  // Three parts of four threads, and rows that leave threads idle.
  auto inParts = groupsOf(10, 96);
  ASSERT_TRUE(inParts);
  EXPECT_EQ(inParts->vector, 8);
  EXPECT_EQ(inParts->rowThreads, 32);
  EXPECT_EQ(RowGroups::neighbours(inParts->ofGroup.front()), 4);
  // More parts than a thread should read.
  EXPECT_FALSE(groupsOf(8, 131));
}
} // namespace
