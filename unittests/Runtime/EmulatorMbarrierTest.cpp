//===- EmulatorMbarrierTest.cpp - Barriers with phases --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorFixture.h"
#include "gmock/gmock.h"

using namespace llvm;
using namespace fuse::runtime;
using testing::HasSubstr;

namespace {

EmulatorGlobal barrierArray = {"phases", nullptr, 4 * sizeof(uint64_t), 8};

uint64_t phases(int number = 0) {
  return shim<uint64_t(const EmulatorGlobal *)>("fuse.global")(&barrierArray) +
         number * sizeof(uint64_t);
}

using CountShim = void(uint64_t, uint32_t, const EmulatorSite *);

void init(int number, uint32_t count) {
  shim<CountShim>("llvm.nvvm.mbarrier.init.shared")(phases(number), count,
                                                    &site);
}
uint64_t arrive(int number) {
  return shim<uint64_t(uint64_t, const EmulatorSite *)>(
      "llvm.nvvm.mbarrier.arrive.shared")(phases(number), &site);
}
void arriveAndExpect(int number, uint32_t bytes) {
  shim<uint64_t(uint64_t, uint32_t, const EmulatorSite *)>(
      "llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta")(phases(number),
                                                                 bytes, &site);
}
bool tryWait(int number, uint32_t parity) {
  return shim<bool(uint64_t, uint32_t, const EmulatorSite *)>(
      "llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta")(
      phases(number), parity, &otherSite);
}
void waitFor(int number, uint32_t parity) {
  while (!tryWait(number, parity))
    ;
}
void waitForState(int number, uint64_t state) {
  while (!shim<bool(uint64_t, uint64_t, const EmulatorSite *)>(
      "llvm.nvvm.mbarrier.try.wait.scope.cta.space.cta")(phases(number), state,
                                                         &otherSite))
    ;
}
void someBarrier(int number, int count) {
  shim<void(int, int, const EmulatorSite *)>(
      "llvm.nvvm.barrier.cta.sync.aligned.count")(number, count, &site);
}
void arriveAtBarrier(int number, int count) {
  shim<void(int, int, const EmulatorSite *)>("bar.arrive $0, $1;")(
      number, count, &site);
}

/// Barrier 0 for one thread, barrier 1 for `count`.
void start(uint32_t count) {
  if (thread() == 0) {
    init(0, 1);
    init(1, count);
  }
  barrier();
}

void finish(void **params, float value = 0) {
  store(argument(params, 1), thread(), value);
}

class EmulatorMbarrierTest : public EmulatorFixture {
protected:
  /// Whatever the order and the time, the error is the same rule's.
  void expectError(EmulatorKernel kernel, StringRef part) {
    for (uint64_t seed = 0; seed < 12; ++seed)
      EXPECT_THAT(runWith(kernel, seed), HasSubstr(part.str()))
          << "seed " << seed;
  }
  std::string runWith(EmulatorKernel kernel, uint64_t seed) {
    return run(kernel, /*threads=*/64, /*grid=*/1, /*results=*/64,
               /*inPlace=*/false, seed);
  }
  void expectRight(EmulatorKernel kernel) {
    for (uint64_t seed = 0; seed < 12; ++seed)
      EXPECT_EQ(runWith(kernel, seed), "") << "seed " << seed;
  }
};

/// Thread 0 hands five numbers on to all others through one slot, which it
/// takes back each time. `frees` says that a thread has read.
template <typename Frees> void handOn(void **params, Frees frees) {
  float sum = 0;
  for (uint32_t i = 0; i < 5; ++i) {
    if (thread() == 0) {
      waitFor(1, (i & 1) ^ 1);
      store(shared(), 0, float(i));
      arrive(0);
    } else {
      waitFor(0, i & 1);
      sum += load<float>(shared(), 0);
      frees();
    }
  }
  finish(params, sum);
}

} // namespace

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

TEST_F(EmulatorMbarrierTest, PhasesHandAndTakeBack) {
  expectRight([](void **params) {
    start(63);
    handOn(params, [] { arrive(1); });
  });
  EXPECT_EQ(output[63], 10);
  // One thread for all that it has met.
  expectRight([](void **params) {
    start(2);
    handOn(params, [] {
      if (thread() < 32)
        someBarrier(1, 31);
      else
        warpSync(~0u);
      if (thread() == 1 || thread() == 40)
        arrive(1);
    });
  });
}

TEST_F(EmulatorMbarrierTest, WhoIsNotThereIsNotSpokenFor) {
  expectError(
      [](void **params) {
        start(1);
        handOn(params, [] {
          if (thread() == 1)
            arrive(1);
        });
      },
      "of shared memory 'slots', but got none since thread");
  // Threads that arrive before they read.
  expectError(
      [](void **params) {
        start(63);
        for (uint32_t i = 0; i < 5; ++i) {
          if (thread() == 0) {
            waitFor(1, (i & 1) ^ 1);
            store(shared(), 0, float(i));
            arrive(0);
          } else {
            waitFor(0, i & 1);
            arrive(1);
            load<float>(shared(), 0);
          }
        }
        finish(params);
      },
      "of shared memory 'slots'");
}

TEST_F(EmulatorMbarrierTest, NoWaiterIsTwoBehind) {
  expectError(
      [](void **params) {
        start(1);
        if (thread() == 0)
          for (int i = 0; i < 3; ++i)
            arrive(0);
        if (thread() == 40)
          for (uint32_t i = 0; i < 3; ++i)
            waitFor(0, i & 1);
        finish(params);
      },
      "no waiter may be two phases behind");
}

TEST_F(EmulatorMbarrierTest, APhaseMayBeAwaitedAgainAndByItsState) {
  expectRight([](void **params) {
    start(64);
    uint64_t state = arrive(1);
    waitForState(1, state);
    waitFor(1, 0);
    waitFor(1, 0);
    state = arrive(1);
    waitForState(1, state);
    finish(params);
  });
}

TEST_F(EmulatorMbarrierTest, AWaitMayGiveUp) {
  static int failures;
  failures = 0;
  expectRight([](void **params) {
    start(64);
    arrive(1);
    for (; !tryWait(1, 0); ++failures)
      ;
    finish(params);
  });
  EXPECT_GT(failures, 0);
}

TEST_F(EmulatorMbarrierTest, WaitsOrderMemory) {
  expectError(
      [](void **params) {
        start(1);
        if (thread() == 0) {
          store(shared(), 0, 1.0f);
          arrive(0);
        }
        // Of another barrier's phase, which says nothing.
        waitFor(1, 1);
        if (thread() == 50)
          load<float>(shared(), 0);
        finish(params);
      },
      "of shared memory 'slots'");
}

//===----------------------------------------------------------------------===//
// What a barrier needs
//===----------------------------------------------------------------------===//

TEST_F(EmulatorMbarrierTest, RefusesMoreArrivals) {
  expectError(
      [](void **params) {
        start(3);
        if (thread() == 0) {
          arriveAndExpect(0, 16);
          arrive(0);
        }
        finish(params);
      },
      "expected 1 arrivals in phase 0 of the mbarrier at byte 0 of shared "
      "memory 'phases', as mbarrier.init says, but got one more");
}

TEST_F(EmulatorMbarrierTest, SaysWhatIsMissing) {
  expectError(
      [](void **params) {
        start(3);
        if (thread() < 2)
          arrive(1);
        waitFor(1, 0);
        finish(params);
      },
      "expected 3 arrivals in phase 0 of the mbarrier at byte 8 of shared "
      "memory 'phases', as mbarrier.init says, but got 2; ");
  expectError(
      [](void **params) {
        start(3);
        if (thread() == 0)
          arriveAndExpect(0, 16);
        waitFor(0, 0);
        finish(params);
      },
      "expected 16 bytes more in phase 0 of the mbarrier at byte 0");
}

TEST_F(EmulatorMbarrierTest, NeedsAnInitThatComesBefore) {
  expectError(
      [](void **params) {
        if (thread() == 0)
          init(0, 1);
        if (thread() == 40)
          arrive(0);
        finish(params);
      },
      // Before the use or behind it, by the order of threads.
      "mbarrier.init");
  expectError(
      [](void **params) {
        start(1);
        waitFor(2, 0);
        finish(params);
      },
      "expected mbarrier.try_wait at an mbarrier, but got byte 16 of shared "
      "memory 'phases', where there was no mbarrier.init");
  expectError(
      [](void **params) {
        if (thread() < 2)
          init(0, 1);
        finish(params);
      },
      "expected mbarrier.init once");
  expectError(
      [](void **params) {
        start(1);
        waitFor(0, 2);
        finish(params);
      },
      "a parity of 0 or 1, but got 2");
}

TEST_F(EmulatorMbarrierTest, ACooperativeLaunchHasNone) {
  cooperative = true;
  EXPECT_THAT(run([](void **params) {
                start(1);
                finish(params);
              }),
              HasSubstr("expected mbarriers in a launch that is not "
                        "cooperative"));
}

//===----------------------------------------------------------------------===//
// Barriers of some threads
//===----------------------------------------------------------------------===//

TEST_F(EmulatorMbarrierTest, BarriersOfSomeThreadsOrderThese) {
  expectRight([](void **params) {
    if (thread() == 0)
      store(shared(), 0, 3.0f);
    if (thread() < 32) {
      someBarrier(1, 32);
      load<float>(shared(), 0);
    }
    finish(params);
  });
  expectError(
      [](void **params) {
        if (thread() == 0)
          store(shared(), 0, 3.0f);
        if (thread() < 32)
          someBarrier(1, 32);
        else if (thread() == 40)
          load<float>(shared(), 0);
        finish(params);
      },
      "of shared memory 'slots'");
}

TEST_F(EmulatorMbarrierTest, AnArrivalOrdersWhatCameBefore) {
  expectRight([](void **params) {
    if (thread() >= 32) {
      store(shared(), thread() - 32, float(thread()));
      arriveAtBarrier(1, 64);
      finish(params);
      return;
    }
    someBarrier(1, 64);
    finish(params, load<float>(shared(), 31 - thread()));
  });
  EXPECT_EQ(output[0], 63);
  // And nothing that came behind.
  expectError(
      [](void **params) {
        if (thread() >= 32) {
          arriveAtBarrier(1, 64);
          store(shared(), thread() - 32, 1.0f);
        } else {
          someBarrier(1, 64);
          load<float>(shared(), thread());
        }
        finish(params);
      },
      "of shared memory 'slots'");
}
