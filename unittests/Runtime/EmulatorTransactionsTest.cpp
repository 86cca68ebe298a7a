//===- EmulatorTransactionsTest.cpp - Stores that arrive at a barrier -----===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorClusterFixture.h"
#include <cstring>

using namespace llvm;
using namespace fuse::runtime;
using testing::HasSubstr;

namespace {

class EmulatorTransactionsTest : public ClusterFixture {};

EmulatorGlobal arrivalArray = {"arrivals", nullptr, 4 * sizeof(uint64_t), 8};

/// A transaction barrier of the block.
uint64_t arrival(int number = 0) {
  return shim<uint64_t(const EmulatorGlobal *)>("fuse.global")(&arrivalArray) +
         number * sizeof(uint64_t);
}

using CountShim = void(uint64_t, uint32_t, const EmulatorSite *);

void init(uint64_t address, uint32_t count = 1) {
  shim<CountShim>("mbarrier.init.shared::cta.b64 [$0], $1;")(address, count,
                                                             &site);
}
void fence() {
  shim<BarrierShim>("fence.mbarrier_init.release.cluster;")(&site);
}
void expectBytes(uint64_t address, uint32_t bytes) {
  shim<CountShim>(
      "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [$0], $1;")(
      address, bytes, &site);
}
void awaitBytes(uint64_t address) {
  shim<void(uint64_t, const EmulatorSite *)>(
      "{\n.reg .pred complete;\nAGAIN:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 complete, "
      "[$0], 0;\n@!complete bra AGAIN;\n}")(address, &otherSite);
}
void storeAsync(uint64_t address, uint32_t value, uint64_t arrival) {
  shim<void(uint64_t, uint32_t, uint64_t, const EmulatorSite *)>(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], $1, "
      "[$2];")(address, value, arrival, &site);
}
void storeWide(uint64_t address, uint64_t value, uint64_t arrival) {
  shim<void(uint64_t, uint64_t, uint64_t, const EmulatorSite *)>(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [$0], $1, "
      "[$2];")(address, value, arrival, &site);
}

/// Thread 0 makes `count` barriers; all blocks have started after it.
void start(int count = 1) {
  if (thread() == 0) {
    for (int i = 0; i < count; ++i)
      init(arrival(i));
    fence();
  }
  startCluster();
}

/// Thread r gives a number to block r, in the slot of the thread's own block.
void send(int number = 0, int firstSlot = 0) {
  if (int to = thread(); to < blocks())
    storeAsync(sharedOf(to) + 4 * (firstSlot + blockRank()), block(),
               mapTo(to, arrival(number)));
}

int sumOfSlots(int firstSlot = 0) {
  int sum = 0;
  for (int i = 0; i < blocks(); ++i)
    sum += load<uint32_t>(shared(), firstSlot + i);
  return sum;
}

void exchange(void **params, uint32_t bytes) {
  start();
  if (thread() == 0)
    expectBytes(arrival(), bytes);
  send();
  awaitBytes(arrival());
  finish(params, sumOfSlots());
}

/// An exchange whose blocks do `read` in place of the wait and the loads.
void exchangeAndRead(void **params, void (*read)()) {
  start();
  if (thread() == 0)
    expectBytes(arrival(), 16);
  send();
  read();
  finish(params);
}

} // namespace

//===----------------------------------------------------------------------===//
// What is right
//===----------------------------------------------------------------------===//

TEST_F(EmulatorTransactionsTest, BlocksExchangeAndEnd) {
  for (uint64_t seed = 0; seed < 16; ++seed) {
    EXPECT_EQ(runClusters([](void **params) { exchange(params, 16); }, seed,
                          /*clusters=*/3),
              "");
    for (int i = 0; i < 3 * 4 * 64; ++i)
      EXPECT_EQ(output[i], 6 + 16 * (i / 256));
  }
}

TEST_F(EmulatorTransactionsTest, ExchangesFollowEachOther) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_EQ(runClusters(
                  [](void **params) {
                    start(/*count=*/2);
                    int sum = 0;
                    for (int i = 0; i < 2; ++i) {
                      // Late, where others have sent already.
                      send(i, 4 * i);
                      if (thread() == 0)
                        expectBytes(arrival(i), 16);
                      awaitBytes(arrival(i));
                      sum += sumOfSlots(4 * i);
                    }
                    finish(params, sum);
                  },
                  seed),
              "");
    EXPECT_EQ(output[0], 12);
    EXPECT_EQ(output.back(), 44);
  }
}

TEST_F(EmulatorTransactionsTest, WideStoresAndSeveralArrivals) {
  EXPECT_EQ(runClusters([](void **params) {
              if (thread() == 0) {
                init(arrival(), 2);
                fence();
              }
              startCluster();
              if (thread() < 2)
                expectBytes(arrival(), 16);
              if (int to = thread(); to < blocks())
                storeWide(sharedOf(to) + 8 * blockRank(),
                          uint64_t(block()) << 32, mapTo(to, arrival()));
              awaitBytes(arrival());
              finish(params, load<uint64_t>(shared(), 3) >> 32);
            }),
            "");
  EXPECT_EQ(output[0], 3);
  EXPECT_EQ(output.back(), 7);
}

TEST_F(EmulatorTransactionsTest, NothingArrivesBeforeAll) {
  static uint32_t before, after;
  EXPECT_EQ(runClusters([](void **params) {
              if (thread() == 0) {
                init(arrival());
                store(shared(), 0, uint32_t(5));
                // Where the host has the slot, without a load of it.
                const void *host = shim<AccessShim>("fuse.load")(
                    shared(), /*bytes=*/0, /*alignment=*/4, &site);
                expectBytes(arrival(), 8);
                storeAsync(shared(), 9, arrival());
                std::memcpy(&before, host, sizeof(before));
                storeAsync(shared() + 4, 9, arrival());
                std::memcpy(&after, host, sizeof(after));
                awaitBytes(arrival());
              }
              finish(params);
            }),
            "");
  EXPECT_EQ(before, 5u);
  EXPECT_EQ(after, 9u);
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

TEST_F(EmulatorTransactionsTest, OnlyWhoWaitsSeesWhatArrives) {
  // Read or sent first, by the order of threads.
  expectError(
      [](void **params) {
        store(shared(), thread(), 0.0f);
        syncCluster();
        exchangeAndRead(params, [] {
          sumOfSlots();
          awaitBytes(arrival());
        });
      },
      "between the ");
  StringRef unordered =
      "expected a wait at the transaction barrier between the store and the "
      "load of byte";
  // A wait of another thread, with a barrier of the block or the cluster.
  expectError(
      [](void **params) {
        exchangeAndRead(params, [] {
          if (thread() < 32)
            awaitBytes(arrival());
          barrier();
          sumOfSlots();
        });
      },
      unordered);
  expectError(
      [](void **params) {
        exchangeAndRead(params, [] {
          if (thread() != 5)
            awaitBytes(arrival());
          syncCluster();
          sumOfSlots();
        });
      },
      unordered);
  // A wait for another exchange.
  expectError(
      [](void **params) {
        start(/*count=*/2);
        for (int i = 0; i < 2; ++i) {
          if (thread() == 0)
            expectBytes(arrival(i), 16);
          send(i, 4 * i);
        }
        awaitBytes(arrival(thread() == 7));
        if (thread() == 7)
          sumOfSlots();
        finish(params);
      },
      "expected a wait at the transaction barrier between ");
}

TEST_F(EmulatorTransactionsTest, ReadersMustBeDone) {
  // A load and a store of the block that nothing orders before the others'.
  expectError(
      [](void **params) {
        store(shared(), thread(), 0.0f);
        exchange(params, 16);
      },
      "expected a cluster barrier with release between two stores to byte");
  expectError(
      [](void **params) {
        store(shared(), thread(), 0.0f);
        syncCluster();
        if (thread() == 63)
          for (int i = 0; i < blocks(); ++i)
            if (i != blockRank())
              load<float>(shared(), i);
        exchange(params, 16);
      },
      "barrier with release between the load and the store of byte");
  // And those that are.
  EXPECT_EQ(runClusters([](void **params) {
              store(shared(), thread(), 0.0f);
              syncCluster();
              exchange(params, 16);
            }),
            "");
}

TEST_F(EmulatorTransactionsTest, StoresToOnePlaceMeet) {
  expectError(
      [](void **params) {
        start();
        if (thread() == 0) {
          expectBytes(arrival(), 16);
          for (int to = 0; to < blocks(); ++to)
            storeAsync(sharedOf(to), 1, mapTo(to, arrival()));
        }
        awaitBytes(arrival());
        finish(params);
      },
      "expected a wait at the transaction barrier between two stores to byte 0 "
      "of shared memory 'slots' of rank");
}

TEST_F(EmulatorTransactionsTest, BlocksMayEndThatDoNotWait) {
  expectError(
      [](void **params) {
        exchangeAndRead(params, [] {
          if (blockRank() != 2)
            awaitBytes(arrival());
        });
      },
      "to wait at the transaction barrier at byte 0 of shared memory "
      "'arrivals' "
      "of rank 2, but got none, so that the block may have ended before the "
      "bytes arrive");
  // Nor does a cluster barrier wait for the bytes.
  expectError(
      [](void **params) { exchangeAndRead(params, [] { syncCluster(); }); },
      "so that the block may have ended before the bytes arrive");
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

TEST_F(EmulatorTransactionsTest, CountsBytes) {
  expectError([](void **params) { exchange(params, 20); },
              "expected 20 bytes at the transaction barrier at byte 0 of "
              "shared memory 'arrivals' of rank");
  EXPECT_THAT(runClusters([](void **params) { exchange(params, 20); }),
              HasSubstr("as mbarrier.arrive.expect_tx says, but got 16; let "
                        "the blocks of the cluster send all bytes"));
  // Too many, which come when others may have waited already.
  expectError(
      [](void **params) {
        start();
        if (thread() == 0)
          expectBytes(arrival(), 12);
        send();
        awaitBytes(arrival());
        finish(params);
      },
      "expected no more than 12 bytes at the transaction barrier at byte 0 of "
      "shared memory 'arrivals' of rank");
  // And may have read what is not there.
  expectError([](void **params) { exchange(params, 12); }, "expected ");
  // Too many at once.
  expectError([](void **params) { exchange(params, 14); },
              "expected no more than 14 bytes at the transaction barrier at "
              "byte 0 of shared memory 'arrivals' of rank");
  // A block that does not send.
  expectError(
      [](void **params) {
        start();
        if (thread() == 0)
          expectBytes(arrival(), 16);
        if (blockRank() != 1)
          send();
        awaitBytes(arrival());
        finish(params);
      },
      "as mbarrier.arrive.expect_tx says, but got 12; let the blocks");
}

TEST_F(EmulatorTransactionsTest, ExplainsTheFirstThatIsMissing) {
  // Block 1 lacks bytes, and so sends none to the others.
  expectError(
      [](void **params) {
        start(/*count=*/2);
        for (int i = 0; i < 2; ++i) {
          if (thread() == 0)
            expectBytes(arrival(i), i == 0 && blockRank() == 1 ? 24 : 16);
          send(i, 4 * i);
          awaitBytes(arrival(i));
        }
        finish(params);
      },
      "expected 24 bytes at the transaction barrier at byte 0 of shared memory "
      "'arrivals' of rank 1, as mbarrier.arrive.expect_tx says, but got 16");
}

TEST_F(EmulatorTransactionsTest, NamesWhatOthersWaitFor) {
  expectError(
      [](void **params) {
        start();
        if (thread() == 0)
          awaitBytes(arrival());
        barrier();
        finish(params);
      },
      "but got thread 0 at mbarrier.try_wait at kernel.mlir:5");
}

TEST_F(EmulatorTransactionsTest, CountsArrivals) {
  expectError(
      [](void **params) {
        start();
        send();
        awaitBytes(arrival());
        finish(params);
      },
      "expected 1 of mbarrier.arrive.expect_tx at the transaction barrier at "
      "byte 0 of shared memory 'arrivals' of rank");
  // Also where nobody waits.
  expectError(
      [](void **params) {
        start();
        send();
        finish(params);
      },
      "as mbarrier.init says, but got 0; let a thread of its block arrive");
  expectError(
      [](void **params) {
        start();
        if (thread() < 2)
          expectBytes(arrival(), 8);
        send();
        awaitBytes(arrival());
        finish(params);
      },
      "as mbarrier.init says, but got one more; make a barrier for each phase");
}

//===----------------------------------------------------------------------===//
// Starts
//===----------------------------------------------------------------------===//

TEST_F(EmulatorTransactionsTest, BarriersNeedAStart) {
  StringRef start = "expected mbarrier.init, fence.mbarrier_init and a cluster "
                    "barrier before ";
  auto exchanges = [](void (*begin)()) {
    begin();
    if (thread() == 0)
      expectBytes(arrival(), 16);
    send();
    awaitBytes(arrival());
  };
  static auto exchangeAfter = +exchanges;
  expectError([](void **) { exchangeAfter(startCluster); }, start);
  EXPECT_THAT(runClusters([](void **) { exchangeAfter(startCluster); }),
              HasSubstr("but got no mbarrier.init; let the thread that makes "
                        "it fence it and then arrive, and all others wait"));
  auto withoutFence = [](void **) {
    exchangeAfter([] {
      if (thread() == 0)
        init(arrival());
      startCluster();
    });
  };
  expectError(withoutFence, start);
  expectError(withoutFence, "but got no fence.mbarrier_init");
  // A fence before, and one that comes too late for the cluster barrier.
  expectError(
      [](void **) {
        exchangeAfter([] {
          if (thread() == 0) {
            fence();
            init(arrival());
          }
          startCluster();
        });
      },
      "but got no fence.mbarrier_init");
  expectError(
      [](void **) {
        exchangeAfter([] {
          if (thread() == 0)
            init(arrival());
          startCluster();
          if (thread() == 0)
            fence();
        });
      },
      start);
  // A barrier of the block is not enough, and neither is an older one of the
  // cluster.
  expectError(
      [](void **) {
        exchangeAfter([] {
          startCluster();
          if (thread() == 0) {
            init(arrival());
            fence();
          }
          barrier();
        });
      },
      start);
}

TEST_F(EmulatorTransactionsTest, OtherBlocksMayNotHaveStarted) {
  expectError(
      [](void **) {
        if (thread() == 0) {
          init(arrival());
          fence();
        }
        arriveRelaxed();
        int to = (blockRank() + 1) % blocks();
        storeAsync(sharedOf(to), 7, mapTo(to, arrival()));
        waitForCluster();
      },
      "expected a cluster barrier before the first access to another block's "
      "shared memory, but got one to shared memory 'slots' of rank");
}

TEST_F(EmulatorTransactionsTest, ChecksTheBarriersPlace) {
  expectError([](void **params) { init(argument(params, 0)); },
              "expected mbarrier.init of a transaction barrier in the block's "
              "own shared memory, but got byte 0 of input 'x'");
  expectError([](void **) { init(arrival() + 4); },
              "to be aligned to 8 bytes, but got byte 4");
  expectError([](void **) { init(arrival(4)); },
              "expected a store inside shared memory 'arrivals' of rank");
  expectError([](void **) { init(arrival(), 0); },
              "expected mbarrier.init with one arrival or more, but got 0");
  expectError(
      [](void **) {
        if (thread() == 0) {
          init(arrival());
          init(arrival());
        }
      },
      "expected mbarrier.init once for the transaction barrier at byte 0 of "
      "shared memory 'arrivals' of rank");
  // Only the block itself waits and expects.
  expectError(
      [](void **) {
        start();
        awaitBytes(mapTo((blockRank() + 1) % blocks(), arrival()));
      },
      "expected mbarrier.try_wait of a transaction barrier in the block's own "
      "shared memory, but got byte 0 of shared memory 'arrivals' of rank");
  expectError(
      [](void **) {
        start();
        expectBytes(mapTo((blockRank() + 1) % blocks(), arrival()), 4);
      },
      "expected mbarrier.arrive.expect_tx of a transaction barrier in the "
      "block's own shared memory, but got byte 0 of ");
}

TEST_F(EmulatorTransactionsTest, ChecksTheStoresPlace) {
  // The barrier of another block than the value's.
  expectError(
      [](void **) {
        start();
        if (thread() == 0 && blockRank() == 0)
          storeAsync(sharedOf(1), 7, mapTo(2, arrival()));
      },
      "expected st.async to shared memory and a transaction barrier of one "
      "block, but got byte 0 of shared memory 'slots' of rank 1 and byte 0 of "
      "shared memory 'arrivals' of rank 2; map both to the same rank");
  expectError(
      [](void **params) {
        start();
        storeAsync(argument(params, 1), 7, arrival());
      },
      "but got byte 0 of result 'y' and byte 0 of shared memory 'arrivals'");
  expectError(
      [](void **) {
        start();
        storeWide(sharedOf(1) + 4, 7, mapTo(1, arrival()));
      },
      "expected a store of 8 bytes from shared memory 'slots' of rank 1 to be "
      "aligned to 8 bytes, but got byte 4");
  expectError(
      [](void **) {
        start();
        storeAsync(sharedOf(1) + 256, 7, mapTo(1, arrival()));
      },
      "expected a store inside shared memory 'slots' of rank 1 of 256 bytes, "
      "but got bytes 256 to 259");
}

TEST_F(EmulatorTransactionsTest, CooperativeLaunchesHaveNone) {
  cluster = 1;
  cooperative = true;
  StringRef refused =
      "expected a cooperative launch without clusters, but got what blocks of "
      "a cluster do";
  for (EmulatorKernel kernel :
       {+[](void **) { init(arrival()); }, +[](void **) { fence(); },
        +[](void **) { expectBytes(arrival(), 4); },
        +[](void **) { storeAsync(shared(), 1, arrival()); },
        +[](void **) { awaitBytes(arrival()); }})
    expectError(kernel, refused);
}
