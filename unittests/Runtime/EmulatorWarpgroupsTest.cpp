//===- EmulatorWarpgroupsTest.cpp - Multiplications of four warps ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// B of 8 x 16 in shared memory, A in registers; unittests/JIT has a whole
// kernel.
//
//===----------------------------------------------------------------------===//

#include "EmulatorFixture.h"
#include "EmulatorMatrices.h"
#include "llvm/ADT/bit.h"
#include "gmock/gmock.h"
#include <cmath>

using namespace llvm;
using namespace fuse::runtime;
using testing::HasSubstr;

namespace {

constexpr unsigned columns = 8;
constexpr unsigned numSums = columns / 2;

EmulatorGlobal matrixArray = {"b", nullptr, 2048, 1024};

uint64_t matrix() {
  return shim<uint64_t(const EmulatorGlobal *)>("fuse.global")(&matrixArray);
}

/// Small numbers, as bf16 and as f16.
uint16_t bfloat(int value) { return bit_cast<uint32_t>(float(value)) >> 16; }
uint16_t half(int value) {
  static constexpr uint16_t halves[] = {0x0000, 0x3c00, 0x4000, 0x4200, 0x4400};
  return halves[value];
}
int elementOfA(int row, int k) { return (row + 2 * k) % 5; }
int elementOfB(int n, int k) { return (3 * n + k) % 4; }

struct Sums {
  uint32_t bits[numSums];
};

void fence() {
  shim<void(const EmulatorSite *)>("llvm.nvvm.wgmma.fence.sync.aligned")(&site);
}
void commit() {
  shim<void(const EmulatorSite *)>("llvm.nvvm.wgmma.commit_group.sync.aligned")(
      &site);
}
void waitForSums(Sums &sums, uint32_t pending = 0) {
  shim<void(uint32_t *, uint32_t, uint32_t, const EmulatorSite *)>(
      "fuse.wgmma.wait")(sums.bits, numSums, pending, &site);
}
float use(uint32_t bits) {
  shim<void(uint32_t, const EmulatorSite *)>("fuse.wgmma.use")(bits,
                                                               &otherSite);
  return bit_cast<float>(bits);
}

enum Layout { ContiguousK, ContiguousN };

/// Puts B in shared memory, which wgmma sees behind a proxy fence.
void putMatrix(Layout layout, bool isBFloat, bool isFenced = true) {
  int n = thread() / 16, k = thread() % 16;
  uint64_t place = matrix() + k / 8 * 128 + n * 16 + k % 8 * 2;
  if (layout == ContiguousN)
    place = swizzled(matrix() + k / 8 * 1024 + k % 8 * 128 + n * 2,
                     TensorSwizzle::Bytes128);
  int value = elementOfB(n, k);
  store(place, 0, isBFloat ? bfloat(value) : half(value));
  if (isFenced)
    shim<void()>("llvm.nvvm.fence.proxy.async.shared_cta")();
  barrier();
}

/// Of the running thread; `scale` is what all elements are multiplied by.
std::array<uint32_t, 4> registersOfA(bool isBFloat) {
  std::array<uint32_t, 4> registers;
  for (unsigned i = 0; i < 4; ++i) {
    SumPlace place = placeOfA(thread() / 32, thread() % 32, i);
    auto bits = [&](unsigned column) -> uint32_t {
      int value = elementOfA(place.row, column);
      return isBFloat ? bfloat(value) : half(value);
    };
    registers[i] = bits(place.column) | bits(place.column + 1) << 16;
  }
  return registers;
}

void multiply(Sums &sums, Layout layout, bool isBFloat, bool adds,
              bool negates = false, uint64_t offset = 0) {
  static EmulatorWgmma forms[2][2][2];
  EmulatorWgmma &form = forms[layout][isBFloat][negates];
  EmulatorFactor element =
      isBFloat ? EmulatorFactor::BF16 : EmulatorFactor::F16;
  form = {columns, element, element, negates, 0, 0, layout == ContiguousN};
  uint64_t start = ((matrix() + offset) & 0x3ffff) >> 4;
  uint64_t b = layout == ContiguousN
                   ? start | 64ull << 16 | 64ull << 32 | 1ull << 62
                   : start | 8ull << 16 | 16ull << 32;
  std::array<uint32_t, 4> registers = registersOfA(isBFloat);
  shim<void(uint32_t *, const EmulatorWgmma *, const uint32_t *, uint64_t,
            uint64_t, uint32_t, const EmulatorSite *)>("fuse.wgmma")(
      sums.bits, &form, registers.data(), 0, b, adds, &site);
}

void putResults(void **params, const Sums &sums) {
  for (unsigned i = 0; i < numSums; ++i) {
    SumPlace place = placeOfSum(thread() / 32, thread() % 32, i);
    store(argument(params, 1), place.row * columns + place.column,
          use(sums.bits[i]));
  }
}

Sums undefined() {
  Sums sums;
  for (uint32_t &bits : sums.bits)
    bits = undefinedSum;
  return sums;
}

class EmulatorWarpgroupsTest : public EmulatorFixture {
protected:
  std::string runWith(EmulatorKernel kernel, uint64_t seed) {
    return run(kernel, /*threads=*/128, /*grid=*/1, /*results=*/64 * columns,
               /*inPlace=*/false, seed);
  }
  void expectProducts(EmulatorKernel kernel, int factor, float start = 0) {
    for (uint64_t seed = 0; seed < 6; ++seed) {
      ASSERT_EQ(runWith(kernel, seed), "") << "seed " << seed;
      for (int row = 0; row < 64; ++row)
        for (int n = 0; n < int(columns); ++n) {
          int sum = 0;
          for (int k = 0; k < 16; ++k)
            sum += elementOfA(row, k) * elementOfB(n, k);
          ASSERT_EQ(output[row * columns + n], start + factor * sum)
              << row << ", " << n << ", seed " << seed;
        }
    }
  }
  void expectError(EmulatorKernel kernel, StringRef part) {
    for (uint64_t seed = 0; seed < 6; ++seed)
      EXPECT_THAT(runWith(kernel, seed), HasSubstr(part.str()))
          << "seed " << seed;
  }
};

template <Layout layout, bool isBFloat> void multiplyOnce(void **params) {
  putMatrix(layout, isBFloat);
  Sums sums = undefined();
  fence();
  multiply(sums, layout, isBFloat, /*adds=*/false);
  commit();
  waitForSums(sums);
  putResults(params, sums);
}

} // namespace

TEST_F(EmulatorWarpgroupsTest, MultipliesInEachLayoutAndType) {
  expectProducts(multiplyOnce<ContiguousK, true>, 1);
  expectProducts(multiplyOnce<ContiguousK, false>, 1);
  expectProducts(multiplyOnce<ContiguousN, true>, 1);
  expectProducts(multiplyOnce<ContiguousN, false>, 1);
}

TEST_F(EmulatorWarpgroupsTest, AddsToItsSumsAndToNumbers) {
  expectProducts(
      [](void **params) {
        putMatrix(ContiguousK, true);
        Sums sums;
        for (uint32_t &bits : sums.bits)
          bits = bit_cast<uint32_t>(7.0f);
        for (int i = 0; i < 3; ++i) {
          fence();
          multiply(sums, ContiguousK, true, /*adds=*/true);
          multiply(sums, ContiguousK, true, /*adds=*/true, /*negates=*/i == 2);
          commit();
          // Numbers again after the second group.
          if (i == 1)
            waitForSums(sums);
        }
        waitForSums(sums);
        putResults(params, sums);
      },
      4, 7);
}

TEST_F(EmulatorWarpgroupsTest, AWaitMayLeaveYoungerGroups) {
  expectProducts(
      [](void **params) {
        putMatrix(ContiguousK, true);
        Sums first = undefined(), second = undefined();
        fence();
        multiply(first, ContiguousK, true, /*adds=*/false);
        commit();
        fence();
        multiply(second, ContiguousK, true, /*adds=*/false);
        commit();
        waitForSums(first, /*pending=*/1);
        putResults(params, first);
        waitForSums(second);
      },
      1);
  expectError(
      [](void **params) {
        putMatrix(ContiguousK, true);
        Sums first = undefined(), second = undefined();
        fence();
        multiply(first, ContiguousK, true, /*adds=*/false);
        commit();
        fence();
        multiply(second, ContiguousK, true, /*adds=*/false);
        commit();
        waitForSums(second, /*pending=*/1);
        putResults(params, second);
      },
      "expected the sums of wgmma.mma_async at kernel.mlir:3 behind a wait "
      "that "
      "names them, but got a use before");
}

TEST_F(EmulatorWarpgroupsTest, SumsKeepTheirOrder) {
  expectError(
      [](void **params) {
        putMatrix(ContiguousK, true);
        Sums sums = undefined();
        fence();
        multiply(sums, ContiguousK, true, /*adds=*/false);
        std::swap(sums.bits[0], sums.bits[1]);
        multiply(sums, ContiguousK, true, /*adds=*/true);
        commit();
        waitForSums(sums);
        putResults(params, sums);
      },
      "but got sums of another multiplication, or in another order");
}

TEST_F(EmulatorWarpgroupsTest, SharedMemoryNeedsAProxyFence) {
  expectError(
      [](void **params) {
        putMatrix(ContiguousK, true, /*isFenced=*/false);
        Sums sums = undefined();
        fence();
        multiply(sums, ContiguousK, true, /*adds=*/false);
        commit();
        waitForSums(sums);
        putResults(params, sums);
      },
      "expected fence.proxy.async between the store and the load by wgmma of "
      "warpgroup 0 of byte 0 of shared memory 'b'");
}

TEST_F(EmulatorWarpgroupsTest, RegistersNeedAFence) {
  expectError(
      [](void **params) {
        putMatrix(ContiguousK, true);
        Sums sums = undefined();
        fence();
        multiply(sums, ContiguousK, true, /*adds=*/false);
        commit();
        // Sums may go on without one, registers of A may not.
        multiply(sums, ContiguousK, true, /*adds=*/true);
        commit();
        waitForSums(sums);
        putResults(params, sums);
      },
      "expected wgmma.fence between the last use of registers");
}

TEST_F(EmulatorWarpgroupsTest, NaNsAreNumbers) {
  // Of all bits set, like those of memory that nobody should see.
  for (uint64_t seed = 0; seed < 3; ++seed) {
    ASSERT_EQ(runWith(
                  [](void **params) {
                    putMatrix(ContiguousK, true);
                    Sums sums;
                    for (uint32_t &bits : sums.bits)
                      bits = ~0u;
                    fence();
                    multiply(sums, ContiguousK, true, /*adds=*/true);
                    commit();
                    waitForSums(sums);
                    putResults(params, sums);
                  },
                  seed),
              "");
    EXPECT_TRUE(std::isnan(output[17]));
  }
}

TEST_F(EmulatorWarpgroupsTest, WarpsRunTheSame) {
  expectError(
      [](void **params) {
        putMatrix(ContiguousK, true);
        Sums sums = undefined();
        fence();
        multiply(sums, ContiguousK, true, /*adds=*/false, /*negates=*/false,
                 /*offset=*/thread() < 96 ? 0 : 256);
        commit();
        waitForSums(sums);
        putResults(params, sums);
      },
      "expected the four warps of a warpgroup to run the same wgmma.mma_async");
  expectError(
      [](void **params) {
        putMatrix(ContiguousK, true);
        Sums sums = undefined();
        if (thread() < 96) {
          fence();
          multiply(sums, ContiguousK, true, /*adds=*/false);
          commit();
          waitForSums(sums);
          putResults(params, sums);
        }
      },
      "expected all four warps of the warpgroup to commit group 0");
}

TEST_F(EmulatorWarpgroupsTest, NothingIsLeftUndone) {
  expectError(
      [](void **params) {
        putMatrix(ContiguousK, true);
        Sums sums = undefined();
        fence();
        multiply(sums, ContiguousK, true, /*adds=*/false);
        commit();
        for (unsigned i = 0; i < numSums; ++i)
          store(argument(params, 1), numSums * thread() + i, 0.0f);
      },
      "multiplications that nobody has waited for");
}

TEST_F(EmulatorWarpgroupsTest, RegistersAreSharedOut) {
  static constexpr auto share = [](void **params, int less, int more) {
    using RegisterShim = void(int, const EmulatorSite *);
    if (thread() < 128)
      shim<RegisterShim>("llvm.nvvm.setmaxnreg.dec.sync.aligned.u32")(less,
                                                                      &site);
    else
      shim<RegisterShim>("llvm.nvvm.setmaxnreg.inc.sync.aligned.u32")(more,
                                                                      &site);
    store(argument(params, 1), thread(), 0.0f);
  };
  EXPECT_EQ(run([](void **params) { share(params, 40, 232); }, 384, 1, 384),
            "");
  EXPECT_THAT(
      run([](void **params) { share(params, 40, 240); }, 384, 1, 384),
      HasSubstr("expected setmaxnreg to leave the block 64512 registers "
                "or fewer, as it may start with, but got 66560"));
  EXPECT_THAT(run([](void **params) { share(params, 40, 236); }, 384, 1, 384),
              HasSubstr("to a multiple of 8 from 24 to 256"));
}

TEST_F(EmulatorWarpgroupsTest, ACooperativeLaunchHasNone) {
  cooperative = true;
  EXPECT_THAT(run([](void **) { fence(); }, 128, 1, 128),
              HasSubstr("expected warpgroups in a launch that is not "
                        "cooperative"));
}
