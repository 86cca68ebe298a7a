//===- MmaSpaceTest.cpp - Contractions that tensor cores can run ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/MmaSpace.h"
#include "ParseProgram.h"
#include "fuse/Analysis/ContractionSegments.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class MmaSpaceTest : public ProgramTest {
protected:
  /// A kernel with a body, whose inputs are the arguments %0 to %3.
  KernelOp parseBody(StringRef body, StringRef result = "tensor<?x64xbf16>",
                     StringRef last = "tensor<64x32xbf16>",
                     StringRef yielded = "%y") {
    std::string inputs = llvm::formatv("tensor<?x32xbf16>, tensor<64x32xbf16>, "
                                       "tensor<64x32xbf16>, {0}",
                                       last);
    bool isOne = !result.contains(", ");
    std::string text = llvm::formatv(
        R"(
      func.func @f(%a: tensor<?x32xbf16>, %b: tensor<64x32xbf16>,
                   %c: tensor<64x32xbf16>, %d: {0}) {{
        %r{5} = fuse.kernel "k" ins(%a, %b, %c, %d : {1}) -> {2} {{
        ^bb0(%0: tensor<?x32xbf16>, %1: tensor<64x32xbf16>,
             %2: tensor<64x32xbf16>, %3: {0}):
          {3}
          fuse.yield {4} : {2}
        }
        return
      })",
        last, inputs, result, body, yielded, isOne ? "" : ":2");
    return parseKernel(text);
  }

  FailureOr<MmaSpace> find(KernelOp kernel) {
    return mmaSpaceOf(kernel, DimClasses(kernel->getParentOp()),
                      {/*aligned=*/true, /*divisible=*/true}, reason);
  }

  Reason reason;
};

constexpr const char *gateAndUp = R"(
  %g = fuse.contract "mk,nk->mn" %0, %1 : tensor<?x32xbf16>, tensor<64x32xbf16> -> tensor<?x64xbf16>
  %u = fuse.contract "mk,nk->mn" %0, %2 : tensor<?x32xbf16>, tensor<64x32xbf16> -> tensor<?x64xbf16>
  %y = fuse.mul %g, %u : tensor<?x64xbf16>
)";

constexpr const char *twoResults = R"(
  %y = fuse.contract "mk,nk->mn" %0, %1 : tensor<?x32xbf16>, tensor<64x32xbf16> -> tensor<?x64xbf16>
  %s = fuse.neg %y : tensor<?x64xbf16>
  %z = fuse.contract "xy,zy->xz" %0, %3 : tensor<?x32xbf16>, tensor<8x32xbf16> -> tensor<?x8xbf16>
)";
} // namespace

TEST_F(MmaSpaceTest, ContractionsThatMeetShareTheColumnsOfATile) {
  FailureOr<MmaSpace> space = find(parseBody(gateAndUp));
  ASSERT_TRUE(succeeded(space)) << reason.sentence();
  ASSERT_EQ(space->segments.size(), 1u);
  const MmaSegment &segment = space->segments.front();
  EXPECT_EQ(segment.count(), 2);
  EXPECT_EQ(segment.results, (SmallVector<unsigned>{0}));
  auto schedule =
      MmaScheduleAttr::get(&context, MmaIsa::wgmma, 128, 256, 64, 4, 2, 16,
                           MmaStore::tma, 132, 1, false, 16, 1, 1, 0, 0);
  EXPECT_EQ(segment.columnsPerTile(schedule), 128);
  auto narrow =
      MmaScheduleAttr::get(&context, MmaIsa::wgmma, 64, 256, 64, 4, 2, 16,
                           MmaStore::tma, 132, 1, false, 16, 1, 1, 0, 0);
  EXPECT_EQ(segment.columnsPerConsumer(narrow), 64);
}

/// Letters are a contraction's own.
TEST_F(MmaSpaceTest, OthersAreSegmentsOfTheirOwn) {
  FailureOr<MmaSpace> space =
      find(parseBody(twoResults, "tensor<?x64xbf16>, tensor<?x8xbf16>",
                     "tensor<8x32xbf16>", "%s, %z"));
  ASSERT_TRUE(succeeded(space)) << reason.sentence();
  ASSERT_EQ(space->segments.size(), 2u);
  EXPECT_EQ(space->segments[0].results, (SmallVector<unsigned>{0}));
  EXPECT_EQ(space->segments[1].results, (SmallVector<unsigned>{1}));
  EXPECT_EQ(space->segments[1].contractions.front().columns.axes,
            (SmallVector<char, 5>{'k', 'n'}));
}

TEST_F(MmaSpaceTest, TheOtherOperandIsNotEnough) {
  KernelOp kernel = parseBody(R"(
    %g = fuse.contract "mk,nk->mn" %1, %3 : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<64x64xbf16>
    %u = fuse.contract "mk,nk->mn" %2, %3 : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<64x64xbf16>
    %y = fuse.mul %g, %u : tensor<64x64xbf16>
  )",
                              "tensor<64x64xbf16>");
  EXPECT_TRUE(failed(find(kernel)));
  EXPECT_TRUE(reason.is(ReasonKind::mmaDifferentRows));
}

/// x A^T and (x B)^T have one operand in common, but for other axes.
TEST_F(MmaSpaceTest, OneTensorMayBeTwoOperands) {
  KernelOp kernel = parseBody(R"(
    %g = fuse.contract "mk,nk->mn" %1, %2 : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<64x64xbf16>
    %u = fuse.contract "nk,mk->mn" %1, %3 : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<64x64xbf16>
    %y = fuse.mul %g, %u : tensor<64x64xbf16>
  )",
                              "tensor<64x64xbf16>");
  EXPECT_TRUE(failed(find(kernel)));
}

TEST_F(MmaSpaceTest, OrdersMayDifferInOneSegmentOnly) {
  constexpr const char *body = R"(
    %g = fuse.contract "mk,nk->mn" %0, %1 : tensor<?x32xbf16>, tensor<64x32xbf16> -> tensor<?x64xbf16>
    %u = fuse.contract "mk,kn->mn" %0, %3 : tensor<?x32xbf16>, tensor<32x64xbf16> -> tensor<?x64xbf16>
    %y = fuse.mul %g, %u : tensor<?x64xbf16>
  )";
  FailureOr<MmaSpace> space =
      find(parseBody(body, "tensor<?x64xbf16>", "tensor<32x64xbf16>"));
  ASSERT_TRUE(succeeded(space)) << reason.sentence();
  EXPECT_FALSE(space->hasOneOrder());
  constexpr const char *apart = R"(
    %y = fuse.contract "mk,nk->mn" %0, %1 : tensor<?x32xbf16>, tensor<64x32xbf16> -> tensor<?x64xbf16>
    %u = fuse.contract "mk,kn->mn" %0, %3 : tensor<?x32xbf16>, tensor<32x64xbf16> -> tensor<?x64xbf16>
  )";
  EXPECT_TRUE(
      failed(find(parseBody(apart, "tensor<?x64xbf16>, tensor<?x64xbf16>",
                            "tensor<32x64xbf16>", "%y, %u"))));
  EXPECT_TRUE(reason.is(ReasonKind::mmaColumnOrders));
}

/// A tensor map is a parameter of 128 bytes.
TEST_F(MmaSpaceTest, ThereIsRoomForSomeTensorMaps) {
  auto bodyOf = [](int contractions) {
    std::string body;
    for (int i = 0; i < contractions; ++i)
      body += llvm::formatv(
          "%p{0} = fuse.contract \"mk,nk->mn\" %0, %1 : tensor<?x32xbf16>, "
          "tensor<64x32xbf16> -> tensor<?x64xbf16>\n"
          "%y{1} = fuse.add %y{0}, %p{0} : tensor<?x64xbf16>\n",
          i, i + 1);
    return "%y0 = fuse.contract \"mk,nk->mn\" %0, %2 : tensor<?x32xbf16>, "
           "tensor<64x32xbf16> -> tensor<?x64xbf16>\n" +
           body;
  };
  EXPECT_TRUE(succeeded(find(parseBody(bodyOf(21), "tensor<?x64xbf16>",
                                       "tensor<64x32xbf16>", "%y21"))))
      << reason.sentence();
  EXPECT_TRUE(failed(find(parseBody(bodyOf(22), "tensor<?x64xbf16>",
                                    "tensor<64x32xbf16>", "%y22"))));
}

TEST_F(MmaSpaceTest, WhatFollowsFromSegmentsIsTheirs) {
  KernelOp kernel = parseBody(twoResults, "tensor<?x64xbf16>, tensor<?x8xbf16>",
                              "tensor<8x32xbf16>", "%s, %z");
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
  SmallVector<Value> results(kernel.getYield().getValues());
  auto segments = contractionSegmentsOf(ops, results);
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].ops.size(), 2u);
  EXPECT_EQ(segments[1].ops.size(), 1u);
}

//===----------------------------------------------------------------------===//
// What follows
//===----------------------------------------------------------------------===//

static std::string squaresAlong(int dim, StringRef behind = "") {
  std::string kept = dim == 1 ? "tensor<?x1xf32>" : "tensor<1x64xf32>";
  return llvm::formatv(
             R"(
  %y = fuse.contract "mk,nk->mn" %0, %1 : tensor<?x32xbf16>, tensor<64x32xbf16> -> tensor<?x64xbf16>
  %f = fuse.cast %y : tensor<?x64xbf16> -> tensor<?x64xf32>
  %s = fuse.mul %f, %f : tensor<?x64xf32>
  %q = fuse.reduce sum %s dims = [{0}] keep : tensor<?x64xf32> -> {1}
)",
             dim, kept)
             .str() +
         behind.str();
}

TEST_F(MmaSpaceTest, TilesLeavePartsOfReductionsAlongTheirColumns) {
  constexpr const char *last = "tensor<64x32xbf16>";
  FailureOr<MmaSpace> space = find(parseBody(
      squaresAlong(1), "tensor<?x64xbf16>, tensor<?x1xf32>", last, "%y, %q"));
  ASSERT_TRUE(succeeded(space)) << reason.sentence();
  EXPECT_EQ(space->reductions.size(), 1u);
  EXPECT_EQ(space->segments.front().results, (SmallVector<unsigned>{0}));

  EXPECT_TRUE(failed(
      find(parseBody(squaresAlong(0), "tensor<?x64xbf16>, tensor<1x64xf32>",
                     last, "%y, %q"))));
  EXPECT_TRUE(reason.is(ReasonKind::reductionNotAlongColumns));
  constexpr const char *scaled =
      "%z = fuse.mul %f, %q : tensor<?x64xf32>, tensor<?x1xf32> -> "
      "tensor<?x64xf32>";
  EXPECT_TRUE(failed(find(
      parseBody(squaresAlong(1, scaled), "tensor<?x64xf32>", last, "%z"))));
  EXPECT_TRUE(reason.is(ReasonKind::mmaFollowsReduction));

  std::string both = std::string(twoResults) +
                     "%q = fuse.reduce max %y dims = [1] keep : "
                     "tensor<?x64xbf16> -> tensor<?x1xbf16>";
  EXPECT_TRUE(failed(find(parseBody(both, "tensor<?x8xbf16>, tensor<?x1xbf16>",
                                    "tensor<8x32xbf16>", "%z, %q"))));
  EXPECT_TRUE(reason.is(ReasonKind::mmaReductionShapes)) << reason.sentence();
}

TEST_F(MmaSpaceTest, ResidualsComeWithTheTile) {
  auto inputs = [&](StringRef residual, int64_t tileN) {
    std::string type = ("tensor<?x64x" + residual + ">").str();
    std::string body = llvm::formatv(
        R"(
  %p = fuse.contract "mk,nk->mn" %0, %1 : tensor<?x32xbf16>, tensor<64x32xbf16> -> tensor<?x64xbf16>
  %q = fuse.cast %p : tensor<?x64xbf16> -> {0}
  %y = fuse.add %q, %3 : {0}
)",
        type);
    KernelOp kernel = parseBody(body, type, type);
    DimClasses dims(kernel->getParentOp());
    TensorFacts facts{/*aligned=*/true, /*divisible=*/true};
    FailureOr<MmaSpace> space = mmaSpaceOf(kernel, dims, facts, reason);
    EXPECT_TRUE(succeeded(space)) << reason.sentence();
    auto schedule =
        MmaScheduleAttr::get(&context, MmaIsa::wgmma, 128, tileN, 64, 4, 2, 16,
                             MmaStore::direct, 132, 1, false, 16, 1, 1, 0, 0);
    return mmaTileInputs(kernel, dims, *space, space->segments.front(),
                         schedule, facts)
        .size();
  };
  EXPECT_EQ(inputs("bf16", 64), 1u);
  EXPECT_EQ(inputs("f32", 128), 1u);
  // No slot has room for 64 columns of it; elements of 8 bytes; columns that
  // are no row of 128 bytes.
  EXPECT_EQ(inputs("f32", 64), 0u);
  EXPECT_EQ(inputs("f64", 256), 0u);
  EXPECT_EQ(inputs("bf16", 32), 0u);
}
