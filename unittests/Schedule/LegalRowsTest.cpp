//===- LegalRowsTest.cpp - Every schedule that rows may have --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That each of them lowers is python/tests/test_design_sweep.py's.
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/LegalRows.h"
#include "ParseProgram.h"
#include "fuse/Schedule/RowFeatures.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class LegalRowsTest : public ProgramTest {
protected:
  void SetUp() override {
    target = llvm::cantFail(ScheduleTarget::of("sm_90", /*divisible=*/false));
  }

  /// Rows that are read once more after a sum.
  static RowFacts factsOf(int64_t length, int64_t bytes = 2) {
    RowFacts facts;
    facts.length = facts.inner = length;
    facts.widest = 16 / bytes;
    facts.inputs = 1;
    facts.inputBytes = facts.widestBytes = facts.thinnestBytes = bytes;
    facts.narrowestBytes = bytes;
    facts.outputBytes = static_cast<double>(bytes);
    facts.outputs = 1;
    facts.levels = facts.exchanges = facts.components = 1;
    return facts;
  }

  SmallVector<RowsScheduleAttr> legal(const RowFacts &facts) {
    return legalRows(&context, facts, *target);
  }

  std::optional<ScheduleTarget> target;
};
} // namespace

TEST_F(LegalRowsTest, EachIsThereOnceAndIsWhatTheAttributeAllows) {
  unsigned complaints = 0;
  ScopedDiagnosticHandler count(&context, [&](Diagnostic &) {
    ++complaints;
    return success();
  });
  for (int64_t length : {9, 64, 77, 1000, 4096, 4097, 12288, 100000, 262144})
    for (int64_t bytes : {2, 4}) {
      llvm::DenseSet<Attribute> seen;
      for (RowsScheduleAttr each : legal(factsOf(length, bytes))) {
        EXPECT_TRUE(seen.insert(each).second);
        EXPECT_TRUE(succeeded(RowsScheduleAttr::verify(
            [&] { return emitError(UnknownLoc::get(&context)); },
            each.getThreads(), each.getVector(), each.getRowsPerBlock(),
            each.getHold(), each.getShare(), each.getPersistent(),
            each.getLeastBlocks())));
      }
      EXPECT_GT(seen.size(), 40u) << length;
    }
  EXPECT_EQ(complaints, 0u);
}

TEST_F(LegalRowsTest, EveryPlaceOfALongRowIsThere) {
  for (StringRef hold : {"registers", "cache", "shared", "loop"})
    for (int64_t blocks : {1, 8})
      EXPECT_TRUE(llvm::any_of(legal(factsOf(32768)),
                               [&](auto each) {
                                 return each.getHold().getKeyword() == hold &&
                                        each.blocksPerRow() == blocks;
                               }))
          << hold.str() << blocks;
}

TEST_F(LegalRowsTest, AThreadHoldsNoMoreThanItsRegisters) {
  for (int64_t length : {64, 1000, 4096, 32768})
    for (RowsScheduleAttr each : legal(factsOf(length, 4))) {
      if (!isa<RegistersHoldAttr>(each.getHold()))
        continue;
      int64_t elements =
          llvm::divideCeil(length, each.threadsPerRow()) * each.rowsPerThread();
      EXPECT_LT(elements, 255);
    }
}

TEST_F(LegalRowsTest, ThreadsOfAProductHaveSeveralRows) {
  RowFacts facts = factsOf(4096);
  EXPECT_TRUE(productRows(&context, facts, *target).empty());
  facts.once = true;
  facts.weights = 1;
  facts.outputs = 0;
  for (int64_t length : {64, 3584, 4096, 14336}) {
    facts.length = facts.inner = length;
    SmallVector<RowsScheduleAttr> all = productRows(&context, facts, *target);
    EXPECT_EQ(all.empty(), length == 64);
    for (RowsScheduleAttr each : all) {
      EXPECT_GE(each.rowsPerThread(), 2);
      int64_t share = each.threadsPerRow() * each.getVector();
      EXPECT_LE(llvm::divideCeil(length, share) * each.rowsPerThread(), 8);
      EXPECT_LE(3 * share, 4 * length);
    }
  }
  // Blocks have to stay for what all rows are reduced to.
  facts.isAcross = true;
  EXPECT_TRUE(productRows(&context, facts, *target).empty());
}

TEST_F(LegalRowsTest, WithoutClustersARowHasOneBlock) {
  target = llvm::cantFail(ScheduleTarget::of("sm_80", /*divisible=*/false));
  for (RowsScheduleAttr each : legal(factsOf(65536)))
    EXPECT_EQ(each.blocksPerRow(), 1);
}

TEST_F(LegalRowsTest, WhatIsReducedOverAllRowsStays) {
  RowFacts facts = factsOf(4096);
  facts.isAcross = true;
  facts.columnSums = 1;
  SmallVector<RowsScheduleAttr> all = legal(facts);
  EXPECT_GT(all.size(), 40u);
  for (RowsScheduleAttr each : all) {
    EXPECT_GT(each.getPersistent(), 0);
    EXPECT_EQ(each.blocksPerRow(), 1);
    EXPECT_EQ(facts.length % each.getVector(), 0);
  }
}

TEST_F(LegalRowsTest, ARowOfUnknownLengthHasNone) {
  EXPECT_TRUE(legal(factsOf(0)).empty());
}

TEST_F(LegalRowsTest, EachRefinementIsOfItsBasicSchedule) {
  RowFacts facts = factsOf(8192);
  for (RowsScheduleAttr basic : basicRows(&context, facts, *target))
    for (RowsScheduleAttr each : refinedRows(basic, facts, *target)) {
      EXPECT_EQ(each.getThreads(), basic.getThreads());
      EXPECT_EQ(each.getVector(), basic.getVector());
      EXPECT_EQ(each.getHold().getKeyword(), basic.getHold().getKeyword());
      EXPECT_EQ(each.blocksPerRow(), basic.blocksPerRow());
      EXPECT_EQ(each.getRowsPerBlock(), basic.getRowsPerBlock());
    }
}

TEST_F(LegalRowsTest, FeaturesAreNumbersOfTheScheduleAndTheCall) {
  RowFacts facts = factsOf(4096);
  auto number = [&](StringRef name, RowsScheduleAttr schedule, double rows) {
    auto names = rowFeatureNames();
    return rowFeatures(facts, schedule, rows,
                       *target->gpu)[llvm::find(names, name) - names.begin()];
  };
  auto schedule = RowsScheduleAttr::get(&context, /*threads=*/128, /*vector=*/8,
                                        /*rows_per_block=*/1,
                                        RegistersHoldAttr::get(&context));
  EXPECT_EQ(number("length", schedule, 1), 12);
  EXPECT_EQ(number("each", schedule, 1), 4);
  EXPECT_EQ(number("held", schedule, 1), 32);
  EXPECT_EQ(number("empty", schedule, 1), 1);
  EXPECT_EQ(number("grid", schedule, 1024), 10);
  EXPECT_EQ(number("access_bytes", schedule, 1), 16);
  // What a way to hold rows has no parameter for is as the trees were fitted.
  using Numbers = std::vector<double>;
  auto numbersOf = [&](HoldAttrInterface hold) {
    Numbers found;
    for (StringRef name : {"hold", "unroll", "stages", "in_registers",
                           "preload", "copy_groups", "rows_per_thread"})
      found.push_back(number(
          name,
          RowsScheduleAttr::get(&context, /*threads=*/128, /*vector=*/8,
                                hold.getKeyword() == "registers" ? 2 : 1, hold,
                                /*share=*/{}, /*persistent=*/132),
          1));
    return found;
  };
  EXPECT_EQ(numbersOf(LoopHoldAttr::get(&context, 8, 3)),
            Numbers({1, 8, 3, 0, 0, 4, 1}));
  EXPECT_EQ(numbersOf(CacheHoldAttr::get(&context)),
            Numbers({2, 4, 1, 0, 0, 4, 1}));
  EXPECT_EQ(numbersOf(SharedHoldAttr::get(&context, 2, 3, true, 1, 2)),
            Numbers({3, 2, 2, 3, 1, 1, 1}));
  EXPECT_EQ(numbersOf(RegistersHoldAttr::get(&context, true)),
            Numbers({0, 4, 1, 0, 1, 4, 1}));
}
