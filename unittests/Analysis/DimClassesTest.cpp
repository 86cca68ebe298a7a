//===- DimClassesTest.cpp - Which dimensions are equal --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/DimClasses.h"
#include "ParseProgram.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
using DimClassesTest = ProgramTest;

TEST_F(DimClassesTest, PointwiseOperandsAreEqual) {
  func::FuncOp f = parse(R"(
    func.func @f(%x: tensor<?x?xf32>, %y: tensor<?x1xf32>, %z: tensor<?xf32>)
        -> tensor<?x?xf32> {
      %a = fuse.add %x, %y : tensor<?x?xf32>, tensor<?x1xf32> -> tensor<?x?xf32>
      %b = fuse.add %a, %z : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
      return %b : tensor<?x?xf32>
    })");
  DimClasses dims(f);
  Value x = f.getArgument(0), y = f.getArgument(1), z = f.getArgument(2);
  EXPECT_EQ(dims.extent(x, 0), dims.extent(y, 0));
  EXPECT_EQ(dims.extent(x, 1), dims.extent(z, 0));
  EXPECT_NE(dims.extent(x, 0), dims.extent(x, 1));
  EXPECT_EQ(dims.extent(y, 1).size, 1);
}

TEST_F(DimClassesTest, AScalarHasNoDimToShare) {
  func::FuncOp f = parse(R"(
    func.func @f(%x: tensor<?x2x64xf32>, %first: tensor<i32>,
                 %cache: tensor<?x2x64xf32>) -> tensor<?x2x64xf32> {
      %a = fuse.rotary half tokens_heads %x offset(%first) base = 1.0e4
           : tensor<?x2x64xf32>, tensor<i32>
      return %cache : tensor<?x2x64xf32>
    })");
  DimClasses dims(f);
  EXPECT_NE(dims.extent(f.getArgument(0), 0), dims.extent(f.getArgument(2), 0));
}

TEST_F(DimClassesTest, AStaticSizeSettlesItsClass) {
  func::FuncOp f = parse(R"(
    func.func @f(%x: tensor<?xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
      %a = fuse.exp %x : tensor<?xf32>
      %b = fuse.mul %a, %y : tensor<?xf32>, tensor<8xf32> -> tensor<8xf32>
      return %b : tensor<8xf32>
    })");
  DimClasses dims(f);
  EXPECT_TRUE(dims.extent(f.getArgument(0), 0).isStatic());
  EXPECT_EQ(dims.extent(f.getArgument(0), 0).size, 8);
}

TEST_F(DimClassesTest, ReductionsKeepTheOtherDims) {
  func::FuncOp f = parse(R"(
    func.func @f(%x: tensor<?x?x?xf32>) -> tensor<?x?xf32> {
      %a = fuse.reduce sum %x dims = [1] : tensor<?x?x?xf32> -> tensor<?x?xf32>
      return %a : tensor<?x?xf32>
    })");
  DimClasses dims(f);
  Value x = f.getArgument(0);
  Value a = f.getBody().front().getTerminator()->getOperand(0);
  EXPECT_EQ(dims.extent(a, 0), dims.extent(x, 0));
  EXPECT_EQ(dims.extent(a, 1), dims.extent(x, 2));
  EXPECT_NE(dims.extent(a, 0), dims.extent(x, 1));
}

TEST_F(DimClassesTest, ContractedAxesAreEqual) {
  func::FuncOp f = parse(R"(
    func.func @f(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %a = fuse.contract "mk,nk->mn" %x, %y
           : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
      return %a : tensor<?x?xf32>
    })");
  DimClasses dims(f);
  EXPECT_EQ(dims.extent(f.getArgument(0), 1), dims.extent(f.getArgument(1), 1));
  EXPECT_NE(dims.extent(f.getArgument(0), 0), dims.extent(f.getArgument(1), 0));
}

TEST_F(DimClassesTest, AProductIsDividedByItsFactors) {
  func::FuncOp f = parse(R"(
    func.func @f(%x: tensor<?x12x?xf32>) -> tensor<?x?xf32> {
      %a = tensor.collapse_shape %x [[0, 1], [2]]
           : tensor<?x12x?xf32> into tensor<?x?xf32>
      return %a : tensor<?x?xf32>
    })");
  DimClasses dims(f);
  Value a = f.getBody().front().getTerminator()->getOperand(0);
  EXPECT_EQ(dims.knownDivisor(dims.extent(a, 0)), 12);
  EXPECT_EQ(dims.knownDivisor(dims.extent(a, 1)), 1);
  EXPECT_EQ(dims.knownDivisor(dims.extent(f.getArgument(0), 1)), 12);
}

TEST_F(DimClassesTest, KernelBodiesShareTheirOperandsDims) {
  func::FuncOp f = parse(R"(
    func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
      %y = fuse.kernel "k" ins(%x : tensor<?xf32>) -> tensor<?xf32> {
      ^bb0(%a: tensor<?xf32>):
        %e = fuse.exp %a : tensor<?xf32>
        fuse.yield %e : tensor<?xf32>
      }
      return %y : tensor<?xf32>
    })");
  DimClasses dims(f);
  Value y = f.getBody().front().getTerminator()->getOperand(0);
  EXPECT_TRUE(dims.sameShape(f.getArgument(0), y));
}

TEST_F(DimClassesTest, SizesThatFollowFromTheSameAreEqual) {
  func::FuncOp f = parse(R"(
    func.func @f(%x: tensor<8x?xf32>, %y: tensor<8x?xf32>, %z: tensor<4x?xf32>)
        -> (tensor<?xf32>, tensor<?xf32>) {
      %s = fuse.add %x, %y : tensor<8x?xf32>
      %a = tensor.collapse_shape %x [[0, 1]]
           : tensor<8x?xf32> into tensor<?xf32>
      %b = tensor.collapse_shape %s [[0, 1]]
           : tensor<8x?xf32> into tensor<?xf32>
      %c = tensor.collapse_shape %z [[0, 1]]
           : tensor<4x?xf32> into tensor<?xf32>
      return %a, %b : tensor<?xf32>, tensor<?xf32>
    })");
  DimClasses dims(f);
  SmallVector<Value> collapsed;
  f.walk([&](tensor::CollapseShapeOp op) { collapsed.push_back(op); });
  EXPECT_TRUE(dims.sameShape(collapsed[0], collapsed[1]));
  EXPECT_FALSE(dims.sameShape(collapsed[0], collapsed[2]));
}
} // namespace
