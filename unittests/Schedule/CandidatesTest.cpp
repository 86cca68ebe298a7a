//===- CandidatesTest.cpp - Schedules to choose from ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Candidates.h"
#include "ParseProgram.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class CandidatesTest : public ProgramTest {
protected:
  SmallVector<Candidate> candidates(StringRef type, StringRef chip = "sm_90") {
    func::FuncOp function = parse(sumOf(type));
    DimClasses dims(function);
    auto target = ScheduleTarget::of(chip, /*divisible=*/true);
    EXPECT_TRUE(bool(target));
    return findCandidates(*function.getOps<KernelOp>().begin(), dims, *target);
  }

  /// Rows less their sums, so that they are needed twice.
  static std::string sumOf(StringRef type) {
    std::string row = type.split('x').first.str() + "x1xf32";
    return llvm::formatv(
               R"(func.func @f(%x: tensor<{0}>) -> tensor<{0}> {{
      %r = fuse.kernel "k" ins(%x : tensor<{0}>) -> tensor<{0}> {{
      ^bb0(%a: tensor<{0}>):
        %s = fuse.reduce sum %a dims = [1] keep : tensor<{0}> -> tensor<{1}>
        %d = fuse.sub %a, %s : tensor<{0}>, tensor<{1}> -> tensor<{0}>
        fuse.yield %d : tensor<{0}>
      }
      return %r : tensor<{0}>
    })",
               type, row)
        .str();
  }
};
} // namespace

TEST_F(CandidatesTest, TheChoiceIsFirstAndTheRestIsSorted) {
  SmallVector<Candidate> found = candidates("?x4096xf32");
  ASSERT_GT(found.size(), 4u);
  for (size_t i = 2; i < found.size(); ++i)
    EXPECT_LE(found[i - 1].estimate->seconds, found[i].estimate->seconds);
}

TEST_F(CandidatesTest, EachIsThereOnceAndFitsTheMachine) {
  for (StringRef type : {"?x64xf32", "?x4096xf32", "?x32768xf32",
                         "?x100000xf32", "?x?xf32", "64x1000xf32"}) {
    SmallVector<Candidate> found = candidates(type);
    EXPECT_GT(found.size(), 1u) << type.str();
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_LE(found[i].schedule.getThreads(), 1024);
      EXPECT_GT(found[i].estimate->residentBlocks, 0);
      for (size_t j = 0; j < i; ++j)
        EXPECT_NE(found[i].schedule, found[j].schedule) << type.str();
    }
  }
}

TEST_F(CandidatesTest, UnknownRowsAreNotHeld) {
  for (const Candidate &candidate : candidates("?x?xf32"))
    EXPECT_EQ(cast<RowsScheduleAttr>(candidate.schedule).getHold(),
              HoldKind::loop);
}

TEST_F(CandidatesTest, FewBlocksOverruleAProposalThatSharesThem) {
  // Two rows a block leave half of the multiprocessors idle.
  auto choice =
      cast<RowsScheduleAttr>(candidates("128x2048xf32").front().schedule);
  EXPECT_EQ(choice.getRowsPerBlock(), 1);
}

TEST_F(CandidatesTest, TheHostHasOneAndNoModel) {
  SmallVector<Candidate> found = candidates("?x4096xf32", "cpu");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found.front().estimate);
}
