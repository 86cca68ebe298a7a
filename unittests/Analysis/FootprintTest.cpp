//===- FootprintTest.cpp - Elements that a kernel touches -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/Footprint.h"
#include "ParseProgram.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Of static shapes, what is touched is a number.
class FootprintTest : public ProgramTest {
protected:
  /// Of a kernel with the inputs %a and %b that yields %y.
  void parseBody(const std::string &a, const std::string &b,
                 const std::string &y, const std::string &body) {
    kernel =
        parseKernel("func.func @f(%x: " + a + ", %z: " + b + ") {\n" +
                    "%r = fuse.kernel \"k\" ins(%x, %z : " + a + ", " + b +
                    ") -> " + y + " {\n^bb0(%a: " + a + ", %b: " + b + "):\n" +
                    body + "\nfuse.yield %y : " + y + "\n}\nreturn\n}");
    dims.emplace(kernel->getParentOp());
    footprint.emplace(kernel, *dims);
  }

  int64_t numberOf(const ElementCount &count) {
    EXPECT_EQ(count.least.size(), 1u);
    const DimPolynomial::Terms &terms = count.least.front().terms();
    EXPECT_LE(terms.size(), 1u);
    return terms.empty() ? 0 : terms.begin()->second;
  }

  ElementCount read(unsigned input) {
    return footprint->read(kernel.getBody().getArgument(input));
  }
  ElementCount written() {
    return footprint->written(kernel.getYield().getValues().front());
  }

  void expectRead(unsigned input, int64_t elements, bool atMost) {
    EXPECT_EQ(numberOf(read(input)), elements);
    EXPECT_EQ(read(input).atMost, atMost);
  }

  KernelOp kernel;
  std::optional<DimClasses> dims;
  std::optional<Footprint> footprint;
};
} // namespace

TEST_F(FootprintTest, AGatherReadsARowForEachIdAtMost) {
  parseBody("tensor<1000x8xf32>", "tensor<3xi32>", "tensor<3x8xf32>", R"(
    %t = fuse.exp %a : tensor<1000x8xf32>
    %y = fuse.gather %t, %b dim = 0 : tensor<1000x8xf32>, tensor<3xi32> -> tensor<3x8xf32>)");
  expectRead(0, 3 * 8, /*atMost=*/true);
  expectRead(1, 3, /*atMost=*/false);
  EXPECT_EQ(numberOf(written()), 3 * 8);
}

TEST_F(FootprintTest, AGatherReadsNoMoreThanThereIs) {
  parseBody("tensor<4x8xf32>", "tensor<100xi32>", "tensor<100x8xf32>", R"(
    %y = fuse.gather %a, %b dim = 0 : tensor<4x8xf32>, tensor<100xi32> -> tensor<100x8xf32>)");
  expectRead(0, 4 * 8, /*atMost=*/true);
}

TEST_F(FootprintTest, OfUnknownSizesTheLeastCounts) {
  parseBody("tensor<?x8xf32>", "tensor<?xi32>", "tensor<?x8xf32>", R"(
    %y = fuse.gather %a, %b dim = 0 : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>)");
  EXPECT_EQ(read(0).least.size(), 2u);
  EXPECT_TRUE(footprint->isWhole(read(1), kernel.getBody().getArgument(1)));
}

TEST_F(FootprintTest, SlicesReadTheirParts) {
  parseBody("tensor<4x96xf32>", "tensor<4x32xf32>", "tensor<4x32xf32>", R"(
    %q = fuse.slice %a offsets = [0, 0] sizes = [4, 32] : tensor<4x96xf32> -> tensor<4x32xf32>
    %k = fuse.slice %a offsets = [0, 64] sizes = [4, 32] : tensor<4x96xf32> -> tensor<4x32xf32>
    %s = fuse.mul %q, %k : tensor<4x32xf32>
    %y = fuse.add %s, %b : tensor<4x32xf32>)");
  expectRead(0, 4 * 64, /*atMost=*/false);
  expectRead(1, 4 * 32, /*atMost=*/false);
}

TEST_F(FootprintTest, SlicesThatInterleaveAreTheWhole) {
  parseBody("tensor<4x64xf32>", "tensor<4x32xf32>", "tensor<4x32xf32>", R"(
    %q = fuse.slice %a offsets = [0, 0] sizes = [4, 32] steps = [1, 2] : tensor<4x64xf32> -> tensor<4x32xf32>
    %k = fuse.slice %a offsets = [0, 1] sizes = [4, 32] steps = [1, 2] : tensor<4x64xf32> -> tensor<4x32xf32>
    %s = fuse.mul %q, %k : tensor<4x32xf32>
    %y = fuse.add %s, %b : tensor<4x32xf32>)");
  expectRead(0, 4 * 64, /*atMost=*/false);
}

TEST_F(FootprintTest, SlicesThatOverlapAreABound) {
  parseBody("tensor<4x96xf32>", "tensor<4x32xf32>", "tensor<4x32xf32>", R"(
    %q = fuse.slice %a offsets = [0, 0] sizes = [4, 32] : tensor<4x96xf32> -> tensor<4x32xf32>
    %k = fuse.slice %a offsets = [0, 16] sizes = [4, 32] : tensor<4x96xf32> -> tensor<4x32xf32>
    %s = fuse.mul %q, %k : tensor<4x32xf32>
    %y = fuse.add %s, %b : tensor<4x32xf32>)");
  expectRead(0, 4 * 64, /*atMost=*/true);
}

TEST_F(FootprintTest, AUseOfAllIsAll) {
  parseBody("tensor<4x64xf32>", "tensor<4x32xf32>", "tensor<4x96xf32>", R"(
    %q = fuse.slice %a offsets = [0, 0] sizes = [4, 32] : tensor<4x64xf32> -> tensor<4x32xf32>
    %y = fuse.concat %a, %q dim = 1 : tensor<4x64xf32>, tensor<4x32xf32> -> tensor<4x96xf32>)");
  expectRead(0, 4 * 64, /*atMost=*/false);
  // Nothing uses it.
  expectRead(1, 0, /*atMost=*/false);
}

TEST_F(FootprintTest, AReductionNeedsAllOfItsRows) {
  parseBody("tensor<64x8xf32>", "tensor<3xi32>", "tensor<3xf32>", R"(
    %s = fuse.reduce sum %a dims = [1] : tensor<64x8xf32> -> tensor<64xf32>
    %y = fuse.gather %s, %b dim = 0 : tensor<64xf32>, tensor<3xi32> -> tensor<3xf32>)");
  expectRead(0, 64 * 8, /*atMost=*/true);
}

TEST_F(FootprintTest, SizesAreNotRead) {
  parseBody("tensor<?x8xf32>", "tensor<?x8xf32>", "tensor<?x8xf32>", R"(
    %i = fuse.iota dim = 0 like %a : tensor<?x8xf32> -> tensor<?x8xf32>
    %y = fuse.add %i, %b : tensor<?x8xf32>)");
  expectRead(0, 0, /*atMost=*/false);
}

TEST_F(FootprintTest, ARotaryReadsRowsOfItsTables) {
  parseBody("tensor<5x2x8xf32>", "tensor<5xi32>", "tensor<5x2x8xf32>", R"(
    %c = fuse.constant dense<1.0> : tensor<1000x4xf32>
    %y = fuse.rotary half tokens_heads %a tables(%c, %c) positions(%b)
         : tensor<5x2x8xf32>, tensor<1000x4xf32>, tensor<5xi32>)");
  ElementCount rows =
      footprint->read(kernel.getBody().front().front().getResult(0));
  // Of the two tables, which are one here.
  EXPECT_EQ(numberOf(rows), 2 * 5 * 4);
  EXPECT_TRUE(rows.atMost);
}

TEST_F(FootprintTest, AScatterWritesItsUpdatesAtMost) {
  parseBody("tensor<64x8xf32>", "tensor<3xi32>", "tensor<64x8xf32>", R"(
    %u = fuse.constant dense<1.0> : tensor<3x8xf32>
    %y = fuse.scatter %a, %b, %u dim = 0 : tensor<64x8xf32>, tensor<3xi32>, tensor<3x8xf32> -> tensor<64x8xf32>)");
  expectRead(0, 0, /*atMost=*/false);
  EXPECT_EQ(numberOf(written()), 3 * 8);
  EXPECT_TRUE(written().atMost);
}

//===----------------------------------------------------------------------===//
// Sizes that follow from others
//===----------------------------------------------------------------------===//

TEST_F(FootprintTest, SizesAreComparedByTheirRules) {
  parseBody("tensor<?x8xf32>", "tensor<?x8xf32>", "tensor<?x8xf32>", R"(
    %s = fuse.slice %a offsets = [2, 0] sizes = [-1, 8] : tensor<?x8xf32> -> tensor<?x8xf32>
    %p = fuse.pad %s low = [1, 0] high = [0, 0] value = 0.0 : tensor<?x8xf32> -> tensor<?x8xf32>
    %y = fuse.concat %p, %b dim = 0 : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>)");
  Value a = kernel.getBody().getArgument(0),
        b = kernel.getBody().getArgument(1);
  Value y = kernel.getYield().getValues().front();
  DimPolynomial ofA = footprint->whole(a).least.front();
  DimPolynomial ofB = footprint->whole(b).least.front();
  DimPolynomial ofY = footprint->whole(y).least.front();
  // Two rows less and one more, of eight elements.
  DimPolynomial expected = ofA;
  expected += ofB;
  expected -= DimPolynomial(8);
  EXPECT_EQ(ofY.expanded(*dims), expected.expanded(*dims));
  EXPECT_TRUE(isAtMost(ofB, ofB, *dims));
  EXPECT_FALSE(isAtMost(ofA, ofB, *dims));
  ElementCount ofSlice = footprint->read(a);
  ASSERT_EQ(ofSlice.least.size(), 1u);
  EXPECT_TRUE(isAtMost(ofSlice.least.front(), ofA, *dims));
  EXPECT_FALSE(isAtMost(ofA, ofSlice.least.front(), *dims));
}
