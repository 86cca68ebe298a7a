//===- InPlaceTest.cpp - Which result may overwrite which input -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/InPlace.h"
#include "ParseProgram.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class InPlaceTest : public ProgramTest {
protected:
  /// Whether a rotary op of the given form may work in place.
  bool rotatesInPlace(StringRef form, int64_t vector) {
    std::string text = llvm::formatv(R"(
      func.func @f(%x: tensor<?x2x16xf32>) -> tensor<?x2x16xf32> {{
        %r = fuse.kernel "k" ins(%x : tensor<?x2x16xf32>) -> tensor<?x2x16xf32>
            schedule = #fuse.pointwise<threads = 32, vector = {1}, unroll = 1> {{
        ^bb0(%a: tensor<?x2x16xf32>):
          %y = fuse.rotary {0} : tensor<?x2x16xf32>
          fuse.yield %y : tensor<?x2x16xf32>
        }
        return %r : tensor<?x2x16xf32>
      })",
                                     form, vector);
    KernelOp kernel = parseKernel(text);
    return inPlacePairs(kernel, DimClasses(kernel->getParentOp())).size() == 1;
  }
};

TEST_F(InPlaceTest, RotaryPairsMustLieInOneThread) {
  EXPECT_TRUE(rotatesInPlace("interleaved tokens_heads %a base = 1.0e4", 4));
  // Two threads would each read what the other writes.
  EXPECT_FALSE(rotatesInPlace("interleaved tokens_heads %a base = 1.0e4", 1));
  EXPECT_TRUE(rotatesInPlace("half tokens_heads %a base = 1.0e4", 4));
  EXPECT_TRUE(rotatesInPlace("half tokens_heads %a base = 1.0e4 dims = 8", 4));
  // R/2 = 6 is not a multiple of the vector.
  EXPECT_FALSE(
      rotatesInPlace("half tokens_heads %a base = 1.0e4 dims = 12", 4));
}

TEST_F(InPlaceTest, AnInputThatBroadcastsIsReadByOtherThreads) {
  KernelOp kernel = parseKernel(R"(
    func.func @f(%x: tensor<4x8xf32>, %b: tensor<1x8xf32>) -> tensor<4x8xf32> {
      %r = fuse.kernel "k" ins(%x, %b : tensor<4x8xf32>, tensor<1x8xf32>)
          -> tensor<4x8xf32>
          schedule = #fuse.pointwise<threads = 32, vector = 4, unroll = 1> {
      ^bb0(%a: tensor<4x8xf32>, %c: tensor<1x8xf32>):
        %d = fuse.add %a, %c : tensor<4x8xf32>, tensor<1x8xf32> -> tensor<4x8xf32>
        fuse.yield %d : tensor<4x8xf32>
      }
      return %r : tensor<4x8xf32>
    })");
  SmallVector<InPlacePair> pairs =
      inPlacePairs(kernel, DimClasses(kernel->getParentOp()));
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].input, 0u);
}

TEST_F(InPlaceTest, RowValuesAreReadByAllThreadsOfARow) {
  KernelOp kernel = parseKernel(R"(
    func.func @f(%x: tensor<4x8xf32>, %z: tensor<4x1xf32>)
        -> (tensor<4x8xf32>, tensor<4x1xf32>) {
      %r:2 = fuse.kernel "k" ins(%x, %z : tensor<4x8xf32>, tensor<4x1xf32>)
          -> tensor<4x8xf32>, tensor<4x1xf32>
          schedule = #fuse.rows<threads = 32, vector = 1, rows_per_block = 1, hold = registers> {
      ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x1xf32>):
        %m = fuse.reduce max %a dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
        %d = fuse.sub %a, %m : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
        %s = fuse.add %m, %b : tensor<4x1xf32>
        fuse.yield %d, %s : tensor<4x8xf32>, tensor<4x1xf32>
      }
      return %r#0, %r#1 : tensor<4x8xf32>, tensor<4x1xf32>
    })");
  SmallVector<InPlacePair> pairs =
      inPlacePairs(kernel, DimClasses(kernel->getParentOp()));
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].result, 0u);
  EXPECT_EQ(pairs[0].input, 0u);
}

/// The blocks of one row shape may still read what another's has overwritten.
TEST_F(InPlaceTest, WhatRowsOfAnotherShapeReadIsKept) {
  KernelOp kernel = parseKernel(R"(
    func.func @f(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<1x1xf32>) {
      %r:2 = fuse.kernel "k" ins(%x : tensor<4x8xf32>)
          -> tensor<4x8xf32>, tensor<1x1xf32>
          schedule = #fuse.rows<threads = 32, vector = 1, rows_per_block = 1, hold = registers> {
      ^bb0(%a: tensor<4x8xf32>):
        %m = fuse.reduce max %a dims = [1] keep : tensor<4x8xf32> -> tensor<4x1xf32>
        %d = fuse.sub %a, %m : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
        %s = fuse.reduce max %a dims = [0, 1] keep : tensor<4x8xf32> -> tensor<1x1xf32>
        fuse.yield %d, %s : tensor<4x8xf32>, tensor<1x1xf32>
      }
      return %r#0, %r#1 : tensor<4x8xf32>, tensor<1x1xf32>
    })");
  EXPECT_TRUE(inPlacePairs(kernel, DimClasses(kernel->getParentOp())).empty());
}
} // namespace
