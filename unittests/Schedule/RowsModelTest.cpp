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
#include "mlir/AsmParser/AsmParser.h"

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
  EXPECT_TRUE(isa<CacheHoldAttr>(ranked.front().schedule.getHold()));
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

TEST_F(RowsModelTest, ABoardThatNobodyMeasuredTakesTreesButNoWinners) {
  ScheduleTarget other =
      llvm::cantFail(ScheduleTarget::of("sm_80", /*divisible=*/false));
  const RowsModel &model = RowsModel::of(*other.gpu);
  RowFacts found = facts("?x4096xbf16", other);
  EXPECT_FALSE(model.winner(&context, found, other));
  EXPECT_TRUE(model.choose(&context, found, other));
}

TEST_F(RowsModelTest, AWinnerGoesBeforeWhatTheTreesSay) {
  RowFacts found = facts("?x8192xbf16", target);
  StringRef trees = cachesOf256;
  std::string text =
      (trees.drop_back() +
       ", \"schedules\": [\"#fuse.rows<threads = 512, vector = 8, "
       "rows_per_block = 1, hold = registers>\"], "
       "\"winners\": {\"" +
       found.key() + "\": [8192, 1, 0]}}")
          .str();
  RowsModel model = read(text);
  target.size = CallSize::small;
  EXPECT_EQ(model.choose(&context, found, target).getThreads(), 512);
  // Calls of another size and rows of another length have none.
  target.size = CallSize::large;
  EXPECT_EQ(model.choose(&context, found, target).getThreads(), 256);
  target.size = CallSize::small;
  EXPECT_FALSE(model.winner(&context, facts("?x4096xbf16", target), target));
  // So has a board of that name whose times are not to count, or another.
  EXPECT_TRUE(model.winner(&context, found, target));
  GPUTarget other = *target.gpu;
  other.isMeasured = false;
  target.gpu = other;
  EXPECT_FALSE(model.winner(&context, found, target));
  other.isMeasured = true;
  other.board = "another";
  target.gpu = other;
  EXPECT_FALSE(model.winner(&context, found, target));
}

TEST_F(RowsModelTest, RefusesWinnersOfNoSchedule) {
  StringRef trees = cachesOf256;
  for (StringRef numbers : {"[8192, 1, 1]", "[8192, 4, 0]", "[8192, 1]"}) {
    std::string text = (trees.drop_back() + ", \"schedules\": [\"\"], " +
                        "\"winners\": {\"a\": " + numbers + "}}")
                           .str();
    llvm::Expected<RowsModel> model = RowsModel::read(text);
    ASSERT_FALSE(bool(model)) << numbers.str();
    EXPECT_NE(llvm::toString(model.takeError()).find("'winners'"),
              std::string::npos);
  }
}

TEST_F(RowsModelTest, ShippedFilesAreOfLegalSchedulesAndSayWhatWasHeldOut) {
  context.loadDialect<FuseDialect>();
  for (StringRef text : RowsModel::shipped()) {
    RowsModel model = read(text);
    auto data = llvm::cantFail(llvm::json::parse(text));
    const llvm::json::Object *held = data.getAsObject()->getObject("held_out");
    ASSERT_TRUE(held);
    EXPECT_TRUE(held->getArray("families") && held->getInteger("one_in"));
    EXPECT_GT(model.getWinners().size(), 10u);
    for (const std::string &schedule : model.getSchedules())
      EXPECT_TRUE(
          isa_and_nonnull<RowsScheduleAttr>(parseAttribute(schedule, &context)))
          << schedule;
  }
}

TEST_F(RowsModelTest, TheSameIsChosenEachTimeAndIsLegal) {
  const RowsModel &model = RowsModel::of(*target.gpu);
  for (StringRef type : {"?x9xf32", "?x77xbf16", "?x1000xf16", "?x4097xbf16",
                         "64x12288xf32", "?x50257xbf16", "8x262144xbf16"}) {
    RowFacts found = facts(type, target);
    auto legal = legalRows(&context, found, target);
    RowsScheduleAttr chosen = model.rank(&context, found, target)[0].schedule;
    EXPECT_TRUE(llvm::is_contained(legal, chosen)) << type.str();
    EXPECT_EQ(model.choose(&context, found, target),
              model.choose(&context, found, target));
  }
}

TEST_F(RowsModelTest, WhatFewTreesLeaveOutIsHardlyFaster) {
  const RowsModel &model = RowsModel::of(*target.gpu);
  for (CallSize size : allCallSizes)
    for (StringRef type :
         {"?x77xbf16", "?x1000xf16", "?x4097xf32", "?x12288xbf16"}) {
      target.size = size;
      RowFacts found = facts(type, target);
      double least = std::numeric_limits<double>::infinity();
      for (RowsScheduleAttr each : legalRows(&context, found, target))
        least = std::min(least, model.predictLoss(found, each, target));
      EXPECT_LT(model.rank(&context, found, target)[0].loss, least + 0.01)
          << type.str() << name(size).str();
    }
}
