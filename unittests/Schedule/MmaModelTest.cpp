//===- MmaModelTest.cpp - The choice of tiles on tensor cores -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/MmaModel.h"
#include "fuse/Schedule/TimeModel.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {
using Tile = std::pair<int64_t, int64_t>;

class MmaModelTest : public testing::Test {
protected:
  MmaModelTest() {
    context.loadDialect<FuseDialect>();
    gpu = llvm::cantFail(lookupGPUTarget("sm_90a"));
  }

  SmallVector<MmaScheduleAttr> rank(double m, double n, double k,
                                    MmaForm form = {}) {
    return rankMmaSchedules(&context, {1, m, n, k, 2}, form, gpu);
  }

  Tile choice(double m, double n, double k) {
    MmaScheduleAttr best = rank(m, n, k).front();
    return {best.resultRows(), best.resultColumns()};
  }

  void expectOneOf(double m, double n, double k, ArrayRef<Tile> tiles) {
    Tile chosen = choice(m, n, k);
    EXPECT_TRUE(llvm::is_contained(tiles, chosen))
        << m << " x " << n << " x " << k << ": " << chosen.first << " x "
        << chosen.second;
  }

  MLIRContext context;
  GPUTarget gpu;
};
} // namespace

/// Tiles of fewer sums than 128 x 128 read more than the L2 delivers, by one
/// warpgroup or two.
TEST_F(MmaModelTest, ManyRowsTakeLargeTiles) {
  for (double rows : {2048, 4096, 8192, 16384})
    for (auto [n, k] : {std::pair(4096., 4096.),
                        {4096., 14336.},
                        {6144., 4096.},
                        {28672., 4096.},
                        {8192., 8192.}}) {
      MmaScheduleAttr best = rank(rows, n, k).front();
      EXPECT_GE(best.getTileM() * best.getTileN(), 128 * 128)
          << rows << " x " << n << " x " << k;
      EXPECT_EQ(best.getSplitK(), 1);
      EXPECT_FALSE(best.getSwap());
      EXPECT_EQ(best.getStore(), MmaStore::tma);
    }
}

/// Each block of two multiplying warpgroups fits a multiprocessor, so that
/// tuning sees its schedule.
TEST_F(MmaModelTest, RegistersAreWhatABlockCanHave) {
  for (int64_t threads = 32; threads <= 1024; threads += 32) {
    BlockWork work;
    work.threads = threads;
    work.registers = mostRegisters(gpu, threads);
    EXPECT_GE(residentBlocks(gpu, work), 1) << threads;
  }
}

/// Rows that start anywhere lie on up to two lines for each that they fill;
/// blocks that share what they read then win.
TEST_F(MmaModelTest, RowsAcrossLinesAreReadByClusters) {
  MmaProduct product{1, 4096, 4096, 1024, 2};
  auto best = [&] {
    return rankMmaSchedules(&context, product, {}, gpu).front();
  };
  double aligned = estimateMma(best(), product, gpu).seconds;
  product.rowLines = product.columnLines = 1.9;
  EXPECT_GT(best().clusterSize(), 1);
  EXPECT_GT(estimateMma(best(), product, gpu).seconds, aligned);
}

/// Of few rows the tiles are just below a multiple of the multiprocessors;
/// which won where several are.
TEST_F(MmaModelTest, FewRowsTakeTilesThatKeepAllBusy) {
  for (double rows : {64, 128, 256, 512}) {
    Tile chosen = choice(rows, 28672, 4096);
    double tiles =
        std::ceil(rows / chosen.first) * std::ceil(28672.0 / chosen.second);
    double waves = std::ceil(tiles / gpu.multiprocessors);
    EXPECT_GE(tiles / (waves * gpu.multiprocessors), 0.85) << rows;
  }
  expectOneOf(256, 4096, 4096, {{64, 128}, {64, 144}, {128, 256}, {128, 128}});
  expectOneOf(512, 4096, 4096, {{128, 128}});
  expectOneOf(512, 4096, 14336, {{128, 128}});
  expectOneOf(512, 6144, 4096, {{128, 192}});
  expectOneOf(1024, 6144, 4096, {{128, 192}});
  expectOneOf(1024, 4096, 4096, {{128, 256}, {256, 128}});
}

/// Of 4096 columns there is a tile for a quarter of the multiprocessors.
TEST_F(MmaModelTest, KIsSplitWhereTilesAreFew) {
  for (auto [rows, k] :
       {std::pair(16.0, 14336.0), {64.0, 14336.0}, {128.0, 14336.0}}) {
    MmaScheduleAttr best = rank(rows, 4096, k).front();
    double tiles = std::ceil(rows / best.resultRows()) *
                   std::ceil(4096.0 / best.resultColumns());
    EXPECT_GT(best.getSplitK(), 1) << rows;
    EXPECT_GE(tiles * best.getSplitK(), 80) << rows;
  }
  EXPECT_EQ(rank(64, 28672, 4096).front().getSplitK(), 1);
  // A step has nothing to share.
  EXPECT_EQ(rank(64, 4096, 64).front().getSplitK(), 1);
}

// As the fastest of a sweep on an H200, in a graph over different weights.
TEST_F(MmaModelTest, KIsSplitOnlyWhereAnExchangeIsWorthIt) {
  EXPECT_EQ(rank(8, 4608, 3584).front().getSplitK(), 1);
  EXPECT_EQ(rank(8, 4096, 4096).front().getSplitK(), 2);
  EXPECT_EQ(rank(8, 4096, 14336).front().getSplitK(), 2);
  EXPECT_EQ(rank(8, 28672, 4096).front().getSplitK(), 1);
}

TEST_F(MmaModelTest, FewRowsAreTheNarrowSide) {
  for (double rows : {8, 16, 32}) {
    MmaScheduleAttr best = rank(rows, 4096, 4096).front();
    EXPECT_TRUE(best.getSwap()) << rows;
    EXPECT_LE(best.getTileN(), std::max(16.0, rows));
  }
  MmaForm acrossRows;
  acrossRows.rowsAreAlongK = false;
  for (MmaScheduleAttr schedule : rank(16, 4096, 4096, acrossRows))
    if (schedule.getSwap()) {
      EXPECT_EQ(schedule.columnsPerConsumer() % 64, 0);
    }
}

/// Clusters of four and eight do not fill all groups of multiprocessors.
TEST_F(MmaModelTest, ClustersFitTheBoard) {
  EXPECT_EQ(gpu.clustersAtOnce(1), 132);
  EXPECT_EQ(gpu.clustersAtOnce(2), 66);
  EXPECT_EQ(gpu.clustersAtOnce(4), 32);
  EXPECT_EQ(gpu.clustersAtOnce(8), 16);
  EXPECT_EQ(gpu.clustersAtOnce(32), 0);
  for (MmaScheduleAttr schedule : rank(64, 4096, 4096))
    EXPECT_EQ(schedule.getPersistent(),
              gpu.clustersAtOnce(schedule.clusterSize()) *
                  schedule.clusterSize());
}

/// Measured TFLOP/s of docs/tensor-cores.md, cold, beside those of the model.
TEST_F(MmaModelTest, TimesOfManyRowsAreThoseMeasured) {
  const std::tuple<double, double, double, double> measured[] = {
      {4096, 4096, 4096, 772},  {8192, 8192, 8192, 782},
      {4096, 28672, 4096, 770}, {4096, 6144, 4096, 782},
      {4096, 4096, 14336, 810}, {1024, 28672, 4096, 785},
      {1024, 4096, 4096, 721},  {4096, 18944, 3584, 807}};
  for (auto [m, n, k, teraflops] : measured) {
    double seconds =
        estimateMma(rank(m, n, k).front(), {1, m, n, k, 2}, gpu).seconds;
    double model = 2e-12 * m * n * k / seconds;
    EXPECT_NEAR(model / teraflops, 1, 0.1) << m << " x " << n << " x " << k;
  }
}

/// The one that is fastest for another product.
TEST_F(MmaModelTest, TheFastestIsTheFirstOfItsRanking) {
  SmallVector<MmaScheduleAttr> all = rank(4096, 4096, 4096);
  for (double rows : {1, 64, 300, 1024})
    EXPECT_EQ(firstMmaFor({1, rows, 4096, 4096, 2}, all, gpu),
              rank(rows, 4096, 4096).front());
}

TEST_F(MmaModelTest, TheFirstIsTheFastestOfAll) {
  for (double rows : {1, 100, 1000, 4097})
    for (double columns : {64, 2112, 50257}) {
      MmaProduct product{1, rows, columns, 4096, 2};
      auto ranked = rank(rows, columns, 4096);
      ASSERT_GT(ranked.size(), 10u);
      double fastest = estimateMma(ranked[0], product, gpu).seconds;
      for (MmaScheduleAttr other : ranked)
        EXPECT_LE(fastest, estimateMma(other, product, gpu).seconds);
    }
}

/// With every number of multiprocessors the grid has no more blocks than these,
/// and a tile for each.
TEST_F(MmaModelTest, GridsFollowTheBoard) {
  for (unsigned processors : {1u, 16u, 78u, 114u, 132u}) {
    gpu.multiprocessors = processors;
    for (double rows : {1, 4096})
      for (MmaScheduleAttr schedule : rank(rows, 4096, 4096)) {
        EXPECT_LE(schedule.getPersistent(), processors);
        EXPECT_LE(schedule.sharedBytes(), gpu.maxSharedBytesPerBlock);
        EXPECT_LE(schedule.getThreads(), gpu.maxThreadsPerBlock);
        EXPECT_TRUE(std::isfinite(
            estimateMma(schedule, {1, rows, 4096, 4096, 2}, gpu).seconds));
      }
  }
}

/// More rows take no less time, and more of it only where a row of tiles
/// begins, apart from the bytes that they move.
TEST_F(MmaModelTest, TimeStepsAtTheEdgesOfTiles) {
  double before = 0;
  for (int64_t rows = 1; rows <= 130; ++rows) {
    MmaProduct product{1, double(rows), 4096, 4096, 2};
    MmaScheduleAttr best = rank(rows, 4096, 4096).front();
    double seconds = estimateMma(best, product, gpu).seconds;
    EXPECT_GE(seconds, before) << rows;
    before = seconds;
    MmaProduct more = product;
    more.m += 1;
    if (rows % best.resultRows() != 0) {
      EXPECT_EQ(mmaClocks(best, more, gpu), mmaClocks(best, product, gpu))
          << rows;
    }
  }
}

/// What follows takes its time behind the products of each tile, and states of
/// rows a launch more.
TEST_F(MmaModelTest, WhatFollowsCounts) {
  MmaProduct product{1, 4096, 4096, 4096, 2};
  MmaScheduleAttr best = rank(4096, 4096, 4096).front();
  double before = estimateMma(best, product, gpu).seconds;
  auto with = [&](double MmaProduct::*field, double value) {
    MmaProduct more = product;
    more.*field = value;
    return estimateMma(best, more, gpu).seconds - before;
  };
  // 512 tiles of 128 x 256 places, of which a clock takes 128 instructions.
  double clocks = 512 / 132. * 128 * 256 / 128;
  EXPECT_NEAR(with(&MmaProduct::instructions, 10),
              10 * clocks / gpu.wgmma.sustainedClockHertz, 0.5e-6);
  EXPECT_GT(with(&MmaProduct::readBytes, 2), 0);
  EXPECT_NEAR(with(&MmaProduct::states, 1), gpu.launchSeconds, 0.2e-6);
}

TEST_F(MmaModelTest, ColumnsAlongNAreBlocksOf64) {
  MmaForm alongN;
  alongN.columnsAreAlongK = false;
  for (MmaScheduleAttr schedule : rank(4096, 4096, 4096, alongN))
    if (!schedule.getSwap()) {
      EXPECT_EQ(schedule.columnsPerConsumer() % 64, 0);
    }
  MmaForm direct;
  direct.mayCopyResults = false;
  for (MmaScheduleAttr schedule : rank(4096, 4096, 4096, direct))
    EXPECT_EQ(schedule.getStore(), MmaStore::direct);
}

TEST_F(MmaModelTest, ContractionsShareColumnsInWholeBlocks) {
  MmaForm form;
  for (int64_t contractions : {2, 3, 6}) {
    form.contractions = contractions;
    auto ranked = rank(4096, 4096, 4096, form);
    ASSERT_FALSE(ranked.empty());
    for (MmaScheduleAttr schedule : ranked) {
      // What a copy of 64 columns does not take threads write.
      bool copies = schedule.getStore() == MmaStore::tma;
      if (schedule.getSwap()) {
        EXPECT_EQ(schedule.getTileM() %
                      (8 * contractions * schedule.getClusterN()),
                  0);
        continue;
      }
      EXPECT_EQ(schedule.columnsPerConsumer() % (8 * contractions), 0);
      EXPECT_GE(schedule.columnsPerConsumer(),
                (copies ? 64 : 8) * contractions);
    }
  }
}

/// Only tiles of swapped operands have a part of each side of a head's pairs,
/// where no rows are reduced.
TEST_F(MmaModelTest, TilesHaveHeadsOrPartsOfBothSides) {
  MmaForm form;
  form.wholeColumns = 128;
  auto partsOfHeads = [&] {
    return llvm::count_if(rank(8, 4096, 4096, form), [](MmaScheduleAttr one) {
      return one.resultColumns() % 128 != 0;
    });
  };
  EXPECT_EQ(partsOfHeads(), 0);
  form.pairSides = 2;
  EXPECT_GT(partsOfHeads(), 0);
  for (MmaScheduleAttr schedule : rank(8, 4096, 4096, form))
    if (schedule.resultColumns() % 128 != 0) {
      EXPECT_TRUE(schedule.getSwap());
      EXPECT_EQ(schedule.getTileM(), 64);
      EXPECT_EQ(schedule.getClusterM() * schedule.getClusterN(), 1);
    }
  form.reducesRows = true;
  EXPECT_EQ(partsOfHeads(), 0);
}

/// As one matrix of all columns, but for tiles that each segment begins.
TEST_F(MmaModelTest, SegmentsAreAsMuchWorkAsTheirColumns) {
  MmaProduct whole{1, 4096, 6144, 4096, 2};
  MmaScheduleAttr best = rank(4096, 6144, 4096).front();
  MmaProduct segments = whole;
  segments.segments = {{4096}, {1024}, {1024}};
  EXPECT_EQ(estimateMma(best, whole, gpu).seconds,
            estimateMma(best, segments, gpu).seconds);
  segments.segments = {{2048, 2}, {1024}, {1024}};
  EXPECT_EQ(mmaColumnTiles(best, segments), mmaColumnTiles(best, whole));
  segments.segments = {{6128}, {8}, {8}};
  EXPECT_EQ(mmaColumnTiles(best, segments), mmaColumnTiles(best, whole) + 2);
  EXPECT_GE(estimateMma(best, segments, gpu).seconds,
            estimateMma(best, whole, gpu).seconds);
}

/// An instruction for half of a consumer's columns reads the rows again.
TEST_F(MmaModelTest, InstructionsForFewerColumnsReadMore) {
  MmaProduct one{1, 4096, 8192, 4096, 2};
  MmaScheduleAttr best = rank(4096, 8192, 4096).front();
  MmaProduct two = one;
  two.runs = 4;
  EXPECT_GT(mmaClocks(best, two, gpu), mmaClocks(best, one, gpu));
}

TEST_F(MmaModelTest, WhatTakesLongIsNamed) {
  auto limit = [&](double m, double n, double k) {
    return estimateMma(rank(m, n, k).front(), {1, m, n, k, 2}, gpu).limit;
  };
  EXPECT_EQ(limit(16, 28672, 8192), TimeLimit::Memory);
  EXPECT_EQ(limit(16, 64, 64), TimeLimit::Launch);
  gpu.l2BytesPerClock *= 2;
  gpu.l2PortBytesPerClock *= 2;
  EXPECT_NE(limit(8192, 8192, 8192), TimeLimit::Cache);
}

TEST_F(MmaModelTest, OtherChipsHaveMmaSync) {
  gpu = llvm::cantFail(lookupGPUTarget("sm_90"));
  for (MmaScheduleAttr schedule : rank(4096, 4096, 4096))
    EXPECT_TRUE(schedule.isMmaSync());
}
