//===- TransposeSpaceTest.cpp - What a kernel reads across ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/TransposeSpace.h"
#include "ParseProgram.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class TransposeSpaceTest : public ProgramTest {
protected:
  /// The space of a kernel with the operand %x of type `type`, a second one %z
  /// of the result's type, and this body.
  std::optional<TransposeSpace> spaceOf(const std::string &type,
                                        const std::string &resultType,
                                        const std::string &body) {
    std::string operands = "(%x: " + type + ", %z: " + resultType + ")";
    kernel = parseKernel(
        "func.func @f(%p: " + type + ", %q: " + resultType + ") -> " +
        resultType + " {\n%r = fuse.kernel \"k\" ins(%p, %q : " + type + ", " +
        resultType + ") -> " + resultType + " {\n^bb0" + operands + ":\n" +
        body + "\nfuse.yield %y : " + resultType +
        "\n}\nreturn %r : " + resultType + "\n}");
    dims = std::make_unique<DimClasses>(kernel->getParentOp());
    return transposeSpaceOf(kernel, *dims);
  }
  Value input() { return kernel.getBody().getArgument(0); }

  KernelOp kernel;
  std::unique_ptr<DimClasses> dims;
};

TEST_F(TransposeSpaceTest, ATransposeIsReadAcrossAndItsNeighbourIsNot) {
  auto space = spaceOf("tensor<2x32x64xf32>", "tensor<2x64x32xf32>", R"(
    %t = fuse.transpose %x permutation = [0, 2, 1] : tensor<2x32x64xf32> -> tensor<2x64x32xf32>
    %y = fuse.add %t, %z : tensor<2x64x32xf32>)");
  ASSERT_TRUE(space);
  EXPECT_EQ(space->across, 1);
  EXPECT_EQ(space->batch(), (SmallVector<Extent>{{2}}));
  ASSERT_EQ(space->values.size(), 1u);
  EXPECT_EQ(space->values[0].value, input());
  EXPECT_EQ(space->values[0].dim, 1);
  EXPECT_EQ(space->values[0].offset, 0);
}

TEST_F(TransposeSpaceTest, RowsThatAreCopiedAreNotReadAcross) {
  EXPECT_FALSE(spaceOf("tensor<4x8x16xf32>", "tensor<8x4x16xf32>", R"(
    %y = fuse.transpose %x permutation = [1, 0, 2] : tensor<4x8x16xf32> -> tensor<8x4x16xf32>)"));
}

TEST_F(TransposeSpaceTest, OpsBeforeTheTransposeAreLookedThrough) {
  auto space = spaceOf("tensor<32x64xf32>", "tensor<64x32xf32>", R"(
    %e = fuse.exp %x : tensor<32x64xf32>
    %t = fuse.transpose %e permutation = [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
    %y = fuse.neg %t : tensor<64x32xf32>)");
  ASSERT_TRUE(space);
  ASSERT_EQ(space->values.size(), 1u);
  EXPECT_EQ(space->values[0].value, input());
  EXPECT_EQ(space->values[0].paths.front().size(), 3u);
}

TEST_F(TransposeSpaceTest, SlicesAfterTheTransposeMoveTheStart) {
  auto space = spaceOf("tensor<64x64xf32>", "tensor<32x32xf32>", R"(
    %t = fuse.transpose %x permutation = [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    %y = fuse.slice %t offsets = [8, 4] sizes = [32, 32] : tensor<64x64xf32> -> tensor<32x32xf32>)");
  ASSERT_TRUE(space);
  EXPECT_EQ(space->across, 0);
  EXPECT_EQ(space->values[0].dim, 0);
  EXPECT_EQ(space->values[0].offset, 8);
}

TEST_F(TransposeSpaceTest, HeadsOfARowAreFollowed) {
  auto space = spaceOf("tensor<40x96xf16>", "tensor<3x32x40xf16>", R"(
    %h = tensor.expand_shape %x [[0], [1, 2]] output_shape [40, 3, 32] : tensor<40x96xf16> into tensor<40x3x32xf16>
    %y = fuse.transpose %h permutation = [1, 2, 0] : tensor<40x3x32xf16> -> tensor<3x32x40xf16>)");
  ASSERT_TRUE(space);
  // The split row is moved, and has the features of a head last.
  EXPECT_EQ(space->across, 1);
  EXPECT_NE(space->values[0].value, input());
}

TEST_F(TransposeSpaceTest, AnInputMayBeReadBothWays) {
  auto space = spaceOf("tensor<32x32xf32>", "tensor<32x32xf32>", R"(
    %t = fuse.transpose %x permutation = [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
    %y = fuse.sub %t, %x : tensor<32x32xf32>)");
  ASSERT_TRUE(space);
  EXPECT_EQ(space->values.size(), 1u);
}

TEST_F(TransposeSpaceTest, ADiagonalIsNotATile) {
  // One dimension of the operand cannot follow both of the tile's.
  EXPECT_FALSE(spaceOf("tensor<1024xf32>", "tensor<32x32xf32>", R"(
    %e = tensor.expand_shape %x [[0, 1]] output_shape [32, 32] : tensor<1024xf32> into tensor<32x32xf32>
    %y = fuse.add %e, %z : tensor<32x32xf32>)"));
}

TEST_F(TransposeSpaceTest, AViewOfAnyKindIsTakenForATransposedTensor) {
  kernel = parseKernel(R"(
    func.func @f(%p: tensor<2x64x32xf32> {fuse.strided = "any"}, %q: tensor<2x64x32xf32>) -> tensor<2x64x32xf32> {
      %r = fuse.kernel "k" ins(%p, %q : tensor<2x64x32xf32>, tensor<2x64x32xf32>) -> tensor<2x64x32xf32> {
      ^bb0(%x: tensor<2x64x32xf32>, %z: tensor<2x64x32xf32>):
        %y = fuse.add %x, %z : tensor<2x64x32xf32>
        fuse.yield %y : tensor<2x64x32xf32>
      }
      return %r : tensor<2x64x32xf32>
    })");
  DimClasses classes(kernel->getParentOp());
  auto space = transposeSpaceOf(kernel, classes);
  ASSERT_TRUE(space);
  EXPECT_EQ(space->across, 1);
  ASSERT_EQ(space->values.size(), 1u);
  EXPECT_EQ(space->values[0].value, input());
  EXPECT_EQ(space->values[0].along, 1);
  EXPECT_EQ(space->values[0].dim, 2);
}

TEST_F(TransposeSpaceTest, AWalkThroughSharedValuesEnds) {
  std::string body = "%v0 = fuse.transpose %x permutation = [1, 0] : "
                     "tensor<32x32xf32> -> tensor<32x32xf32>\n";
  for (int i = 0; i < 64; ++i)
    body += "%v" + std::to_string(i + 1) + " = fuse.add %v" +
            std::to_string(i) + ", %v" + std::to_string(i) +
            " : tensor<32x32xf32>\n";
  body += "%y = fuse.neg %v64 : tensor<32x32xf32>";
  auto space = spaceOf("tensor<32x32xf32>", "tensor<32x32xf32>", body);
  ASSERT_TRUE(space);
  EXPECT_EQ(space->values.size(), 1u);
}
} // namespace
