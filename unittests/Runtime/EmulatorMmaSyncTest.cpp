//===- EmulatorMmaSyncTest.cpp - Copies by threads, products of warps -----===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorFixture.h"
#include "llvm/ADT/bit.h"
#include "gmock/gmock.h"

using namespace llvm;
using namespace fuse::runtime;
using testing::HasSubstr;

namespace {

class EmulatorMmaSyncTest : public EmulatorFixture {};

/// 16 bytes of the input to the thread's place, of which so many are read.
void copyInput(void **params, unsigned read) {
  shim<void(uint64_t, uint64_t, uint32_t, const EmulatorSite *)>(
      "llvm.nvvm.cp.async.cg.shared.global.16.s")(
      shared() + 16 * thread(), argument(params, 0) + 16 * thread(), read,
      &site);
}
void commit() { shim<void()>("llvm.nvvm.cp.async.commit.group")(); }
void waitForAllBut(uint32_t pending) {
  shim<void(uint32_t)>("llvm.nvvm.cp.async.wait.group")(pending);
}

constexpr unsigned copiers = 16;

} // namespace

TEST_F(EmulatorMmaSyncTest, WhatACopyDoesNotReadIsZero) {
  EXPECT_EQ(run(
                [](void **params) {
                  copyInput(params, thread() % 2 ? 8 : 16);
                  commit();
                  waitForAllBut(0);
                  for (unsigned i = 0; i < 4; ++i)
                    store(argument(params, 1), 4 * thread() + i,
                          load<float>(shared(), 4 * thread() + i));
                },
                copiers),
            "");
  EXPECT_EQ(output[3], 3);
  EXPECT_EQ(output[5], 5);
  EXPECT_EQ(output[6], 0);
  EXPECT_EQ(output[7], 0);
}

TEST_F(EmulatorMmaSyncTest, ACopyThatReadsNothingMayNameAnyAddress) {
  EXPECT_EQ(
      run(
          [](void **params) {
            shim<void(uint64_t, uint64_t, uint32_t, const EmulatorSite *)>(
                "llvm.nvvm.cp.async.cg.shared.global.16.s")(
                shared() + 16 * thread(), 0, 0, &site);
            commit();
            waitForAllBut(0);
            for (unsigned i = 0; i < 4; ++i)
              store(argument(params, 1), 4 * thread() + i,
                    load<float>(shared(), 4 * thread() + i));
          },
          copiers),
      "");
  EXPECT_EQ(output, std::vector<float>(64, 0.0f));
}

TEST_F(EmulatorMmaSyncTest, RefusesACopyThatReadsMoreThanItWrites) {
  EXPECT_THAT(run([](void **params) { copyInput(params, 17); }, copiers),
              HasSubstr("expected a copy to read at most the 16 bytes that it "
                        "writes, but got 17; check its size"));
}

TEST_F(EmulatorMmaSyncTest, OldGroupsAreThereBeforeYoungOnes) {
  EXPECT_THAT(run(
                  [](void **params) {
                    copyInput(params, 16);
                    commit();
                    waitForAllBut(1);
                    load<float>(shared(), 4 * thread());
                  },
                  copiers),
              HasSubstr("expected a load of what was written"));
}

/// It happens behind the barrier here, but need not.
TEST_F(EmulatorMmaSyncTest, ACopyMayWriteAtOnce) {
  EXPECT_THAT(run(
                  [](void **params) {
                    store(shared(), 4 * thread(), 1.0f);
                    barrier();
                    load<float>(shared(), 4 * (thread() ^ 1));
                    copyInput(params, 16);
                    commit();
                    barrier();
                    waitForAllBut(0);
                  },
                  copiers),
              HasSubstr("expected a barrier between the load and the store"));
}

int valueOfA(int row, int k) { return (row + 3 * k) % 4; }
int valueOfB(int column, int k) { return (2 * column + k) % 3; }

/// Sums of 16 x 8 and products of 16 places, by the layouts of the PTX ISA.
template <bool isBFloat> static void multiply(void **params) {
  static constexpr uint16_t halves[] = {0x0000, 0x3c00, 0x4000, 0x4200};
  auto element = [](int value) -> uint32_t {
    return isBFloat ? bit_cast<uint32_t>(float(value)) >> 16 : halves[value];
  };
  int group = thread() / 4, quad = thread() % 4;
  uint32_t a[4], b[2];
  for (int i = 0; i < 4; ++i) {
    int row = group + 8 * (i % 2), k = 2 * quad + 8 * (i / 2);
    a[i] = element(valueOfA(row, k)) | element(valueOfA(row, k + 1)) << 16;
  }
  for (int i = 0; i < 2; ++i) {
    int k = 2 * quad + 8 * i;
    b[i] = element(valueOfB(group, k)) | element(valueOfB(group, k + 1)) << 16;
  }
  float sums[4];
  shim<void(float *, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
            float, float, float, float, const EmulatorSite *)>(
      isBFloat ? "llvm.nvvm.mma.m16n8k16.row.col.bf16"
               : "llvm.nvvm.mma.m16n8k16.row.col.f32.f32")(
      sums, a[0], a[1], a[2], a[3], b[0], b[1], 0.5f, 0.5f, 0.5f, 0.5f, &site);
  for (int i = 0; i < 4; ++i) {
    int row = group + 8 * (i / 2), column = 2 * quad + i % 2;
    float expected = 0.5f;
    for (int k = 0; k < 16; ++k)
      expected += valueOfA(row, k) * valueOfB(column, k);
    store(argument(params, 1), 4 * thread() + i,
          sums[i] == expected ? 1.0f : sums[i]);
  }
}

TEST_F(EmulatorMmaSyncTest, ProductsOfAWarp) {
  EXPECT_EQ(run(multiply<true>, 32, /*grid=*/1, /*results=*/128), "");
  EXPECT_EQ(output, std::vector<float>(128, 1.0f));
  EXPECT_EQ(run(multiply<false>, 32, /*grid=*/1, /*results=*/128), "");
  EXPECT_EQ(output, std::vector<float>(128, 1.0f));
}

/// Sums of f64 of a warp, started with 0.5; 1 where they are right.
template <int rowBlocks> void multiplyWide(void **params) {
  int group = thread() / 4, quad = thread() % 4;
  double sums[2 * rowBlocks];
  auto a = [&](int row, int place) {
    return double(valueOfA(group + 8 * row, quad + 4 * place));
  };
  auto b = [&](int place) { return double(valueOfB(group, quad + 4 * place)); };
  if constexpr (rowBlocks == 1)
    shim<void(double *, double, double, double, double, const EmulatorSite *)>(
        "llvm.nvvm.mma.m8n8k4.row.col.f64")(sums, a(0, 0), b(0), 0.5, 0.5,
                                            &site);
  else
    shim<void(double *, double, double, double, double, double, double, double,
              double, double, double, const EmulatorSite *)>(
        "llvm.nvvm.mma.m16n8k8.row.col.f64")(sums, a(0, 0), a(1, 0), a(0, 1),
                                             a(1, 1), b(0), b(1), 0.5, 0.5, 0.5,
                                             0.5, &site);
  for (int i = 0; i < 2 * rowBlocks; ++i) {
    int row = group + 8 * (i / 2), column = 2 * quad + i % 2;
    double expected = 0.5;
    for (int k = 0; k < 4 * rowBlocks; ++k)
      expected += double(valueOfA(row, k)) * valueOfB(column, k);
    store(argument(params, 1), 2 * rowBlocks * thread() + i,
          sums[i] == expected ? 1.0f : float(sums[i]));
  }
}

TEST_F(EmulatorMmaSyncTest, WideProductsOfAWarp) {
  EXPECT_EQ(run(multiplyWide<1>, 32, /*grid=*/1, /*results=*/64), "");
  EXPECT_EQ(output, std::vector<float>(64, 1.0f));
  EXPECT_EQ(run(multiplyWide<2>, 32, /*grid=*/1, /*results=*/128), "");
  EXPECT_EQ(output, std::vector<float>(128, 1.0f));
}
