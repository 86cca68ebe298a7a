//===- EmulatorTest.cpp - What the emulator does and refuses --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorFixture.h"
#include "gmock/gmock.h"
#include <cmath>
#include <set>

using namespace llvm;
using namespace fuse::runtime;
using testing::AnyOf;
using testing::HasSubstr;

using EmulatorTest = EmulatorFixture;

TEST_F(EmulatorTest, RunsBlocksAndThreads) {
  EXPECT_EQ(run(
                [](void **params) {
                  int64_t i = block() * 32 + thread();
                  store(argument(params, 1), i,
                        2 * load<float>(argument(params, 0), i));
                },
                32, /*grid=*/3, /*results=*/96),
            "");
  for (int i = 0; i < 96; ++i)
    EXPECT_EQ(output[i], 2 * i);
}

TEST_F(EmulatorTest, BarriersOrderSharedMemory) {
  EXPECT_EQ(run([](void **params) {
              store(shared(), thread(), float(thread()));
              barrier();
              float other = load<float>(shared(), 63 - thread());
              barrier(otherSite);
              store(shared(), thread(), other);
              store(argument(params, 1), thread(), other);
            }),
            "");
  EXPECT_EQ(output[0], 63);
  EXPECT_EQ(output[63], 0);
}

TEST_F(EmulatorTest, NamesKernelBlockThreadAndLine) {
  EXPECT_EQ(run([](void **params) { load<float>(argument(params, 0), 64); }, 1),
            "kernel 'kernel', block 0, thread 0 (kernel.mlir:3:7): expected a "
            "load inside input 'x' of 256 bytes, but got bytes 256 to 259; "
            "check the index and the mask");
}

TEST_F(EmulatorTest, BuffersAreFarApart) {
  // However wrong an index is, it does not hit another buffer.
  EXPECT_THAT(
      run([](void **params) { load<float>(argument(params, 0), -1); }, 1),
      HasSubstr("inside input 'x' of 256 bytes, but got bytes -4 to -1"));
  EXPECT_THAT(run([](void **params) {
                load<float>(argument(params, 0), int64_t(1) << 40);
              }),
              HasSubstr("inside input 'x'"));
  EXPECT_THAT(run([](void **) { load<float>(uint64_t(1) << 63, 0); }),
              HasSubstr("expected a load of 4 bytes at an address in a buffer, "
                        "but got address 0x8000000000000000"));
}

TEST_F(EmulatorTest, BuffersAreAlignedTo16BytesAndNoMore) {
  EXPECT_THAT(run([](void **params) {
                shim<AccessShim>("fuse.load")(argument(params, 0), 32, 32,
                                              &site);
              }),
              HasSubstr("to be aligned to 32 bytes, but got byte 0"));
}

TEST_F(EmulatorTest, AThreadsOwnVariablesAreItsOwn) {
  EXPECT_THAT(run([](void **params) {
                float own = 3;
                auto address = reinterpret_cast<uintptr_t>(&own);
                store(argument(params, 1), thread(), load<float>(address, 0));
              }),
              "");
  EXPECT_EQ(output[63], 3);
}

TEST_F(EmulatorTest, RefusesRaces) {
  EXPECT_THAT(run([](void **) { store(shared(), 0, 1.0f); }),
              HasSubstr("expected a barrier between two stores to byte 0 of "
                        "shared memory 'slots', but got none since thread"));
  EXPECT_THAT(run([](void **) {
                store(shared(), thread(), 1.0f);
                load<float>(shared(), thread() ^ 32);
              }),
              HasSubstr("nothing has written"));
  EXPECT_THAT(
      run([](void **) {
        store(shared(), thread(), 1.0f);
        barrier();
        load<float>(shared(), thread() ^ 1);
        store(shared(), thread(), 1.0f);
      }),
      AnyOf(HasSubstr("expected a barrier between the load and the store"),
            HasSubstr("expected a barrier between the store and the "
                      "load")));
}

TEST_F(EmulatorTest, NothingIsWrittenBetweenTheElementsOfAView) {
  // Eight rows of three floats, which lie eight floats apart.
  resultSteps = {{8, 32}, {3, 4}};
  auto storeColumns = [](void **params) {
    for (int64_t column = 0; column < 3; ++column)
      store(argument(params, 1), thread() * 8 + column, 1.0f);
  };
  EXPECT_EQ(run(storeColumns, /*threads=*/8), "");
  EXPECT_EQ(output[3], -1);
  EXPECT_THAT(run(storeColumns, /*threads=*/7),
              HasSubstr("but got 12 of 256 bytes that nothing has written"));
  EXPECT_THAT(
      run([](void **params) { store(argument(params, 1), 3, 1.0f); }, 1),
      HasSubstr("expected a store to elements of result 'y' only, but got one "
                "to byte 12, which lies between them"));
}

TEST_F(EmulatorTest, OnlySyncsOfAWholeWarpOrderItsLanes) {
  auto exchange = [](void **params) {
    store(shared(), thread(), float(thread()));
    warpSync(~0u);
    store(argument(params, 1), thread(), load<float>(shared(), thread() ^ 1));
  };
  EXPECT_EQ(run(exchange), "");
  EXPECT_EQ(output[6], 7);
  EXPECT_THAT(run([](void **) {
                store(shared(), thread(), 1.0f);
                warpSync(thread() % 32 < 16 ? 0xffffu : 0xffff0000u);
                load<float>(shared(), thread() ^ 1);
              }),
              HasSubstr("expected a barrier between the store and the load"));
}

TEST_F(EmulatorTest, SharedMemoryIsNewInEachBlock) {
  EXPECT_THAT(run(
                  [](void **params) {
                    store(argument(params, 1), block(), 1.0f);
                    if (block() == 1)
                      load<float>(shared(), 0);
                    else
                      store(shared(), 0, 1.0f);
                  },
                  1, /*grid=*/2, /*results=*/2),
              HasSubstr("nothing has written"));
}

TEST_F(EmulatorTest, BlocksShareNoResult) {
  EXPECT_THAT(
      run([](void **params) { store(argument(params, 1), 0, 1.0f); }, 1,
          /*grid=*/2, /*results=*/1),
      HasSubstr("expected one store to each byte of result 'y', but got byte 0 "
                "again, which thread 0 of another block has written"));
}

TEST_F(EmulatorTest, AtomicsMayMeet) {
  auto add = [](void **params) {
    *static_cast<float *>(shim<AccessShim>("fuse.atomic.update.relaxed")(
        argument(params, 1), 4, 4, &site)) += 1;
  };
  EXPECT_EQ(run(add, 64, /*grid=*/2, /*results=*/1), "");
  EXPECT_EQ(output[0], 127); // -1 at first
}

TEST_F(EmulatorTest, InPlace) {
  auto twice = [](void **params) {
    store(argument(params, 1), thread(),
          2 * load<float>(argument(params, 0), thread()));
  };
  EXPECT_EQ(run(twice, 64, 1, 64, /*inPlace=*/true), "");
  EXPECT_EQ(input[5], 10);
}

TEST_F(EmulatorTest, ALoadThatComesTooLateSeesNaN) {
  auto rotate = [](void **params) {
    store(argument(params, 1), thread(),
          load<float>(argument(params, 0), (thread() + 1) % 64));
  };
  EXPECT_EQ(run(rotate, 64, 1, 64, /*inPlace=*/true), "");
  EXPECT_TRUE(any_of(input, [](float x) { return std::isnan(x); }));
}

/// griddepcontrol.wait.
static void waitForLaunches() {
  shim<void()>("llvm.nvvm.griddepcontrol.wait")();
}

TEST_F(EmulatorTest, AKernelThatWaitsDoesSoFirst) {
  waits = true;
  EXPECT_EQ(run([](void **params) {
              store(shared(), thread(), 1.0f);
              waitForLaunches();
              float x = load<float>(argument(params, 0), thread());
              store(argument(params, 1), thread(), x);
            }),
            "");
  EXPECT_THAT(run([](void **params) {
                float x = load<float>(argument(params, 0), thread());
                waitForLaunches();
                store(argument(params, 1), thread(), x);
              }),
              HasSubstr("(kernel.mlir:3:7): expected griddepcontrol.wait "
                        "before the first access to global memory, but got "
                        "one to input 'x' before it; move the wait to the "
                        "kernel's start"));
  // What it overwrites may still be read by the launch before.
  EXPECT_THAT(run([](void **params) {
                store(argument(params, 1), thread(), 1.0f);
                waitForLaunches();
              }),
              HasSubstr("but got one to result 'y' before it"));
  // An asynchronous copy may read as soon as it is issued.
  EXPECT_THAT(run([](void **params) {
                auto *copy =
                    shim<void(uint64_t, uint64_t, const EmulatorSite *)>(
                        "llvm.nvvm.cp.async.ca.shared.global.4");
                copy(shared() + 4 * thread(),
                     argument(params, 0) + 4 * thread(), &site);
                waitForLaunches();
                store(argument(params, 1), thread(), 1.0f);
              }),
              HasSubstr("but got one to input 'x' before it"));
}

TEST_F(EmulatorTest, EveryThreadOfAKernelThatWaitsDoesSo) {
  waits = true;
  EXPECT_THAT(run([](void **params) {
                if (thread() == 3)
                  return;
                waitForLaunches();
                store(argument(params, 1), thread(), 1.0f);
              }),
              HasSubstr("thread 3: expected every thread to run "
                        "griddepcontrol.wait, but got one that ends without; "
                        "move it to the kernel's start"));
  waits = false;
  EXPECT_EQ(
      run([](void **params) { store(argument(params, 1), thread(), 1.0f); }),
      "");
}

TEST_F(EmulatorTest, Votes) {
  EXPECT_EQ(
      run([](void **params) {
        auto *ballot = shim<uint32_t(uint32_t, bool, const EmulatorSite *)>(
            "llvm.nvvm.vote.ballot.sync");
        uint32_t lanes = ballot(~0u, thread() % 4 == 0, &site);
        store(argument(params, 1), thread(), lanes == 0x11111111 ? 1.0f : 0.0f);
      }),
      "");
  EXPECT_EQ(output, std::vector<float>(64, 1.0f));
}

namespace {
using ShuffleShim = int32_t(uint32_t, int32_t, uint32_t, uint32_t,
                            const EmulatorSite *);

/// {i32, i1} as LLVM lays it out.
struct Checked {
  int32_t value;
  bool inSegment;
};
using CheckedShuffleShim = void(Checked *, uint32_t, int32_t, uint32_t,
                                uint32_t, const EmulatorSite *);
} // namespace

TEST_F(EmulatorTest, ShufflesAsPTXDefinesThem) {
  EXPECT_EQ(run([](void **params) {
              // Segments of 8 lanes: the mask of segments is 0b11000.
              auto *up =
                  shim<CheckedShuffleShim>("llvm.nvvm.shfl.sync.up.i32p");
              auto *down =
                  shim<CheckedShuffleShim>("llvm.nvvm.shfl.sync.down.i32p");
              auto *index = shim<ShuffleShim>("llvm.nvvm.shfl.sync.idx.i32");
              Checked before, after;
              int lane = thread() % 32, inSegment = lane % 8;
              up(&before, ~0u, lane, 3, 0x1800, &site);
              down(&after, ~0u, lane, 3, 0x1807, &site);
              int first = index(~0u, lane, 0, 0x1807, &site);
              bool right = before.inSegment == (inSegment >= 3) &&
                           before.value == (inSegment >= 3 ? lane - 3 : lane) &&
                           after.inSegment == (inSegment < 5) &&
                           after.value == (inSegment < 5 ? lane + 3 : lane) &&
                           first == lane - inSegment;
              store(argument(params, 1), thread(), float(right));
            }),
            "");
  EXPECT_EQ(output, std::vector<float>(64, 1.0f));
}

TEST_F(EmulatorTest, RefusesShufflesThatLeaveTheirMask) {
  EXPECT_THAT(run([](void **) {
                if (thread() < 16)
                  shim<ShuffleShim>("llvm.nvvm.shfl.sync.bfly.i32")(
                      0xffff, 0, 16, 31, &site);
              }),
              HasSubstr("expected shfl.sync.bfly to read from a lane in its "
                        "mask 0x0000ffff, but got lane"));
  EXPECT_THAT(run([](void **) {
                shim<ShuffleShim>("llvm.nvvm.shfl.sync.bfly.i32")(~0u, 0, 16,
                                                                  15, &site);
              }),
              HasSubstr("expected shfl.sync.bfly to read from lanes up to 15, "
                        "but got operand 16"));
  EXPECT_THAT(run(
                  [](void **) {
                    shim<ShuffleShim>("llvm.nvvm.shfl.sync.bfly.i32")(
                        ~0u, 0, 1, 31, &site);
                  },
                  /*threads=*/48),
              HasSubstr("with a mask of the 16 lanes of the warp, but got "
                        "0xffffffff"));
}

TEST_F(EmulatorTest, RefusesALaneThatHasEnded) {
  EXPECT_THAT(run(
                  [](void **) {
                    if (thread() != 3)
                      warpSync(~0u);
                  },
                  32),
              HasSubstr("expected every lane in the mask 0xffffffff of "
                        "bar.warp.sync to take part, but got lane 3 at its "
                        "end"));
}

TEST_F(EmulatorTest, RefusesBarriersThatNotAllReach) {
  EXPECT_THAT(run([](void **) {
                if (thread() != 3)
                  barrier();
              }),
              HasSubstr("expected all threads of the block at barrier 0, but "
                        "got thread 3 at its end"));
  EXPECT_THAT(run([](void **) { barrier(thread() == 3 ? otherSite : site); }),
              HasSubstr("move the barrier out of the branch"));
}

TEST_F(EmulatorTest, TheSeedDecidesTheOrder) {
  // Who stores last to a byte of atomics shows the order.
  auto last = [](void **params) {
    *static_cast<float *>(shim<AccessShim>("fuse.atomic.update.relaxed")(
        argument(params, 1), 4, 4, &site)) = float(thread());
  };
  auto lastOf = [&](uint64_t seed) {
    EXPECT_EQ(run(last, 256, 1, 1, false, seed), "");
    return output[0];
  };
  EXPECT_EQ(lastOf(1), lastOf(1));
  std::set<float> seen;
  for (uint64_t seed = 0; seed < 8; ++seed)
    seen.insert(lastOf(seed));
  EXPECT_GT(seen.size(), 4u);
}

TEST(EmulatorMathTest, ModelsTheInstructions) {
  EXPECT_EQ(shim<float(float)>("llvm.nvvm.ex2.approx.f32")(-149), 0x1p-149f);
  EXPECT_EQ(shim<float(float)>("llvm.nvvm.ex2.approx.ftz.f32")(-149), 0);
  EXPECT_EQ(shim<float(float)>("llvm.nvvm.rcp.approx.ftz.f")(0x1p127f), 0);
  EXPECT_EQ(shim<float(float)>("llvm.nvvm.rsqrt.approx.f")(4), 0.5f);
  auto *cut = shim<float(float, float)>("llvm.nvvm.fmin.nan.xorsign.abs.f");
  EXPECT_EQ(cut(-3, 2), -2.0f);
  EXPECT_EQ(cut(-3, -4), 3.0f);
  EXPECT_TRUE(std::signbit(cut(-0.0f, 2)));
  EXPECT_TRUE(std::isnan(cut(std::nanf(""), 2)));
  // To even, through no f32 in between.
  auto *half = shim<uint16_t(double)>("fuse.half.of.double");
  EXPECT_EQ(half(1 + 0x1p-11), 0x3c00);
  EXPECT_EQ(half(1 + 0x1p-11 + 0x1p-40), 0x3c01);
  auto *pair = shim<uint16_t(float, float)>("llvm.nvvm.ff.to.e4m3x2.rn");
  EXPECT_EQ(pair(1.0f, -1000.0f), 0x38fe); // 1 and -448
  EXPECT_EQ(shim<uint32_t(uint16_t)>("llvm.nvvm.e4m3x2.to.f16x2.rn")(0x38fe),
            0x3c00df00u);
}
