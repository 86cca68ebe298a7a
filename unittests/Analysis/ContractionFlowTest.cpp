//===- ContractionFlowTest.cpp - Where a contraction's elements go --------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ContractionFlow.h"
#include "ParseProgram.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class ContractionFlowTest : public ProgramTest {
protected:
  /// The flow of a function whose %p is [m, n] = [?, 256]; all but its
  /// contraction is `body`, which returns values of `types`.
  FailureOr<ContractionFlow> flowOf(StringRef body, StringRef types) {
    std::string text =
        "func.func @f(%x: tensor<?x64xbf16>, %w: tensor<256x64xbf16>, %n: "
        "index, %at: tensor<?xi32>, %cache: tensor<?x2x128xbf16>) -> (" +
        types.str() +
        ") { %p = fuse.contract \"mk,nk->mn\" %x, %w : tensor<?x64xbf16>, "
        "tensor<256x64xbf16> -> tensor<?x256xbf16>\n" +
        body.str() + " }";
    function = parse(text);
    SmallVector<Operation *> ops;
    for (Operation &op : function.getBody().front().without_terminator())
      ops.push_back(&op);
    results = llvm::to_vector(
        function.getBody().front().getTerminator()->getOperands());
    DimClasses dims(function);
    auto contract = *function.getOps<ContractOp>().begin();
    return contractionFlowOf(contract, ops, results, dims, reason);
  }

  func::FuncOp function;
  SmallVector<Value> results;
  Reason reason;
};
} // namespace

static constexpr StringLiteral heads =
    "%h = tensor.expand_shape %p [[0], [1, 2]] output_shape [%n, 2, 128] : "
    "tensor<?x256xbf16> into tensor<?x2x128xbf16>\n";

TEST_F(ContractionFlowTest, HeadsAndTokensChangePlaces) {
  auto flow =
      flowOf((heads + "%t = fuse.transpose %h permutation = [1, 0, 2] : "
                      "tensor<?x2x128xbf16> -> tensor<2x?x128xbf16>\n"
                      "return %t : tensor<2x?x128xbf16>")
                 .str(),
             "tensor<2x?x128xbf16>");
  ASSERT_TRUE(succeeded(flow)) << reason.sentence();
  EXPECT_TRUE(flow->needsTiles);
  EXPECT_EQ(flow->wholeColumns, 1);
  EXPECT_EQ(flow->of(results[0]).columnSteps,
            (SmallVector<int64_t, 4>{128, 0, 1}));
  EXPECT_EQ(flow->of(results[0]).moves.size(), 2u);
  EXPECT_FALSE(isInOrder(results[0], *flow));
}

TEST_F(ContractionFlowTest, ElementwiseOpsNeedNoTiles) {
  auto flow = flowOf("%e = fuse.exp %p : tensor<?x256xbf16>\n"
                     "return %e : tensor<?x256xbf16>",
                     "tensor<?x256xbf16>");
  ASSERT_TRUE(succeeded(flow)) << reason.sentence();
  EXPECT_FALSE(flow->needsTiles);
}

TEST_F(ContractionFlowTest, PairsApartNeedWholeHeads) {
  auto flow =
      flowOf((heads + "%r = fuse.rotary half tokens_heads %h base = 1.0e4 : "
                      "tensor<?x2x128xbf16>\n"
                      "return %r : tensor<?x2x128xbf16>")
                 .str(),
             "tensor<?x2x128xbf16>");
  ASSERT_TRUE(succeeded(flow)) << reason.sentence();
  EXPECT_EQ(flow->wholeColumns, 128);
  EXPECT_TRUE(isInOrder(results[0], *flow));
}

TEST_F(ContractionFlowTest, NeighboursNeedNone) {
  auto flow = flowOf(
      (heads + "%r = fuse.rotary interleaved tokens_heads %h base = 1.0e4 : "
               "tensor<?x2x128xbf16>\n"
               "return %r : tensor<?x2x128xbf16>")
          .str(),
      "tensor<?x2x128xbf16>");
  ASSERT_TRUE(succeeded(flow)) << reason.sentence();
  EXPECT_EQ(flow->wholeColumns, 1);
  EXPECT_TRUE(flow->needsTiles);
}

TEST_F(ContractionFlowTest, PairsOfOtherThreadsAreRefused) {
  EXPECT_TRUE(failed(flowOf(
      (heads + "%r = fuse.rotary half tokens_heads %h base = 1.0e4 dims = 24 : "
               "tensor<?x2x128xbf16>\n"
               "return %r : tensor<?x2x128xbf16>")
          .str(),
      "tensor<?x2x128xbf16>")));
  EXPECT_TRUE(reason.is(ReasonKind::rotaryTwoThreads));
}

TEST_F(ContractionFlowTest, SlicesOfColumnsAreRangesOfWholeGroups) {
  auto sliced = [&](StringRef offset) {
    return flowOf((heads + "%s = fuse.slice %h offsets = [0, " + offset +
                   ", 0] sizes = [-1, 1, 128] : tensor<?x2x128xbf16> -> "
                   "tensor<?x1x128xbf16>\n"
                   "return %s : tensor<?x1x128xbf16>")
                      .str(),
                  "tensor<?x1x128xbf16>");
  };
  auto flow = sliced("1");
  ASSERT_TRUE(succeeded(flow)) << reason.sentence();
  EXPECT_EQ(flow->of(results[0]).firstColumn, 128);
  EXPECT_EQ(flow->of(results[0]).columns, 128);
  EXPECT_EQ(flow->wholeColumns, 64);
  EXPECT_TRUE(failed(flowOf(
      "%s = fuse.slice %p offsets = [0, 32] sizes = [-1, 64] : "
      "tensor<?x256xbf16> -> tensor<?x64xbf16>\nreturn %s : tensor<?x64xbf16>",
      "tensor<?x64xbf16>")));
  EXPECT_TRUE(reason.is(ReasonKind::sliceInside));
}

TEST_F(ContractionFlowTest, TwoPlacesOfOneProductAreOtherTiles) {
  EXPECT_TRUE(
      failed(flowOf("%a = fuse.slice %p offsets = [0, 0] sizes = [-1, 128] : "
                    "tensor<?x256xbf16> -> tensor<?x128xbf16>\n"
                    "%b = fuse.slice %p offsets = [0, 128] sizes = [-1, 128] : "
                    "tensor<?x256xbf16> -> tensor<?x128xbf16>\n"
                    "%c = fuse.mul %a, %b : tensor<?x128xbf16>\n"
                    "return %c : tensor<?x128xbf16>",
                    "tensor<?x128xbf16>")));
  EXPECT_TRUE(reason.is(ReasonKind::otherTiles));
}

TEST_F(ContractionFlowTest, AScatterTakesItsUpdates) {
  auto flow = flowOf(
      (heads + "%s = fuse.scatter %cache, %at, %h dim = 0 : "
               "tensor<?x2x128xbf16>, tensor<?xi32>, tensor<?x2x128xbf16> -> "
               "tensor<?x2x128xbf16>\n"
               "return %s : tensor<?x2x128xbf16>")
          .str(),
      "tensor<?x2x128xbf16>");
  ASSERT_TRUE(succeeded(flow)) << reason.sentence();
  EXPECT_TRUE(flow->needsTiles);
  EXPECT_FALSE(isInOrder(results[0], *flow));
}

TEST_F(ContractionFlowTest, TurnedColumnsAreRefused) {
  EXPECT_TRUE(failed(flowOf("%t = fuse.transpose %p permutation = [1, 0] : "
                            "tensor<?x256xbf16> -> tensor<256x?xbf16>\n"
                            "return %t : tensor<256x?xbf16>",
                            "tensor<256x?xbf16>")));
  EXPECT_TRUE(reason.is(ReasonKind::neighboursApart));
}
