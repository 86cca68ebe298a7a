//===- TargetTest.cpp - Tests of the data about targets -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Target/CPUTarget.h"
#include "fuse/Target/GPUTarget.h"
#include "gtest/gtest.h"

using namespace mlir::fuse;

TEST(GPUTarget, FindsEveryListedChip) {
  for (const GPUTarget &target : getGPUTargets()) {
    llvm::Expected<GPUTarget> found = lookupGPUTarget(target.chip);
    ASSERT_TRUE(static_cast<bool>(found)) << target.chip.str();
    EXPECT_EQ(found->chip, target.chip);
  }
}

TEST(GPUTarget, OnlyTheSpecificVariantHasWgmma) {
  EXPECT_FALSE(llvm::cantFail(lookupGPUTarget("sm_90")).hasWgmma);
  EXPECT_TRUE(llvm::cantFail(lookupGPUTarget("sm_90a")).hasWgmma);
  EXPECT_FALSE(llvm::cantFail(lookupGPUTarget("sm_100a")).hasWgmma);
}

TEST(GPUTarget, ClustersStartWithHopper) {
  EXPECT_EQ(llvm::cantFail(lookupGPUTarget("sm_89")).maxClusterSize, 1u);
  EXPECT_EQ(llvm::cantFail(lookupGPUTarget("sm_90")).maxClusterSize, 16u);
  EXPECT_EQ(llvm::cantFail(lookupGPUTarget("sm_90")).portableClusterSize, 8u);
  EXPECT_EQ(llvm::cantFail(lookupGPUTarget("sm_120")).maxClusterSize, 8u);
}

TEST(GPUTarget, LaunchesOverlapFromHopperOn) {
  EXPECT_FALSE(llvm::cantFail(lookupGPUTarget("sm_89")).hasLaunchOverlap);
  for (const char *chip : {"sm_90", "sm_90a", "sm_100", "sm_120a"})
    EXPECT_TRUE(llvm::cantFail(lookupGPUTarget(chip)).hasLaunchOverlap) << chip;
}

TEST(GPUTarget, LimitsFitTogether) {
  for (const GPUTarget &target : getGPUTargets()) {
    // One full block must be resident, with all that it may ask for.
    EXPECT_LE(target.maxSharedBytesPerBlock +
                  target.reservedSharedBytesPerBlock,
              target.sharedBytesPerSM)
        << target.chip.str();
    EXPECT_LE(target.maxThreadsPerBlock, target.maxThreadsPerSM);
    EXPECT_EQ(target.maxThreadsPerSM % target.warpSize, 0u);
  }
}

TEST(GPUTarget, UnknownChipListsTheKnownOnes) {
  llvm::Expected<GPUTarget> target = lookupGPUTarget("sm_75");
  ASSERT_FALSE(static_cast<bool>(target));
  std::string error = llvm::toString(target.takeError());
  std::string choice = "expected a supported chip, but got 'sm_75'; choose one "
                       "of ";
  for (const GPUTarget &known : getGPUTargets())
    choice += known.chip.str() + ", ";
  EXPECT_NE(error.find(choice + "a board ("), std::string::npos) << error;
  EXPECT_NE(error.find("rtx-4090"), std::string::npos) << error;
}

/// The message of a lookup that has to fail.
static std::string refusal(llvm::StringRef chip) {
  llvm::Expected<GPUTarget> target = lookupGPUTarget(chip);
  EXPECT_FALSE(static_cast<bool>(target)) << chip.str();
  return target ? "" : llvm::toString(target.takeError());
}

TEST(Boards, EveryChipHasOneWithAllNumbers) {
  for (const GPUTarget &target : getGPUTargets()) {
    EXPECT_FALSE(target.board.empty()) << target.chip.str();
    EXPECT_GT(target.multiprocessors, 0u);
    EXPECT_GT(target.memoryBytesPerSecond, 1e11);
    EXPECT_GT(target.l2Bytes, 1u << 20);
    EXPECT_GT(target.l2BytesPerClock, 0u);
    EXPECT_GT(target.l2PortBytesPerClock, 0u);
    EXPECT_GT(target.clockHertz, 1e9);
    EXPECT_GT(target.operationsPerSecond(), 1e12);
    EXPECT_LE(target.tensorClockHertz, target.clockHertz);
    EXPECT_LE(target.sustainedClockHertz, target.clockHertz);
    EXPECT_GT(target.launchSeconds, 0);
  }
}

TEST(Boards, DifferFromTheirChipOnlyInTheirNumbers) {
  GPUTarget chip = llvm::cantFail(lookupGPUTarget("sm_89"));
  GPUTarget board = llvm::cantFail(lookupGPUTarget("rtx-4090"));
  EXPECT_EQ(board.chip, "sm_89");
  EXPECT_EQ(board.board, "RTX 4090");
  EXPECT_FALSE(board.isMeasured);
  EXPECT_EQ(board.multiprocessors, 128u);
  EXPECT_EQ(board.mmaPerClock, chip.mmaPerClock / 2);
  EXPECT_EQ(board.maxThreadsPerSM, chip.maxThreadsPerSM);
  // It says nothing of its clock.
  EXPECT_EQ(board.clockHertz, chip.clockHertz);
}

TEST(Boards, WhatWasFittedIsScaled) {
  GPUTarget fitted = llvm::cantFail(lookupGPUTarget("sm_90a"));
  GPUTarget board = llvm::cantFail(lookupGPUTarget("h100-pcie"));
  EXPECT_TRUE(fitted.isMeasured);
  double clock = board.clockHertz / fitted.clockHertz;
  EXPECT_DOUBLE_EQ(board.tensorClockHertz, fitted.tensorClockHertz * clock);
  EXPECT_DOUBLE_EQ(board.wgmma.clockHertz, fitted.wgmma.clockHertz * clock);
  EXPECT_DOUBLE_EQ(
      board.wgmma.memoryBytesPerSecond / board.memoryBytesPerSecond,
      fitted.wgmma.memoryBytesPerSecond / fitted.memoryBytesPerSecond);
}

TEST(Boards, NumbersMayFollow) {
  GPUTarget target = llvm::cantFail(lookupGPUTarget(
      "sm_90a+multiprocessors=78+memory_bytes_per_second=4e12"));
  EXPECT_EQ(target.chip, "sm_90a");
  EXPECT_EQ(target.multiprocessors, 78u);
  EXPECT_EQ(target.memoryBytesPerSecond, 4e12);
  EXPECT_FALSE(target.isMeasured);
  EXPECT_EQ(refusal("sm_90a+sms=78")
                .rfind("expected a number of the board, "
                       "but got 'sms=78'; choose one of "
                       "multiprocessors, ",
                       0),
            0u);
  for (const char *value : {"0", "-1", "1.5", "many", "", "1e30"})
    EXPECT_EQ(refusal(std::string("sm_90a+multiprocessors=") + value),
              std::string("expected a positive whole number for the board's "
                          "multiprocessors, but got '") +
                  value + "'; correct it, or leave it out");
}

TEST(Boards, NumbersOfModelsMayFollow) {
  GPUTarget shipped = llvm::cantFail(lookupGPUTarget("sm_90a"));
  GPUTarget target = llvm::cantFail(
      lookupGPUTarget("sm_90a+time.edgeSeconds=3e-6+rows.onceThreads=512"));
  EXPECT_EQ(target.time.edgeSeconds, 3e-6);
  EXPECT_EQ(target.rows.onceThreads, 512);
  EXPECT_EQ(target.rows.gridBlocks, shipped.rows.gridBlocks);
  // What is given is not scaled by the clock.
  target = llvm::cantFail(
      lookupGPUTarget("sm_90a+clock_hertz=1e9+wgmma.clockHertz=9e8"));
  EXPECT_EQ(target.wgmma.clockHertz, 9e8);
  EXPECT_LT(target.wgmma.sustainedClockHertz,
            shipped.wgmma.sustainedClockHertz);
  for (const char *value : {"1.5", "16", "96", "2048"})
    EXPECT_EQ(refusal(std::string("sm_90a+rows.onceThreads=") + value),
              std::string("expected a power of two from 32 to 1024 for the "
                          "board's rows.onceThreads, but got '") +
                  value + "'; correct it, or leave it out");
  EXPECT_EQ(refusal("sm_90a+columns.fewBlocks=1.5"),
            "expected a positive whole number for the board's "
            "columns.fewBlocks, but got '1.5'; correct it, or leave it out");
}

TEST(Boards, DevicesAreFoundByNameElseByNumbers) {
  DeviceNumbers device;
  device.name = "NVIDIA H200";
  device.multiprocessors = 132;
  EXPECT_EQ(chipOfDevice("sm_90a", device), "sm_90a");
  device.name = "NVIDIA H100 80GB HBM3";
  EXPECT_EQ(chipOfDevice("sm_90a", device), "sm_90a");
  // A slice of a GPU has its name.
  device.multiprocessors = 60;
  EXPECT_EQ(chipOfDevice("sm_90a", device), "sm_90a+multiprocessors=60");
  device.name = "NVIDIA GeForce RTX 4090";
  device.multiprocessors = 128;
  EXPECT_EQ(chipOfDevice("sm_89", device), "rtx-4090");
  device.name = "NVIDIA RTX 4000 Ada Generation";
  device.multiprocessors = 48;
  device.l2Bytes = 48u << 20;
  device.memoryBytesPerSecond = 360e9;
  std::string chip = chipOfDevice("sm_89", device);
  EXPECT_EQ(chip, "sm_89+multiprocessors=48+l2_bytes=50331648+"
                  "memory_bytes_per_second=360000000000");
  EXPECT_EQ(llvm::cantFail(lookupGPUTarget(chip)).l2Bytes, 48u << 20);
}

TEST(CPUTarget, VectorBitsFollowFeatures) {
  llvm::StringMap<bool> features;
  EXPECT_EQ(getVectorBits(features), 128u);
  features["avx2"] = true;
  EXPECT_EQ(getVectorBits(features), 256u);
  features["avx512f"] = true;
  EXPECT_EQ(getVectorBits(features), 256u);
  for (const char *name : {"avx512bw", "avx512dq", "avx512vl"})
    features[name] = true;
  EXPECT_EQ(getVectorBits(features), 512u);
}

TEST(CPUTarget, VectorRegistersOfArchitectures) {
  llvm::Triple x86("x86_64-unknown-linux-gnu"), arm("aarch64-linux-gnu");
  EXPECT_EQ(getVectorRegisters(x86, 128), 16u);
  EXPECT_EQ(getVectorRegisters(x86, 256), 16u);
  EXPECT_EQ(getVectorRegisters(x86, 512), 32u);
  EXPECT_EQ(getVectorRegisters(arm, 128), 32u);
}

TEST(CPUTarget, HostIsUsable) {
  CPUTarget host = CPUTarget::host();
  EXPECT_GE(host.vectorRegisters, 16u);
  EXPECT_FALSE(host.name.empty());
  EXPECT_GE(host.cores, 1u);
  EXPECT_GE(host.l1Bytes, 4096u);
  EXPECT_GE(host.l2Bytes, host.l1Bytes);
}
