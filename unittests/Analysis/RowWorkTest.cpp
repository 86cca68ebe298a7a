//===- RowWorkTest.cpp - What walks over a row do again -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/RowWork.h"
#include "ParseProgram.h"
#include "fuse/Analysis/ReductionSegments.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class RowWorkTest : public ProgramTest {
protected:
  /// Of a kernel that yields %y and has the inputs %a, [4, 8], and %w, [8].
  RowWork workOf(const std::string &body,
                 const std::string &result = "tensor<4x8xf32>") {
    KernelOp kernel = parseKernel(
        "func.func @f(%x: tensor<4x8xf32>, %v: tensor<8xf32>) {\n"
        "%r = fuse.kernel \"k\" ins(%x, %v : tensor<4x8xf32>, tensor<8xf32>) "
        "-> " +
        result + " {\n^bb0(%a: tensor<4x8xf32>, %w: tensor<8xf32>):\n" + body +
        "\nfuse.yield %y : " + result + "\n}\nreturn\n}");
    DimClasses dims(kernel->getParentOp());
    Reason reason;
    auto segments = reductionSegmentsOf(kernel, dims, reason);
    EXPECT_TRUE(succeeded(segments)) << reason.sentence();
    return rowWorkOf(segments->front(), dims);
  }
};
} // namespace

TEST_F(RowWorkTest, ASoftmaxHasItsExponentials) {
  RowWork work = workOf(R"(
    %m = fuse.reduce max %a dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %d = fuse.sub %a, %m : tensor<4x8xf32>, tensor<4x1xf32>
    %e = fuse.exp %d : tensor<4x8xf32>
    %s = fuse.reduce sum %e dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %y = fuse.div %e, %s : tensor<4x8xf32>, tensor<4x1xf32>)");
  EXPECT_EQ(work.levels, 1u);
  EXPECT_EQ(work.exponentials, 1u);
  // The difference that they are of.
  EXPECT_EQ(work.repeated, 1);
  EXPECT_FALSE(work.repeatsSpecial);
}

TEST_F(RowWorkTest, WhatComesBeforeAReductionIsDoneAgain) {
  RowWork work = workOf(R"(
    %t = fuse.tanh %a : tensor<4x8xf32>
    %m = fuse.reduce max %t dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %y = fuse.sub %t, %m : tensor<4x8xf32>, tensor<4x1xf32>)");
  EXPECT_EQ(work.levels, 1u);
  EXPECT_GT(work.repeated, 2);
  EXPECT_TRUE(work.repeatsSpecial);
}

TEST_F(RowWorkTest, WhatFollowsTheLastReductionIsNot) {
  RowWork work = workOf(R"(
    %m = fuse.reduce max %a dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %d = fuse.sub %a, %m : tensor<4x8xf32>, tensor<4x1xf32>
    %t = fuse.tanh %d : tensor<4x8xf32>
    %y = fuse.mul %t, %w : tensor<4x8xf32>, tensor<8xf32>)");
  EXPECT_EQ(work.repeated, 0);
}

TEST_F(RowWorkTest, WhatRowsShareIsLoadedAgain) {
  // The mask and the addition, in the second walk.
  RowWork work = workOf(R"(
    %b = fuse.add %a, %w : tensor<4x8xf32>, tensor<8xf32>
    %m = fuse.reduce max %b dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %y = fuse.sub %b, %m : tensor<4x8xf32>, tensor<4x1xf32>)");
  EXPECT_EQ(work.repeated, 2);
  EXPECT_FALSE(work.repeatsSpecial);
}

TEST_F(RowWorkTest, AReductionOfWhatFollowsFromOneIsALevel) {
  RowWork work = workOf(R"(
    %m = fuse.reduce max %a dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %d = fuse.sub %a, %m : tensor<4x8xf32>, tensor<4x1xf32>
    %y = fuse.reduce min %d dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>)",
                        "tensor<4x1xf32>");
  EXPECT_EQ(work.levels, 2u);
  EXPECT_EQ(work.repeated, 0);
}

TEST_F(RowWorkTest, WhatOneNumberARowTakesIsNothing) {
  RowWork work = workOf(R"(
    %m = fuse.reduce max %a dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %t = fuse.tanh %m : tensor<4x1xf32>
    %d = fuse.sub %a, %t : tensor<4x8xf32>, tensor<4x1xf32>
    %n = fuse.reduce max %d dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
    %y = fuse.mul %n, %t : tensor<4x1xf32>)",
                        "tensor<4x1xf32>");
  EXPECT_EQ(work.repeated, 0);
  EXPECT_FALSE(work.repeatsSpecial);
}
