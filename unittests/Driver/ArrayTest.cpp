//===- ArrayTest.cpp - Tests of the driver's arrays -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Array.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace fuse::driver;
using fuse::runtime::DType;
using llvm::APFloat;

static Array random(DType dtype, int64_t size, uint64_t seed) {
  Array array = llvm::cantFail(Array::create(dtype, {size}));
  fillRandom(array, seed);
  return array;
}

template <typename T> static llvm::ArrayRef<T> elements(const Array &array) {
  return {static_cast<const T *>(array.buffer->data()),
          size_t(array.numElements())};
}

TEST(Array, RandomDependsOnTheSeedAlone) {
  Array a = random(DType::F32, 1000, 7), b = random(DType::F32, 1000, 7);
  EXPECT_EQ(elements<float>(a), elements<float>(b));
  EXPECT_NE(elements<float>(a), elements<float>(random(DType::F32, 1000, 8)));
}

TEST(Array, RandomIsNormal) {
  Array array = random(DType::F64, 100'000, 1);
  double sum = 0, squares = 0;
  for (double value : elements<double>(array)) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.02);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
}

/// The narrow numbers are the f32 ones of the same seed, rounded as APFloat
/// does.
template <typename Bits>
static void expectRounded(DType dtype, const llvm::fltSemantics &semantics) {
  Array wide = random(DType::F32, 10'000, 3);
  Array narrow = random(dtype, 10'000, 3);
  for (auto [value, bits] :
       llvm::zip(elements<float>(wide), elements<Bits>(narrow))) {
    APFloat expected(value);
    bool losesInfo;
    expected.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    EXPECT_EQ(bits, expected.bitcastToAPInt().getZExtValue()) << value;
  }
}

TEST(Array, RandomF8) {
  expectRounded<uint8_t>(DType::F8E4M3FN, APFloat::Float8E4M3FN());
  expectRounded<uint8_t>(DType::F8E5M2, APFloat::Float8E5M2());
}

TEST(Array, F8StaysFinite) {
  Array array = llvm::cantFail(Array::create(DType::F8E4M3FN, {1000}));
  fillRandom(array, 5, /*stddev=*/1e6);
  for (uint8_t bits : elements<uint8_t>(array))
    EXPECT_NE(bits & 0x7f, 0x7f);
}

TEST(Array, RandomF16) {
  expectRounded<uint16_t>(DType::F16, APFloat::IEEEhalf());
}
TEST(Array, RandomBF16) {
  expectRounded<uint16_t>(DType::BF16, APFloat::BFloat());
}

TEST(Array, RandomIntegersAreSmall) {
  Array integers = random(DType::I64, 1000, 1);
  for (int64_t value : elements<int64_t>(integers))
    EXPECT_TRUE(value >= 0 && value < 64) << value;
  Array bools = random(DType::I1, 1000, 1);
  for (uint8_t value : elements<uint8_t>(bools))
    EXPECT_LE(value, 1);
}

TEST(Array, TasksContinueTheSameNumbers) {
  // SplitMix64 of seed 1, from an element of the second task on.
  constexpr int64_t first = (1 << 16) + 3;
  Array integers = random(DType::I64, first + 2, 1);
  for (int64_t i = first; i < first + 2; ++i) {
    uint64_t z = 1 + (i + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    EXPECT_EQ(elements<int64_t>(integers)[i], int64_t((z ^ (z >> 31)) >> 58));
  }
  // Floats take two numbers each.
  Array few = random(DType::F32, 8, 1), many = random(DType::F32, first, 1);
  EXPECT_EQ(elements<float>(few), elements<float>(many).take_front(8));
  EXPECT_NE(elements<float>(many)[1 << 16], elements<float>(many)[0]);
}

TEST(Array, PoisonIsNaN) {
  Array array = llvm::cantFail(Array::create(DType::F32, {4}));
  fillPoison(array);
  for (float value : elements<float>(array))
    EXPECT_TRUE(std::isnan(value));
}

TEST(Array, BoolsAreNormalized) {
  Array array = llvm::cantFail(Array::fromBytes(DType::I1, {3}, {"\2\0\1", 3}));
  EXPECT_EQ(elements<uint8_t>(array), (llvm::ArrayRef<uint8_t>{1, 0, 1}));
}
