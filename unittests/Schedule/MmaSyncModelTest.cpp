//===- MmaSyncModelTest.cpp - Tiles of chips without wgmma ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/MmaModel.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class MmaSyncModelTest : public testing::TestWithParam<std::string> {
protected:
  MmaSyncModelTest() {
    context.loadDialect<FuseDialect>();
    gpu = llvm::cantFail(lookupGPUTarget(GetParam()));
  }

  SmallVector<MmaScheduleAttr> rank(double m, double n, double k,
                                    MmaForm form = {}) {
    return rankMmaSchedules(&context, {1, m, n, k, 2}, form, gpu);
  }

  MLIRContext context;
  GPUTarget gpu;
};
} // namespace

TEST_P(MmaSyncModelTest, AllFitTheChip) {
  SmallVector<MmaScheduleAttr> all = rank(4096, 4096, 4096);
  ASSERT_FALSE(all.empty());
  for (MmaScheduleAttr schedule : all) {
    EXPECT_TRUE(schedule.isMmaSync());
    EXPECT_LE(schedule.sharedBytes(), gpu.maxSharedBytesPerBlock);
    EXPECT_GE(
        estimateMma(schedule, {1, 4096, 4096, 4096, 2}, gpu).residentBlocks, 1);
    // As many as there is room for, in whole tiles.
    int64_t blocks =
        gpu.multiprocessors *
        estimateMma(schedule, {1, 4096, 4096, 4096, 2}, gpu).residentBlocks;
    EXPECT_EQ(schedule.getPersistent(), blocks - blocks % schedule.getSplitK());
  }
}

/// Whose rows and columns are read the fewest times; where shared memory is
/// small two blocks of smaller tiles hide each other's waits.
TEST_P(MmaSyncModelTest, ManyRowsTakeLargeTiles) {
  MmaScheduleAttr best = rank(8192, 8192, 8192).front();
  bool hasRoom = gpu.sharedBytesPerSM >= 160 * 1024;
  EXPECT_GE(best.getTileM() * best.getTileN(), hasRoom ? 128 * 128 : 64 * 96);
  EXPECT_FALSE(best.getSwap());
}

/// Tiles of 64 rows would multiply 56 of them for nothing; but where memory is
/// the limit that may be as fast.
TEST_P(MmaSyncModelTest, FewRowsWasteNoWaves) {
  MmaScheduleAttr best = rank(8, 4096, 4096).front();
  EXPECT_LE(best.resultRows(), 64);
  MmaProduct product{1, 8, 4096, 4096, 2};
  double memory = 2.0 * 4096 * 4096 / gpu.memoryBytesPerSecond;
  EXPECT_LE(estimateMma(best, product, gpu).seconds,
            gpu.launchSeconds + 4 * memory);
}

TEST_P(MmaSyncModelTest, ColumnsAcrossTheSummedAxisComeBy64) {
  MmaForm form;
  form.columnsAreAlongK = false;
  for (MmaScheduleAttr schedule : rank(4096, 4096, 4096, form))
    if (!schedule.getSwap())
      EXPECT_EQ(schedule.columnsPerConsumer() % 64, 0);
}

/// 16 bytes of a row need rows of whole 16 bytes.
TEST_P(MmaSyncModelTest, OtherResultsAreWrittenFromRegisters) {
  MmaForm form;
  form.mayCopyResults = false;
  for (MmaScheduleAttr schedule : rank(4096, 4096, 4096, form))
    EXPECT_EQ(schedule.getStore(), MmaStore::direct);
}

TEST_P(MmaSyncModelTest, BytesHaveTilesWhereTheChipMultipliesThem) {
  MmaProduct product{1, 4096, 4096, 4096, 2};
  product.operandBits = 8;
  SmallVector<MmaScheduleAttr> all =
      rankMmaSchedules(&context, product, {}, gpu);
  EXPECT_EQ(all.empty(), !gpu.hasFloat8);
  for (MmaScheduleAttr schedule : all) {
    EXPECT_EQ(schedule.getOperandBits(), 8);
    EXPECT_EQ(schedule.getTileK(), 128);
  }
}

/// Tensor cores multiply TF32 at half the speed of 16 bits.
TEST_P(MmaSyncModelTest, TF32HasTilesOnEveryChip) {
  MmaProduct product{1, 8192, 8192, 8192, 4};
  double ofHalves =
      estimateMma(rank(8192, 8192, 8192).front(), product, gpu).seconds;
  product.operandBits = 32;
  SmallVector<MmaScheduleAttr> all =
      rankMmaSchedules(&context, product, {}, gpu);
  ASSERT_FALSE(all.empty());
  for (MmaScheduleAttr schedule : all) {
    EXPECT_EQ(schedule.getOperandBits(), 32);
    EXPECT_EQ(schedule.getTileK() % 32, 0);
  }
  double seconds = estimateMma(all.front(), product, gpu).seconds;
  EXPECT_GT(seconds, 1.7 * ofHalves);
  EXPECT_LT(seconds, 2.3 * ofHalves);
}

/// Which then is near their rate where rows are many, with what follows.
TEST_P(MmaSyncModelTest, WideFloatsHaveTilesWhereTensorCoresMultiplyThem) {
  MmaProduct product{1, 8192, 8192, 8192, 8};
  product.operandBits = 64;
  SmallVector<MmaScheduleAttr> all =
      rankMmaSchedules(&context, product, {}, gpu);
  StringRef chip = gpu.chip;
  ASSERT_EQ(all.empty(), chip != "sm_80" && chip != "sm_90");
  for (MmaScheduleAttr schedule : all) {
    EXPECT_EQ(schedule.getOperandBits(), 64);
    EXPECT_EQ(schedule.getTileK() % 16, 0);
    EXPECT_LE(schedule.sharedBytes(), gpu.maxSharedBytesPerBlock);
  }
  if (all.empty())
    return;
  double clocks = product.m * product.n * product.k /
                  (gpu.mmaSyncFloat64PerClock * gpu.multiprocessors);
  double seconds = estimateMma(all.front(), product, gpu).seconds;
  EXPECT_GE(seconds, clocks / gpu.clockHertz);
  EXPECT_LE(seconds, 1.4 * clocks / gpu.sustainedClockHertz);
  EXPECT_GE(all.front().getTileM() * all.front().getTileN(), 64 * 64);
}

/// Twice as many tiles as multiprocessors fill these; 32 tiles of a long K do
/// not.
TEST_P(MmaSyncModelTest, FewTilesOfALongKAreSplit) {
  EXPECT_EQ(rank(8192, 8192, 4096).front().getSplitK(), 1);
  EXPECT_GT(rank(16, 512, 65536).front().getSplitK(), 1);
  MmaForm form;
  form.mayGather = false;
  EXPECT_EQ(rank(16, 512, 65536, form).front().getSplitK(), 1);
}

/// Of weights of 4 bits a quarter of the bytes is read, and they are computed
/// with all of the time.
TEST_P(MmaSyncModelTest, ComputedOperandsAreReadAsTheyAre) {
  MmaForm form;
  form.columnBits = 4;
  MmaProduct few{1, 16, 28672, 8192, 2}, many{1, 8192, 8192, 8192, 2};
  few.columnInstructions = many.columnInstructions = 4;
  SmallVector<MmaScheduleAttr> all = rankMmaSchedules(&context, few, form, gpu);
  ASSERT_FALSE(all.empty());
  for (MmaScheduleAttr schedule : all) {
    EXPECT_EQ(schedule.getColumnBits(), 4);
    EXPECT_GE(schedule.getStages(), 3);
    EXPECT_LE(schedule.sharedBytes(), gpu.maxSharedBytesPerBlock);
  }
  double bytes = few.n * few.k / 2;
  double seconds = estimateMma(all.front(), few, gpu).seconds;
  EXPECT_GE(seconds, bytes / gpu.memoryBytesPerSecond);
  auto asTheyAre = rank(few.m, few.n, few.k).front();
  EXPECT_LT(seconds,
            estimateMma(asTheyAre, {1, 16, 28672, 8192, 2}, gpu).seconds);
  auto ofMany = rankMmaSchedules(&context, many, form, gpu).front();
  EXPECT_GT(
      estimateMma(ofMany, many, gpu).seconds,
      estimateMma(rank(8192, 8192, 8192).front(), {1, 8192, 8192, 8192, 2}, gpu)
          .seconds);
}

/// A second launch takes longer than a few steps.
TEST_P(MmaSyncModelTest, AShortKIsNotSplit) {
  EXPECT_EQ(rank(16, 512, 256).front().getSplitK(), 1);
}

static std::vector<std::string> chipsWithoutWgmma() {
  std::vector<std::string> chips;
  for (const GPUTarget &target : getGPUTargets())
    if (!target.hasWgmma)
      chips.push_back(target.chip.str());
  return chips;
}

INSTANTIATE_TEST_SUITE_P(Chips, MmaSyncModelTest,
                         testing::ValuesIn(chipsWithoutWgmma()));
