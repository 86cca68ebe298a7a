//===- EmulatorClusterTest.cpp - Blocks that share their memory -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorClusterFixture.h"
#include "gmock/gmock.h"

using namespace llvm;
using namespace fuse::runtime;
using testing::HasSubstr;

namespace {

class EmulatorClusterTest : public ClusterFixture {};

/// Lane r of each warp gives a number to block r.
void push() {
  int warp = thread() / 32, lane = thread() % 32;
  if (lane < blocks())
    store(sharedOf(lane), 2 * blockRank() + warp, float(2 * block() + warp));
}

float sumOfSlots() {
  float sum = 0;
  for (int slot = 0; slot < 2 * blocks(); ++slot)
    sum += load<float>(shared(), slot);
  return sum;
}

void pushAndRead(void **params, void (*synchronize)()) {
  store(shared(), thread(), 0.0f);
  syncCluster();
  push();
  synchronize();
  finish(params, sumOfSlots());
  syncCluster();
}

/// Each block reads what its neighbour has.
void pull(void **params, void (*synchronize)()) {
  store(shared(), thread(), float(block()));
  syncCluster();
  finish(params, load<float>(sharedOf((blockRank() + 1) % blocks()), thread()));
  synchronize();
}

/// All blocks read every array, and each then reuses its own.
void reuse(void **params, void (*synchronize)()) {
  store(shared(), thread(), float(block()));
  syncCluster();
  float sum = 0;
  for (int i = 0; i < blocks(); ++i)
    sum += load<float>(sharedOf(i), thread());
  synchronize();
  // Read again by the block alone, which needs its own barrier only.
  sum += load<float>(shared(), thread()) +
         load<float>(shared(), (thread() + 32) % 64);
  barrier();
  store(shared(), 63 - thread(), sum);
  finish(params, sum);
  syncCluster();
}

} // namespace

TEST_F(EmulatorClusterTest, BlocksExchangeThroughSharedMemory) {
  for (uint64_t seed = 0; seed < 16; ++seed) {
    EXPECT_EQ(runClusters(
                  [](void **params) {
                    startCluster();
                    push();
                    syncCluster();
                    finish(params, sumOfSlots());
                  },
                  seed, /*clusters=*/3),
              "");
    for (int i = 0; i < 3 * 4 * 64; ++i)
      EXPECT_EQ(output[i], 28 + 64 * (i / 256));
  }
}

TEST_F(EmulatorClusterTest, WorkBetweenArrivalAndWait) {
  EXPECT_EQ(runClusters([](void **params) {
              arriveRelaxed();
              float x = load<float>(argument(params, 0), thread());
              waitForCluster();
              push();
              arrive();
              finish(params, x);
              waitForCluster();
              sumOfSlots();
            }),
            "");
}

TEST_F(EmulatorClusterTest, IdsAndSizes) {
  auto ids = [](void **params) {
    auto read = [](StringRef name) {
      return shim<int()>(("llvm.nvvm.read.ptx.sreg." + name).str())();
    };
    bool isRight = read("cluster.ctaid.x") == block() % blocks() &&
                   read("cluster.ctaid.y") == 0 &&
                   read("cluster.nctaid.x") == blocks() &&
                   read("cluster.nctaid.z") == 1 &&
                   read("clusterid.x") == block() / blocks() &&
                   read("nclusterid.x") == 3 && read("ntid.x") == 64 &&
                   read("nctaid.x") == 3 * blocks();
    finish(params, float(isRight));
  };
  for (unsigned size : {1, 3, 4, 16}) {
    cluster = size;
    EXPECT_EQ(runClusters(ids, /*seed=*/0, /*clusters=*/3), "");
    EXPECT_EQ(output, std::vector<float>(64 * 3 * size, 1.0f));
  }
}

TEST_F(EmulatorClusterTest, AClusterOfOne) {
  cluster = 1;
  EXPECT_EQ(runClusters([](void **params) {
              startCluster();
              store(sharedOf(0), thread(), float(thread()));
              syncCluster();
              finish(params, load<float>(shared(), 63 - thread()));
            }),
            "");
  EXPECT_EQ(output[3], 60);
}

TEST_F(EmulatorClusterTest, LargeClusters) {
  cluster = 8;
  EXPECT_EQ(run(
                [](void **params) {
                  startCluster();
                  if (thread() < blocks())
                    store(sharedOf(thread()), blockRank(), float(block()));
                  syncCluster();
                  float sum = 0;
                  for (int slot = 0; slot < blocks(); ++slot)
                    sum += load<float>(shared(), slot);
                  store(argument(params, 1), 1024 * block() + thread(), sum);
                },
                /*threads=*/1024, /*grid=*/16, /*results=*/16 * 1024),
            "");
  EXPECT_EQ(output[0], 28);
  EXPECT_EQ(output.back(), 92);
}

TEST_F(EmulatorClusterTest, RefusesSizesThatItDoesNotRun) {
  EXPECT_THAT(run([](void **) {}, /*threads=*/48, /*grid=*/4),
              HasSubstr("to be whole warps, but got 48 threads"));
  StringMap<EmulatorKernel> kernels;
  kernels["kernel"] = [](void **) {};
  EmulatorModule module(std::move(kernels), {});
  EXPECT_TRUE(bool(module.lookup("kernel", 0, 16)));
  EXPECT_THAT(toString(module.lookup("kernel", 0, 17).takeError()),
              HasSubstr("clusters of up to 16 blocks, but got 17"));
}

TEST_F(EmulatorClusterTest, OnlyReleaseOrdersWhatBlocksPush) {
  // Read or pushed first, by the order of threads.
  StringRef unordered = "expected a cluster barrier with release between the ";
  EXPECT_EQ(
      runClusters([](void **params) { pushAndRead(params, syncCluster); }), "");
  expectError([](void **params) { pushAndRead(params, [] {}); },
              "between the ");
  expectError([](void **params) { pushAndRead(params, [] { barrier(); }); },
              unordered);
  expectError([](void **params) { pushAndRead(params, startCluster); },
              unordered);
  // One thread without release is enough.
  expectError(
      [](void **params) {
        pushAndRead(params, [] {
          thread() == 40 && blockRank() == 2 ? arriveRelaxed() : arrive();
          waitForCluster();
        });
      },
      unordered);
  // What follows the arrival is for the next barrier to order.
  expectError(
      [](void **params) {
        store(shared(), thread(), 0.0f);
        syncCluster();
        arrive();
        push();
        waitForCluster();
        finish(params, sumOfSlots());
      },
      unordered);
}

TEST_F(EmulatorClusterTest, NamesBlockAndThreadOfBoth) {
  EXPECT_EQ(runClusters(
                [](void **) {
                  startCluster();
                  if (blockRank() == 2 && thread() == 3)
                    store(sharedOf(1), 5, 1.0f);
                  startCluster();
                  if (blockRank() == 1 && thread() == 40)
                    load<float>(shared(), 5);
                },
                /*seed=*/0, /*clusters=*/1),
            "kernel 'kernel', block 1, thread 40 (kernel.mlir:3:7): expected a "
            "cluster barrier with release between the store and the load of "
            "byte 20 of shared memory 'slots' of rank 1, but got none since "
            "thread 3 of block 2 wrote it; add a cluster barrier with release, "
            "or give each byte to one thread");
}

TEST_F(EmulatorClusterTest, OtherBlocksMayNotHaveStarted) {
  expectError(
      [](void **params) {
        push();
        syncCluster();
        finish(params, sumOfSlots());
      },
      "expected a cluster barrier before the first access to another block's "
      "shared memory, but got one to shared memory 'slots' of rank");
}

TEST_F(EmulatorClusterTest, BlocksOutliveWhatTouchesTheirMemory) {
  // A block that ends early.
  expectError(
      [](void **params) {
        finish(params);
        startCluster();
        if (blockRank() != 1 && thread() == blockRank())
          store(sharedOf(1), blockRank(), 1.0f);
      },
      "expected a cluster barrier with release between an access to the shared "
      "memory of block");
  EXPECT_EQ(runClusters([](void **params) { pull(params, syncCluster); }), "");
  EXPECT_EQ(output[0], 1);
  EXPECT_EQ(output.back(), 4);
  StringRef ended = "so that the block may have ended; let all blocks of the "
                    "cluster pass one before they end";
  expectError([](void **params) { pull(params, [] { barrier(); }); }, ended);
  expectError([](void **params) { pull(params, startCluster); }, ended);
  // Who arrives and does not wait may be gone.
  expectError(
      [](void **params) {
        pull(params, [] {
          arrive();
          if (blockRank() != 2)
            waitForCluster();
        });
      },
      ended);
}

TEST_F(EmulatorClusterTest, ReadsOfSeveralBlocks) {
  for (uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_EQ(
        runClusters([](void **params) { reuse(params, syncCluster); }, seed),
        "");
  expectError([](void **params) { reuse(params, [] { barrier(); }); },
              "expected a cluster barrier with release between the ");
}

TEST_F(EmulatorClusterTest, KnowsTheReaderThatIsNotOrdered) {
  StringRef unordered = "expected a cluster barrier with release between the ";
  // A read before an arrival, and one after it.
  expectError(
      [](void **params) {
        store(shared(), thread(), 1.0f);
        syncCluster();
        bool isFirst = block() < 4 && thread() == 0;
        if (isFirst && blockRank() == 1)
          load<float>(sharedOf(0), 0);
        arrive();
        if (isFirst && blockRank() == 0)
          load<float>(shared(), 0);
        waitForCluster();
        if (isFirst && blockRank() == 2)
          store(sharedOf(0), 0, 2.0f);
        finish(params);
        syncCluster();
      },
      unordered);
  // Readers of the block itself and of another.
  cluster = 2;
  expectError(
      [](void **params) {
        store(shared(), thread(), 1.0f);
        syncCluster();
        if (blockRank() == 0 || thread() == 0)
          load<float>(sharedOf(0), 0);
        barrier();
        if (block() == 0 && thread() == 0)
          store(shared(), 0, 2.0f);
        finish(params);
        syncCluster();
      },
      unordered);
}

TEST_F(EmulatorClusterTest, BarriersOfABlockOrderNoOther) {
  expectError(
      [](void **params) {
        if (blockRank() == 1)
          store(shared(), thread(), 1.0f);
        else
          barrier();
        startCluster();
        if (blockRank() == 1)
          load<float>(shared(), 63 - thread());
        finish(params);
      },
      "expected a barrier between the store and the load of byte");
}

TEST_F(EmulatorClusterTest, BlocksHaveTheirOwnBarriersAndArrays) {
  EXPECT_EQ(runClusters([](void **params) {
              store(shared(), thread(), float(blockRank()));
              for (int i = 0; i < blockRank(); ++i)
                barrier();
              barrier(otherSite);
              finish(params, load<float>(shared(), 63 - thread()));
            }),
            "");
  EXPECT_EQ(output[64 * 3], 3);
  // What a block writes is not written in another, nor in the next cluster.
  expectError(
      [](void **params) {
        if (blockRank() != 2)
          store(shared(), thread(), 1.0f);
        barrier();
        finish(params, load<float>(shared(), thread()));
      },
      "of shared memory 'slots' of rank 2, which nothing has written");
  expectError(
      [](void **params) {
        if (block() < 4)
          store(shared(), thread(), 1.0f);
        finish(params);
        if (block() >= 4)
          load<float>(shared(), thread());
      },
      "which nothing has written");
}

TEST_F(EmulatorClusterTest, BlocksOfAClusterShareNoResult) {
  expectError(
      [](void **params) {
        if (thread() == 3 && blockRank() < 2)
          store(argument(params, 1), 0, 1.0f);
        syncCluster();
      },
      "expected one store to each byte of result 'y', but got byte 0 again, "
      "which thread 3 of block");
}

TEST_F(EmulatorClusterTest, RefusesToMapWhatIsNotThere) {
  expectError([](void **) { sharedOf(4); },
              "expected mapa to a rank below 4, the blocks of the cluster, but "
              "got 4");
  expectError([](void **) { sharedOf(-1); }, "but got -1; check the rank");
  expectError(
      [](void **params) {
        shim<uint64_t(uint64_t, int, const EmulatorSite *)>(
            "llvm.nvvm.mapa.shared.cluster")(argument(params, 0), 1, &site);
      },
      "expected mapa of an address in the block's own shared memory, but got "
      "input 'x'");
}

TEST_F(EmulatorClusterTest, ArrivalsAndWaitsAlternate) {
  expectError([](void **) { waitForCluster(); },
              "expected barrier.cluster.arrive before barrier.cluster.wait, "
              "but got none since the last wait");
  expectError(
      [](void **) {
        arrive();
        arrive();
      },
      "expected barrier.cluster.wait between two arrivals at cluster barriers");
}

TEST_F(EmulatorClusterTest, ExplainsClustersThatAreStuck) {
  expectError(
      [](void **) {
        if (blockRank() == 1 && thread() == 3)
          return;
        arrive();
        waitForCluster();
      },
      "expected all threads of the cluster to arrive at its barrier, but got "
      "thread 3 of block");
  expectError(
      [](void **) {
        if (blockRank() == 1 && thread() == 0) {
          arrive();
          waitForCluster();
        }
        barrier();
      },
      "expected all threads of the block at barrier 0, but got thread 0 at "
      "barrier.cluster.wait at kernel.mlir:3");
  // The aligned forms take whole warps.
  expectError(
      [](void **) {
        if (thread() % 32 < 16)
          syncCluster();
      },
      "of barrier.cluster.arrive.aligned to take part, but got lane 16 at its "
      "end");
}
