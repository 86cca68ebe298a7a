//===- ContractionSpaceTest.cpp - The axes of a contraction ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ContractionSpace.h"
#include "ParseProgram.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
using ContractionSpaceTest = ProgramTest;

TEST_F(ContractionSpaceTest, ContractionAxes) {
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

TEST_F(ContractionSpaceTest, TheLongestRowAxisHasTheTiles) {
  func::FuncOp f = parse(R"(
    func.func @f(%p: tensor<2x4x?x16xf32>, %q: tensor<2x4x4x16xf32>,
                 %v: tensor<16x2x8xf32>)
        -> (tensor<?x2x4x8xf32>, tensor<4x2x4x8xf32>) {
      %s = fuse.contract "hgtm,mhd->thgd" %p, %v
           : tensor<2x4x?x16xf32>, tensor<16x2x8xf32> -> tensor<?x2x4x8xf32>
      %t = fuse.contract "hgtm,mhd->thgd" %q, %v
           : tensor<2x4x4x16xf32>, tensor<16x2x8xf32> -> tensor<4x2x4x8xf32>
      return %s, %t : tensor<?x2x4x8xf32>, tensor<4x2x4x8xf32>
    })");
  SmallVector<ContractOp> ops(f.getOps<ContractOp>());
  // Of unknown length; of equal ones the innermost.
  EXPECT_EQ(contractionSpaceOf(ops[0]).m, 't');
  EXPECT_EQ(contractionSpaceOf(ops[0]).outer, (SmallVector<char>{'h', 'g'}));
  EXPECT_EQ(contractionSpaceOf(ops[1]).m, 'g');
}
} // namespace
