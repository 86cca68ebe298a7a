//===- EmulatorWarpgroups.h - Multiplications of four warps -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma, as each warp of a warpgroup runs it:
//
//   wgmma.fence                 before registers that the thread has written
//   wgmma.mma_async ...         sums += A B, some time from now on
//   wgmma.commit_group
//   wgmma.wait_group N          all groups but the N youngest have ended
//
// The four warps run the same multiplications in the same order; one happens
// when all have issued it, at the earliest, and when the first of them waits,
// at the latest. A wait lasts until the other warps have committed the group,
// too: hardware multiplies for the warpgroup as a whole, and kernels rely on it
// when one thread gives back what all four warps have read.
//
// Until the wait a sum is a token: a NaN that says which register of which
// chain of multiplications it stands for.
//
//   1 11111111 1 ccccccccccccccc rrrrrrr     chain c, register r
//
// A multiplication that gets a chain's tokens adds to the chain; a wait that
// names the sums turns tokens into numbers. Whatever else uses a token is
// refused (useSum, which instrumentation puts before such uses): the sums were
// read too soon, or by code that the wait does not tie to it, which LLVM may
// move before it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATORWARPGROUPS_H
#define FUSE_LIB_RUNTIME_EMULATORWARPGROUPS_H

#include "EmulatorClocks.h"
#include "EmulatorMatrices.h"
#include "fuse/Runtime/EmulatorModule.h"
#include <deque>
#include <map>

namespace fuse::runtime {
class BulkCopies;
class EmulatorGrid;
class WarpLanes;

/// Those of the blocks that run together. What takes a site is called on the
/// fiber of a thread, and does not return if a rule is broken.
class Warpgroups {
public:
  Warpgroups(EmulatorGrid &grid, const BulkCopies &copies)
      : grid(grid), copies(copies) {}

  void reset();

  /// What a lane brings.
  struct Multiplication {
    const EmulatorWgmma *form = nullptr;
    /// columns / 2 registers, read and written.
    uint32_t *sums = nullptr;
    /// Four registers of A, or null if `a` describes it.
    const uint32_t *registers = nullptr;
    uint64_t a = 0;
    uint64_t b = 0;
    bool addsToSums = false;
  };
  void multiply(const Multiplication &mine, const EmulatorSite *site);
  void fence(const EmulatorSite *site);
  void commit(const EmulatorSite *site);
  /// Turns those of `sums` into numbers whose groups have ended.
  void wait(unsigned pending, llvm::MutableArrayRef<uint32_t> sums,
            const EmulatorSite *site);
  /// A use of a sum by anything but a multiplication or a wait.
  void useSum(uint32_t bits, const EmulatorSite *site);

  /// setmaxnreg of the thread's warp.
  void setRegisters(unsigned count, bool isIncrease, const EmulatorSite *site);

  /// Complains of what is left undone.
  void checkEnd();

private:
  /// Sums of a warp: 32 lanes of columns / 2.
  struct Chain {
    unsigned columns = 0;
    std::vector<float> sums;
    /// The last multiplication of it.
    uint64_t last = 0;
    const EmulatorSite *site = nullptr;
  };
  struct Warp {
    bool isFenced = false;
    /// Multiplications, groups of them, and groups that it has waited for.
    uint64_t issued = 0;
    uint64_t committed = 0;
    uint64_t waited = 0;
    /// Multiplications before the end of each group.
    std::vector<uint64_t> groupEnds;
    /// By number; old ones are forgotten.
    std::map<uint32_t, Chain> chains;
    uint32_t lastChain = 0;
    /// 0 as long as setmaxnreg has not run.
    unsigned registers = 0;
    /// Of its last multiplication, and of setmaxnreg.
    const EmulatorSite *site = nullptr;
    const EmulatorSite *registerSite = nullptr;

    bool isDone() const {
      return waited == committed &&
             issued == (groupEnds.empty() ? 0 : groupEnds.back());
    }
  };
  using PlacedChunks = std::vector<std::pair<MatrixChunk, const char *>>;

  /// A multiplication of the warpgroup.
  struct Operation {
    EmulatorWgmma form;
    uint64_t a = 0;
    uint64_t b = 0;
    bool addsToSums = false;
    const EmulatorSite *site = nullptr;
    /// By warp.
    unsigned issued = 0;
    std::array<uint32_t, 4> chains = {};
    /// A, if it comes from registers; else it is read when it happens.
    std::vector<float> fragments;
    /// What all threads know.
    Past common;
    PlacedChunks chunksA;
    PlacedChunks chunksB;
  };
  struct Warpgroup {
    unsigned engine = 0;
    std::array<Warp, 4> warps;
    std::deque<Operation> operations;
    /// Of operations.front(): all before have happened.
    uint64_t first = 0;
    /// By group, what all threads knew and did; cumulative.
    std::deque<Past> released;
  };

  Warpgroup &warpgroup(const EmulatorSite *site);
  Warp &warp(const EmulatorSite *site) {
    return warpgroup(site).warps[warpNumber()];
  }
  unsigned warpNumber() const;
  static bool isTokenOf(const Warp &warp, uint32_t bits);
  bool join(WarpLanes lanes, const EmulatorSite *site);
  Operation *operationOf(WarpLanes lanes, Warpgroup &group, Warp &warp,
                         const EmulatorSite *site);
  bool takeSums(WarpLanes lanes, Warp &warp, uint64_t number, uint32_t &chain,
                const EmulatorSite *site);
  bool readOperands(Warpgroup &group, Operation &operation, uint32_t step);
  bool readOperand(Operation &operation, bool isA, unsigned engine,
                   uint32_t step);
  void execute(Warpgroup &group, uint64_t end);
  std::string lagging(const Warpgroup &group, uint64_t groups) const;

  EmulatorGrid &grid;
  const BulkCopies &copies;
  std::map<unsigned, Warpgroup> groups;
};

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_EMULATORWARPGROUPS_H
