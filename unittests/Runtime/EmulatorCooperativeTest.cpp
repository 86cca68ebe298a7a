//===- EmulatorCooperativeTest.cpp - Blocks that wait for each other ------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorFixture.h"
#include "gmock/gmock.h"

using namespace llvm;
using namespace fuse::runtime;
using testing::AnyOf;
using testing::HasSubstr;

namespace {

constexpr int threads = 64;

int blocks() { return shim<int()>("llvm.nvvm.read.ptx.sreg.nctaid.x")(); }

uint32_t &counter(void **params, StringRef access, int index = 0,
                  const EmulatorSite &at = site) {
  return *static_cast<uint32_t *>(
      shim<AccessShim>(("fuse.atomic." + access).str())(
          argument(params, 2) + 4 * index, 4, 4, &at));
}

uint32_t add(void **params, StringRef order, uint32_t value) {
  uint32_t &place = counter(params, ("update." + order).str());
  return std::exchange(place, place + value);
}

/// Waits until a counter is not 0.
void waitFor(void **params, int index, StringRef order) {
  while (counter(params, ("load." + order).str(), index, otherSite) == 0)
    ;
}

/// What a barrier of the grid consists of.
struct Barrier {
  bool hasBefore = true;
  StringLiteral arrival = "acq_rel";
  StringLiteral wait = "acquire";
  bool hasAfter = true;
};

/// The barrier of cooperative groups.
void meet(void **params, const Barrier &parts = {}) {
  if (parts.hasBefore)
    barrier();
  if (thread() == 0) {
    uint32_t step = block() == 0 ? 0x80000000u - (blocks() - 1) : 1;
    uint32_t old = add(params, parts.arrival, step);
    while (
        ((old ^ counter(params, ("load." + parts.wait).str(), 0, otherSite)) &
         0x80000000u) == 0)
      ;
  }
  if (parts.hasAfter)
    barrier(otherSite);
}

/// The place of a block's thread in part `part` of the result.
int64_t place(int part, int ofBlock, int ofThread) {
  return (part * blocks() + ofBlock) * threads + ofThread;
}

/// Each thread reads in part `part` + 1 what one of the next block has left in
/// part `part`.
void passOn(void **params, int part) {
  int next = (block() + 1) % blocks();
  float value = load<float>(argument(params, 1),
                            place(part, next, threads - 1 - thread()));
  store(argument(params, 1), place(part + 1, block(), thread()), value);
}

void leave(void **params) {
  store(argument(params, 1), place(0, block(), thread()),
        float(100 * block() + thread()));
}

void exchange(void **params, const Barrier &parts) {
  leave(params);
  meet(params, parts);
  passOn(params, 0);
}

class EmulatorCooperativeTest : public EmulatorFixture {
protected:
  EmulatorCooperativeTest() { cooperative = true; }

  std::string runParts(EmulatorKernel kernel, int64_t grid, int parts = 2,
                       uint64_t seed = 0) {
    return run(kernel, threads, grid, parts * grid * threads,
               /*inPlace=*/false, seed);
  }

  /// Whatever the order, it is an error.
  template <typename Matcher>
  void expectError(EmulatorKernel kernel, const Matcher &matcher,
                   int parts = 2) {
    for (int64_t grid : {2, 7})
      for (uint64_t seed = 0; seed < 8; ++seed) {
        counters[0] = counters[1] = 0;
        EXPECT_THAT(runParts(kernel, grid, parts, seed), matcher);
      }
  }
};

/// Where both orders of the two threads are wrong.
auto unordered() {
  return AnyOf(HasSubstr("expected a grid barrier (block barrier, release, "
                         "acquire, block barrier) between the store and the "
                         "load of byte"),
               HasSubstr("which nothing has written"));
}

} // namespace

TEST_F(EmulatorCooperativeTest, BlocksExchangeThroughAResult) {
  for (int64_t grid : {1, 2, 7, 33})
    for (uint64_t seed = 0; seed < 8; ++seed) {
      // The counter of the launch before.
      EXPECT_EQ(runParts([](void **params) { exchange(params, {}); }, grid,
                         /*parts=*/2, seed),
                "");
      EXPECT_EQ(counters[0] & 0x7fffffffu, 0u);
      for (int i = 0; i < grid * threads; ++i)
        EXPECT_EQ(output[grid * threads + i],
                  100 * ((i / threads + 1) % grid) + 63 - i % threads);
    }
}

TEST_F(EmulatorCooperativeTest, TwoBarriers) {
  auto twice = [](void **params) {
    exchange(params, {});
    meet(params);
    passOn(params, 1);
  };
  for (int64_t grid : {1, 2, 7, 33})
    for (uint64_t seed = 0; seed < 4; ++seed) {
      EXPECT_EQ(runParts(twice, grid, /*parts=*/3, seed), "");
      EXPECT_EQ(counters[0], 0u);
      for (int i = 0; i < grid * threads; ++i)
        EXPECT_EQ(output[2 * grid * threads + i],
                  100 * ((i / threads + 2) % grid) + i % threads);
    }
  // The first is not for what follows it.
  expectError(
      [](void **params) {
        exchange(params, {});
        passOn(params, 1);
      },
      unordered(), /*parts=*/3);
}

TEST_F(EmulatorCooperativeTest, NeedsEveryPartOfTheBarrier) {
  // The waiting load may be all that acquires.
  EXPECT_EQ(runParts(
                [](void **params) {
                  exchange(params, {true, "release", "acquire", true});
                },
                /*grid=*/7),
            "");
  expectError(
      [](void **params) {
        exchange(params, {true, "relaxed", "acquire", true});
      },
      unordered());
  expectError(
      [](void **params) {
        exchange(params, {true, "acquire", "acquire", true});
      },
      unordered());
  expectError(
      [](void **params) {
        exchange(params, {true, "acq_rel", "relaxed", true});
      },
      unordered());
  expectError(
      [](void **params) {
        exchange(params, {false, "acq_rel", "acquire", true});
      },
      unordered());
  expectError(
      [](void **params) {
        exchange(params, {true, "acq_rel", "acquire", false});
      },
      unordered());
  expectError(
      [](void **params) {
        leave(params);
        barrier();
        passOn(params, 0);
      },
      unordered());
}

TEST_F(EmulatorCooperativeTest, NamesBlockAndThreadOfBoth) {
  EXPECT_EQ(run(
                [](void **params) {
                  if (block() == 1 && thread() == 3)
                    store(argument(params, 1), 5, 1.0f);
                  meet(params, {true, "relaxed", "acquire", true});
                  if (block() == 0 && thread() == 40)
                    load<float>(argument(params, 1), 5);
                },
                threads, /*grid=*/2),
            "kernel 'kernel', block 0, thread 40 (kernel.mlir:3:7): expected a "
            "grid barrier (block barrier, release, acquire, block barrier) "
            "between the store and the load of byte 20 of result 'y', but got "
            "none since thread 3 of block 1 wrote it; add a grid barrier "
            "(block barrier, release, acquire, block barrier), or give each "
            "byte to one thread");
}

/// From block 0 through block 1 to block 2. One thread of block 1 waits, and
/// after `between` `passing` passes on.
static void relay(void **params, StringRef acquire, void (*between)(),
                  int passing, StringRef release) {
  if (block() == 0 && thread() == 0) {
    store(argument(params, 1), 0, 3.0f);
    counter(params, "store.release", 0) = 1;
  }
  if (block() == 1 && thread() == 0)
    waitFor(params, 0, acquire);
  if (block() == 1)
    between();
  if (block() == 1 && thread() == passing)
    counter(params, release, 1) = 1;
  if (block() == 2 && thread() == 0) {
    waitFor(params, 1, "acquire");
    store(argument(params, 1), 1, load<float>(argument(params, 1), 0));
  }
}

TEST_F(EmulatorCooperativeTest, WhatABlockHasAcquiredItPassesOn) {
  auto nothing = [] {};
  auto meetInBlock = [] { barrier(); };
  static void (*none)() = nothing, (*all)() = meetInBlock;
  EmulatorKernel right[] = {
      [](void **params) { relay(params, "acquire", none, 0, "store.release"); },
      [](void **params) {
        relay(params, "acquire", all, 40, "update.release");
      },
  };
  EmulatorKernel wrong[] = {
      [](void **params) { relay(params, "acquire", none, 0, "store.relaxed"); },
      [](void **params) { relay(params, "relaxed", none, 0, "store.release"); },
  };
  auto runThree = [&](EmulatorKernel kernel, uint64_t seed) {
    counters[0] = counters[1] = 0;
    return run(kernel, threads, /*grid=*/3, /*results=*/2, /*inPlace=*/false,
               seed);
  };
  for (uint64_t seed = 0; seed < 8; ++seed) {
    for (EmulatorKernel kernel : right) {
      EXPECT_EQ(runThree(kernel, seed), "");
      EXPECT_EQ(output[1], 3);
    }
    for (EmulatorKernel kernel : wrong)
      EXPECT_THAT(runThree(kernel, seed), HasSubstr("expected a grid barrier"));
  }
}

TEST_F(EmulatorCooperativeTest, AnAcquireIsItsThreadsUntilABarrier) {
  expectError(
      [](void **params) {
        if (block() == 0 && thread() == 0) {
          store(argument(params, 1), 0, 3.0f);
          counter(params, "store.release", 0) = 1;
        } else if (block() == 1 && thread() == 0) {
          waitFor(params, 0, "acquire");
          counter(params, "store.relaxed", 1) = 1;
        } else if (block() == 1 && thread() == 40) {
          waitFor(params, 1, "relaxed");
          load<float>(argument(params, 1), 0);
        }
      },
      HasSubstr("expected a grid barrier"));
}

TEST_F(EmulatorCooperativeTest, AStoreReplacesWhatOthersReleased) {
  expectError(
      [](void **params) {
        if (thread() != 0)
          return;
        if (block() == 0) {
          store(argument(params, 1), 0, 3.0f);
          counter(params, "store.release", 0) = 1;
        } else if (block() == 1) {
          waitFor(params, 0, "relaxed");
          counter(params, "store.release", 0) = 2;
          counter(params, "load.acquire", 0);
          load<float>(argument(params, 1), 0);
        }
      },
      HasSubstr("expected a grid barrier"));
}

TEST_F(EmulatorCooperativeTest, AReleaseCoversWhatComesBeforeIt) {
  auto late = [](void **params) {
    if (thread() == 0 && block() == 0) {
      counter(params, "store.release", 0) = 1;
      store(argument(params, 1), 0, 3.0f);
      counter(params, "store.release", 1) = 1;
    } else if (thread() == 0 && block() == 1) {
      waitFor(params, 1, "relaxed");
      waitFor(params, 0, "acquire");
      load<float>(argument(params, 1), 0);
    }
  };
  expectError(late, HasSubstr("expected a grid barrier"));
  // A store without release replaces one with it, and an update does not.
  auto replaced = [](void **params, StringRef access) {
    if (thread() == 0 && block() == 0) {
      store(argument(params, 1), 0, 3.0f);
      counter(params, "store.release", 0) = 1;
      counter(params, access, 0) = 2;
    } else if (thread() == 0 && block() == 1) {
      while (counter(params, "load.relaxed", 0, otherSite) != 2)
        ;
      counter(params, "load.acquire", 0);
      store(argument(params, 1), 1, load<float>(argument(params, 1), 0));
    }
  };
  static auto *run2 = +replaced;
  expectError([](void **params) { run2(params, "store.relaxed"); },
              HasSubstr("expected a grid barrier"));
  counters[0] = 0;
  EXPECT_EQ(run([](void **params) { run2(params, "update.relaxed"); }, threads,
                /*grid=*/2, /*results=*/2),
            "");
}

/// All blocks read the first element in place, and block 0 writes it.
static void readAndWrite(void **params, void (*synchronize)(void **)) {
  float first = load<float>(argument(params, 0), 0);
  synchronize(params);
  int64_t i = block() * threads + thread();
  store(argument(params, 1), i, load<float>(argument(params, 0), i) - first);
}

TEST_F(EmulatorCooperativeTest, ReadsOfOtherBlocksComeBeforeTheStore) {
  auto runInPlace = [&](EmulatorKernel kernel, uint64_t seed) {
    counters[0] = 0;
    return run(kernel, threads, /*grid=*/7, /*results=*/7 * threads,
               /*inPlace=*/true, seed);
  };
  EmulatorKernel wrong[] = {
      [](void **params) { readAndWrite(params, [](void **) { barrier(); }); },
      [](void **params) {
        readAndWrite(params, [](void **p) { meet(p, {false}); });
      },
      [](void **params) {
        readAndWrite(params, [](void **p) { meet(p, {true, "relaxed"}); });
      },
      // Read again when it may be written.
      [](void **params) {
        readAndWrite(params, [](void **p) {
          meet(p);
          if (block() == 1 && thread() == 0)
            load<float>(argument(p, 0), 0);
        });
      },
  };
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_EQ(runInPlace(
                  [](void **params) {
                    readAndWrite(params, [](void **p) { meet(p); });
                  },
                  seed),
              "");
    EXPECT_EQ(input[70], 70);
    for (EmulatorKernel kernel : wrong)
      EXPECT_THAT(
          runInPlace(kernel, seed),
          AnyOf(HasSubstr("between the load and the store of byte 0 of input "
                          "'x', but got none since block"),
                HasSubstr("between the store and the load of byte 0 of "
                          "input")));
  }
}

TEST_F(EmulatorCooperativeTest, AtomicsAreReadAfterABarrier) {
  static constexpr auto sum = [](void **params, const Barrier &parts) {
    uint64_t y = argument(params, 1);
    if (block() == 0 && thread() == 0)
      store(y, 0, 0.0f);
    meet(params);
    *static_cast<float *>(
        shim<AccessShim>("fuse.atomic.update.relaxed")(y, 4, 4, &site)) += 1;
    meet(params, parts);
    store(y, 1 + place(0, block(), thread()), load<float>(y, 0));
  };
  EXPECT_EQ(run([](void **params) { sum(params, {}); }, threads, /*grid=*/7,
                /*results=*/1 + 7 * threads),
            "");
  EXPECT_EQ(output.back(), 7 * threads);
  EXPECT_THAT(run([](void **params) { sum(params, {true, "relaxed"}); },
                  threads, /*grid=*/7, /*results=*/1 + 7 * threads),
              HasSubstr("expected a grid barrier"));
}

TEST_F(EmulatorCooperativeTest, AtomicsComeAfterReadsOfTheBlock) {
  expectError(
      [](void **params) {
        uint64_t y = argument(params, 1);
        if (block() == 0 && thread() == 0)
          store(y, 0, 0.0f);
        barrier();
        if (block() == 0 && thread() == 40) {
          load<float>(y, 0);
          counter(params, "store.release", 0) = 1;
        } else if (block() == 0 && thread() == 0) {
          waitFor(params, 0, "relaxed");
          shim<AccessShim>("fuse.atomic.update.relaxed")(y, 4, 4, &site);
        }
      },
      HasSubstr("expected a barrier between the load and the store of byte 0"));
}

TEST_F(EmulatorCooperativeTest, AThreadThatStoresGetsOn) {
  EXPECT_EQ(run(
                [](void **params) {
                  if (block() == 1 || thread() != 0)
                    return waitFor(params, 0, "acquire");
                  for (int i = 0; i < 200; ++i) {
                    counter(params, "load.relaxed", 1);
                    store(argument(params, 1), i, 1.0f);
                  }
                  counter(params, "store.release", 0) = 1;
                },
                threads, /*grid=*/2, /*results=*/200),
            "");
}

TEST_F(EmulatorCooperativeTest, ABlockThatDoesNotArrive) {
  expectError(
      [](void **params) {
        if (block() == 1)
          return;
        exchange(params, {});
      },
      HasSubstr("thread 0 (kernel.mlir:5:1): expected all blocks to arrive at "
                "a barrier of the grid, but got this thread at a loop of "
                "atomic accesses at kernel.mlir:5, where nothing changes any "
                "more, and thread 0 of block 1 at its end; let every block "
                "arrive as often as the others"));
  // Everybody waits.
  expectError([](void **params) { waitFor(params, 0, "acquire"); },
              HasSubstr("check the counter's value before the launch"));
  // A loop of updates or exchanges is one too.
  expectError(
      [](void **params) {
        while (counter(params, "exchange.acquire") == 0)
          ;
      },
      HasSubstr("where nothing changes any more"));
}

TEST_F(EmulatorCooperativeTest, BlocksThatRunOneByOne) {
  cooperative = false;
  expectError([](void **params) { exchange(params, {}); },
              HasSubstr("because the other blocks do not run at the same time; "
                        "launch the kernel cooperatively"));
}

TEST_F(EmulatorCooperativeTest, CountersTakeAtomicAccessesOnly) {
  StringRef expected = "expected atomic accesses to counter 'arrivals', on "
                       "which blocks wait for each other, but got a ";
  expectError([](void **params) { store(argument(params, 2), 0, 0.0f); },
              HasSubstr((expected + "store of bytes 0 to 3").str()));
  expectError([](void **params) { load<float>(argument(params, 2), 1); },
              HasSubstr((expected + "load of bytes 4 to 7").str()));
  expectError([](void **params) { counter(params, "load.acquire", 2); },
              HasSubstr("inside counter 'arrivals' of 8 bytes"));
}

TEST_F(EmulatorCooperativeTest, BlocksHaveTheirOwnSharedMemory) {
  EXPECT_EQ(runParts(
                [](void **params) {
                  store(shared(), thread(), float(block()));
                  meet(params);
                  store(argument(params, 1), place(0, block(), thread()),
                        load<float>(shared(), threads - 1 - thread()));
                },
                /*grid=*/7, /*parts=*/1),
            "");
  EXPECT_EQ(output.back(), 6);
  expectError(
      [](void **params) {
        if (block() != 1)
          store(shared(), thread(), 1.0f);
        meet(params);
        load<float>(shared(), thread());
      },
      HasSubstr("of shared memory 'slots' of block 1, which nothing has"));
}

TEST_F(EmulatorCooperativeTest, RefusesLaunchesThatItDoesNotRun) {
  auto none = [](void **) {};
  EXPECT_THAT(run(none, /*threads=*/48, /*grid=*/4),
              HasSubstr("to be whole warps, but got 48 threads"));
  EXPECT_THAT(run(none, /*threads=*/32, /*grid=*/961),
              HasSubstr("to have at most 30720 threads in all, but got 961 "
                        "blocks of 32; launch fewer blocks"));
  expectError(
      [](void **) {
        shim<void(const EmulatorSite *)>("llvm.nvvm.barrier.cluster.arrive")(
            &site);
      },
      HasSubstr("expected a cooperative launch without clusters"));
  cluster = 2;
  EXPECT_THAT(run(none, threads, /*grid=*/4),
              HasSubstr("to be cooperative or to have clusters, but got both"));
}
