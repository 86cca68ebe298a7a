//===- EmulatorBulkCopiesTest.cpp - Copies of boxes of tensors ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorClusterFixture.h"

using namespace llvm;
using namespace fuse::runtime;
using testing::AnyOf;
using testing::HasSubstr;

namespace {

constexpr uint32_t boxBytes = 2 * 32 * sizeof(float);

EmulatorGlobal boxArray = {"boxes", nullptr, 4 * boxBytes, 1024};
EmulatorGlobal phaseArray = {"phases", nullptr, 2 * sizeof(uint64_t), 8};

uint64_t globalAt(const EmulatorGlobal &global) {
  return shim<uint64_t(const EmulatorGlobal *)>("fuse.global")(&global);
}
uint64_t box(int number = 0) { return globalAt(boxArray) + number * boxBytes; }
/// A float of a box with a swizzle of 128 bytes, by its row and column.
uint64_t placeOf(int row, int column, int number = 0) {
  return swizzled(box(number) + (32 * row + column) * sizeof(float),
                  TensorSwizzle::Bytes128);
}
uint64_t phase(int number = 0) { return globalAt(phaseArray) + 8 * number; }

void start(uint32_t count = 1) {
  if (thread() == 0) {
    for (int i = 0; i < 2; ++i)
      shim<void(uint64_t, uint32_t, const EmulatorSite *)>(
          "llvm.nvvm.mbarrier.init.shared")(phase(i), count, &site);
    shim<void()>("llvm.nvvm.fence.mbarrier_init.release.cluster")();
  }
  barrier();
}
void expectBytes(uint32_t bytes, int number = 0) {
  shim<uint64_t(uint64_t, uint32_t, const EmulatorSite *)>(
      "llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta")(phase(number),
                                                                 bytes, &site);
}
void waitFor(uint32_t parity, int number = 0) {
  while (!shim<bool(uint64_t, uint32_t, const EmulatorSite *)>(
      "llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta")(phase(number),
                                                                parity, &site))
    ;
}
void loadBox(void *map, int x, int y, int number = 0, uint16_t ranks = 0) {
  shim<void(uint64_t, uint64_t, const void *, int, int, uint16_t, uint64_t,
            bool, bool, int, const EmulatorSite *)>(
      "llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d")(
      box(number), phase(number & 1), map, x, y, ranks, 0, ranks != 0, false, 0,
      &site);
}
void storeBox(void *map, int x, int y, int number = 0) {
  shim<void(uint64_t, const void *, int, int, uint64_t, bool,
            const EmulatorSite *)>(
      "llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d")(box(number), map, x, y, 0,
                                                    false, &otherSite);
}
void commit() { shim<void()>("llvm.nvvm.cp.async.bulk.commit.group")(); }
void waitForStores(int pending, bool isRead = false) {
  shim<void(int, const EmulatorSite *)>(
      isRead ? "llvm.nvvm.cp.async.bulk.wait.group.read"
             : "llvm.nvvm.cp.async.bulk.wait.group")(pending, &site);
}
void fenceProxy() { shim<void()>("llvm.nvvm.fence.proxy.async.shared_cta")(); }
void put(int row, int column, float value, int number = 0) {
  store(placeOf(row, column, number), 0, value);
}
float get(int row, int column, int number = 0) {
  return load<float>(placeOf(row, column, number), 0);
}
int row() { return thread() / 32; }
int column() { return thread() % 32; }

class EmulatorBulkCopiesTest : public ClusterFixture {
protected:
  EmulatorBulkCopiesTest() { cluster = 1; }

  std::string runWith(EmulatorKernel kernel, uint64_t seed) {
    return run(kernel, /*threads=*/64, /*grid=*/cluster,
               /*results=*/64 * cluster, /*inPlace=*/false, seed);
  }
  void expectRight(EmulatorKernel kernel) {
    for (uint64_t seed = 0; seed < 9; ++seed)
      ASSERT_EQ(runWith(kernel, seed), "") << "seed " << seed;
  }
  void expectError(EmulatorKernel kernel, StringRef part,
                   StringRef other = "no other") {
    for (uint64_t seed = 0; seed < 9; ++seed)
      EXPECT_THAT(runWith(kernel, seed),
                  AnyOf(HasSubstr(part.str()), HasSubstr(other.str())))
          << "seed " << seed;
  }
};

/// Each thread's number through two boxes; the second is stored. Steps may be
/// left out.
template <bool waits, bool fences, bool meets, bool ends>
void doubleAll(void **params) {
  start();
  if (thread() == 0) {
    expectBytes(boxBytes);
    loadBox(params[3], 0, 0);
  }
  if (waits)
    waitFor(0);
  put(row(), column(), 2 * get(row(), column()), 1);
  if (fences)
    fenceProxy();
  if (meets)
    barrier();
  if (thread() == 0) {
    storeBox(params[4], 0, 0, 1);
    commit();
    if (ends)
      waitForStores(0);
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// There and back
//===----------------------------------------------------------------------===//

TEST_F(EmulatorBulkCopiesTest, CopiesBoxesBothWays) {
  expectRight(doubleAll<true, true, true, true>);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(output[i], 2 * i);
}

TEST_F(EmulatorBulkCopiesTest, NeedsEachStep) {
  expectError(doubleAll<false, true, true, true>,
              "expected a wait for the phase of its mbarrier between the store "
              "and the load of byte",
              "which nothing has written");
  expectError(doubleAll<true, false, true, true>,
              "expected fence.proxy.async between the store and the load by a "
              "TMA store of byte");
  expectError(doubleAll<true, true, false, true>,
              "expected a barrier between the store and the load of byte",
              "which nothing has written");
  expectError(doubleAll<true, true, true, false>,
              "expected cp.async.bulk.wait_group 0 between this TMA store and "
              "the thread's end");
}

TEST_F(EmulatorBulkCopiesTest, AFenceBehindTheBarrierIsAsGood) {
  expectRight([](void **params) {
    put(row(), column(), float(thread()));
    barrier();
    if (thread() == 0) {
      fenceProxy();
      storeBox(params[4], 0, 0);
      commit();
      waitForStores(0);
    }
  });
  EXPECT_EQ(output[37], 37);
}

TEST_F(EmulatorBulkCopiesTest, ZerosLieOutside) {
  expectRight([](void **params) {
    start();
    if (thread() == 0) {
      expectBytes(boxBytes);
      loadBox(params[3], 16, 1);
    }
    waitFor(0);
    finish(params, get(row(), column()));
  });
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(output[i], i < 16 ? 32 + 16 + i : 0);
}

TEST_F(EmulatorBulkCopiesTest, NothingIsStoredOutside) {
  expectRight([](void **params) {
    put(row(), column(), float(thread()));
    fenceProxy();
    barrier();
    if (thread() == 0) {
      storeBox(params[4], -16, 0);
      commit();
      waitForStores(0);
    }
    if (column() >= 16)
      finish(params, -1);
  });
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(output[i], i % 32 < 16 ? i + 16 : -1);
}

//===----------------------------------------------------------------------===//
// What is there before and behind
//===----------------------------------------------------------------------===//

TEST_F(EmulatorBulkCopiesTest, ReadsMustBeOverBeforeACopy) {
  expectError(
      [](void **params) {
        start();
        for (uint32_t i = 0; i < 2; ++i) {
          // All threads wait, but read behind the last barrier.
          if (thread() == 0) {
            expectBytes(boxBytes);
            loadBox(params[3], 0, 0);
          }
          waitFor(i);
          barrier();
          get(row(), column());
        }
        finish(params);
      },
      "expected a barrier between the load and the store of byte");
}

TEST_F(EmulatorBulkCopiesTest, ASourceMayBeOverwrittenOnceItIsRead) {
  static constexpr auto storeTwice = [](void **params, bool waits) {
    for (int i = 0; i < 2; ++i) {
      if (row() == i)
        put(0, column(), float(thread()));
      put(1, 31 - column(), float(thread()), 1 + row());
      fenceProxy();
      barrier();
      if (thread() == 0) {
        // A row outside of the tensor.
        storeBox(params[4], 0, i == 0 ? 1 : -1, i == 0 ? 0 : 1);
        commit();
        if (waits)
          waitForStores(0, /*isRead=*/true);
      }
      barrier();
    }
    if (thread() == 0)
      waitForStores(0);
  };
  expectRight([](void **params) { storeTwice(params, true); });
  EXPECT_EQ(output[40], 8);
  expectError([](void **params) { storeTwice(params, false); },
              "expected a cp.async.bulk.wait_group.read and a barrier between "
              "the load and the store of byte");
}

TEST_F(EmulatorBulkCopiesTest, RefusesWhatIsNoMap) {
  expectError(
      [](void **params) {
        start();
        TensorMap other = *static_cast<TensorMap *>(params[3]);
        if (thread() == 0) {
          expectBytes(boxBytes);
          loadBox(&other, 0, 0);
        }
        finish(params);
      },
      "expected a tensor map that is an argument of the kernel");
}

TEST_F(EmulatorBulkCopiesTest, ABoxIsAligned) {
  expectError(
      [](void **params) {
        start();
        if (thread() == 0) {
          expectBytes(boxBytes);
          shim<void(uint64_t, uint64_t, const void *, int, int, uint64_t, bool,
                    const EmulatorSite *)>(
              "llvm.nvvm.cp.async.bulk.tensor.g2s.cta.tile.2d")(
              box() + 64, phase(), params[3], 0, 0, 0, false, &site);
        }
        finish(params);
      },
      "to be aligned to 128 bytes");
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

namespace {
/// Block 0 of two loads for both.
template <bool starts, bool expectsAll> void shareBox(void **params) {
  start();
  if (starts)
    syncCluster();
  if (thread() == 0 && (expectsAll || blockRank() == 0))
    expectBytes(boxBytes);
  if (thread() == 0 && blockRank() == 0)
    loadBox(params[3], 0, 1, /*number=*/0, /*ranks=*/3);
  waitFor(0);
  finish(params, get(row(), column()));
  syncCluster();
}
} // namespace

TEST_F(EmulatorBulkCopiesTest, AMulticastReachesEachBlock) {
  cluster = 2;
  expectRight(shareBox<true, true>);
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(output[i], 32 + i % 64);
}

TEST_F(EmulatorBulkCopiesTest, AMulticastNeedsAllBlocks) {
  cluster = 2;
  expectError(shareBox<false, true>, "cluster barrier",
              "where there was no mbarrier.init");
  expectError(shareBox<true, false>,
              "expected 1 arrivals in phase 0 of the mbarrier at byte 0 of "
              "shared memory 'phases' of rank 1");
}
