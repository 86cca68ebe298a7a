//===- CPUTarget.cpp - What the host CPU can do ---------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Target/CPUTarget.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"
#include <unistd.h>

using namespace mlir::fuse;

unsigned mlir::fuse::getVectorBits(const llvm::StringMap<bool> &features) {
  auto has = [&](llvm::StringRef name) { return features.lookup(name); };
  if (has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl"))
    return 512;
  if (has("avx2"))
    return 256;
  return 128;
}

unsigned mlir::fuse::getVectorRegisters(const llvm::Triple &triple,
                                        unsigned vectorBits) {
  // x86 has the upper half only with AVX-512; others, such as AArch64, Power
  // and RISC-V, have 32.
  return triple.isX86() && vectorBits < 512 ? 16 : 32;
}

/// Returns a size that the C library knows, or `fallback`.
static uint64_t querySize(int name, uint64_t fallback) {
  long value = sysconf(name);
  return value > 0 ? static_cast<uint64_t>(value) : fallback;
}

CPUTarget CPUTarget::host() {
  CPUTarget target;
  target.name = llvm::sys::getHostCPUName().str();
  target.vectorBits = getVectorBits(llvm::sys::getHostCPUFeatures());
  target.vectorRegisters = getVectorRegisters(
      llvm::Triple(llvm::sys::getProcessTriple()), target.vectorBits);
  target.cores = llvm::hardware_concurrency().compute_thread_count();
#ifdef _SC_LEVEL1_DCACHE_SIZE
  target.l1Bytes = querySize(_SC_LEVEL1_DCACHE_SIZE, target.l1Bytes);
  target.l2Bytes = querySize(_SC_LEVEL2_CACHE_SIZE, target.l2Bytes);
#endif
  return target;
}
