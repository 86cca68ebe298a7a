//===- EmulatorClusterFixture.h - Kernels of clusters -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_UNITTESTS_RUNTIME_EMULATORCLUSTERFIXTURE_H
#define FUSE_UNITTESTS_RUNTIME_EMULATORCLUSTERFIXTURE_H

#include "EmulatorFixture.h"
#include "gmock/gmock.h"

namespace fuse::runtime {

using BarrierShim = void(const EmulatorSite *);

inline void arrive() {
  shim<BarrierShim>("llvm.nvvm.barrier.cluster.arrive")(&site);
}
inline void arriveRelaxed() {
  shim<BarrierShim>("llvm.nvvm.barrier.cluster.arrive.relaxed")(&site);
}
inline void waitForCluster() {
  shim<BarrierShim>("llvm.nvvm.barrier.cluster.wait")(&site);
}
inline void syncCluster() {
  shim<BarrierShim>("llvm.nvvm.barrier.cluster.arrive.aligned")(&site);
  shim<BarrierShim>("llvm.nvvm.barrier.cluster.wait.aligned")(&site);
}
/// Orders nothing, but all blocks have started after it.
inline void startCluster() {
  shim<BarrierShim>("llvm.nvvm.barrier.cluster.arrive.relaxed.aligned")(&site);
  shim<BarrierShim>("llvm.nvvm.barrier.cluster.wait.aligned")(&site);
}

inline int blockRank() {
  return shim<int()>("llvm.nvvm.read.ptx.sreg.cluster.ctarank")();
}
inline int blocks() {
  return shim<int()>("llvm.nvvm.read.ptx.sreg.cluster.nctarank")();
}

/// An address, and the shared array, of a block of the cluster.
inline uint64_t mapTo(int rank, uint64_t address) {
  return shim<uint64_t(uint64_t, int, const EmulatorSite *)>(
      "llvm.nvvm.mapa.shared.cluster")(address, rank, &site);
}
inline uint64_t sharedOf(int rank) { return mapTo(rank, shared()); }

/// A result for each thread of the grid.
inline void finish(void **params, float value = 0) {
  store(argument(params, 1), 64 * block() + thread(), value);
}

/// Clusters of four blocks of two warps.
class ClusterFixture : public EmulatorFixture {
protected:
  ClusterFixture() { cluster = 4; }

  std::string runClusters(EmulatorKernel kernel, uint64_t seed = 0,
                          int64_t clusters = 2) {
    int64_t grid = clusters * cluster;
    return run(kernel, /*threads=*/64, grid, /*results=*/64 * grid,
               /*inPlace=*/false, seed);
  }

  /// Whatever the order, the error is the same rule's.
  void expectError(EmulatorKernel kernel, llvm::StringRef part) {
    for (uint64_t seed = 0; seed < 8; ++seed)
      EXPECT_THAT(runClusters(kernel, seed), testing::HasSubstr(part.str()));
  }
};

} // namespace fuse::runtime

#endif // FUSE_UNITTESTS_RUNTIME_EMULATORCLUSTERFIXTURE_H
