//===- GPUTarget.cpp - What an NVIDIA GPU can do --------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Target/GPUTarget.h"
#include "Boards.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <array>
#include <vector>

using namespace mlir::fuse;

/// The limits that all supported chips share; the rest is sm_80's. What differs
/// between boards of one chip is in lib/Target/Boards.
static constexpr GPUTarget makeSM80() {
  GPUTarget t{};
  t.chip = "sm_80";
  t.ptxVersion = 80;
  t.warpSize = 32;
  t.maxThreadsPerBlock = 1024;
  t.maxThreadsPerSM = 2048;
  t.maxBlocksPerSM = 32;
  t.maxClusterSize = t.portableClusterSize = 1;
  t.registersPerSM = 65536;
  t.maxRegistersPerThread = 255;
  t.maxSharedBytesPerBlock = 163 * 1024;
  t.defaultSharedBytesPerBlock = 48 * 1024;
  t.sharedBytesPerSM = 164 * 1024;
  t.reservedSharedBytesPerBlock = 1024;
  t.widestLoadBits = 128;
  t.hasAsyncCopy = true;
  t.float32PerClock = 64;
  t.mmaPerClock = t.mmaSyncPerClock = 1024;
  t.mmaSyncFloat64PerClock = 64;
  t.float64Places = 4;
  t.sharedBytesPerClock = 128;
  return t;
}

static constexpr GPUTarget makeSM86() {
  GPUTarget t = makeSM80();
  t.chip = "sm_86";
  t.maxThreadsPerSM = 1536;
  t.maxBlocksPerSM = 16;
  t.maxSharedBytesPerBlock = 99 * 1024;
  t.sharedBytesPerSM = 100 * 1024;
  t.float32PerClock = 128;
  t.mmaPerClock = t.mmaSyncPerClock = 512;
  t.mmaSyncFloat64PerClock = t.float64Places = 0;
  return t;
}

static constexpr GPUTarget makeSM89() {
  GPUTarget t = makeSM86();
  t.chip = "sm_89";
  // For conversions to 8-bit floats.
  t.ptxVersion = 81;
  t.hasFloat8 = true;
  t.mmaSyncFloat8PerClock = 1024;
  t.maxBlocksPerSM = 24;
  return t;
}

static constexpr GPUTarget makeSM90() {
  GPUTarget t = makeSM80();
  t.chip = "sm_90";
  // For st.async.
  t.ptxVersion = 81;
  t.maxClusterSize = 16;
  t.portableClusterSize = 8;
  t.maxSharedBytesPerBlock = 227 * 1024;
  t.sharedBytesPerSM = 228 * 1024;
  t.hasTMA = true;
  t.float32PerClock = 128;
  t.mmaPerClock = 2048;
  t.mmaSyncPerClock = t.mmaSyncFloat8PerClock = 1270;
  t.mmaSyncFloat64PerClock = 128;
  t.float64Places = 8;
  t.hasFloat8 = true;
  t.hasLaunchOverlap = true;
  return t;
}

static constexpr GPUTarget makeSM90a() {
  GPUTarget t = makeSM90();
  t.chip = "sm_90a";
  t.hasWgmma = true;
  return t;
}

static constexpr GPUTarget makeSM100() {
  GPUTarget t = makeSM90();
  t.chip = "sm_100";
  t.ptxVersion = 86;
  t.mmaSyncFloat64PerClock = t.float64Places = 0;
  return t;
}

static constexpr GPUTarget makeSM100a() {
  GPUTarget t = makeSM100();
  t.chip = "sm_100a";
  t.hasTcgen05 = true;
  return t;
}

static constexpr GPUTarget makeSM120() {
  GPUTarget t = makeSM100();
  t.chip = "sm_120";
  t.ptxVersion = 87;
  t.maxClusterSize = 8;
  t.maxThreadsPerSM = 1536;
  t.maxBlocksPerSM = 24;
  t.maxSharedBytesPerBlock = 99 * 1024;
  t.sharedBytesPerSM = 100 * 1024;
  // 209 TFLOP/s of dense products summed in f32.
  t.mmaPerClock = t.mmaSyncPerClock = 256;
  t.mmaSyncFloat8PerClock = 512;
  return t;
}

static constexpr GPUTarget makeSM120a() {
  GPUTarget t = makeSM120();
  t.chip = "sm_120a";
  return t;
}

int64_t GPUTarget::blocksWith(int64_t threads, int64_t registers) const {
  int64_t warps = llvm::divideCeil(threads, warpSize);
  int64_t ofBlock = warps * llvm::alignTo(registers * warpSize, registerUnit);
  return std::min({int64_t(maxBlocksPerSM),
                   int64_t(maxThreadsPerSM / (warps * warpSize)),
                   registersPerSM / std::max<int64_t>(1, ofBlock)});
}

int64_t GPUTarget::clustersAtOnce(int64_t blocks) const {
  if (blocks > maxClusterSize)
    return 0;
  if (blocks <= 2)
    return multiprocessors / blocks;
  return int64_t(multiprocessors / clusterGroup) * (clusterGroup / blocks);
}

static constexpr std::array<GPUTarget, 9> chips = {
    makeSM80(),  makeSM86(),   makeSM89(),  makeSM90(),  makeSM90a(),
    makeSM100(), makeSM100a(), makeSM120(), makeSM120a()};

llvm::ArrayRef<GPUTarget> mlir::fuse::getGPUTargets() {
  static const std::vector<GPUTarget> targets = [] {
    std::vector<GPUTarget> result;
    for (const GPUTarget &chip : chips)
      result.push_back(onDefaultBoard(chip));
    return result;
  }();
  return targets;
}

static llvm::Error unknownChip(llvm::StringRef chip) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const GPUTarget &target : getGPUTargets())
    names.push_back(target.chip);
  return llvm::createStringError(
      llvm::Twine("expected a supported chip, but got '") + chip +
      "'; choose one of " + llvm::join(names, ", ") + ", a board (" +
      llvm::join(boardNames(), ", ") +
      "), or a file NAME.json that describes one");
}

llvm::Expected<GPUTarget> mlir::fuse::lookupGPUTarget(llvm::StringRef chip) {
  auto [name, settings] = chip.split('+');
  auto ofChip = [&](llvm::StringRef wanted) -> llvm::Expected<GPUTarget> {
    for (const GPUTarget &target : getGPUTargets())
      if (target.chip == wanted)
        return target;
    return unknownChip(wanted);
  };
  llvm::Expected<GPUTarget> target = name.ends_with(".json")
                                         ? onBoardOfFile(name, ofChip)
                                     : isBoard(name) ? onBoard(name, ofChip)
                                                     : ofChip(name);
  if (!target || settings.empty())
    return target;
  return withSettings(std::move(*target), settings);
}
