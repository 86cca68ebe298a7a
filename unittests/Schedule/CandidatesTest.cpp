//===- CandidatesTest.cpp - Schedules to choose from ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Candidates.h"
#include "ParseProgram.h"
#include "RowPrograms.h"
#include "fuse/Schedule/RowsModel.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class CandidatesTest : public ProgramTest {
protected:
  SmallVector<Candidate> candidates(StringRef type, StringRef chip = "sm_90") {
    return candidatesOf(sumOf(type), chip);
  }

  SmallVector<Candidate> candidatesOf(StringRef program,
                                      StringRef chip = "sm_90") {
    func::FuncOp function = parse(program);
    DimClasses dims(function);
    auto target = ScheduleTarget::of(chip, /*divisible=*/true);
    EXPECT_TRUE(bool(target));
    KernelOp kernel = *function.getOps<KernelOp>().begin();
    proposal = proposeRows(kernel, dims, *target);
    return findCandidates(kernel, dims, *target);
  }

  /// Of the last kernel.
  ScheduleAttrInterface proposal;
};
} // namespace

TEST_F(CandidatesTest, FavouritesOfTheBoardComeRightAfterTheChoice) {
  auto target = ScheduleTarget::of("sm_90", /*divisible=*/true);
  ASSERT_TRUE(bool(target));
  const RowsModel &model = RowsModel::of(*target->gpu);
  for (StringRef type : {"?x77xf32", "?x4097xf32", "?x32768xf32"}) {
    SmallVector<Candidate> found = candidates(type);
    func::FuncOp function = *module->getOps<func::FuncOp>().begin();
    DimClasses dims(function);
    KernelOp kernel = *function.getOps<KernelOp>().begin();
    Reason reason;
    auto segments = reductionSegmentsOf(kernel, dims, reason);
    RowFacts facts = rowFactsOf(kernel, segments->front(), dims, *target);
    auto ranked = model.rank(&context, facts, *target);
    ASSERT_GT(ranked.size(), 3u);
    for (const RowsModel::Ranked &each : ArrayRef(ranked).take_front(3))
      EXPECT_TRUE(llvm::any_of(
          ArrayRef(found).take_front(4),
          [&](const Candidate &one) { return one.schedule == each.schedule; }))
          << type.str();
  }
}

TEST_F(CandidatesTest, EachIsThereOnceAndFitsTheMachine) {
  for (StringRef type : {"?x64xf32", "?x4096xf32", "?x32768xf32",
                         "?x100000xf32", "?x?xf32", "64x1000xf32"}) {
    SmallVector<Candidate> found = candidates(type);
    EXPECT_GT(found.size(), 1u) << type.str();
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_LE(found[i].schedule.getThreads(), 1024);
      for (size_t j = 0; j < i; ++j)
        EXPECT_NE(found[i].schedule, found[j].schedule) << type.str();
    }
  }
}

TEST_F(CandidatesTest, WhatThreadsExchangeFitsStaticSharedMemory) {
  func::FuncOp function = parse(R"(
    func.func @f(%x: tensor<70x32xf64>) -> tensor<1x32xf64> {
      %r = fuse.kernel "k" ins(%x : tensor<70x32xf64>) -> tensor<1x32xf64> {
      ^bb0(%a: tensor<70x32xf64>):
        %m = fuse.reduce max %a dims = [0] keep : tensor<70x32xf64> -> tensor<1x32xf64>
        %d = fuse.sub %a, %m : tensor<70x32xf64>, tensor<1x32xf64> -> tensor<70x32xf64>
        %e = fuse.exp %d : tensor<70x32xf64>
        %s = fuse.reduce sum %e dims = [0] keep : tensor<70x32xf64> -> tensor<1x32xf64>
        fuse.yield %s : tensor<1x32xf64>
      }
      return %r : tensor<1x32xf64>
    })");
  DimClasses dims(function);
  auto target = ScheduleTarget::of("sm_90", /*divisible=*/true);
  ASSERT_TRUE(bool(target));
  KernelOp kernel = *function.getOps<KernelOp>().begin();
  SmallVector<Candidate> found = findCandidates(kernel, dims, *target);
  EXPECT_GT(found.size(), 4u);
  // A maximum and a sum of 8 bytes for each lane of a thread.
  for (const Candidate &candidate : found) {
    auto columns = cast<ColumnsScheduleAttr>(candidate.schedule);
    EXPECT_LE(columns.getThreads() * columns.getVector() * 16, 48 * 1024);
  }
}

// A vector of these is as many steps of a thread less. An H200 takes 15.5 us
// (docs/performance.md); the model is told of no other kernels of sums.
TEST_F(CandidatesTest, VectorsAlongPlacesAreOneLoad) {
  SmallVector<Candidate> found = candidatesOf(R"(
    func.func @f(%x: tensor<16777216xbf16>) -> tensor<f32> {
      %r = fuse.kernel "k" ins(%x : tensor<16777216xbf16>) -> tensor<f32> {
      ^bb0(%a: tensor<16777216xbf16>):
        %w = fuse.cast %a : tensor<16777216xbf16> -> tensor<16777216xf32>
        %s = fuse.reduce sum %w dims = [0] : tensor<16777216xf32> -> tensor<f32>
        fuse.yield %s : tensor<f32>
      }
      return %r : tensor<f32>
    })");
  EXPECT_NEAR(1e6 * found.front().estimate->seconds, 15.5, 4);
}

TEST_F(CandidatesTest, UnknownRowsAreNotHeld) {
  for (const Candidate &candidate : candidates("?x?xf32"))
    EXPECT_TRUE(isa<LoopHoldAttr>(
        cast<RowsScheduleAttr>(candidate.schedule).getHold()));
}

TEST_F(CandidatesTest, TheProposalIsTheFirst) {
  for (StringRef type : {"?x1024xbf16", "?x4096xf32", "65536x1024xf32",
                         "32768x8192xbf16", "8192x32768xbf16"})
    EXPECT_EQ(candidates(type).front().schedule, proposal) << type.str();
}

TEST_F(CandidatesTest, TheHostHasOneAndNoModel) {
  SmallVector<Candidate> found = candidates("?x4096xf32", "cpu");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found.front().estimate);
}

/// A contraction on tensor cores has tiles of all kinds, the proposal first.
TEST_F(CandidatesTest, TilesOnTensorCores) {
  std::string program =
      R"(func.func @f(%x: tensor<512x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<512x4096xbf16> {
    %r = fuse.kernel "k" ins(%x, %w : tensor<512x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<512x4096xbf16> {
    ^bb0(%a: tensor<512x4096xbf16>, %b: tensor<4096x4096xbf16>):
      %c = fuse.contract "mk,nk->mn" %a, %b : tensor<512x4096xbf16>, tensor<4096x4096xbf16> -> tensor<512x4096xbf16>
      fuse.yield %c : tensor<512x4096xbf16>
    }
    return %r : tensor<512x4096xbf16>
  })";
  SmallVector<Candidate> found = candidatesOf(program, "sm_90a");
  ASSERT_GT(found.size(), 4u);
  for (size_t i = 1; i < found.size(); ++i) {
    EXPECT_TRUE(isa<MmaScheduleAttr>(found[i].schedule));
    EXPECT_LE(found[i - 1].estimate->seconds, found[i].estimate->seconds);
  }
  // Other chips have other instructions.
  for (const Candidate &candidate : candidatesOf(program, "sm_90"))
    EXPECT_TRUE(cast<MmaScheduleAttr>(candidate.schedule).isMmaSync());
}

/// f64 where the tensor cores multiply it; elsewhere they are slower than the
/// ordinary cores, which are all that strict programs have.
TEST_F(CandidatesTest, TilesOfWideFloats) {
  func::FuncOp function = parse(
      R"(func.func @f(%x: tensor<512x4096xf64>, %w: tensor<4096x512xf64>) -> tensor<512x512xf64> {
    %r = fuse.kernel "k" ins(%x, %w : tensor<512x4096xf64>, tensor<4096x512xf64>) -> tensor<512x512xf64> {
    ^bb0(%a: tensor<512x4096xf64>, %b: tensor<4096x512xf64>):
      %c = fuse.contract "mk,kn->mn" %a, %b : tensor<512x4096xf64>, tensor<4096x512xf64> -> tensor<512x512xf64>
      fuse.yield %c : tensor<512x512xf64>
    }
    return %r : tensor<512x512xf64>
  })");
  DimClasses dims(function);
  KernelOp kernel = *function.getOps<KernelOp>().begin();
  for (StringRef chip :
       {"sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"})
    for (bool strict : {false, true}) {
      auto target = ScheduleTarget::of(chip, /*divisible=*/true, strict);
      ASSERT_TRUE(bool(target));
      bool isFast = !strict && (chip == "sm_80" || chip.starts_with("sm_90"));
      auto schedule = dyn_cast<MmaScheduleAttr>(
          findCandidates(kernel, dims, *target).front().schedule);
      EXPECT_EQ(bool(schedule), isFast) << chip.str();
      EXPECT_TRUE(!schedule || schedule.isMmaSync()) << chip.str();
    }
}

TEST_F(CandidatesTest, OrdinaryCoresTakeTheFastestOfThePredictedTiles) {
  for (StringRef sizes : {"512x256x384", "16x4096x4096", "2048x2048x64"}) {
    SmallVector<StringRef> parts;
    sizes.split(parts, 'x');
    std::string program = llvm::formatv(
        R"(func.func @f(%x: tensor<{0}x{2}xf32>, %w: tensor<{2}x{1}xf32>) -> tensor<{0}x{1}xf32> {{
          %r = fuse.kernel "k" ins(%x, %w : tensor<{0}x{2}xf32>, tensor<{2}x{1}xf32>) -> tensor<{0}x{1}xf32> {{
          ^bb0(%a: tensor<{0}x{2}xf32>, %b: tensor<{2}x{1}xf32>):
            %c = fuse.contract "mk,kn->mn" %a, %b : tensor<{0}x{2}xf32>, tensor<{2}x{1}xf32> -> tensor<{0}x{1}xf32>
            fuse.yield %c : tensor<{0}x{1}xf32>
          }
          return %r : tensor<{0}x{1}xf32>
        })",
        parts[0], parts[1], parts[2]);
    SmallVector<Candidate> found = candidatesOf(program);
    ASSERT_GT(found.size(), 3u);
    EXPECT_TRUE(isa<TiledScheduleAttr>(found.front().schedule));
    for (const Candidate &other : found)
      EXPECT_LE(found.front().estimate->seconds,
                1.001 * other.estimate->seconds)
          << sizes.str();
  }
}
