//===- ColumnsModelTest.cpp - Schedules of columns, by a board's times ----===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/ColumnsModel.h"
#include "ColumnPrograms.h"
#include "ParseProgram.h"
#include "fuse/Schedule/Candidates.h"
#include "fuse/Schedule/ColumnFeatures.h"
#include "fuse/Schedule/LegalColumns.h"
#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
// Blocks of 512 threads are the fastest, and of these clusters of 4 blocks.
constexpr llvm::StringLiteral clustersOf4 = R"({
  "board": "H200", "features": ["threads", "cluster"], "start": 0,
  "trees": [
    {"feature": [0, 0], "at_most": [511, 512], "left": [-1, -2], "right": [1, -3],
     "leaf": [1, 0, 1]},
    {"feature": [1, 1], "at_most": [3, 4], "left": [-1, -2], "right": [1, -3],
     "leaf": [0.5, 0, 0.5]}]})";

constexpr StringRef types[] = {"?x1xf32",     "?x5xf32",       "?x1001xf32",
                               "?x4096xbf16", "?x4097xbf16",   "40x4096xf32",
                               "?x?xf32",     "?x262144xbf16", "1024x768xf64",
                               "6x4xf32",     "1x1xbf16",      "3x900xf32"};

class ColumnsModelTest : public ProgramTest {
protected:
  ColumnFacts factsOf(const std::string &program) {
    func::FuncOp function = parse(program);
    DimClasses dims(function);
    return *columnFactsOf(*function.getOps<KernelOp>().begin(), dims, target);
  }

  ColumnFacts sums(StringRef type, StringRef dims = "[0]") {
    return factsOf(columnSumOf(type, dims));
  }

  SmallVector<ColumnsScheduleAttr> legal(const ColumnFacts &facts) {
    SmallVector<ColumnsScheduleAttr> all;
    for (ColumnsScheduleAttr basic : basicColumns(&context, facts, target))
      llvm::append_range(all, refinedColumns(basic, facts, target));
    return all;
  }

  ScheduleTarget on(StringRef chip) {
    return llvm::cantFail(ScheduleTarget::of(chip, /*divisible=*/false));
  }

  ScheduleTarget target = on("sm_90");
};
} // namespace

TEST_F(ColumnsModelTest, RanksWhatTheTreesSay) {
  ColumnsModel model = llvm::cantFail(ColumnsModel::read(clustersOf4));
  auto ranked = model.rank(&context, sums("?x4096xbf16"), target);
  ASSERT_FALSE(ranked.empty());
  EXPECT_EQ(ranked.front().schedule.clusterSize(), 4);
  EXPECT_EQ(ranked.front().schedule.getThreads(), 512);
  EXPECT_EQ(ranked.front().loss, 0);
  for (size_t i = 1; i < ranked.size(); ++i)
    EXPECT_LE(ranked[i - 1].loss, ranked[i].loss);
}

TEST_F(ColumnsModelTest, RefusesWhatIsNoModel) {
  auto errorOf = [](StringRef text) {
    llvm::Expected<ColumnsModel> model = ColumnsModel::read(text);
    return model ? "" : llvm::toString(model.takeError());
  };
  for (StringRef text : {"{}", "[]"})
    EXPECT_NE(errorOf(text).find("'board'"), std::string::npos);
  EXPECT_NE(errorOf(R"({"board": "H200"})").find("'trees'"), std::string::npos);
  EXPECT_NE(errorOf("{"), "");
}

TEST_F(ColumnsModelTest, ShippedFilesSayWhatWasHeldOut) {
  ASSERT_FALSE(ColumnsModel::shipped().empty());
  for (StringRef text : ColumnsModel::shipped()) {
    auto data = llvm::cantFail(llvm::json::parse(text));
    const llvm::json::Object *held = data.getAsObject()->getObject("held_out");
    ASSERT_TRUE(held);
    EXPECT_TRUE(held->getArray("families") && held->getInteger("one_in"));
  }
}

TEST_F(ColumnsModelTest, TheChoiceIsLegalOnEachChip) {
  for (StringRef chip : {"sm_80", "sm_86", "sm_90", "sm_100", "sm_120"}) {
    target = on(chip);
    const ColumnsModel &model = ColumnsModel::of(*target.gpu);
    for (StringRef type : types)
      for (StringRef dims : {"[0]", "[0, 1]"}) {
        ColumnFacts facts = sums(type, dims);
        auto all = legal(facts);
        for (CallSize size : allCallSizes) {
          target.size = size;
          ColumnsScheduleAttr chosen = model.choose(&context, facts, target);
          EXPECT_TRUE(llvm::is_contained(all, chosen))
              << chip.str() << " " << type.str() << " " << dims.str();
          EXPECT_EQ(model.choose(&context, facts, target), chosen);
        }
      }
  }
}

// Registers have no room for several loads of each.
TEST_F(ColumnsModelTest, ManyInputsHaveASchedule) {
  constexpr int64_t inputs = 48;
  std::string values, types, arguments, parameters, sums;
  for (int64_t i = 0; i < inputs; ++i) {
    std::string comma = i ? ", " : "";
    values += llvm::formatv("{0}%x{1}", comma, i);
    types += comma + "tensor<64x512xf64>";
    arguments += llvm::formatv("{0}%x{1}: tensor<64x512xf64>", comma, i);
    parameters += llvm::formatv("{0}%a{1}: tensor<64x512xf64>", comma, i);
    if (i > 0)
      sums += llvm::formatv("%s{0} = fuse.add %{1}, %a{0} : "
                            "tensor<64x512xf64>, tensor<64x512xf64> -> "
                            "tensor<64x512xf64>\n",
                            i, i > 1 ? "s" + std::to_string(i - 1) : "a0");
  }
  ColumnFacts facts = factsOf(
      "func.func @f(" + arguments + ") -> tensor<512xf64> {\n" +
      "%r = fuse.kernel \"k\" ins(" + values + " : " + types +
      ") -> tensor<512xf64> {\n^bb0(" + parameters + "):\n" + sums +
      "%s = fuse.reduce sum %s" + std::to_string(inputs - 1) +
      " dims = [0] : tensor<64x512xf64> -> tensor<512xf64>\n"
      "fuse.yield %s : tensor<512xf64>\n}\nreturn %r : tensor<512xf64>\n}");
  EXPECT_TRUE(ColumnsModel::of(*target.gpu).choose(&context, facts, target));
}

TEST_F(ColumnsModelTest, NothingLegalIsPredictedToBeMuchFaster) {
  const ColumnsModel &model = ColumnsModel::of(*target.gpu);
  for (CallSize size : allCallSizes)
    for (StringRef type : {"?x77xbf16", "?x1000xf32", "?x12288xbf16"})
      for (StringRef dims : {"[0]", "[0, 1]"}) {
        target.size = size;
        ColumnFacts facts = sums(type, dims);
        double least = std::numeric_limits<double>::infinity();
        for (ColumnsScheduleAttr each : legal(facts))
          least = std::min(least, model.predictLoss(facts, each, target));
        EXPECT_LT(model.rank(&context, facts, target)[0].loss, least + 0.01)
            << type.str() << dims.str() << name(size).str();
      }
}

TEST_F(ColumnsModelTest, CallsOfKnownSizeAreOfThatSize) {
  const ColumnsModel &model = ColumnsModel::of(*target.gpu);
  for (StringRef type : {"64x4096xbf16", "65536x4096xbf16"}) {
    ColumnFacts facts = sums(type);
    target.size = CallSize::large;
    ColumnsScheduleAttr chosen = model.choose(&context, facts, target);
    target.size = CallSize::few;
    EXPECT_EQ(model.choose(&context, facts, target), chosen);
  }
  ColumnFacts facts = sums("?x4096xbf16");
  target.size = CallSize::large;
  ColumnsScheduleAttr large = model.choose(&context, facts, target);
  target.size = CallSize::few;
  EXPECT_NE(model.choose(&context, facts, target), large);
}

TEST_F(ColumnsModelTest, WhatIsWalkedAgainStaysInRegistersIfThereIsRoom) {
  const ColumnsModel &model = ColumnsModel::of(*target.gpu);
  auto holdOf = [&](StringRef type) {
    return model.choose(&context, factsOf(columnsLessMaximaOf(type)), target)
        .getHold();
  };
  EXPECT_TRUE(isa<RegistersHoldAttr>(holdOf("64x4096xf32")));
  EXPECT_TRUE(isa<LoopHoldAttr>(holdOf("65536x4096xf32")));
  EXPECT_TRUE(isa<LoopHoldAttr>(holdOf("?x4096xf32")));
}

TEST_F(ColumnsModelTest, VectorsThatLeaveEdgesAreTheWidest) {
  func::FuncOp function = parse(R"(
    func.func @f(%x: tensor<?xbf16>) -> tensor<bf16> {
      %r = fuse.kernel "k" ins(%x : tensor<?xbf16>) -> tensor<bf16> {
      ^bb0(%a: tensor<?xbf16>):
        %s = fuse.reduce sum %a dims = [0] : tensor<?xbf16> -> tensor<bf16>
        fuse.yield %s : tensor<bf16>
      }
      return %r : tensor<bf16>
    })");
  DimClasses dims(function);
  KernelOp kernel = *function.getOps<KernelOp>().begin();
  ColumnFacts facts = *columnFactsOf(kernel, dims, target);
  EXPECT_TRUE(facts.mayLeaveEdges);
  for (CallSize size : allCallSizes) {
    target.size = size;
    EXPECT_EQ(ColumnsModel::of(*target.gpu)
                  .choose(&context, facts, target)
                  .getVector(),
              8);
  }
}

TEST_F(ColumnsModelTest, FeaturesAreOfTheScheduleInTheCall) {
  ColumnFacts facts = sums("?x4096xf32");
  auto at = [&](StringRef schedule, StringRef name) {
    auto features = columnFeatures(
        facts, cast<ColumnsScheduleAttr>(parseAttribute(schedule, &context)),
        facts.callOf(4096 * 1024), *target.gpu);
    auto names = columnFeatureNames();
    EXPECT_EQ(features.size(), names.size());
    return features[llvm::find(names, name) - names.begin()];
  };
  // 32 blocks of 32 vectors beside each other, by 4: 128 of them. A column has
  // 1024 places for 8 threads of 4 blocks, and each walks 32.
  StringRef parts = "#fuse.columns<threads = 256, vector = 4, splits = 8, "
                    "hold = loop<unroll = 8>, share = parts<4>>";
  EXPECT_EQ(at(parts, "places"), 10);
  EXPECT_EQ(at(parts, "row"), 32);
  EXPECT_EQ(at(parts, "past_end"), 1);
  EXPECT_EQ(at(parts, "places_of_thread"), 5);
  EXPECT_EQ(at(parts, "steps"), 2);
  EXPECT_EQ(at(parts, "left_bytes"), 16);
  EXPECT_EQ(at(parts, "all_threads"), 15);
  EXPECT_FLOAT_EQ(at(parts, "uneven"), 132.0 / 128);
  // No launch combines what clusters have combined; copies take shared memory.
  StringRef cluster = "#fuse.columns<threads = 256, vector = 4, splits = 8, "
                      "hold = loop<unroll = 2, stages = 4>, share = "
                      "cluster<4>>";
  EXPECT_EQ(at(cluster, "left_bytes"), 0);
  EXPECT_EQ(at(cluster, "steps"), 4);
  EXPECT_EQ(at(cluster, "shared_bytes"),
            256 * 16 * 2 * 4 + (256 + 32 * 4) * 4 * 4);
}
