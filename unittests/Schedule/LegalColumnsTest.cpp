//===- LegalColumnsTest.cpp - Every schedule that columns may have --------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That each legal schedule lowers is python/tests/test_design_sweep.py's.
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/LegalColumns.h"
#include "ColumnPrograms.h"
#include "ParseProgram.h"
#include "fuse/Analysis/OpCost.h"
#include "fuse/Schedule/Candidates.h"
#include "fuse/Schedule/TimeModel.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class LegalColumnsTest : public ProgramTest {
protected:
  ColumnFacts factsOf(StringRef type, StringRef dims = "[0]") {
    func::FuncOp function = parse(columnSumOf(type, dims));
    DimClasses classes(function);
    return *columnFactsOf(*function.getOps<KernelOp>().begin(), classes,
                          target);
  }

  SmallVector<ColumnsScheduleAttr> legal(const ColumnFacts &facts) {
    SmallVector<ColumnsScheduleAttr> all;
    for (ColumnsScheduleAttr basic : basicColumns(&context, facts, target))
      llvm::append_range(all, refinedColumns(basic, facts, target));
    return all;
  }

  ScheduleTarget target =
      llvm::cantFail(ScheduleTarget::of("sm_90", /*divisible=*/false));
};

constexpr StringRef types[] = {"?x1xf32",     "?x5xf32",      "?x64xbf16",
                               "?x1001xf32",  "?x4096xbf16",  "?x4097xbf16",
                               "40x4096xf32", "1024x768xf32", "?x262144xbf16"};
} // namespace

TEST_F(LegalColumnsTest, FactsAreOfTheKernel) {
  ColumnFacts facts = factsOf("?x4097xbf16");
  EXPECT_EQ(facts.columns, 4097);
  EXPECT_EQ(facts.innermost, 4097);
  EXPECT_EQ(facts.places, 0);
  EXPECT_EQ(facts.widest, 8);
  EXPECT_EQ(facts.dividing, 1);
  EXPECT_TRUE(facts.once && facts.mayCut && !facts.alongPlaces);
  EXPECT_EQ(facts.fold, 8);
  EXPECT_EQ(facts.stateBytes, 4);
  ColumnFacts::Call call = facts.callOf(4097.0 * 100);
  EXPECT_EQ(call.places, 100);
  EXPECT_EQ(facts.bytesOf(call), 2 * 4097 * 101);
  facts = factsOf("?x4096xf32", "[0, 1]");
  EXPECT_TRUE(facts.alongPlaces);
  EXPECT_EQ(facts.columns, 1);
}

TEST_F(LegalColumnsTest, EachIsLegalOnceAndIsWhatTheAttributeAllows) {
  for (StringRef type : types) {
    ColumnFacts facts = factsOf(type);
    llvm::DenseSet<Attribute> seen;
    for (ColumnsScheduleAttr each : legal(facts)) {
      EXPECT_TRUE(seen.insert(each).second);
      EXPECT_TRUE(succeeded(ColumnsScheduleAttr::verify(
          [&] { return emitError(UnknownLoc::get(&context)); },
          each.getThreads(), each.getVector(), each.getSplits(), each.getHold(),
          each.getShare(), each.getFold(), each.getEvictFirst())));
      EXPECT_LE(exchangedStates(each.getThreads(), each.getSplits(),
                                each.clusterSize()) *
                    each.getVector() * facts.stateBytes,
                48 << 10);
      EXPECT_TRUE(each.getVector() <= facts.dividing ||
                  each.getFold() * facts.columns % each.getVector() == 0 ||
                  facts.mayCut);
    }
    EXPECT_GT(seen.size(), 20u) << type.str();
  }
}

TEST_F(LegalColumnsTest, BlocksShareColumnsInEachWayThatTheChipHas) {
  auto has = [&](auto is) {
    return llvm::any_of(legal(factsOf("?x4096xbf16")), is);
  };
  auto isCluster = [](ColumnsScheduleAttr each) {
    return each.clusterSize() == 8;
  };
  auto isParts = [](ColumnsScheduleAttr each) { return each.parts() > 100; };
  EXPECT_TRUE(has(isCluster) && has(isParts));
  target = llvm::cantFail(ScheduleTarget::of("sm_80", /*divisible=*/false));
  EXPECT_TRUE(!has(isCluster) && has(isParts));
}

TEST_F(LegalColumnsTest, NoBlockHasMoreThreadsForAColumnThanPlaces) {
  for (ColumnsScheduleAttr each : legal(factsOf("40x4096xf32"))) {
    EXPECT_LE(each.getSplits(), 40);
    EXPECT_LE(each.parts() * each.getSplits(), 40 + each.getSplits());
  }
}

TEST_F(LegalColumnsTest, PartsReduceWhatTheyLeave) {
  for (StringRef type : {"2x4096xf32", "3x4096xf32", "40x4096xf32"}) {
    ColumnFacts facts = factsOf(type);
    for (ColumnsScheduleAttr each : legal(facts))
      EXPECT_TRUE(each.parts() == 1 ||
                  2 * each.parts() * each.getSplits() <= facts.places)
          << type.str();
  }
}

TEST_F(LegalColumnsTest, TheLaunchThatCombinesPartsTakesTime) {
  func::FuncOp function = parse(columnSumOf("?x4096xf32", "[0]"));
  KernelOp kernel = *function.getOps<KernelOp>().begin();
  DimClasses dims(function);
  for (ColumnsScheduleAttr each : legal(*columnFactsOf(kernel, dims, target))) {
    double alone =
        estimateTime(*target.gpu, estimateWork(kernel, dims, each, *target.gpu))
            .seconds;
    EXPECT_DOUBLE_EQ(estimateTime(kernel, dims, each, target).seconds,
                     alone +
                         (each.leavesParts() ? target.gpu->launchSeconds : 0));
  }
}

TEST_F(LegalColumnsTest, AThreadHasAColumnWhereThereAreAsMany) {
  // One thread would walk a whole tensor.
  for (StringRef dims : {"[0]", "[0, 1]"})
    for (ColumnsScheduleAttr each : legal(factsOf("?x4096xf32", dims)))
      EXPECT_TRUE(each.getSplits() > 1 || dims == "[0]");
}

TEST_F(LegalColumnsTest, UnknownColumnsAreTakenForUsuallyMany) {
  for (ColumnsScheduleAttr each : legal(factsOf("4096x?xf32")))
    EXPECT_LE(each.parts() * kAssumedSize /
                  (each.getThreads() / each.getSplits() * each.getVector()),
              8 * 132);
}
