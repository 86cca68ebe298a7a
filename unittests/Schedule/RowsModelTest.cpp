//===- RowsModelTest.cpp - Schedules of rows, as a board's times say ------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/RowsModel.h"
#include "ParseProgram.h"
#include "RowPrograms.h"
#include "fuse/Schedule/Candidates.h"
#include "fuse/Schedule/LegalRows.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
// Rows in the caches are the fastest, and of these blocks of 256 threads.
constexpr llvm::StringLiteral cachesOf256 = R"({
  "board": "H200", "features": ["hold", "threads"], "start": 0,
  "trees": [
    {"feature": [0, 0], "at_most": [1.5, 2.5], "left": [-1, -2], "right": [1, -3],
     "leaf": [1, 0, 1]},
    {"feature": [1, 1], "at_most": [255, 256], "left": [-1, -2], "right": [1, -3],
     "leaf": [0.5, 0, 0.5]}]})";

class RowsModelTest : public ProgramTest {
protected:
  static RowsModel read(StringRef text) {
    return llvm::cantFail(RowsModel::read(text));
  }

  /// Of rows less their sums.
  RowFacts facts(StringRef type, const ScheduleTarget &target) {
    func::FuncOp function = parse(sumOf(type));
    DimClasses dims(function);
    KernelOp kernel = *function.getOps<KernelOp>().begin();
    Reason reason;
    auto segments = reductionSegmentsOf(kernel, dims, reason);
    return rowFactsOf(kernel, segments->front(), dims, target);
  }

  ScheduleTarget target =
      llvm::cantFail(ScheduleTarget::of("sm_90", /*divisible=*/false));
};
} // namespace

TEST_F(RowsModelTest, FactsAreOfTheKernel) {
  RowFacts found = facts("?x4096xbf16", target);
  EXPECT_EQ(found.length, 4096);
  EXPECT_EQ(found.rows, 0);
  EXPECT_EQ(found.widest, 8);
  EXPECT_EQ(found.inputs, 1);
  EXPECT_EQ(found.inputBytes, 2);
  EXPECT_EQ(found.outputBytes, 2);
  EXPECT_EQ(found.exchanges, 1);
  EXPECT_FALSE(found.once);
  EXPECT_FALSE(found.hasExp);
  EXPECT_EQ(found.bytesPerRow(), 4 * 4096);
  EXPECT_EQ(facts("64x100xf32", target).rows, 64);
}

TEST_F(RowsModelTest, RanksWhatTheTreesSay) {
  RowsModel model = read(cachesOf256);
  auto ranked = model.rank(&context, facts("?x8192xbf16", target), target);
  ASSERT_FALSE(ranked.empty());
  EXPECT_EQ(ranked.front().schedule.getHold(), HoldKind::cache);
  EXPECT_EQ(ranked.front().schedule.getThreads(), 256);
  EXPECT_EQ(ranked.front().loss, 0);
  for (size_t i = 1; i < ranked.size(); ++i)
    EXPECT_LE(ranked[i - 1].loss, ranked[i].loss);
}

TEST_F(RowsModelTest, RefusesWhatIsNoModel) {
  auto errorOf = [](StringRef text) {
    llvm::Expected<RowsModel> model = RowsModel::read(text);
    return model ? "" : llvm::toString(model.takeError());
  };
  EXPECT_NE(errorOf("{}").find("'board'"), std::string::npos);
  EXPECT_NE(errorOf(R"({"board": "H200"})").find("'trees'"), std::string::npos);
  EXPECT_NE(errorOf("{"), "");
}

TEST_F(RowsModelTest, ABoardThatNobodyMeasuredHasNone) {
  ScheduleTarget other =
      llvm::cantFail(ScheduleTarget::of("sm_80", /*divisible=*/false));
  EXPECT_EQ(RowsModel::of(*other.gpu), nullptr);
}
