//===- MmaRankingsTest.cpp - Schedules that were ranked before ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/MmaRankings.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class MmaRankingsTest : public testing::Test {
protected:
  MmaRankingsTest() {
    DialectRegistry registry;
    registry.insert<FuseDialect>();
    MmaRankings::addTo(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<FuseDialect>();
  }

  GPUTarget target(StringRef chip) {
    return llvm::cantFail(lookupGPUTarget(chip));
  }

  /// Asks twice, for what is found and for what is remembered.
  void expectRanked(const MmaProduct &product, const MmaForm &form,
                    const GPUTarget &gpu) {
    auto ranked = rankMmaSchedules(&context, product, form, gpu);
    for (int time = 0; time < 2; ++time)
      EXPECT_EQ(MmaRankings::of(&context, product, form, gpu), ranked);
  }

  MLIRContext context;
};
} // namespace

TEST_F(MmaRankingsTest, AreThoseOfTheProduct) {
  for (double rows : {16, 4096})
    for (double columns : {512, 4096})
      expectRanked({1, rows, columns, 4096, 2}, {}, target("sm_90a"));
}

TEST_F(MmaRankingsTest, AreThoseOfTheForm) {
  MmaForm whole;
  whole.wholeColumns = 128;
  for (const MmaForm &form : {MmaForm(), whole})
    expectRanked({1, 4096, 4096, 4096, 2}, form, target("sm_90a"));
}

/// Targets of one chip differ in their boards, and in numbers of models.
TEST_F(MmaRankingsTest, AreThoseOfTheTarget) {
  MmaProduct product{1, 1024, 4096, 4096, 2};
  GPUTarget whole = target("sm_90a"),
            part = target("sm_90a+multiprocessors=16");
  expectRanked(product, {}, whole);
  expectRanked(product, {}, part);
  expectRanked(product, {}, target("sm_80"));
  EXPECT_NE(MmaRankings::of(&context, product, {}, whole),
            MmaRankings::of(&context, product, {}, part));
}

TEST_F(MmaRankingsTest, NeedNoMemory) {
  MLIRContext forgetful;
  forgetful.loadDialect<FuseDialect>();
  MmaProduct product{1, 1024, 4096, 4096, 2};
  EXPECT_EQ(MmaRankings::of(&forgetful, product, {}, target("sm_90a")),
            rankMmaSchedules(&forgetful, product, {}, target("sm_90a")));
}
