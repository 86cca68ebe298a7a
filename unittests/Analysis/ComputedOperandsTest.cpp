//===- ComputedOperandsTest.cpp - What contractions compute of operands ---===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParseProgram.h"
#include "fuse/Analysis/MmaSpace.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class ComputedOperandsTest : public ProgramTest {
protected:
  /// The columns' operand of a contraction of %x with what `body` computes as
  /// %r, [64, 256] of bf16, from %w and %s.
  std::optional<MmaOperand> find(StringRef body, StringRef weights,
                                 StringRef scales = "tensor<64x1xbf16>") {
    std::string text = llvm::formatv(
        R"(
      func.func @f(%in: tensor<?x256xbf16>, %weights: {0}, %scales: {1}) {{
        %out = fuse.kernel "k" ins(%in, %weights, %scales : tensor<?x256xbf16>, {0}, {1}) -> tensor<?x64xbf16> {{
        ^bb0(%x: tensor<?x256xbf16>, %w: {0}, %s: {1}):
          {2}
          %product = fuse.contract "mk,nk->mn" %x, %r : tensor<?x256xbf16>, tensor<64x256xbf16> -> tensor<?x64xbf16>
          fuse.yield %product : tensor<?x64xbf16>
        }
        return
      })",
        weights, scales, body);
    KernelOp kernel = parseKernel(text);
    FailureOr<MmaSpace> space =
        mmaSpaceOf(kernel, DimClasses(kernel->getParentOp()),
                   {/*aligned=*/true, /*divisible=*/true}, reason);
    if (failed(space))
      return std::nullopt;
    return space->columnsOperand();
  }

  Reason reason;
};

constexpr const char *grouped = R"(
  %q = fuse.unpack %w : tensor<64x128xi8> -> tensor<64x256xi8>
  %g = tensor.expand_shape %q [[0], [1, 2]] output_shape [64, 4, 64] : tensor<64x256xi8> into tensor<64x4x64xi8>
  %f = fuse.cast %g : tensor<64x4x64xi8> -> tensor<64x4x64xbf16>
  %d = fuse.mul %f, %s : tensor<64x4x64xbf16>, tensor<64x4x1xbf16>
  %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<64x4x64xbf16> into tensor<64x256xbf16>
)";
} // namespace

TEST_F(ComputedOperandsTest, HalvesInGroups) {
  auto found = find(grouped, "tensor<64x128xi8>", "tensor<64x4x1xbf16>");
  ASSERT_TRUE(found) << reason.sentence();
  EXPECT_EQ(found->computedBits(), 4);
  EXPECT_EQ(found->computed->perElement, 2);
  EXPECT_EQ(found->computed->ops.size(), 5u);
  EXPECT_EQ(found->dims, (SmallVector<SmallVector<unsigned, 2>, 5>{{1}, {0}}));
}

/// Groups are dimensions of the tensor, which follow each other.
TEST_F(ComputedOperandsTest, JoinedDims) {
  auto found = find(R"(
    %f = fuse.cast %w : tensor<64x4x64xf8E4M3FN> -> tensor<64x4x64xbf16>
    %r = tensor.collapse_shape %f [[0], [1, 2]] : tensor<64x4x64xbf16> into tensor<64x256xbf16>
  )",
                    "tensor<64x4x64xf8E4M3FN>");
  ASSERT_TRUE(found) << reason.sentence();
  EXPECT_EQ(found->computedBits(), 8);
  EXPECT_EQ(found->dims,
            (SmallVector<SmallVector<unsigned, 2>, 5>{{1, 2}, {0}}));
}

/// What is padded for whole groups and cut again has each element at its index.
TEST_F(ComputedOperandsTest, RaggedGroups) {
  auto found = find(R"(
    %f = fuse.cast %w : tensor<64x256xi8> -> tensor<64x256xbf16>
    %p = fuse.pad %f low = [0, 0] high = [0, 32] value = 0.0 : tensor<64x256xbf16> -> tensor<64x288xbf16>
    %g = tensor.expand_shape %p [[0], [1, 2]] output_shape [64, 3, 96] : tensor<64x288xbf16> into tensor<64x3x96xbf16>
    %d = fuse.mul %g, %s : tensor<64x3x96xbf16>, tensor<64x3x1xbf16>
    %a = tensor.collapse_shape %d [[0], [1, 2]] : tensor<64x3x96xbf16> into tensor<64x288xbf16>
    %r = fuse.slice %a offsets = [0, 0] sizes = [64, 256] : tensor<64x288xbf16> -> tensor<64x256xbf16>
  )",
                    "tensor<64x256xi8>", "tensor<64x3x1xbf16>");
  ASSERT_TRUE(found) << reason.sentence();
  EXPECT_EQ(found->computedBits(), 8);
}

/// Some elements of the operand are the padding's.
TEST_F(ComputedOperandsTest, FewerThanTheOperand) {
  EXPECT_FALSE(find(R"(
    %f = fuse.cast %w : tensor<64x192xi8> -> tensor<64x192xbf16>
    %r = fuse.pad %f low = [0, 0] high = [0, 64] value = 0.0 : tensor<64x192xbf16> -> tensor<64x256xbf16>
  )",
                    "tensor<64x192xi8>"));
  EXPECT_TRUE(reason.is(ReasonKind::mmaComputedOperand)) << reason.sentence();
}

/// Padded and read as other rows, elements are elsewhere.
TEST_F(ComputedOperandsTest, OtherRows) {
  EXPECT_FALSE(find(R"(
    %f = fuse.cast %w : tensor<64x128xi8> -> tensor<64x128xbf16>
    %p = fuse.pad %f low = [0, 0] high = [0, 128] value = 0.0 : tensor<64x128xbf16> -> tensor<64x256xbf16>
    %g = tensor.expand_shape %p [[0], [1, 2]] output_shape [64, 2, 128] : tensor<64x256xbf16> into tensor<64x2x128xbf16>
    %t = tensor.collapse_shape %g [[0, 1], [2]] : tensor<64x2x128xbf16> into tensor<128x128xbf16>
    %c = fuse.slice %t offsets = [0, 0] sizes = [128, 128] : tensor<128x128xbf16> -> tensor<128x128xbf16>
    %e = tensor.expand_shape %c [[0, 1], [2]] output_shape [64, 2, 128] : tensor<128x128xbf16> into tensor<64x2x128xbf16>
    %r = tensor.collapse_shape %e [[0], [1, 2]] : tensor<64x2x128xbf16> into tensor<64x256xbf16>
  )",
                    "tensor<64x128xi8>"));
  EXPECT_TRUE(reason.is(ReasonKind::mmaComputedOperand)) << reason.sentence();
}

/// Threads compute 8 neighbours at a time.
TEST_F(ComputedOperandsTest, GroupsOfFour) {
  EXPECT_FALSE(find(R"(
    %g = tensor.expand_shape %w [[0], [1, 2]] output_shape [64, 64, 4] : tensor<64x256xi8> into tensor<64x64x4xi8>
    %f = fuse.cast %g : tensor<64x64x4xi8> -> tensor<64x64x4xbf16>
    %d = fuse.mul %f, %s : tensor<64x64x4xbf16>, tensor<64x64x1xbf16>
    %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<64x64x4xbf16> into tensor<64x256xbf16>
  )",
                    "tensor<64x256xi8>", "tensor<64x64x1xbf16>"));
  EXPECT_TRUE(reason.is(ReasonKind::mmaComputedOperand)) << reason.sentence();
}

/// An input that is also needed at another place.
TEST_F(ComputedOperandsTest, TwoPlaces) {
  EXPECT_FALSE(find(R"(
    %f = fuse.cast %w : tensor<64x256xi8> -> tensor<64x256xbf16>
    %v = fuse.reverse %f dims = [1] : tensor<64x256xbf16>
    %r = fuse.add %f, %v : tensor<64x256xbf16>
  )",
                    "tensor<64x256xi8>"));
}

/// Others of its shape are loaded.
TEST_F(ComputedOperandsTest, NarrowestOfSeveral) {
  auto found = find(R"(
    %f = fuse.cast %w : tensor<64x256xi8> -> tensor<64x256xbf16>
    %r = fuse.mul %f, %s : tensor<64x256xbf16>
  )",
                    "tensor<64x256xi8>", "tensor<64x256xbf16>");
  ASSERT_TRUE(found) << reason.sentence();
  EXPECT_EQ(found->computedBits(), 8);
}
