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
  EXPECT_EQ(llvm::toString(target.takeError()),
            "expected a supported chip, but got 'sm_75'; choose one of sm_80, "
            "sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_120, sm_120a");
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
